"""Random reads over random indexes, held against PostgreSQL.

What is called *served* never reads the whole table and never sorts what streams; where every condition narrows the
read, it looks at no row that it does not return. What is called a *scan* cannot be done with the indexes offered: the
server, forbidden to read the table in sequence, reads a tenth of the rows or of an index all the same. The figures of
either are those of the plan, within chance. KEYWRIGHT_RANDOM: how many reads are tried, KEYWRIGHT_RANDOM_SEED: others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from app.model.spread import Spread
from app.plan.matched import found_by
from app.plan.read import plan_read
from app.plan.types import Level, Plan, Step
from tests.engines import rows
from tests.engines.rows import Found
from tests.engines.test_postgresql_reads import able, differences, indexes, otherwise
from tests.plan.dialects import dialect_of
from tests.plan.notation import COUNT, DOMAIN, STATS, read_case

READS = int(os.environ.get("KEYWRIGHT_RANDOM", "300"))
SEED = int(os.environ.get("KEYWRIGHT_RANDOM_SEED", "20261130"))
TIE = 1.25
"""What is called likely may cost so many times what the server chooses, by the server's own figures."""
OTHERS = 0.05
"""Part of the reads that it may run otherwise all the same."""
SHARE = 0.1
"""Of the rows or of the pages of an index, that a scan reads at least."""
COLUMNS = ("status", "region", "user_id", "amount", "total", "created_at", "day", "note")
LETTER = {"status": "s", "region": "r", "note": "note "}


def value(draw: st.DrawFn, attr: str) -> str:
    return f"{LETTER.get(attr, '')}{draw(st.integers(0, int(STATS[attr].distinct) - 1))}"


@st.composite
def condition(draw: st.DrawFn, attr: str) -> str:
    ops = ["=", "=", "=", "in", "!=", "not in"]
    if attr in DOMAIN:
        ops += [">=", "<=", "between"]
    if attr == "note":
        ops += ["is null", "not null"]
    op = draw(st.sampled_from(ops))
    if op in ("is null", "not null"):
        return f"{attr} {op}"
    if op in ("in", "not in"):
        numbers = st.integers(0, int(STATS[attr].distinct) - 1)
        listed = draw(st.lists(numbers, min_size=2, max_size=4, unique=True))
        return f"{attr} {op} {','.join(f'{LETTER.get(attr, str())}{n}' for n in sorted(listed))}"
    if op == "between":
        ends = sorted(draw(st.integers(0, DOMAIN[attr] - 1)) for _ in range(2))
        return f"{attr} between {','.join(f'{LETTER.get(attr, str())}{e}' for e in ends)}"
    return f"{attr} {op} {value(draw, attr)}"


@st.composite
def index(draw: st.DrawFn) -> Mapping[str, Any]:
    kind = draw(st.sampled_from(["btree"] * 8 + ["hash", "gin"]))
    if kind == "gin":
        return {"keys": ["tags[]"], "type": "gin"}
    if kind == "hash":
        return {"keys": [draw(st.sampled_from(COLUMNS))], "type": "hash"}
    keys = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=3, unique=True))
    made: dict[str, Any] = {"keys": [draw(st.sampled_from(("", "", "-"))) + k for k in keys]}
    if draw(st.integers(0, 4)) == 0:
        made["include"] = draw(st.lists(st.sampled_from([c for c in COLUMNS if c not in keys]), min_size=1, max_size=2))
        made["include"] = sorted(set(made["include"]))
    if draw(st.integers(0, 5)) == 0:
        made["only"] = [draw(st.sampled_from(("status = s1", "total >= 2000", "note not null", "region in r1,r2,r3")))]
    return made


@st.composite
def bodies(draw: st.DrawFn) -> Mapping[str, Any]:
    """A case in the notation of the others."""
    body: dict[str, Any] = {"indexes": draw(st.lists(index(), min_size=1, max_size=3)), "expect": {}}
    asked = draw(st.lists(st.sampled_from(COLUMNS), max_size=3, unique=True))
    body["where"] = [draw(condition(a)) for a in asked]
    if draw(st.integers(0, 6)) == 0:
        body["where"].append(f"tags contains t{draw(st.integers(0, 29))}")
    if draw(st.integers(0, 6)) == 0:
        free = [c for c in COLUMNS if c not in asked]
        either = draw(st.lists(st.sampled_from(free), min_size=2, max_size=2, unique=True))
        body["any of"] = [[draw(condition(a))] for a in either]
    if draw(st.booleans()):
        ordered = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=2, unique=True))
        body["order by"] = [draw(st.sampled_from(("", "-"))) + a for a in ordered]
    if draw(st.booleans()):
        body["limit"] = str(draw(st.sampled_from((1, 10, 50))))
    if draw(st.integers(0, 2)) == 0:
        body["needs"] = draw(st.lists(st.sampled_from(COLUMNS), max_size=2, unique=True))
    return body


