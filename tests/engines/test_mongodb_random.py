"""Random indexes and random reads on MongoDB: the server does what the plan says, whatever was asked.

`KEYWRIGHT_RANDOM=N` tries N worlds of `READS` reads each, other ones every time; without it the same few.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from app.model.spread import Spread
from app.plan.numbers import share
from app.plan.read import plan_read
from app.plan.types import Plan, Step
from tests.engines.finds import Found, create_indexes, explained, find_of, index_of, luck, stored
from tests.engines.orders import orders
from tests.engines.server import WORKER
from tests.plan.dialects import dialect_of
from tests.plan.notation import COUNT, STATED, STATS, read_case

SPACE = f"keywright_test_random_{WORKER}"
WORLDS = int(os.environ.get("KEYWRIGHT_RANDOM", "0"))
READS = 8
TIMES, MORE = 3.0, 60
"""A read whose conditions and order the index serves in full examines at most `TIMES` as many entries as it returns
records (arrays here have three elements) and `MORE`."""
OFF, APART = 1.5, 60
"""Figures of other reads may be off by this factor and number."""

SCALAR = ("status", "region", "user_id", "created_at", "total", "amount", "note", "email", "name")
ARRAYS = ("tags", "scores")
TEXTS = {"status": "s", "region": "r", "tags": "t", "note": "note ", "name": "", "email": ""}
ORDERED = ("region", "user_id", "created_at", "total", "amount")


def value(draw: st.DrawFn, attr: str) -> str:
    n = draw(st.integers(0, int(STATS[attr].distinct) - 1))
    return f"u{n}@x.org" if attr == "email" else f"{TEXTS.get(attr, '')}{n}"


@st.composite
def indexes(draw: st.DrawFn, pool: Sequence[str]) -> Mapping[str, Any]:
    """One to three parts, at most one of them an array; sparse, partial, wildcard or hashed at times."""
    attrs = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3, unique=True))
    arrays = [a for a in attrs if a in ARRAYS]
    attrs = [a for a in attrs if a not in arrays[1:]]
    made: dict[str, Any] = {"keys": [_key(draw, a) for a in attrs]}
    kind = draw(st.sampled_from(["", "", "", "", "sparse", "partial", "hashed", "wildcard"]))
    if kind == "partial":
        made["only"] = [draw(conditions(("status", "region", "amount", "note"), ("=", ">=", "not null", "in")))]
    elif kind == "hashed" and attrs[0] not in ARRAYS:
        made = {"keys": [attrs[0]], "hashed": "yes"}
    elif kind == "wildcard":
        made = {"wildcard": "yes"}
    elif kind == "sparse":
        made["sparse"] = "yes"
    return made


def _key(draw: st.DrawFn, attr: str) -> str:
    return f"{draw(st.sampled_from(['', '', '-']))}{attr}{'[]' if attr in ARRAYS else ''}"


@st.composite
def conditions(draw: st.DrawFn, attrs: Sequence[str], ops: tuple[str, ...] = ()) -> str:
    attr = draw(st.sampled_from(attrs))
    able = ["contains", "in"] if attr in ARRAYS else ["=", "=", "=", "in", "!=", "not in"]
    if attr in (*ORDERED, "scores"):
        able += [">=", "<=", "between"]
    if attr == "note":
        able += ["is null", "not null"]
    if attr == "name":
        return draw(st.sampled_from(["name prefix a", "name match 9$", "name = a0 words 9"]))
    op = draw(st.sampled_from([o for o in able if not ops or o in ops] or ["="]))
    if op in ("is null", "not null"):
        return f"{attr} {op}"
    if op in ("in", "not in"):
        many = draw(st.lists(st.integers(0, int(STATS[attr].distinct) - 1), min_size=2, max_size=5, unique=True))
        named = [f"u{n}@x.org" if attr == "email" else f"{TEXTS.get(attr, '')}{n}" for n in many]
        return f"{attr} {op} {','.join(named)}"
    if op == "between":
        low, high = sorted(draw(st.integers(0, int(STATS[attr].distinct) - 1)) for _ in range(2))
        text = TEXTS.get(attr, "")
        return f"{attr} between {text}{low},{text}{high}"
    return f"{attr} {op} {value(draw, attr)}"


@st.composite
def reads(draw: st.DrawFn, pool: Sequence[str]) -> dict[str, Any]:
    scalar = [a for a in pool if a not in ARRAYS]
    where = draw(st.lists(conditions(pool), max_size=3, unique_by=lambda t: t.split()[0]))
    body: dict[str, Any] = {"where": where}
    if order := draw(st.lists(st.sampled_from(scalar), max_size=2, unique=True)):
        body["order by"] = [f"{draw(st.sampled_from(['', '-']))}{a}" for a in order]
    if draw(st.booleans()):
        body["limit"] = draw(st.sampled_from([5, 20]))
        if order and draw(st.integers(0, 3)) == 0:
            body["offset"] = 40
    if draw(st.integers(0, 2)) == 0:
        body["needs"] = draw(st.lists(st.sampled_from(scalar), min_size=1, max_size=2, unique=True))
    if draw(st.integers(0, 7)) == 0:
        free = [a for a in scalar if not any(t.split()[0] == a for t in where)]
        body |= {"any of": [[draw(conditions((a,)))] for a in free[:2]]} if len(free) > 1 else {}
    return body


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Mapping[str, Any]], list[dict[str, Any]]]:
    """Indexes and reads of a few fields, so that they meet."""
    pool = draw(st.lists(st.sampled_from(SCALAR), min_size=3, max_size=4, unique=True))
    pool += draw(st.lists(st.sampled_from(ARRAYS), max_size=1))
    made = draw(st.lists(indexes(pool), min_size=1, max_size=3, unique_by=lambda i: str(i.get("keys"))))
    return made, draw(st.lists(reads(pool), min_size=READS, max_size=READS))


@pytest.fixture(scope="module")
def database(mongodb: Any) -> Iterator[Any]:
    found = mongodb[SPACE]
    found.orders.insert_many({"_id": o.pop("id"), **o} for o in orders())
    yield found
    mongodb.drop_database(SPACE)


@settings(
    max_examples=WORLDS or 40,
    derandomize=not WORLDS,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink) if WORLDS else (Phase.generate,),
)
@given(world=worlds())
def test_the_server_does_what_the_plan_says(database: Any, world: tuple[list[Mapping[str, Any]], list[Any]]) -> None:
    made, asked = world
    database.orders.drop_indexes()
    bodies = [{"indexes": made, **body} for body in asked]
    create_indexes(database.orders, bodies[0])
    for body in bodies:
        plan = planned(body)
        find = find_of(body, step_of(plan).ask)
        found = explained(database, find)
        if other(plan, found):  # the server may take another index: the one planned must do what is said of it
            event("another index")
            found = explained(database, {**find, "hint": index_of(step_of(plan))})
        assert differences(plan, found, body) == [], (body, found)


def planned(body: Mapping[str, Any]) -> Plan:
    case = read_case("mongodb", "random", {**body, "expect": {}}, dialect_of("mongodb"))
    found = COUNT * prod(share(c, STATED) for c in case.query.needs[0].where)
    return plan_read(replace(case.query, matched=Spread(found)), [case.record], case.world)


def step_of(plan: Plan) -> Step:
    return plan.likely or plan.steps[0]


def other(plan: Plan, found: Found) -> bool:
    step = step_of(plan)
    return not step.branches and bool(index_of(step)) and found.indexes != {index_of(step)} and not found.scans


def differences(plan: Plan, found: Found, body: Mapping[str, Any]) -> list[str]:
    step, limit = step_of(plan), float(body.get("limit", 0))
    steps = step.branches or (step,)
    # judging every entry of an index is as good as a scan
    texts = [*body.get("where", ()), *(c for b in body.get("any of", ()) for c in b)]
    judging = any(" match " in c for c in texts) and ("OR" in found.stages or not index_of(step))
    walked = found.scans or found.keys >= COUNT or judging
    if not (walked if any(not index_of(s) for s in steps) else not found.scans):
        return [f"{found.stages}, planned {step.path}"]
    if walked or (found.joins and found.indexes != {index_of(s) for s in steps}) or found.joins != bool(step.branches):
        return []  # of several indexes the server took others: no hint names them
    if (field := step.path.partition(":")[2]) and stored(field) not in found.bounded.get(index_of(step), ()):
        return []  # a wildcard index by another of its fields
    out = []
    few = step.order == "merged" and found.keys <= APART  # sorting a few is as good as merging them
    if found.sorts != (step.order == "sorted") and not few:
        out.append(f"{found.stages}, planned order {step.order}")
    if found.returned and (found.documents > 0 if step.covered else found.documents == 0 and not step.branches):
        out.append(f"{found.documents} documents, planned covered {step.covered}")
    beyond = float(body.get("offset", 0))
    if in_full(plan, step) and found.keys > TIMES * (found.returned + beyond) + MORE:
        out.append(f"served, and {found.keys} entries for {found.returned} records")
    for what, got, figure in (("keys", found.keys, step.keys), ("documents", found.documents, step.records.avg)):
        # a branch may do without its records where another fetches, and those fetched to be judged count twice
        beside = what == "documents" and bool(step.branches)
        if not (beside or by_luck(step) or near(got, figure, luck(limit + beyond, figure))):
            out.append(f"{got} {what}, planned {figure:.0f}")
    return out


def by_luck(step: Step) -> bool:
    """Reading in order until enough is found, by conditions on what it is ordered by: that may lie at either end."""
    if not step.ask or step.match is None or step.order == "sorted":
        return False
    parts = {p.attr for p in step.match.path.order}
    return any(t == "or" or t.split()[0] in parts for t in step.residual)


def in_full(plan: Plan, step: Step) -> bool:
    """Is nothing left to judge, to skip over or to sort?"""
    return plan.level.served and not (step.residual or step.checks or step.branches) and step.order != "sorted"


def near(got: float, figure: float, chance: float) -> bool:
    return got <= OFF * figure + APART + chance and figure <= OFF * got + APART + chance
