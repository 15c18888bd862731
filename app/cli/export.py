"""`keywright export`: a document, a catalog, a script or the project in another form."""

from __future__ import annotations

import argparse
from typing import Any

from app.analysis import analyse
from app.cli import files
from app.cli.check import with_starters
from app.exporters import EXPORTERS
from app.exporters import export as exported


def add(commands: Any) -> None:
    about = "\n".join(f"  {e.name:14} {e.about}" for e in EXPORTERS.values())
    p = commands.add_parser(
        "export",
        help="write a document, a key catalog, scripts or queries",
        epilog=f"formats:\n{about}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("file", help="a project or a table; - for standard input")
    p.add_argument("--format", required=True, choices=sorted(EXPORTERS), metavar="NAME", help="what to write")
    p.add_argument("--model", default="", help="of this model (default: the chosen one, else all)")
    p.add_argument("-o", "--out", default="", help="where to write (default: standard output)")
    p.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    project = files.read(given.file).project
    exporter = EXPORTERS[given.format]
    if exporter.per_model:
        project = with_starters(project, ())
    files.write(exported(analyse(project), exporter, given.model).text, given.out)
    return 0
