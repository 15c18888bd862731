"""Every store is complete: facts with sources, known words, records, sizes, scripts and queries that never fail.

Written for whatever stands in `app.stores`: a new store is tested as soon as its file is there.
"""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from app.model.candidate import Candidate, Structure
from app.model.project import Project
from app.model.spread import Spread
from app.model.text import read_yaml
from app.plan.lower import lower
from app.plan.read import plan_read
from app.plan.size import size_of
from app.plan.types import Plan, Query, Record, World
from app.plan.world import build_world
from app.plan.write import plan_write
from app.stores import STORES, Store
from tests.conftest import SHARED
from tests.stores.shop import SHOP

EVERY = [pytest.param(s, id=s.name) for s in STORES.values()]
PLACEHOLDERS = {
    "attr": "order.id",
    "path": "orders",
    "blocker": "order.at",
    "op": "=",
    "why": "it is not bound",
    "parts": "order.at desc",
    "partition": "order.user_id",
    "order": "order.at desc",
}
SLUG = re.compile(r"[a-z][a-z0-9_]*\Z")
UNITS = re.compile(r"byte|second|minute|day|count|record|item|row|unit|/s|per |[a-z]")


@cache
def projects() -> dict[str, Project]:
    """The shop, and every worked project of the shared folder where there is one."""
    found = {"shop": read_yaml(SHOP)}
    for file in sorted((SHARED / "projects").glob("*.yaml")) if SHARED.is_dir() else ():
        found[file.stem] = read_yaml(Path(file).read_text(encoding="utf-8"))
    return found


def models() -> list[tuple[str, Project, Candidate]]:
    """Every model that keeps anything in a store known here."""
    return [
        (name, project, model)
        for name, project in projects().items()
        for model in project.models
        if any(model.store_of(s) in STORES for s in model.structures)
    ]


MODELS = [pytest.param(p, m, id=f"{name}: {m.name}") for name, p, m in models()]


def own(model: Candidate, store: Store) -> list[Structure]:
    return [s for s in model.structures if model.store_of(s) == store.name]


def all_records(model: Candidate, world: World) -> tuple[Record, ...]:
    return tuple(
        r
        for s in model.structures
        if model.store_of(s) in STORES
        for r in STORES[model.store_of(s)].records(s, model, world)
    )


def plan_of(project: Project, operation: str, records: tuple[Record, ...], world: World) -> Plan | None:
    pattern = project.pattern(operation)
    lowered = lower(pattern, world, project) if pattern is not None else None
    if lowered is None:
        return None
    if isinstance(lowered, Query):
        return plan_read(lowered, records, world)
    return plan_write(lowered, records, world)


# ---------------------------------------------------------------- what a store says of itself


@pytest.mark.parametrize("store", EVERY)
def test_facts_have_unit_source_and_date(store: Store) -> None:
    assert store.facts
    for slug, fact in store.facts.items():
        assert SLUG.match(slug), slug
        assert UNITS.search(fact.unit), slug
        assert len(fact.source) > 5, slug
        assert re.fullmatch(r"20\d\d-\d\d(-\d\d)?", fact.read), slug
        assert fact.value > 0, slug
        assert fact.kind in ("hard", "soft", "price"), slug


@pytest.mark.parametrize("store", EVERY)
def test_a_limit_of_a_record_is_the_encoding_s_limit(store: Store) -> None:
    if "max_record_bytes" not in store.facts:
        pytest.skip("a record has no limit of its own")
    fact = store.facts["max_record_bytes"]
    assert store.dialect.encoding.limit in (fact.value, float("inf"))


@pytest.mark.parametrize("store", EVERY)
def test_a_store_is_described(store: Store) -> None:
    assert store.name == store.dialect.store
    assert store.title == store.dialect.title
    assert store.about.endswith(".")
    assert store.homepage.startswith("https://")
    assert all(re.match(r"\d", v) for v in store.versions)
    assert store.structure_word
    assert {"structure", "record", "partition", "index", "attribute"} <= set(store.word)
    assert {"strong", "eventual"} & set(store.can.consistency)


