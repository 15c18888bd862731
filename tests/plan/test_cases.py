"""Planner cases as data: one directory per store, one file per rule, both sides of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.plan.read import plan_read
from app.plan.types import Plan
from app.stores import STORES
from tests.plan.dialects import dialect_of
from tests.plan.notation import Case, read_case

CASES = Path(__file__).parent / "cases"
EXPECTED = {
    "level", "order", "bounds", "checks", "residual", "covered", "keys", "records", "requests", "rounds", "path",
    "miss", "says", "fix", "note", "units", "bytes", "likely", "steps", "most",
}  # fmt: skip


def cases() -> Iterator[Any]:
    for file in sorted(CASES.glob("*/*.yaml")):
        # Everything is read as text: a field named `null` and a value like `no` stay what they are.
        found = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
        for name, body in found.items():
            yield pytest.param(file.parent.name, name, body, id=f"{file.parent.name}/{file.stem}/{name}")


@pytest.mark.parametrize(("store", "name", "body"), list(cases()))
def test_case(store: str, name: str, body: Mapping[str, Any]) -> None:
    """The plan is as the facts of the store say."""
    case = read_case(store, name, body, dialect_of(store, body.get("version", "")))
    plan = plan_read(case.query, [case.record], case.world)
    assert differences(case, plan) == []


def differences(case: Case, plan: Plan) -> list[str]:
    expect = case.expect
    unknown = expect.keys() - EXPECTED
    if unknown:
        raise ValueError(f"unknown expectation {sorted(unknown)}")
    return [f"{k}: {got}, expected {v}" for k, v in expect.items() if not _fits(k, v, got := _got(k, plan))]


def _got(what: str, plan: Plan) -> Any:
    if what in PLAN:
        return PLAN[what](plan)
    first = plan.steps[0] if plan.steps else None
    if what in ("bounds", "checks", "residual"):
        return {t.split()[0].removeprefix("order.") for t in getattr(first, what, ())}
    if what == "covered":
        return "yes" if first and first.covered else "no"
    return getattr(first, what, None)


PLAN: Mapping[str, Callable[[Plan], Any]] = {
    "level": lambda p: p.level.words,
    "miss": lambda p: {m.code for m in p.misses},
    "says": lambda p: " / ".join(m.what for m in p.misses),
    "fix": lambda p: " / ".join(m.fix for m in p.misses),
    "note": lambda p: " / ".join(p.notes),
    "requests": lambda p: p.requests.avg,
    "records": lambda p: p.records.avg,
    "bytes": lambda p: p.bytes.avg,
    "most": lambda p: p.requests.max,
    "units": lambda p: p.units,
    "rounds": lambda p: p.rounds,
    "likely": lambda p: p.likely.path if p.likely else "none",
    "steps": lambda p: [s.path for s in p.steps],
}


def _fits(what: str, want: Any, got: Any) -> bool:
    if what in ("bounds", "checks", "residual"):
        return bool(got == set(want))
    if what == "miss":
        return bool({want} <= got if isinstance(want, str) else set(want) <= got)
    if what in ("says", "fix", "note"):
        return want in got
    if what == "steps":
        return bool(got == want)
    if isinstance(got, float | int) and not isinstance(got, bool):
        return abs(got - float(want)) <= 0.01 + 0.02 * abs(float(want))
    return bool(str(got) == want)


def test_every_store_has_cases() -> None:
    """Each store of the program is covered."""
    assert set(STORES) <= {d.name for d in CASES.iterdir()}
