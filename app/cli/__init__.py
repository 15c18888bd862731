"""The command line: the same core without HTTP.

Exit codes: 0 clean; 1 `check` found something at or above its level; 2 bad input or bad usage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from app.cli import check, export, importing, reference, serve
from app.errors import AppError
from app.model.problem import BadProject

BAD = 2
COMMANDS = (serve, importing, check, export, reference)


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top = argparse.ArgumentParser(
        prog="keywright", description="Design how data will live in a NoSQL store, from its access patterns."
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the entry point of `keywright`."""
    given = parser().parse_args(argv)
    try:
        code: int = given.run(given)
    except BadProject as wrong:
        for problem in wrong.problems:
            print(f"keywright: {problem}", file=sys.stderr)
        return BAD
    except (AppError, OSError, UnicodeDecodeError) as wrong:
        print(f"keywright: {wrong}", file=sys.stderr)
        return BAD
    return code


def run() -> None:
    """As `main`, ending the process."""
    sys.exit(main())
