"""What pasted rows mean: one file of texts with the reading of every row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from app.importers import Imported, read_patterns
from app.model.workload import Entity, Relationship

GROUPS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "readings.yaml").read_text(encoding="utf-8"))


def _relationship(x: Relationship) -> str:
    kind = "many-to-many" if x.many_to_many else "one-to-many"
    via = f" via {x.via[0]}" if x.via else ""
    return f"{x.key}: {x.parent or x.from_} {kind} {x.child or x.to}{via}"


def _entity(e: Entity) -> str:
    count = f" {e.count.text}" if e.count else ""
    count += f" keep {e.keep.text}" if e.keep else ""
    return f"{e.name}{count}: " + ", ".join(f.name + (" key" if f.key else "") for f in e.fields)


@pytest.mark.parametrize("group", GROUPS, ids=[g["name"] for g in GROUPS])
def test_rows_are_read_as_expected(group: dict[str, Any]) -> None:
    read = read_patterns(group["text"])
    assert {r.pattern: r.reading for r in read.rows} == group["readings"]
    assert set(group.get("asked", ())) <= {q.place for q in read.questions}
    assert [_entity(e) for e in read.project.entities] == group["entities"]
    assert [_relationship(x) for x in read.project.relationships] == group["relationships"]


@pytest.mark.parametrize("group", GROUPS, ids=[g["name"] for g in GROUPS])
def test_everything_inferred_says_why(group: dict[str, Any]) -> None:
    project = read_patterns(group["text"]).project
    for entity in project.entities:
        assert entity.inferred["name"]
        for field in entity.fields:
            assert entity.inferred[f"fields.{field.name}"], (entity.name, field.name)
    for x in project.relationships:
        assert x.inferred.get("child") or x.inferred.get("to")
        assert x.children is None or "children" in x.inferred
    for pattern in project.patterns:
        assert bool(pattern.action) == ("action" in pattern.inferred), pattern.operation
        parts = {"where": pattern.where, "order by": pattern.order_by, "needs": pattern.needs, "set": pattern.set}
        for place, said in {
            **parts,
            "with": pattern.with_,
            "compute": pattern.compute,
            "entity": pattern.entity,
        }.items():
            assert bool(said) <= (place in pattern.inferred), (pattern.operation, place)


@pytest.mark.parametrize("group", GROUPS, ids=[g["name"] for g in GROUPS])
def test_a_row_that_is_not_understood_keeps_its_text_and_asks(group: dict[str, Any]) -> None:
    read = read_patterns(group["text"])
    asked = {q.place for q in read.questions}
    for pattern in read.project.patterns:
        if not pattern.action:
            assert f"patterns/{pattern.operation}/action" in asked
            assert not pattern.entity


def _row(operation: str, fields: str = "", rate: str = "", consistency: str = "") -> Imported:
    head = "| Operation | Fields needed | Freq | Consistency |\n|---|---|---|---|\n"
    return read_patterns(f"{head}| {operation} | {fields} | {rate} | {consistency} |\n")


def _asked(read: Imported) -> set[str]:
    return {q.place for q in read.questions}


def test_the_order_page() -> None:
    read = _row("Load order page", "order, items, shipping status", "500 r/s", "read-your-writes")
    [pattern] = read.project.patterns
    assert (pattern.action, pattern.entity) == ("get", "order")
    assert [n.what for n in pattern.needs] == ["order", "order_item", "order.shipping_status"]
    [x] = read.project.relationships
    assert (x.parent, x.child, x.children) == ("order", "order_item", None)
    assert "plural of a noun that is not a field of order, so one-to-many" in x.inferred["child"]
    assert dict(pattern.consistency) == {"*": "read your writes"}
    assert "relationships/order-order_item/children" in _asked(read)


def test_the_cart() -> None:
    read = _row("Add item to cart", "cart items", "50 w/s", "strong (same doc)")
    [pattern] = read.project.patterns
    assert (pattern.action, pattern.entity) == ("insert", "cart_item")
    assert dict(pattern.consistency) == {"*": "strong"}
    assert pattern.consistency_note == "same doc"
    assert any(q.place == "patterns/Add item to cart" and "upsert" in q.text for q in read.questions)


def test_the_sales_list() -> None:
    read = _row("Seller sales list", "order ids, totals by seller", "5 r/s", "eventual ok")
    [pattern] = read.project.patterns
    assert (pattern.action, pattern.entity) == ("list", "order")
    assert pattern.where is not None
    assert pattern.where.text == "order.seller_id = :seller"
    assert [n.what for n in pattern.needs] == ["order.id", "order.total"]
    place = "patterns/Seller sales list"
    assert {f"{place}/order by", f"{place}/limit", f"{place}/consistency"} <= _asked(read)


def test_a_share_of_the_reads_asks_for_the_reads_until_the_text_gives_them() -> None:
    text = "Patrones de acceso:\n1. Leer post completo con autor y comentarios (90% de lecturas)\n"
    read = read_patterns(text)
    assert "traffic/reads" in _asked(read)
    known = read_patterns(f"Un blog: 2k lecturas/s, 1M posts\n\n{text}")
    assert "traffic/reads" not in _asked(known)
    assert known.project.traffic is not None
    assert known.project.traffic.reads is not None
    assert known.project.traffic.reads.text == "2k/s"


def test_frequency_words_are_assumed_and_asked() -> None:
    read = _row("Get user by email", rate="very high (Mondays)")
    [pattern] = read.project.patterns
    assert pattern.rate is not None
    assert pattern.rate.avg is not None
    assert pattern.rate.avg.assumed
    assert "assumed" in pattern.inferred["rate"]
    assert "patterns/Get user by email/rate" in _asked(read)
    assert "mondays" in pattern.note


def test_numbers_around_the_table_are_counts_growth_and_children() -> None:
    read = read_patterns(
        "Shop with 10M orders, 2k orders/day, about 3 items per order\n\n"
        "| Operation | Fields needed |\n|---|---|\n| Load order page | order, items |\n"
    )
    order = read.project.entity("order")
    assert order is not None
    assert order.count is not None
    assert order.growth is not None
    assert (order.count.text, order.growth.text) == ("10M", "2k/day")
    [x] = read.project.relationships
    assert x.children is not None
    assert x.children.avg is not None
    assert x.children.avg.assumed
    assert x.children.avg.value == 3


def test_a_contradiction_between_verb_and_unit_is_asked() -> None:
    read = _row("Load order page", "order", "50 w/s")
    assert "patterns/Load order page/action" in _asked(read)


@pytest.mark.parametrize(
    "operation",
    ["Synergise the backbone", "Order 66 stuff", "Who is online", "Friends of friends", "12345", "…and more"],
)
def test_what_cannot_be_read_is_a_question(operation: str) -> None:
    read = _row(operation, "this = that", "sometimes")
    for pattern in read.project.patterns:
        assert not pattern.action
        assert "this = that" in pattern.note
        assert f"patterns/{pattern.operation}/action" in _asked(read)
