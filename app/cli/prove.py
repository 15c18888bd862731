"""`keywright prove`: run a model on a real engine and hold what it does against the plan."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from app.cli import files
from app.cli.check import with_starters
from app.cli.paper import columns, wrapped
from app.errors import BadInput
from app.model.project import Project
from app.proof.types import Card, Proof
from app.stores import STORES

WORDS = ("agrees", "differs", "failed", "refused", "skipped")


def add(commands: Any) -> None:
    p = commands.add_parser(
        "prove",
        help="run a model on a real engine: structures, generated data, every pattern",
        description="Makes a namespace of its own on the server, fills it with data of the project's own numbers, runs "
        "every pattern and drops it again. Exits 0 when all agrees, 1 when something differs, 2 on bad input.",
    )
    p.add_argument("file", help="a project (.yaml, .json) or a table (.md, .csv); - for standard input")
    p.add_argument("--store", required=True, choices=sorted(STORES), help="prove models of this store")
    p.add_argument("--url", required=True, help="the server, such as mongodb://localhost:27017; it is never kept")
    p.add_argument("--model", default="", help="only this model (default: all of the store, or a starter)")
    p.add_argument("--scale", type=float, default=None, help="share of the counts to load (default: 20,000 records)")
    p.add_argument("--runs", type=int, default=20, help="runs of each pattern (default: 20)")
    p.add_argument("--seed", type=int, default=1, help="the same seed makes the same data (default: 1)")
    p.add_argument("--json", action="store_true", help="the whole evidence as JSON")
    p.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    from app.proof import run as door  # noqa: PLC0415 - only this command needs what makes data

    if given.runs < 1:
        raise BadInput(f"{given.runs} runs prove nothing.", fix="Give 1 or more.")
    project = with_starters(files.read(given.file).project, (given.store,))
    date = datetime.now(UTC).date().isoformat()
    proofs = [
        door.prove(
            project,
            name,
            given.url,
            scale=given.scale,
            seed=given.seed,
            date=date,
            runs=given.runs,
            progress=_Line(name),
        )
        for name in _models(project, given.store, given.model)
    ]
    files.write(as_json(proofs) if given.json else "\n\n".join(map(as_text, proofs)), "")
    return int(any(p.count(word) for p in proofs for word in ("differs", "failed", "refused")))


def _models(project: Project, store: str, name: str) -> list[str]:
    """Names of the models to prove. Raises BadInput."""
    mine = [m.name for m in project.models if m.store == store]
    if not name:
        return mine
    if name not in mine:
        fix = f"Models of {store}: {', '.join(mine)}." if mine else ""
        raise BadInput(f"There is no model called {name!r} on {store}.", fix=fix)
    return [name]


class _Line:
    """Progress, one line per step, on standard error."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.said = ""

    def __call__(self, at: Any) -> None:
        if at.step and at.step != self.said:
            self.said = at.step
            print(f"{self.model}: {at.done + 1} of {at.total}: {at.step}", file=sys.stderr)


def as_json(proofs: Iterable[Proof]) -> str:
    return json.dumps([p.model_dump(mode="json") for p in proofs], ensure_ascii=False, indent=2)


def as_text(proof: Proof) -> str:
    """A table of cards, and why those that do not agree do not."""
    loaded = ", ".join(f"{n:,} in {name}" for name, n in proof.records.items())
    lines = [wrapped(f"{proof.model} on {proof.engine} {proof.version}, {proof.scale:.2g} of the counts: {loaded}"), ""]
    head = ("", "Pattern", "Examined", "Planned", "Returned", "Median", "p99 ms")
    rows = [head, *map(_row, proof.cards)]
    lines += columns(rows, widest=(8, 38, 9, 9, 9, 9))
    for card in proof.cards:
        if card.why:
            lines += ["", wrapped(f"{card.verdict}: {card.operation}"), wrapped(card.why, "    ")]
    tally = ", ".join(f"{n} {word}" for word in WORDS if (n := proof.count(word)))  # type: ignore[arg-type]
    return "\n".join([*lines, "", tally])


def _row(card: Card) -> tuple[str, ...]:
    return (
        card.verdict, card.operation, _number(card.examined), _number(card.planned_examined), _number(card.returned),
        _number(card.median_ms), _number(card.p99_ms),
    )  # fmt: skip


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}".removesuffix(".0")
