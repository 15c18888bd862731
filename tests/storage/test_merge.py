"""Which changes of one part stand side by side."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.storage.merge import CellClash, merge

ROW = {"operation": "Load", "get": "order", "rate": {"avg": "5/s"}, "latency": "30 ms"}


def test_different_cells_of_one_row_merge() -> None:
    mine = {**ROW, "latency": "10 ms"}
    theirs = {**ROW, "rate": {"avg": "5/s", "peak": "9/s"}, "note": "checked"}
    merged, clashes = merge(ROW, mine, theirs)
    assert clashes == ()
    assert merged == {**theirs, "latency": "10 ms"}


def test_the_same_cell_clashes_with_both_values() -> None:
    mine = {**ROW, "rate": {"avg": "7/s"}}
    theirs = {**ROW, "rate": {"avg": "9/s"}}
    merged, clashes = merge(ROW, mine, theirs)
    assert clashes == (CellClash("rate.avg", "5/s", "7/s", "9/s"),)
    assert merged == theirs


def test_one_number_is_the_average() -> None:
    merged, clashes = merge({"rate": "5/s"}, {"rate": "7/s"}, {"rate": {"avg": "5/s", "peak": "9/s"}})
    assert clashes == ()
    assert merged == {"rate": {"avg": "7/s", "peak": "9/s"}}


def test_the_same_value_twice_is_no_clash() -> None:
    new = {**ROW, "latency": "10 ms"}
    assert merge(ROW, new, dict(new)) == (new, ())


def test_removing_a_cell_against_changing_it_clashes() -> None:
    mine = {k: v for k, v in ROW.items() if k != "latency"}
    assert merge(ROW, mine, {**ROW, "latency": "1 s"})[1] == (CellClash("latency", "30 ms", None, "1 s"),)
    assert merge(ROW, mine, {**ROW, "note": "x"}) == ({**mine, "note": "x"}, ())


def test_fields_and_structures_merge_item_by_item() -> None:
    base = {"name": "order", "fields": ["id uuid key", "status string"]}
    mine = {"name": "order", "fields": ["id uuid key", "status enum", "coupon string"]}
    theirs = {"name": "order", "fields": ["total int64", "id uuid key", "status string"]}
    merged, clashes = merge(base, mine, theirs)
    assert clashes == ()
    assert merged["fields"] == ["total int64", "id uuid key", "status enum", "coupon string"]

    base = {"structures": [{"collection": "orders", "of": "order"}, {"collection": "users"}]}
    mine = {"structures": [{"collection": "orders", "of": "order", "ttl": "1 day"}]}
    theirs = {"structures": [{"collection": "users"}, {"collection": "orders", "of": "cart"}]}
    merged, clashes = merge(base, mine, theirs)
    assert clashes == ()
    assert merged == {"structures": [{"collection": "orders", "of": "cart", "ttl": "1 day"}]}


def test_a_key_list_is_one_cell() -> None:
    base, mine, theirs = ({"keys": keys} for keys in (["a.x"], ["a.x", "a.y"], ["a.z", "a.x"]))
    assert merge(base, mine, theirs)[1] == (CellClash("keys", ["a.x"], ["a.x", "a.y"], ["a.z", "a.x"]),)


def test_deleting_a_part_against_changing_it_clashes_as_a_whole() -> None:
    changed = {**ROW, "latency": "1 s"}
    assert merge(ROW, None, changed) == (changed, (CellClash("", ROW, None, changed),))
    assert merge(ROW, changed, None) == (None, (CellClash("", ROW, changed, None),))
    assert merge(ROW, None, ROW) == (None, ())
    assert merge(ROW, None, None) == (None, ())


def test_two_new_parts_of_one_name_clash() -> None:
    mine, theirs = {"name": "a", "count": "1"}, {"name": "a", "growth": "1/s"}
    assert merge(None, mine, theirs) == (theirs, (CellClash("", None, mine, theirs),))


texts = st.sampled_from(["a", "b", "c"])
plain: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(["x", "y", "fields"]),
    texts | st.dictionaries(texts, texts, max_size=2) | st.lists(texts, max_size=3),
    max_size=3,
)


@given(plain, plain, plain)
def test_merging_loses_nothing_silently(base: Any, mine: Any, theirs: Any) -> None:
    """Unchanged sides vanish; who comes first does not decide whether there is a clash."""
    assert merge(base, mine, base) == (mine, ())
    assert merge(base, base, theirs) == (theirs, ())
    here = [(c.path, c.mine, c.theirs) for c in merge(base, mine, theirs)[1]]
    there = [(c.path, c.theirs, c.mine) for c in merge(base, theirs, mine)[1]]
    assert sorted(here, key=repr) == sorted(there, key=repr)


def test_a_list_of_one_may_be_written_as_its_item() -> None:
    merged, clashes = merge({"fields": "id"}, {"fields": ["id", "a"]}, {"fields": ["b", "id"]})
    assert clashes == ()
    assert merged == {"fields": ["b", "id", "a"]}