@pytest.fixture(scope="module")
def table(postgresql: Any) -> Iterator[Any]:
    rows.create(postgresql)
    yield postgresql
    postgresql.execute("DROP TABLE orders")


def test_random_reads(table: Any) -> None:
    """Served means found by an index, in order, with few rows besides; a scan means that no index helps."""
    tried: list[bool] = []

    @seed(SEED)
    @settings(
        max_examples=READS, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )  # fmt: skip
    @given(bodies())
    def run(body: Mapping[str, Any]) -> None:
        tried.append(judge(table, body))

    run()
    assert tried.count(False) <= OTHERS * len(tried), f"{tried.count(False)} of {len(tried)} are run otherwise"


def judge(table: Any, body: Mapping[str, Any]) -> bool:
    """Holds one read against the server; whether it does of itself what is called likely."""
    plan = planned(body)
    step = plan.steps[0]
    with rows.tried(table):
        rows.create_indexes(table, body)
        query = rows.select(body, step.ask)
        itself = rows.explained(table, query)
        if plan.level is Level.SCAN and "limit" not in body:
            rows.set_to(table, {"enable_seqscan": "off"})
            helpless(plan, table, body)
        rows.only(table, indexes(step))
        rows.set_to(table, able(step))
        found = rows.explained(table, query)
        same_order(table, body, step)
    differs = differences(step, found, body, chance=6)
    assert not differs, (differs, body, found, step)
    if plan.served:
        served(step, found, body)
    return not otherwise(plan, itself) or tied(table, body, plan, itself)


def tied(table: Any, body: Mapping[str, Any], plan: Plan, itself: Found) -> bool:
    """Whether what is called likely costs hardly more, as the server itself weighs it."""
    with rows.tried(table):
        rows.create_indexes(table, body)
        rows.only(table, indexes(plan.likely or plan.steps[0]))
        found = rows.explained(table, rows.select(body, plan.steps[0].ask))
    return found.cost <= TIE * itself.cost + 1


def planned(body: Mapping[str, Any]) -> Plan:
    case = read_case("postgresql", "random", body, dialect_of("postgresql"))
    need = case.query.root
    matched = found_by("order", need.where, need.any_of, case.world)
    stats = {**case.world.stats, "order.note": replace(case.world.stats["order.note"], bytes=Spread(8))}
    world = replace(case.world, stats=stats)  # the notes that the server has are short
    return plan_read(replace(case.query, matched=matched), [case.record], world)


def helpless(plan: Plan, table: Any, body: Mapping[str, Any]) -> None:
    before = rows.pages_read(table)
    found = rows.explained(table, rows.select(body, plan.steps[0].ask))
    read = rows.pages_read(table)
    share = max([found.heap / COUNT, *((read[i] - before.get(i, 0)) / rows.pages(table, i) for i in found.indexes)])
    assert share >= SHARE, (share, body, found, plan)


def served(step: Step, found: Found, body: Mapping[str, Any]) -> None:
    if step.merged and found.indexes < indexes(step):
        return  # it finds one of the indexes enough
    assert "Seq Scan" not in found.nodes, (body, found, step)
    if step.order in ("none", "stored", "reversed", "merged"):
        assert not {"Sort", "Incremental Sort"} & set(found.nodes), (body, found, step)
    if not (step.checks or step.residual or step.branches or "limit" in body or "offset" in body):
        looked = found.entries if step.covered else found.heap
        assert looked <= found.returned, (body, found, step)


def same_order(table: Any, body: Mapping[str, Any], step: Step) -> None:
    """The order that the plan says to write is the order asked for."""
    if "order by" not in body:
        return
    said = [(a.lstrip("-"), -1 if a[0] == "-" else 1) for a in body["order by"]]
    shown = {**body, "needs": [a for a, _ in said]}
    lists = [table.execute(*_said(rows.select(shown, ask))).fetchall() for ask in (step.ask, said)]
    assert lists[0] == lists[1], (body, step.ask)


def _said(sql: rows.Sql) -> tuple[str, tuple[Any, ...]]:
    return sql.text, sql.values
