"""Collections that MongoDB refuses, and their neighbours that it takes: the model's problems say the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from app.model.candidate import Structure
from app.plan.types import World
from app.stores.common_query import things_of
from app.stores.mongodb.filters import fields_of
from app.stores.mongodb.problems import problems
from app.stores.mongodb.records import index_name, records
from app.stores.mongodb.script import index_keys, partial_filter
from tests.engines.server import WORKER
from tests.plan.model_cases import model_cases

SPACE = f"keywright_test_problems_{WORKER}"
INDEXES: Mapping[str, tuple[Any, ...]] = {
    **{
        f"only where {condition}": ({"keys": ["order.day"], "where": condition},)
        for condition in (
            "order.status = 'open'", "order.status != 'open'", "order.status in ('open', 'paid')",
            "order.status not in ('open')", "order.coupon is not null", "order.coupon is null", "order.total > 5",
            "order.total between 5 and 9", "starts_with(order.memo, 'a')", "contains(order.tags, 'a')",
            "order.status = 'open' and order.total >= 5", "order.status = 'open' or order.total >= 5",
            "matches(order.memo, 'a')",
        )
    },
    "sparse and partial": ({"keys": ["order.day"], "sparse": "yes", "where": "order.total > 5"},),
    "two arrays": ({"keys": ["order.tags", "line_item.sku"]},),
    "two fields of one list": ({"keys": ["line_item.sku", "line_item.qty"]},),
    "an array beside a field": ({"keys": ["order.tags", "order.day"]},),
    "hashed": ({"keys": ["order.day hashed", "order.total"]},),
    "hashed and unique": ({"keys": ["order.day hashed"], "unique": "yes"},),
    "hashed twice": ({"keys": ["order.day hashed", "order.total hashed"]},),
    "hashed array": ({"keys": ["order.tags hashed"]},),
    "two text indexes": ({"keys": ["order.memo"], "type": "text"}, {"keys": ["order.status"], "type": "text"}),
    "text and wildcard": ({"keys": ["order.memo"], "type": "text"}, {"type": "wildcard"}),
    "the same index twice": ({"keys": ["order.day"], "name": "a"}, {"keys": ["order.day"], "name": "b"}),
    "both directions": ({"keys": ["order.day"]}, {"keys": ["order.day desc"]}),
    "the same, partial": ({"keys": ["order.day"]}, {"keys": ["order.day"], "name": "b", "where": "order.total > 5"}),
    "one name twice": ({"keys": ["order.day"], "name": "a"}, {"keys": ["order.total"], "name": "a"}),
}  # fmt: skip
BASE = {"collection": "orders", "of": "order", "_id": "order.id", "embed": [{"what": "line_item", "as": "lines"}]}
DOCUMENT = {
    "_id": 1, "user_id": 1, "status": "open", "day": 1, "total": 9, "tags": ["a", "b"], "memo": "a b",
    "lines": [{"sku": "x", "qty": 1}, {"sku": "y", "qty": 1}],
}  # fmt: skip


@pytest.fixture(scope="module")
def world() -> World:
    return model_cases("mongodb", "writes")[0].report()[0].world


@pytest.fixture
def orders(mongodb: Any) -> Iterator[Any]:
    yield mongodb[SPACE].orders
    mongodb.drop_database(SPACE)


@pytest.mark.parametrize("name", INDEXES)
def test_the_server_refuses_what_is_a_problem(name: str, orders: Any, world: World) -> None:
    """Indexes and a document with every array."""
    model = model_cases("mongodb", "writes")[0].project.models[0]
    structure = Structure.model_validate({**BASE, "indexes": [dict(i) for i in INDEXES[name]]})
    faults = [f for f in problems(structure, model, world) if f.kind != "surprise"]
    assert bool(faults) == bool(refused(orders, structure, world)), faults


@pytest.mark.parametrize(
    ("index", "second"),
    [
        ({"sparse": "yes"}, False),
        ({"where": "order.coupon is not null"}, True),
    ],
    ids=["sparse", "partial"],
)
def test_a_second_document_without_the_field(index: dict[str, Any], second: bool, orders: Any, world: World) -> None:
    """A compound sparse index holds what has any of its fields; the partial index that the fault names does not."""
    from pymongo.errors import DuplicateKeyError  # noqa: PLC0415 (only where an engine is used)

    model = model_cases("mongodb", "writes")[0].project.models[0]
    made = {"keys": ["order.user_id", "order.coupon"], "unique": "yes", **index}
    structure = Structure.model_validate({**BASE, "indexes": [made]})
    assert ("sparse-unique" in {f.code for f in problems(structure, model, world)}) is not second
    assert not refused(orders, structure, world)
    said = ""
    try:
        orders.insert_one({**DOCUMENT, "_id": 2})
    except DuplicateKeyError as failure:
        said = str(failure)
    assert (not said) is second, said


def refused(orders: Any, structure: Structure, world: World) -> str:
    """What the server says against these indexes or against a document in them; empty: nothing."""
    from pymongo.errors import OperationFailure  # noqa: PLC0415 (only where an engine is used)

    model = model_cases("mongodb", "writes")[0].project.models[0]
    kind = records(structure, model, world)[0]
    fields = fields_of(structure, things_of(structure)[0], kind, world)
    try:
        for index in structure.indexes:
            options: dict[str, Any] = {k: True for k in ("unique", "sparse") if getattr(index, k)}
            if index.where is not None:
                options["partialFilterExpression"] = plain(partial_filter(index.where, fields, kind.of, world))
            keys = list(index_keys(index, kind, fields, world).items())
            orders.create_index(keys, name=index_name(index, structure), **options)
        orders.insert_one(dict(DOCUMENT))
    except OperationFailure as failure:
        return str(failure)
    return ""


def plain(value: Any) -> Any:
    """Code in a filter is an expression of texts: `"a" + "\\uffff"`, or a pattern."""
    if isinstance(value, Mapping):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    text = str(value)
    if not isinstance(value, str) or type(value) is str:
        return value
    return text.replace('" + "', "").strip('"')
