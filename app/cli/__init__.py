"""The command line: the same core without HTTP.

Exit codes: 0 clean; 1 `check` found something at or above its level; 2 bad input or bad usage.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from app.cli import check, export, importing, prove, reference, serve
from app.errors import AppError
from app.model.problem import BadProject

BAD = 2
INTERRUPTED = 130
COMMANDS = (serve, importing, check, prove, export, reference)


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
    for stream in (sys.stdout, sys.stderr):
        # A pipe takes what the file will hold, whatever the terminal's own encoding is.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
    given = parser().parse_args(argv)
    try:
        code: int = given.run(given)
        sys.stdout.flush()
    except BrokenPipeError:  # `keywright rules | head`: whoever reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BadProject as wrong:
        for problem in wrong.problems:  # only commands that read a file raise it
            print(f"keywright: {given.file}: {problem}", file=sys.stderr)
        return BAD
    except AppError as wrong:
        print(f"keywright: {wrong}", file=sys.stderr)
        return BAD
    except OSError as wrong:
        print(f"keywright: {wrong.filename or 'input'}: {wrong.strerror or wrong}", file=sys.stderr)
        return BAD
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def run() -> None:
    """As `main`, ending the process."""
    sys.exit(main())
