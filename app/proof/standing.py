"""Does a proof still speak of what is on screen? It stands for the model, entities and patterns it ran with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from app.model.part import Part
from app.model.plain import to_plain
from app.model.project import Project
from app.proof.types import Card, Proof, Verdict

VERDICTS: tuple[Verdict, ...] = ("agrees", "differs", "failed", "refused", "skipped")
Basis = Mapping[str, str]
"""What a proof ran with, as marks: `model`, `entities`, and `patterns/NAME` for each pattern."""
SAID_ONLY = ("note", "inferred", "chosen", "rate", "latency", "text", "consistency note")
"""Words of a part that change neither what is created nor what is asked."""


def basis(project: Project, model: str) -> Basis:
    """The marks of a model and of its workload; equal marks: nothing that matters has changed.

    Raises:
        KeyError: the project has no such model.
    """
    found = project.model(model)
    if found is None:
        raise KeyError(model)
    entities = [_bare(part) for part in (*project.entities, *project.relationships)]
    marks = {"model": _mark(_bare(found, "name")), "entities": _mark(entities)}
    return marks | {f"patterns/{p.operation}": _mark(_bare(p, "operation")) for p in project.patterns}


def moved(then: Basis, now: Basis) -> tuple[str, ...]:
    """What is not as it was, in words: `the model`, `the entities`, `2 patterns`."""
    out = [f"the {part}" for part in ("model", "entities") if then.get(part) != now.get(part)]
    changed = sum(then.get(at) != mark for at, mark in now.items() if at.startswith("patterns/"))
    if changed:
        out.append("a pattern" if changed == 1 else f"{changed} patterns")
    return tuple(out)


@dataclass(frozen=True, slots=True)
class Standing:
    """A proof, what has changed since, and the cards of patterns that are still what was asked then."""

    proof: Proof
    moved: tuple[str, ...] = ()
    outdated: frozenset[str] = frozenset()
    """Operations that were changed, renamed or deleted since."""

    @property
    def since(self) -> str:
        """`The model has changed since.`, or empty."""
        if not self.moved:
            return ""
        *most, last = self.moved
        words = f"{', '.join(most)} and {last}" if most else last
        many = bool(most) or last == "the entities" or last.endswith("patterns")
        return f"{words[:1].upper()}{words[1:]} {'have' if many else 'has'} changed since."

    def card(self, operation: str) -> Card | None:
        """The evidence for a pattern as it is now."""
        if operation in self.outdated:
            return None
        return next((c for c in self.proof.cards if c.operation == operation), None)


def standing(proof: Proof, then: Basis, project: Project, model: str) -> Standing:
    """How a proof that ran with `then` stands to the model called `model` now."""
    now = basis(project, model)
    asked = [c.operation for c in proof.cards]
    outdated = (name for name in asked if then.get(f"patterns/{name}") != now.get(f"patterns/{name}"))
    return Standing(proof, moved(then, now), frozenset(outdated))


def tally(proof: Proof) -> str:
    """`9 of 12 patterns agree, 1 differs, 2 skipped`."""
    others = [f"{n} {'differ' if v == 'differs' and n > 1 else v}" for v in VERDICTS[1:] if (n := proof.count(v))]
    total = len(proof.cards)
    first = f"{proof.count('agrees')} of {total} {'pattern' if total == 1 else 'patterns'} agree"
    return ", ".join([first, *others])


def loaded(proof: Proof) -> str:
    """`12,345 records, 0.1 % of the project's counts`."""
    total = sum(proof.records.values())
    whole = "all of the project’s counts" if proof.scale >= 1 else f"{proof.scale * 100:.3g} % of the project’s counts"
    return f"{total:,} {'record' if total == 1 else 'records'}, {whole}"


def _bare(part: Part, *named: str) -> dict[str, Any]:
    return {word: value for word, value in to_plain(part).items() if word not in (*SAID_ONLY, *named)}


def _mark(plain: Any) -> str:
    text = json.dumps(plain, ensure_ascii=False, sort_keys=True)
    return sha256(text.encode()).hexdigest()[:24]


__all__ = ["VERDICTS", "Basis", "Standing", "basis", "loaded", "moved", "standing", "tally"]