@pytest.mark.parametrize("store", EVERY)
def test_structure_keys_are_attributes_of_a_structure(store: Store) -> None:
    assert store.structure_keys
    assert store.structure_keys <= set(Structure.model_fields)


@pytest.mark.parametrize("store", EVERY)
def test_refusals_are_sentences_with_known_placeholders(store: Store) -> None:
    assert {"partition", "scan", "order", "filter"} & set(store.dialect.wording)
    for code, text in store.dialect.wording.items():
        said = text.format_map(PLACEHOLDERS)
        assert "{" not in said.replace("{tag}", ""), code
        assert len(said.split()) > 3, code


@pytest.mark.parametrize("store", EVERY)
def test_the_module_says_what_the_store_is(store: Store) -> None:
    module = __import__(f"app.stores.{store.name}", fromlist=["STORE"])
    assert module.__doc__
    assert len(module.__doc__.split()) > 5


# ---------------------------------------------------------------- what it makes of a model


@pytest.mark.parametrize(("project", "model"), MODELS)
def test_records_have_ways_in_and_sizes(project: Project, model: Candidate) -> None:
    world = build_world(project)
    found = all_records(model, world)
    assert found
    names = [r.name for r in found]
    assert len(names) == len(set(names))
    for record in found:
        assert record.primary.of == record.of
        assert record.shape[0].entity == record.of
        assert len({p.name for p in record.paths}) == len(record.paths)
        assert 0 < record.size.avg <= record.size.high <= record.size.max
        assert record.group >= 1
        assert record.count >= 0


@pytest.mark.parametrize(("project", "model"), MODELS)
def test_the_size_said_is_the_size_worked_out(project: Project, model: Candidate) -> None:
    world = build_world(project)
    for record in all_records(model, world):
        assert record.size.avg == pytest.approx(size_of(record, world).avg, rel=0.001)


@pytest.mark.parametrize(("project", "model"), MODELS)
def test_problems_are_sentences(project: Project, model: Candidate) -> None:
    world = build_world(project)
    for structure in model.structures:
        store = STORES.get(model.store_of(structure))
        for fault in store.problems(structure, model, world) if store else ():
            assert re.fullmatch(r"[a-z]+(-[a-z]+)*", fault.code)
            assert len(fault.what.split()) > 3


@pytest.mark.parametrize(("project", "model"), MODELS)
def test_every_pattern_has_a_query_text(project: Project, model: Candidate) -> None:
    world = build_world(project)
    records = all_records(model, world)
    store = STORES.get(model.store)
    if store is None:
        pytest.skip(f"{model.store} is not here")
    for pattern in project.patterns:
        plan = plan_of(project, pattern.operation, records, world)
        if plan is not None:
            text = store.query(pattern, plan, model, world)
            assert text.strip(), pattern.operation
            assert text == store.query(pattern, plan, model, world)


@pytest.mark.parametrize(("project", "model"), MODELS)
def test_scripts_name_every_structure(project: Project, model: Candidate) -> None:
    world = build_world(project)
    store = STORES.get(model.store)
    if store is None:
        pytest.skip(f"{model.store} is not here")
    files = store.script(model, project, world)
    assert files
    text = "\n".join(files.values())
    for structure in own(model, store):
        assert structure.name.partition("{")[0] in text


@pytest.mark.parametrize(("project", "model"), MODELS)
def test_a_catalog_has_an_entry_for_every_family(project: Project, model: Candidate) -> None:
    world = build_world(project)
    for structure in model.structures:
        store = STORES.get(model.store_of(structure))
        if store is None or store.catalog is None:
            continue
        entry = store.catalog(structure, model, project, world)
        assert entry.pattern == structure.name
        assert entry.example
        assert entry.type
        assert entry.commands


# ---------------------------------------------------------------- sizes grow with what they hold


