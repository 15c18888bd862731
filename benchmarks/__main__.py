"""`python -m benchmarks`: measure, print one table, exit 1 where an aim is missed and --strict is given."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from importlib import import_module

from benchmarks.figure import Figure, busy, machine, table

PARTS = ("core", "server", "browser")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure what the project promises.")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to run (default: all)")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where an aim is missed")
    given = parser.parse_args()
    print(machine(), flush=True)
    if busy():
        print("Other programs keep the processors busy: compare processor times, not the clock.", flush=True)
    found: list[Figure] = []
    for part in given.only:
        print(f"measuring {part} …", file=sys.stderr, flush=True)
        figures: Callable[[], Iterator[Figure]] = import_module(f"benchmarks.{part}").figures
        found += figures()
    print("\n" + table(found))
    return int(given.strict and any(f.met == "NO" for f in found))


if __name__ == "__main__":
    sys.exit(main())
