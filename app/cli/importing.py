"""`keywright import`: a pasted table, or another format, becomes a project file."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from app.cli import files
from app.model.text import write_json, write_yaml


def add(commands: Any) -> None:
    p = commands.add_parser("import", help="read an access-pattern table into a project file")
    p.add_argument("file", help="a Markdown or CSV table, or a project; - for standard input")
    p.add_argument("-o", "--out", default="", help="where to write (default: standard output); .json writes JSON")
    p.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    imported = files.read(given.file)
    text = write_json(imported.project) if given.out.endswith(".json") else write_yaml(imported.project)
    files.write(text, given.out)
    for question in imported.questions:
        hint = f" (such as {question.hint})" if question.hint else ""
        print(f"question: {question.place}: {question.text}{hint}", file=sys.stderr)
    for left in imported.unread:
        print(f"not read: line {left.line}: {left.why}: {left.text[:80]}", file=sys.stderr)
    return 0
