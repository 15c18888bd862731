"""The text form of a field: what the editor shows is what it reads."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import BadInput, NotFound
from app.model.edit import LIST_OF, key_of
from app.model.part import Part
from app.model.plain import to_plain
from app.model.project import Project
from app.model.text import read_yaml
from app.views.editing import set_field, text_of, texts

SMALL = """
keywright: 1
name: Desk
entities:
  - name: user
    count: 1M
    fields: [id uuid key, name string avg 18 max 80]
    inferred: {count: a guess, fields.name: read from the table}
  - {name: order, fields: [id uuid key, user_id uuid, status enum]}
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 120}}
patterns:
  - {operation: Load a/b page, get: order, where: "order.id = :order", rate: 500/s}
models:
  - name: M
    store: mongodb
    structures: [{collection: orders, of: order, _id: order.id, indexes: [{keys: [order.user_id]}]}]
"""


@pytest.fixture
def small() -> Project:
    return read_yaml(SMALL)


def said(part: Part, before: str = "") -> Iterator[str]:
    """Every field of a part that has a value of its own."""
    for name, field in type(part).model_fields.items():
        if getattr(part, name) != field.get_default(call_default_factory=True, validated_data={}):
            yield f"{before}{field.alias or name}"


def everything(project: Project) -> Iterator[tuple[str, str]]:
    for kind, listed in LIST_OF.items():
        for part in getattr(project, listed):
            place = f"{listed}/{key_of(kind, part)}"
            yield from ((place, field) for field in said(part))
            for structure in getattr(part, "structures", ()):
                yield from ((f"{place}/{structure.name}", field) for field in said(structure))
            for field in getattr(part, "fields", ()):
                yield from ((place, word) for word in said(field, f"fields.{field.name}."))


def test_every_field_of_every_worked_project_reads_back_as_it_is_shown(shared: Path) -> None:
    count = 0
    for file in sorted((shared / "projects").glob("*.yaml")):
        project = read_yaml(file.read_text())
        for place, field in everything(project):
            text = text_of(project, place, field)
            assert to_plain(set_field(project, place, field, text)) == to_plain(project), (
                file.name,
                place,
                field,
                text,
            )
            count += 1
    assert count > 1000


@pytest.mark.parametrize(
    ("place", "field", "text", "shown"),
    [
        ("patterns/Load a/b page", "rate.peak", "1500/s", "1500/s"),
        ("patterns/Load a/b page", "rate", "", ""),
        ("patterns/Load a/b page", "kind", "list order", "list order"),
        ("patterns/Load a/b page", "order by", "order.id desc", "order.id desc"),
        ("patterns/Load a/b page", "needs", "order, {what: user.name, note: 'a, b'}",
         'order, {what: user.name, note: "a, b"}'),
        ("patterns/Load a/b page", "consistency", "strong", "strong"),
        ("patterns/Load a/b page", "consistency", "order: strong, user: eventual 5 min",
         "order: strong, user: eventual 5 min"),
        ("patterns/Load a/b page", "skew.order.user_id", "top value 2%", "top value 2%"),
        ("entities/user", "fields.name.bytes.max", "90", "90"),
        ("entities/user", "fields.0", "id string key avg 12", "id string key avg 12"),
        ("relationships/user-order", "children.max", "5k", "5k"),
        ("relationships/user-order", "children", "exactly 3", "exactly 3"),
        ("models/M", "nodes", "3", "3"),
        ("models/M/orders", "shard key", "order.user_id hashed", "order.user_id hashed"),
        ("models/M/orders", "indexes.0.keys", "order.user_id, order.id desc", "order.user_id, order.id desc"),
        ("models/M/orders", "indexes.0.unique", "yes", "yes"),
        ("project", "horizon", "2 years", "2 years"),
        ("project", "traffic.reads", "800/s", "800/s"),
    ],
)  # fmt: skip
def test_one_field_is_set_from_its_text(small: Project, place: str, field: str, text: str, shown: str) -> None:
    assert text_of(set_field(small, place, field, text), place, field) == shown


@pytest.mark.parametrize(
    ("place", "field", "text", "words"),
    [
        ("patterns/Load a/b page", "rate.avg", "12 potatoes", "potatoes"),
        ("patterns/Load a/b page", "kind", "fetch order", "fetch"),
        ("patterns/Load a/b page", "where", "order.id ==", ""),
        ("patterns/Load a/b page", "operation", "", "missing"),
        ("entities/user", "fields.name.type", "strng", "string"),
        ("models/M/orders", "indexes.0.keys", "[", ""),
        ("patterns/Load a/b page", "set", "a, b", "key: value"),
    ],
)
def test_a_text_that_means_nothing_is_refused_with_what_to_write(
    small: Project, place: str, field: str, text: str, words: str
) -> None:
    with pytest.raises(BadInput) as refused:
        set_field(small, place, field, text)
    assert words in str(refused.value)
    assert refused.value.place == place


def test_what_is_gone_is_not_found(small: Project) -> None:
    for place, field in [
        ("entities/none", "count"),
        ("models/M/none", "ttl"),
        ("entities/user", "fields.none.type"),
        ("x", "y"),
    ]:
        with pytest.raises(NotFound):
            set_field(small, place, field, "1")


def test_correcting_a_place_removes_its_mark_and_no_other(small: Project) -> None:
    entity = set_field(small, "entities/user", "count", "2M").entity("user")
    assert entity is not None
    assert dict(entity.inferred) == {"fields.name": "read from the table"}
    entity = set_field(small, "entities/user", "fields.name.bytes.max", "90").entity("user")
    assert entity is not None
    assert dict(entity.inferred) == {"count": "a guess"}


def test_a_new_name_is_carried_to_every_mention(small: Project) -> None:
    new = set_field(small, "entities/order", "name", "purchase")
    assert new.relationships[0].child == "purchase"
    assert new.patterns[0].where is not None
    assert new.patterns[0].where.text == "purchase.id = :order"
    assert text_of(new, "models/M/orders", "indexes.0.keys") == "purchase.user_id"
    new = set_field(small, "entities/order", "fields.user_id", "buyer uuid immutable")
    assert text_of(new, "relationships/user-order", "via") == "buyer"
    assert text_of(new, "entities/order", "fields.buyer") == "buyer uuid immutable"
    assert set_field(small, "models/M/orders", "name", "purchases").models[0].structures[0].name == "purchases"
    with pytest.raises(BadInput, match="already"):
        set_field(small, "entities/order", "name", "user")


def test_parts_that_are_not_touched_stay_the_same_objects(small: Project) -> None:
    new = set_field(small, "patterns/Load a/b page", "limit", "20")
    assert new.entities is small.entities
    assert new.models is small.models


@pytest.mark.parametrize(
    "value", [["a", "b, c"], ["it's"], [{"a": "b: c"}, "d"], [["a", "b"]], {"a.b": "now", "c": "x, y"}]
)
def test_lists_and_mappings_read_back(value: object) -> None:
    read = texts.read_mapping if isinstance(value, dict) else texts.read_list
    assert read(texts.write(value)) == value
