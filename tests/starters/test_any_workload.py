"""What holds for the starter of any workload: it is valid, explained, the same every time, and the store takes it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.analysis import analyse
from app.memory import Memory
from app.model.candidate import Candidate, RecordShape, Structure
from app.model.project import Project
from app.model.text import project_from_plain, read_yaml, write_yaml
from app.plan.types import Level
from app.plan.world import build_world
from app.starters import starter
from app.stores import STORES
from benchmarks.generate import workload

NAMES = ("user", "order", "line", "note", "place", "entry")
TYPES = (
    "string avg 12",
    "int32",
    "int64",
    "datetime monotonic",
    "datetime",
    "bool",
    "double",
    "string[] items avg 3 max 9",
)
KEYS = ("id uuid key", "id int64 key", "id timeuuid key monotonic", "id string key avg 10")


OF_THE_STARTER = ("structure-refused", "unbounded-array", "low-cardinality-index", "record-too-large")
"""Rules about structures whose errors a starter can avoid whatever is known."""
COIN = st.sampled_from((False, True))


@st.composite
def entities(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Two to six entities in a tree; some without a key, some with two."""
    out: list[dict[str, Any]] = []
    for i, name in enumerate(NAMES[: draw(st.integers(2, len(NAMES)))]):
        fields = [] if i and draw(st.integers(0, 4)) == 0 else [draw(st.sampled_from(KEYS))]
        if i:
            owner = f"{NAMES[draw(st.integers(0, i - 1))]}_id"
            extra = " key" if fields and draw(st.integers(0, 4)) == 0 else ""
            fields.append(f"{owner} uuid{extra}")
        fields += [f"f{n} {draw(st.sampled_from(TYPES))}" for n in range(draw(st.integers(0, 4)))]
        entity: dict[str, Any] = {"name": name, "fields": fields or ["f0 string"]}
        if draw(COIN):
            entity["count"] = draw(st.sampled_from(("20", "10k", "5M", "2B")))
        if draw(st.integers(0, 3)) == 0:
            entity["keep"] = draw(st.sampled_from(("60 s", "30 days", "7 years")))
        out.append(entity)
    return out


def _field_names(entity: dict[str, Any]) -> list[str]:
    return [f.split()[0] for f in entity["fields"]]


def _times(entity: dict[str, Any]) -> list[str]:
    return [f.split()[0] for f in entity["fields"] if "datetime" in f or "timeuuid" in f]


@st.composite
def pattern(draw: st.DrawFn, n: int, found: list[dict[str, Any]]) -> dict[str, Any]:
    entity = draw(st.sampled_from(found))
    name = entity["name"]
    paths = [f"{name}.{f}" for f in _field_names(entity)]
    arrays = {f"{name}.{f.split()[0]}" for f in entity["fields"] if "[]" in f}
    plain = [p for p in paths if p not in arrays]
    keys = [f"{name}.{f.split()[0]}" for f in entity["fields"] if " key" in f]
    by = draw(st.lists(st.sampled_from(plain), min_size=1, max_size=2, unique=True)) if plain else []
    if draw(COIN) and keys:
        by = keys
    where = " and ".join(f"{p} = :v{i}" for i, p in enumerate(by))
    out: dict[str, Any] = {"operation": f"Operation {n}", "rate": draw(st.sampled_from(("1/s", "500/s", "20/day")))}
    if draw(COIN):
        out["consistency"] = draw(st.sampled_from(("strong", "eventual 1 min", "eventual")))
    kind = draw(st.sampled_from(("get", "list", "count", "insert", "update", "delete", "upsert")))
    if kind == "insert" or not where:
        return {**out, "insert": name}
    if kind in ("update", "upsert"):
        rest = [p for p in plain if p not in by and p not in keys]
        return {**out, kind: name, "where": where, **({"set": {rest[0]: ":x"}} if rest else {})}
    if kind in ("delete", "count"):
        return {**out, kind: name, "where": where}
    out |= {
        kind: name,
        "where": where,
        "needs": [name, *draw(st.lists(st.sampled_from(_around(name, found)), max_size=2))],
    }
    if kind == "list":
        if draw(COIN) and arrays:
            out["where"] = f"contains({min(arrays)}, :element)"
        times = _times(entity)
        if draw(COIN) and times:
            out |= {"order by": f"{name}.{times[0]} desc", "limit": "20"}
    return out