@pytest.mark.parametrize("store", EVERY)
def test_a_larger_value_never_takes_less(store: Store) -> None:
    encodings = [store.dialect.encoding]
    for _, project, model in models():
        world = build_world(project)
        for structure in own(model, store):
            encodings += [r.dialect.encoding for r in store.records(structure, model, world)]
    sizes = (0, 1, 7, 15, 31, 44, 45, 63, 64, 65, 127, 128, 255, 256, 1000, 4095, 4096, 65_536, 10**6)
    for encoding in dict.fromkeys(encodings):
        for kind in ("string", "binary", "json"):
            found = [encoding.field("name", kind, n) for n in sizes]
            assert all(a <= b for a, b in pairwise(found)), kind
            assert found[0] >= 0
        for grown in (encoding.nested, encoding.array):
            assert all(grown("x", a) <= grown("x", b) for a, b in pairwise(sizes))
        assert all(encoding.element(5, a) <= encoding.element(5, b) for a, b in pairwise(sizes))
        assert encoding.element(5, 10) <= encoding.element(5000, 10)
        assert all(encoding.entry(a) <= encoding.entry(b) for a, b in pairwise(sizes))
        assert encoding.record >= 0


@pytest.mark.parametrize(("project", "model"), MODELS)
def test_more_children_make_a_larger_record(project: Project, model: Candidate) -> None:
    world = build_world(project)
    for record in all_records(model, world):
        held = [h.edge.rel for h in record.shape[1:] if h.edge is not None and h.edge.down and not h.first]
        more = {r: Spread(r.children.avg + 5, r.children.high + 50, r.children.max) for r in held}
        assert size_of(record, world, more).avg >= size_of(record, world).avg


# ---------------------------------------------------------------- nothing typed makes it fail


@pytest.mark.parametrize(("project", "model"), MODELS)
def test_a_workload_without_numbers_is_laid_out_too(project: Project, model: Candidate) -> None:
    """Counts, sizes and spreads may all be missing while a person types."""
    entities = tuple(
        e.model_copy(
            update={
                "count": None,
                "growth": None,
                "keep": None,
                "size": None,
                "fields": tuple(f.model_copy(update={"bytes": None, "distinct": None}) for f in e.fields),
            }
        )
        for e in project.entities
    )
    links = tuple(r.model_copy(update={"children": None, "out": None, "in_": None}) for r in project.relationships)
    bare = project.model_copy(update={"entities": entities, "relationships": links})
    _everything(bare, model)


@pytest.mark.parametrize(("project", "model"), MODELS)
def test_a_model_of_a_workload_that_is_gone_is_laid_out_too(project: Project, model: Candidate) -> None:
    _everything(project.model_copy(update={"entities": (), "relationships": (), "patterns": ()}), model)


@pytest.mark.parametrize("left_out", range(6))
@pytest.mark.parametrize(("project", "model"), MODELS)
def test_a_model_outlives_an_entity(project: Project, model: Candidate, left_out: int) -> None:
    if left_out >= len(project.entities):
        pytest.skip("so many entities there are not")
    gone = project.entities[left_out].name
    kept = tuple(e for e in project.entities if e.name != gone)
    links = tuple(r for r in project.relationships if gone not in (r.parent, r.child, r.from_, r.to))
    _everything(project.model_copy(update={"entities": kept, "relationships": links}), model)


def _everything(project: Project, model: Candidate) -> None:
    """All a store is asked, on a workload that does not fit the model."""
    world = build_world(project)
    records = all_records(model, world)
    for structure in model.structures:
        store = STORES.get(model.store_of(structure))
        if store is None:
            continue
        assert isinstance(store.problems(structure, model, world), tuple)
        if store.catalog is not None:
            store.catalog(structure, model, project, world)
    store = STORES.get(model.store)
    if store is None:
        return
    assert all(name and text for name, text in store.script(model, project, world).items())
    for pattern in project.patterns:
        plan = plan_of(project, pattern.operation, records, world)
        if plan is not None:
            store.query(pattern, plan, model, world)


@pytest.mark.parametrize("store", EVERY)
@pytest.mark.parametrize(("project", "model"), MODELS)
def test_a_model_moved_to_another_store_never_fails(project: Project, model: Candidate, store: Store) -> None:
    """A person changes the store of a model; its structures still say what the old store calls things."""
    structures = tuple(s.model_copy(update={"store": ""}) for s in model.structures)
    _everything(project, model.model_copy(update={"store": store.name, "structures": structures}))
