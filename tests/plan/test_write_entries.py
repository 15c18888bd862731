"""Index entries a change writes: before and after, as the engines were seen to write them."""

from dataclasses import replace

import pytest

from app.model.spread import ONE
from app.model.terms import Comparison, Literal
from app.plan.entries import entries_of
from app.plan.types import AccessPath, Change, Cond, Record
from tests.plan.write_samples import BLOG, DOCUMENTS, ITEMS, ROWS, index, key, record

OPEN = Cond("post.state", "=", share=0.1, source=Comparison("post.state", "=", (Literal("open"),)))
SENT = Cond("post.sent_at", "null", share=0.01, source=Comparison("post.sent_at", "null"))
SLUG = index("slug", ("post.slug",))
TAGS = index("tags", ("post.tags[]", "post.slug"))
ONLY_OPEN = index("open", ("post.slug",), only=(OPEN,))
UNSENT = index("unsent", ("post.id",), only=(SENT,))
INCLUDES = index("title", ("post.slug",), holds=frozenset({"post.title"}))
WHOLE = index("whole", ("post.slug",), holds=None)


def posts(*indexes: AccessPath) -> Record:
    return record("posts", "post", DOCUMENTS, ("post.id",), indexes=indexes)


def written(
    path: AccessPath, op: str, sets: str = "", *, pushed: float = 1, kind: str = "", **more: object
) -> tuple[float, float, float]:
    kind = kind or {"put": "insert", "remove": "delete"}.get(op, "update")
    attrs = frozenset(f"post.{a}" for a in sets.split())
    change = Change(kind, "post", frozenset({"post.id"}), dict.fromkeys(attrs, "param"), **more)  # type: ignore[arg-type]
    found = entries_of(posts(path), op, attrs, change, BLOG, pushed)
    return found[f"posts.{path.name}"][1] if f"posts.{path.name}" in found else (0, 0, 0)


@pytest.mark.parametrize(
    ("path", "op", "sets", "expected"),
    [
        (SLUG, "put", "", (1, 0, 0)),
        (SLUG, "remove", "", (0, 1, 0)),
        (SLUG, "set", "slug", (1, 1, 0)),
        (SLUG, "set", "title", (0, 0, 0)),
        (TAGS, "put", "", (4, 0, 0)),  # one for each element
        (TAGS, "remove", "", (0, 4, 0)),
        (TAGS, "set", "tags", (4, 4, 0)),  # a whole array replaced
        (TAGS, "push", "tags", (1, 0, 0)),
        (TAGS, "pull", "tags", (0, 1, 0)),
        (TAGS, "set", "slug", (4, 4, 0)),  # its other part changed: all of them
        (INCLUDES, "set", "title", (0, 0, 1)),
        (INCLUDES, "set", "body", (0, 0, 0)),
        (WHOLE, "set", "body", (0, 0, 1)),  # it keeps a copy of the record
    ],
)
def test_the_difference_of_two_sets(path: AccessPath, op: str, sets: str, expected: tuple[float, float, float]) -> None:
    assert written(path, op, sets) == pytest.approx(expected)


def test_a_partial_index_counts_the_records_in_it() -> None:
    assert written(ONLY_OPEN, "put") == pytest.approx((0, 0, 0))  # `state` is not set: not open
    unknown = written(ONLY_OPEN, "put", "state")
    assert unknown == pytest.approx((0.1, 0, 0))
    assert written(ONLY_OPEN, "put", "state", literals={"post.state": "open"}) == (1, 0, 0)
    assert written(ONLY_OPEN, "put", "state", literals={"post.state": "shut"}) == (0, 0, 0)
    assert written(ONLY_OPEN, "remove") == pytest.approx((0, 0.1, 0))
    assert written(ONLY_OPEN, "set", "slug") == pytest.approx((0.1, 0.1, 0))


def test_a_record_enters_and_leaves_a_partial_index() -> None:
    shut = {"literals": {"post.state": "shut"}, "before": {"post.state": "open"}}
    assert written(ONLY_OPEN, "set", "state", **shut) == (0, 1, 0)
    opened = {"literals": {"post.state": "open"}, "before": {"post.state": "shut"}}
    assert written(ONLY_OPEN, "set", "state", **opened) == (1, 0, 0)
    # nothing is said of the state before: it may have been open already
    assert written(ONLY_OPEN, "set", "state", literals={"post.state": "open"}) == pytest.approx((0.9, 0, 0))
    told = {"leaves": frozenset({"post.state"})}
    assert written(ONLY_OPEN, "set", "state", **told) == (0, 1, 0)


def test_what_is_absent_meets_is_null() -> None:
    assert written(UNSENT, "put") == (1, 0, 0)  # optional and not written
    assert written(UNSENT, "put", "sent_at") == (0, 0, 0)
    assert written(UNSENT, "set", "sent_at", before={"post.sent_at": "null"}) == (0, 1, 0)
    assert written(UNSENT, "set", "sent_at") == pytest.approx((0, 0.01, 0))
    assert written(UNSENT, "set", "sent_at", literals={"post.sent_at": "null"}) == pytest.approx((0.99, 0, 0))


def test_a_sparse_index_has_what_is_there() -> None:
    there = Cond("post.coupon", "not null", share=0.08)
    sparse = index("coupon", ("post.coupon",), only=(there,))
    assert written(sparse, "put", "coupon") == (1, 0, 0)
    assert written(sparse, "put") == (0, 0, 0)
    assert written(sparse, "remove") == pytest.approx((0, 0.08, 0))


def test_row_versions_cost_an_entry_in_every_index() -> None:
    row = replace(posts(SLUG, ONLY_OPEN), dialect=ROWS)
    attrs = frozenset({"post.slug"})
    change = Change("update", "post", frozenset({"post.id"}), {"post.slug": "param"})
    found = entries_of(row, "set", attrs, change, BLOG)
    assert {n: e for n, (_, e) in found.items()} == {
        "posts": (1, 0, 0),
        "posts.slug": (1, 0, 0),
        "posts.open": (0.1, 0, 0),
    }
    # nothing indexed: nothing
    quiet = replace(change, sets={"post.body": "param"})
    assert entries_of(row, "set", frozenset({"post.body"}), quiet, BLOG) == {}
    # a name in a predicate is enough, also for a row outside of it
    gate = replace(change, sets={"post.state": "param"}, literals={"post.state": "gone"}, before={"post.state": "shut"})
    named = entries_of(row, "set", frozenset({"post.state"}), gate, BLOG)
    assert named["posts.slug"][1] == (1, 0, 0)
    assert "posts.open" not in named


def test_the_value_it_has_writes_no_entry() -> None:
    same = {"literals": {"post.slug": "x"}, "before": {"post.slug": "x"}}
    assert written(WHOLE, "set", "slug", **same) == (0, 0, 0)
    assert written(WHOLE, "set", "slug title", **same) == (0, 0, 1)


def test_a_moved_record_is_a_new_one() -> None:
    item = record("post", "post", ITEMS, ("P#post.id",))
    change = Change("update", "post", frozenset({"post.id"}), {"post.id": "param"})
    found = entries_of(item, "move", frozenset({"post.id"}), change, BLOG)
    assert found["post"][1] == (1, 1, 0)
    assert key(("P#post.id",))[0].literal == "P#"
    assert change.count == ONE