def _around(name: str, found: list[dict[str, Any]]) -> list[str]:
    """Children and parents' fields that a read may bring along."""
    mine = next(e for e in found if e["name"] == name)
    children = [e["name"] for e in found if f"{name}_id" in _field_names(e)]
    parents = [e for e in found if f"{e['name']}_id" in _field_names(mine)]
    return [*children, *(f"{p['name']}.{f}" for p in parents for f in _field_names(p)), name]


@st.composite
def workloads(draw: st.DrawFn) -> Project:
    found = draw(entities())
    relationships: list[dict[str, Any]] = []
    for e in found:
        for owner in (f.removesuffix("_id") for f in _field_names(e) if f.endswith("_id")):
            link: dict[str, Any] = {"parent": owner, "child": e["name"], "via": f"{owner}_id"}
            if draw(COIN):
                most = draw(st.sampled_from(("9", "150", "5k", "4M", "none")))
                link["children"] = {"avg": "3", "p99": "8", "max": most}
            relationships.append(link)
    if draw(COIN) and all(any(" key" in f for f in e["fields"]) for e in found[:2]):
        relationships.append({"name": "linked", "from": found[0]["name"], "to": found[1]["name"], "out": {"avg": "3"}})
    count = draw(st.integers(1, 7))
    plain = {
        "keywright": "1",
        "name": "Any",
        "entities": found,
        "relationships": relationships,
        "patterns": [draw(pattern(n, found)) for n in range(count)],
    }
    return project_from_plain(plain)


def things(model: Candidate) -> list[Structure | RecordShape]:
    """Structures, and the kinds of record of those that hold several."""
    out: list[Structure | RecordShape] = []
    for structure in model.structures:
        out += list(structure.records) or [structure]
    return out


@pytest.mark.parametrize("store", sorted(STORES))
@settings(max_examples=25)
@given(project=workloads())
def test_any_workload_has_a_starter(store: str, project: Project) -> None:
    model = starter(project, store)
    assert starter(project, store) == model, "the same every time"
    for thing in things(model):
        assert thing.note, f"{thing} does not say why it is there"
    named = [s.name for s in model.structures]
    assert len(named) == len(set(named)), named
    whole = project.model_copy(update={"models": (model,)})
    assert read_yaml(write_yaml(whole)) == whole
    world = build_world(project)
    for structure in model.structures:
        assert not STORES[store].problems(structure, model, world), write_yaml(whole)
    report = analyse(whole, Memory())
    assert not [f for f in report.findings if f.rule == "rule-failed"]
    assert not [f.message for f in report.findings if f.rule in OF_THE_STARTER and f.severity == "error"]


@pytest.mark.parametrize("store", sorted(STORES))
def test_a_workload_with_numbers_has_a_starter_without_errors(store: str) -> None:
    """Rates, counts and bounds are known here, so nothing is left that they would forbid."""
    project = workload(120)
    model = starter(project, store)
    report = analyse(project.model_copy(update={"models": (model,)}), Memory())
    assert not [f"{f.rule} {f.at}: {f.message}" for f in report.findings if f.severity == "error"]
    # a partition that would grow too large is cut in parts, and a read then asks each of them
    unserved = [o for o, p in report.models[0].plans.items() if p.level > Level.FAN_OUT]
    # without values inside a key-value store a list is its keys first and the records after
    assert not unserved or STORES[store].can.by_key_only
