"""`keywright export`: a document, a catalog, a script or the project in another form."""

from __future__ import annotations

import argparse
from typing import Any

from app.analysis import analyse
from app.cli import files
from app.cli.check import with_starters
from app.errors import BadInput
from app.exporters import EXPORTERS, NoSuchModel
from app.exporters import export as exported


def add(commands: Any) -> None:
    p = commands.add_parser("export", help="write a document, a key catalog, scripts or queries")
    p.add_argument("file", help="a project or a table; - for standard input")
    p.add_argument("--format", required=True, choices=sorted(EXPORTERS), help="what to write")
    p.add_argument("--model", default="", help="of this model (default: the chosen one, else all)")
    p.add_argument("-o", "--out", default="", help="where to write (default: standard output)")
    p.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    imported = files.read(given.file)
    whole = EXPORTERS[given.format].per_model
    project = with_starters(imported.project, ()) if whole else imported.project
    try:
        out = exported(analyse(project), EXPORTERS[given.format], given.model)
    except NoSuchModel as missing:
        raise BadInput(str(missing)) from None
    files.write(out.text, given.out)
    return 0
