"""What writes reach, whether they are all-or-nothing, what a repeat does; expected before anything ran."""

from dataclasses import dataclass, field, replace
from math import inf

import pytest

from app.model.keys import Kept
from app.model.spread import ONE, Spread
from app.model.text import read_yaml
from app.plan.lower import lower_write
from app.plan.types import (
    AccessPath,
    Change,
    Edge,
    Figure,
    Held,
    Level,
    Part,
    Plan,
    Record,
    Touch,
    World,
    WriteIntent,
)
from app.plan.world import build_world
from app.plan.write import plan_write
from app.stores import STORES
from tests.plan import write_samples as w


def insert(entity: str, *known: str, **more: object) -> Change:
    attrs = [f"{entity}.{k}" for k in known]
    return Change("insert", entity, frozenset(attrs), dict.fromkeys(attrs, "param"), **more)  # type: ignore[arg-type]


def update(entity: str, by: str, sets: dict[str, str], **more: object) -> Change:
    known = frozenset(f"{entity}.{k}" for k in by.split())
    return Change("update", entity, known, {f"{entity}.{k}": v for k, v in sets.items()}, **more)  # type: ignore[arg-type]


ORDER_NEW = insert("order", "id", "buyer_id", "seller_id", "status", "created_at", given=frozenset({"buyer.name"}))
LINES_NEW = insert("line_item", "order_id", "sku", count=w.LINES.children, same_as="order")
EMPTY_CART = Change("delete", "cart_item", frozenset({"cart_item.user_id"}), count=w.CART.children)
RENAME = update("user", "id", {"name": "param"})
COMMENT = insert("comment", "id", "post_id", "created_at", "author_id")
LIKE = update("comment", "id", {"likes": "add"})
STATUS = update("order", "id", {"status": "param"})
NEW_BUYER = update("order", "id", {"buyer_id": "param"})
ENTER_HELD = frozenset({"reservation.status"})
EVENT_NEW = Change("insert", "event", frozenset({"event.id"}), enters=frozenset({"event.sent_at"}))
RESERVE = (
    Change(
        "insert", "reservation", frozenset({"reservation.id", "reservation.order_id"}),
        {"reservation.status": "value"}, enters=ENTER_HELD,
    ),
    insert("reservation_line", "sku", count=w.R_LINES.children, same_as="reservation"),
    update("stock", "sku warehouse", {"available": "add", "reserved": "add"}, count=w.R_LINES.children, only_if=True),
    EVENT_NEW,
)  # fmt: skip
CONFIRM = (update("reservation", "id", {"status": "value"}, only_if=True, leaves=ENTER_HELD), EVENT_NEW)


def refreshed(records: tuple[Record, ...], age: float) -> tuple[Record, ...]:
    """The same, with copies refreshed within `age` where they never are."""
    return tuple(replace(r, shape=tuple(replace(h, age=age) if h.age == inf else h for h in r.shape)) for r in records)


Touched = dict[str, tuple[float, float, float, float]]
"""Record → written on average, at p99, index entries added, removed."""


@dataclass(frozen=True)
class Case:
    changes: tuple[Change, ...]
    records: tuple[Record, ...]
    world: World
    touched: Touched
    scope: str
    retry: str
    how: dict[str, object] = field(default_factory=dict)

    def plan(self) -> Plan:
        return plan_write(WriteIntent("case", self.changes, **self.how), self.records, self.world)  # type: ignore[arg-type]


ONCE = {"atomic": True, "retry": "idempotency key"}
CASES = {
    "documents: place an order": Case(
        (ORDER_NEW, LINES_NEW, EMPTY_CART), w.ORDERS_DOCUMENTS, w.ORDERS,
        {"orders": (1, 1, 3, 0), "carts": (1, 1, 0, 0)}, "transaction", "safe", ONCE,
    ),
    "items: place an order": Case(
        (ORDER_NEW, LINES_NEW), w.ORDERS_ITEMS, w.ORDERS, {"order": (1, 1, 3, 0)}, "record", "safe", {"atomic": True},
    ),
    "wide rows: place an order": Case(
        (ORDER_NEW, LINES_NEW), w.ORDERS_WIDE, w.ORDERS,
        {"order_by_id": (1, 1, 1, 0), "orders_by_buyer": (1, 1, 1, 0)}, "batch", "safe, and needed", {"atomic": True},
    ),
    "a copy that is never refreshed": Case(
        (RENAME,), w.ORDERS_DOCUMENTS, w.ORDERS, {"users": (1, 1, 0, 0)}, "record", "safe",
    ),
    "a copy refreshed later": Case(
        (RENAME,), refreshed(w.ORDERS_DOCUMENTS, 600), w.ORDERS,
        {"users": (1, 1, 0, 0), "orders": (10, 120, 0, 0)}, "record", "safe",
    ),
    "a comment inside its post": Case(
        (COMMENT,), w.blog(subset=False), w.BLOG, {"posts": (1, 1, 0, 0)}, "record", "safe",
        {"retry": "idempotency key"},
    ),
    "a comment inside its post, unguarded": Case(
        (COMMENT,), w.blog(subset=False), w.BLOG, {"posts": (1, 1, 0, 0)}, "record",
        "posts: adds again and pushes again",
    ),
    "a comment in both places": Case(
        (COMMENT,), w.blog(subset=True), w.BLOG,
        {"comments": (1, 1, 2, 0), "posts": (1, 1, 0, 0)}, "transaction", "posts: adds again and pushes again",
    ),
    "a like inside a post": Case(
        (LIKE,), w.blog(subset=False), w.BLOG, {"posts": (1, 1, 0, 0)}, "record", "posts: adds again",
    ),
    "an author renamed": Case(
        (update("author", "id", {"name": "param"}),), w.blog(subset=False), w.BLOG,
        {"authors": (1, 1, 0, 0), "posts": (20, 400, 0, 0)}, "record", "safe",
    ),
    "documents: reserve": Case(
        RESERVE, w.STOCK_DOCUMENTS, w.STOCK,
        {"reservations": (1, 1, 3, 0), "stock": (2.5, 9, 0, 0), "outbox": (1, 1, 2, 0)}, "transaction", "safe", ONCE,
    ),
    "items: reserve": Case(
        RESERVE, w.STOCK_ITEMS, w.STOCK,
        {"reservation": (1, 1, 2, 0), "stock": (2.5, 9, 0, 0), "event": (1, 1, 1, 0)}, "transaction", "safe", ONCE,
    ),
    "documents: confirm": Case(
        CONFIRM, w.STOCK_DOCUMENTS, w.STOCK, {"reservations": (1, 1, 0, 1), "outbox": (1, 1, 2, 0)},
        "transaction", "safe", {"atomic": True, "retry": "conditional"},
    ),
    "items: confirm": Case(
        CONFIRM, w.STOCK_ITEMS, w.STOCK, {"reservation": (1, 1, 0, 1), "event": (1, 1, 1, 0)},
        "transaction", "safe", {"atomic": True, "retry": "conditional"},
    ),
    "items: a projected attribute changes": Case(
        (STATUS,), w.ORDERS_ITEMS, w.ORDERS, {"order": (1, 1, 0, 0)}, "record", "safe",
    ),
    "items: the key of an index changes": Case(
        (NEW_BUYER,), w.ORDERS_ITEMS, w.ORDERS, {"order": (1, 1, 1, 1)}, "record", "safe",
    ),
    "items: the same order twice": Case(
        (STATUS,), w.ORDER_TWICE, w.SHOP,
        {"order in user": (1, 1, 0, 0), "order detail": (1, 1, 0, 0)}, "transaction", "safe",
    ),
    "items: a unique email changes": Case(
        (update("user", "id email", {"email": "param"}),), w.UNIQUE_EMAIL, w.SHOP,
        {"user": (1, 1, 0, 0), "email": (1, 1, 1, 1)}, "transaction", "safe",
    ),
    "wide rows: follow": Case(
        (insert("follow", "follower_id", "followee_id", "since"),), w.FOLLOWS, w.SOCIAL,
        {"following": (1, 1, 1, 0), "followers": (1, 1, 1, 0)}, "batch", "safe, and needed",
    ),
    "wide rows: a post to timelines": Case(
        (insert("post", "id", "author_id", "created_at"),), w.TIMELINES, w.SOCIAL,
        {"posts_by_author": (1, 1, 1, 0), "timeline": (150, 3000, 1, 0)}, "batch", "safe, and needed",
    ),
    "a cache in front": Case(
        (update("product", "id", {"body": "param"}),), w.CACHED, w.PRODUCTS,
        {"products": (1, 1, 0, 0), "cache:product": (1, 1, 0, 0)}, "none", "safe, and needed",
    ),
    "stock, embedded and cached": Case(
        (update("stock", "product_id", {"available": "add"}, only_if=True),), w.CACHED, w.PRODUCTS,
        {"products": (1, 1, 0, 0), "cache:product": (1, 1, 0, 0)}, "none", "products: adds again",
    ),
    "rows: nothing indexed changes": Case(
        (STATUS,), w.ORDERS_ROWS, w.ORDERS, {"orders": (1, 1, 0, 0)}, "record", "safe",
    ),
    "rows: an indexed column changes": Case(
        (NEW_BUYER,), w.ORDERS_ROWS, w.ORDERS, {"orders": (1, 1, 2, 0)}, "record", "safe",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_places_scope_and_retry(name: str) -> None:
    case = CASES[name]
    plan = case.plan()
    got = {t.record: (t.count.avg, t.count.high, t.added, t.removed) for t in plan.touches}
    assert got.keys() == case.touched.keys()
    for place, figures in case.touched.items():
        assert got[place] == pytest.approx(figures, abs=0.01), place
    assert plan.scope == case.scope
    assert plan.retry.startswith(case.retry)


# ---------------------------------------------------------------- what the cases above do not show


def plan(changes: tuple[Change, ...] | Change, records: tuple[Record, ...], world: World, **how: object) -> Plan:
    many = changes if isinstance(changes, tuple) else (changes,)
    return plan_write(WriteIntent("it", many, **how), records, world)  # type: ignore[arg-type]


def touch(found: Plan, record: str) -> Touch:
    (one,) = [t for t in found.touches if t.record == record]
    return one


def test_levels() -> None:
    assert plan(STATUS, w.ORDERS_DOCUMENTS, w.ORDERS).level is Level.KEY_LOOKUP
    by_buyer = update("order", "buyer_id", {"status": "param"}, count=w.BUYER.children)
    assert plan(by_buyer, w.ORDERS_DOCUMENTS, w.ORDERS).level is Level.INDEX_RANGE  # one request with a condition
    assert plan(RESERVE, w.STOCK_ITEMS, w.STOCK).level is Level.FAN_OUT  # one stock after the other
    assert plan(LIKE, w.blog(subset=False), w.BLOG).level is Level.SCAN


def test_what_nothing_finds_says_why() -> None:
    scan = plan(LIKE, w.blog(subset=False), w.BLOG)
    assert scan.misses
    assert "posts: nothing finds the records to change (embed)" in scan.notes
    wide = plan(update("order", "status", {"created_at": "param"}), w.ORDERS_WIDE, w.ORDERS)
    assert wide.level is Level.IMPOSSIBLE
    assert {m.code for m in wide.misses} >= {"partition"}


def test_what_no_structure_holds() -> None:
    lost = plan(RENAME, w.STOCK_DOCUMENTS, w.STOCK)
    assert lost.level is Level.IMPOSSIBLE
    assert lost.missing == ("user",)
    assert lost.misses[0].what == "no structure of the model holds user"
    partly = plan((RENAME, EVENT_NEW), w.STOCK_DOCUMENTS, w.STOCK)
    assert partly.missing == ("user",)
    assert partly.level is Level.KEY_LOOKUP


def test_copies_at_birth_cost_a_read_unless_given() -> None:
    unread = plan(replace(ORDER_NEW, given=frozenset()), w.ORDERS_DOCUMENTS, w.ORDERS)
    assert touch(unread, "orders").reads == 1
    assert unread.rounds == 2
    assert unread.requests == Spread(2, 2, 2)
    assert "buyer.name read first, to be copied; `given` saves it" in unread.notes
    assert plan(ORDER_NEW, w.ORDERS_DOCUMENTS, w.ORDERS).requests == Spread(1, 1, 1)
    # two tables with the same copy read it once
    wide = tuple(replace(r, shape=(r.shape[0], w.NAME)) for r in w.ORDERS_WIDE)
    assert sum(t.reads for t in plan(replace(ORDER_NEW, given=frozenset()), wide, w.ORDERS).touches) == 1


def test_a_subset_is_filled_up_after_a_delete() -> None:
    gone = Change("delete", "comment", frozenset({"comment.id", "comment.post_id"}))
    posts = touch(plan(gone, w.blog(subset=True), w.BLOG), "posts")
    # ten on average, eighty at p99: most posts have fewer than ten comments, most comments are not among the first ten
    assert (posts.op, posts.reads) == ("add+pull", pytest.approx(0.273, rel=0.01))
    assert touch(plan(gone, w.blog(subset=False), w.BLOG), "posts").reads == 0


@pytest.mark.parametrize(("children", "share"), [(10, 1), (40, 0.25), (1000, 0.01)])
def test_only_what_is_in_the_subset_leaves_a_gap(children: float, share: float) -> None:
    """Ten of forty comments are embedded: a quarter of the deletes read the eleventh, by the index of all comments."""
    rels = tuple(replace(r, children=Spread(children)) if r == w.COMMENTS else r for r in w.BLOG.rels)
    (comments,) = (r for r in rels if r.child == "comment" and r.role == "post")
    world = replace(w.BLOG, rels=rels, memo={})
    records = tuple(
        replace(r, shape=tuple(replace(h, edge=Edge(comments, True)) if h.first else h for h in r.shape))
        for r in w.blog(subset=True)
    )
    gone = Change("delete", "comment", frozenset({"comment.id", "comment.post_id"}))
    found = plan(gone, records, world)
    assert touch(found, "posts").reads == pytest.approx(share)
    assert f"posts: {share:.0%} of the deletes leave a gap among the first 10 comment" in " ".join(found.notes)
    assert "read by comments.post, " in " ".join(found.notes)


def test_an_element_that_moves_leaves_a_gap_and_one_that_changes_otherwise_does_not() -> None:
    """A comment that gets an older date may leave the newest ten; one that is liked stays where it is."""
    known = frozenset({"comment.id", "comment.post_id"})
    moved = Change("update", "comment", known, {"comment.created_at": "param"})
    liked = Change("update", "comment", known, {"comment.likes": "add"})
    assert touch(plan(moved, w.blog(subset=True), w.BLOG), "posts").reads == pytest.approx(0.273, rel=0.01)
    assert touch(plan(liked, w.blog(subset=True), w.BLOG), "posts").reads == 0


def test_a_subset_of_what_nothing_else_holds_shrinks() -> None:
    gone = Change("delete", "comment", frozenset({"comment.id", "comment.post_id"}))
    alone = tuple(r for r in w.blog(subset=True) if r.of != "comment")
    found = plan(gone, alone, w.BLOG)
    assert touch(found, "posts").reads == 0
    assert "nothing else holds all of them: the subset shrinks" in " ".join(found.notes)


def test_a_parent_that_goes_with_its_children_leaves_no_gap() -> None:
    post = Change("delete", "post", frozenset({"post.id"}))
    many = Change("delete", "comment", frozenset({"comment.post_id"}), count=Spread(10), same_as="post", cascade=True)
    found = plan((post, many), w.blog(subset=True), w.BLOG)
    assert "leave a gap" not in " ".join(found.notes)


def test_children_go_with_their_parent() -> None:
    gone = Change("delete", "order", frozenset({"order.id"}))
    lines = Change(
        "delete", "line_item", frozenset({"line_item.order_id"}), count=w.LINES.children, same_as="order", cascade=True
    )
    inside = plan((gone, lines), w.ORDERS_DOCUMENTS, w.ORDERS)
    assert [(t.record, t.op, t.count) for t in inside.touches] == [("orders", "remove", ONE)]
    apart = plan((gone, lines), w.ORDERS_ROWS, w.ORDERS)
    assert touch(apart, "lines").count == w.LINES.children
    assert apart.scope == "transaction"


def test_a_cache_whose_keys_are_not_known() -> None:
    by_brand = update("product", "brand", {"body": "param"}, count=Spread(40))
    stale = plan(by_brand, w.CACHED, w.PRODUCTS)
    assert touch(stale, "cache:product").find == ""
    assert any("nothing leads from this change to the keys" in m.what for m in stale.misses)
    quiet = (w.CACHED[0], replace(w.CACHED[1], on_change=""))  # it runs out by itself
    assert [t.record for t in plan(by_brand, quiet, w.PRODUCTS).touches] == ["products"]


def test_counters_add_and_are_not_safe_to_repeat() -> None:
    counter = w.record(
        "orders so far", "order", w.KEYS, ("counter:orders#",), purpose="counter",
        root=Held("order", frozenset(), computed=frozenset({"=order.count(order)"})),
    )  # fmt: skip
    new = plan(ORDER_NEW, (counter,), w.ORDERS)
    assert (touch(new, "orders so far").op, new.retry) == ("add", "orders so far: adds again")
    with pytest.raises(ValueError, match="not enough values"):
        touch(plan(STATUS, (counter,), w.ORDERS), "orders so far")


def test_a_figure_that_is_set_anew_may_be_set_twice() -> None:
    last = Figure("=room.last_message_at", "room", MESSAGES, frozenset({"message.sent_at"}), "max(message.sent_at)")
    rooms = w.world({"room": 10, "message": 1000}, (MESSAGES,), (last,), room__id=10, message__id=1000)
    kept = w.record(
        "rooms", "room", w.DOCUMENTS, ("room.id",), root=Held("room", None, computed=frozenset({last.name}))
    )
    sent = plan(insert("message", "id", "room_id", "sent_at"), (kept,), rooms)
    assert (touch(sent, "rooms").op, sent.retry) == ("set", "safe")


MESSAGES = w.rel("room", "room", "message", "room_id", Spread(100))


def test_units_of_a_transaction_count_the_records_twice_and_the_entries_once() -> None:
    alone = plan((ORDER_NEW, LINES_NEW), w.ORDERS_ITEMS, w.ORDERS)
    assert alone.units == 3  # the item and two index entries
    both = plan((ORDER_NEW, LINES_NEW, RENAME), w.ORDERS_ITEMS, w.ORDERS)
    assert both.scope == "transaction"
    assert both.units == 2 + 2 + 2  # two records doubled, two entries
    large = tuple(replace(r, size=Spread(2500)) for r in w.ORDERS_ITEMS)
    assert plan(STATUS, large, w.ORDERS).units == 3 + 1  # three kilobytes begun, and the projected attribute


@pytest.mark.parametrize(
    ("size", "kind", "units"),
    [
        (1010, "insert", 2),  # 1,010 bytes and a comment: the new image is larger than a unit
        (1010, "delete", 1),  # the old one was not
        (1030, "delete", 2),
        (900, "insert", 1),
    ],
)
def test_an_update_bills_the_larger_of_the_old_and_the_new_image(size: float, kind: str, units: float) -> None:
    """A comment embedded in a post that is billed by 1,024 bytes."""
    posts = replace(w.blog(subset=False)[1], dialect=w.ITEMS, size=Spread(size))
    known = frozenset({"comment.id", "comment.post_id"})
    change = Change(kind, "comment", known, dict.fromkeys(("comment.id", "comment.likes"), "value"))
    alone = tuple(p for p in posts.paths if p.primary)
    embedded = replace(posts, shape=(Held("post"), w.held_in(w.COMMENTS)), paths=alone)
    assert touch(plan(change, (embedded,), w.BLOG), "posts").units == units


def test_a_changed_key_is_two_writes() -> None:
    moved = plan(update("user", "id email", {"email": "param"}), w.UNIQUE_EMAIL, w.SHOP)
    email = touch(moved, "email")
    assert (email.op, email.reads, email.units) == ("move", 1, 2)
    assert "email: the key changes: the old record is read, removed and written anew" in moved.notes


def test_more_records_than_a_transaction_takes() -> None:
    many = replace(RESERVE[2], count=Spread(20, 150, 4000))
    too_many = plan((RESERVE[0], many), w.STOCK_ITEMS, w.STOCK, atomic=True)
    assert too_many.scope == "none"
    assert any("a transaction takes 100" in n for n in too_many.notes)
    assert [m.code for m in too_many.misses] == ["limit"]
    few = replace(RESERVE[2], count=Spread(2, 50, 4000))
    assert plan((RESERVE[0], few), w.STOCK_ITEMS, w.STOCK).scope == "transaction"


def test_what_need_not_be_atomic_is_not_refused_for_its_length() -> None:
    many = replace(RESERVE[2], count=Spread(20, 150, 4000))
    loose = plan((RESERVE[0], many), w.STOCK_ITEMS, w.STOCK)
    assert loose.scope == "none"
    assert not loose.misses


def test_each_of_a_batch_is_looked_for_by_itself() -> None:
    change = Change("update", "order", frozenset({"order.buyer_id", "order.created_at"}), {"order.status": "param"})
    one = touch(plan(change, w.ORDERS_ITEMS, w.ORDERS), "order")
    assert one.reads >= 1
    many = touch(plan(replace(change, count=Spread(50, 50, 50), apart=True), w.ORDERS_ITEMS, w.ORDERS), "order")
    assert many.reads == one.reads * 50


def test_a_record_twice_in_one_transaction() -> None:
    assert any("may not appear twice" in n for n in plan(RESERVE, w.STOCK_ITEMS, w.STOCK).notes)
    assert not any("may not appear twice" in n for n in plan(RESERVE, w.STOCK_DOCUMENTS, w.STOCK).notes)


def test_keys_in_one_slot_or_in_several() -> None:
    def queues(tag: str) -> tuple[Record, ...]:
        made = [w.record(n, "order", w.KEYS, (f"{n}#order.id",), nodes=6) for n in ("q", "sched")]
        paths = [replace(r.primary, placed_by=(Part(literal=tag),)) if tag else r.primary for r in made]
        return tuple(replace(r, paths=(p,)) for r, p in zip(made, paths, strict=True))

    apart = plan(ORDER_NEW, queues(""), w.ORDERS, atomic=True)
    assert apart.scope == "none"
    assert [m.code for m in apart.misses] == ["slot"]
    together = plan(ORDER_NEW, queues("{all}"), w.ORDERS, atomic=True)
    assert together.scope == "slot"
    one_node = tuple(replace(r, nodes=1) for r in queues(""))
    assert plan(ORDER_NEW, one_node, w.ORDERS).scope == "slot"


def test_a_guard_reaches_as_far_as_the_store_lets_it() -> None:
    guarded = (replace(NEW_BUYER, only_if=True), RENAME)
    wide = plan(guarded, (*w.ORDERS_WIDE, replace(w.ORDERS_DOCUMENTS[0], dialect=w.WIDE)), w.ORDERS)
    assert "`only if` reaches one partition: the other records are not guarded" in wide.notes


def test_a_partition_is_one_unit_and_a_loose_batch_is_not() -> None:
    header = w.record("header", "order", w.WIDE, ("order.id",), structure="order_lines")
    lines = w.record("line", "line_item", w.WIDE, ("line_item.order_id",), ("line_item.sku",), structure="order_lines")
    assert plan((ORDER_NEW, LINES_NEW), (header, lines), w.ORDERS).scope == "partition"
    batch = replace(ORDER_NEW, count=Spread(500, 500, 500))
    assert plan(batch, (header,), w.ORDERS).scope == "batch"


def test_a_range_is_deleted_in_one_request_where_the_store_can() -> None:
    lines = w.record("line", "line_item", w.WIDE, ("line_item.order_id",), ("line_item.sku",))
    gone = Change("delete", "line_item", frozenset({"line_item.order_id"}), count=w.LINES.children)
    read_first = plan(gone, (lines,), w.ORDERS)
    assert (read_first.requests.avg, read_first.level) == (1 + 3, Level.FAN_OUT)
    ranges = replace(w.WIDE, writing=replace(w.WIDE.writing, by_prefix=True))
    at_once = plan(gone, (replace(lines, dialect=ranges),), w.ORDERS)
    assert (at_once.requests, at_once.level) == (ONE, Level.PARTITION_RANGE)


def test_members_of_one_value_go_in_one_command() -> None:
    dialect = replace(w.KEYS, writing=replace(w.KEYS.writing, by_prefix=True))
    cart = w.record("cart", "cart_item", dialect, ("cart_item.user_id",), ("cart_item.sku",), value_type="hash")
    emptied = plan(EMPTY_CART, (cart,), w.ORDERS)
    assert (emptied.requests, emptied.records.avg, emptied.level) == (ONE, 4, Level.KEY_LOOKUP)
    apart = plan(replace(EMPTY_CART, apart=True), (cart,), w.ORDERS)
    assert (apart.requests.avg, apart.level) == (4, Level.FAN_OUT)


def test_a_shard_the_writer_picked_is_looked_for() -> None:
    shard = Part(kept=Kept(chosen=True, fan=4, order=0, exact=False))
    primary = AccessPath("outbox", "event", (shard,), (Part("event.id"),), unique=True, primary=True)
    outbox = replace(w.STOCK_ITEMS[2], paths=(primary,))
    sent = update("event", "id", {"sent_at": "now"})
    assert touch(plan(sent, (outbox,), w.STOCK), "event").reads == 4
    assert touch(plan(EVENT_NEW, (outbox,), w.STOCK), "event").reads == 0


def test_an_upsert_is_partly_an_insert() -> None:
    change = Change("upsert", "order", frozenset({"order.id"}), {"order.status": "param"}, inserts=0.3)
    found = touch(plan(change, w.ORDERS_DOCUMENTS[1:2], w.ORDERS), "orders")
    assert found.added == pytest.approx(0.3 * 3)
    assert found.find == "key"


def test_retries_guarded_by_a_key_the_client_keeps() -> None:
    unkeyed = Change("insert", "order", frozenset({"order.buyer_id"}), {"order.buyer_id": "param"})
    again = plan(unkeyed, w.ORDERS_DOCUMENTS[1:2], w.ORDERS)
    assert again.retry == "orders: a new key each time"
    assert plan(unkeyed, w.ORDERS_DOCUMENTS[1:2], w.ORDERS, retry="idempotency key").retry == "safe"
    assert plan(unkeyed, w.ORDERS_DOCUMENTS[1:2], w.ORDERS, retry="same key").retry == "safe"


def test_bytes_are_of_what_is_written() -> None:
    new = plan(ORDER_NEW, w.ORDERS_DOCUMENTS[1:2], w.ORDERS)
    assert new.bytes.avg == 500
    small = plan(STATUS, w.ORDERS_DOCUMENTS[1:2], w.ORDERS)
    assert small.bytes.avg == len("status") + 8


KINDS = """
keywright: 1
name: Contents
entities:
  - {name: content, fields: [id uuid key, title string avg 20]}
  - {name: article, is a: content, count: 300, fields: [body text avg 4 KB]}
  - {name: video, is a: content, count: 100, fields: [seconds int32]}
patterns:
  - {operation: Retitle, update: content, where: "content.id = :c", set: {content.title: ":t"}}
  - {operation: Retitle article, update: article, where: "article.id = :a", set: {article.title: ":t"}}
models:
  - name: Apart
    store: mongodb
    structures: [{collection: articles, of: article, _id: article.id}, {collection: videos, of: video, _id: video.id}]
  - {name: Together, store: mongodb, structures: [{collection: contents, of: content, _id: content.id}]}
"""


def test_a_change_of_any_kind_meets_every_kind() -> None:
    project = read_yaml(KINDS)
    contents = build_world(project)

    def touched(model: int, pattern: int) -> list[tuple[str, float, str]]:
        made = project.models[model]
        kinds = [r for s in made.structures for r in STORES["mongodb"].records(s, made, contents)]
        found = plan_write(lower_write(project.patterns[pattern], contents), kinds, contents)
        return [(t.record, t.count.avg, t.find) for t in found.touches]

    assert touched(0, 0) == [("articles", 0.75, "key"), ("videos", 0.25, "key")]
    assert touched(0, 1) == [("articles", 1, "key")]
    assert touched(1, 1) == [("contents", 1, "key")]


def test_another_parent_means_another_copy() -> None:
    moved = plan(NEW_BUYER, refreshed(w.ORDERS_DOCUMENTS, 600), w.ORDERS)
    assert touch(moved, "orders").reads == 1
    assert touch(plan(STATUS, refreshed(w.ORDERS_DOCUMENTS, 600), w.ORDERS), "orders").reads == 0


def test_the_record_itself_says_where_its_other_places_are() -> None:
    blog = w.world(
        w.BLOG.counts, w.BLOG.rels, w.BLOG.figures, **{k.replace(".", "__"): s for k, s in w.BLOG.stats.items()}
    )
    blog = replace(blog, fields={**blog.fields, "comment": ("comment.id", "comment.post_id", "comment.author_id")})
    liked = plan(LIKE, w.blog(subset=True), blog)
    assert touch(liked, "comments").find == "key"
    posts = touch(liked, "posts")
    assert (posts.find, posts.level, posts.reads) == ("comments", Level.KEY_LOOKUP, 1)
    assert liked.level is Level.KEY_LOOKUP
    assert "posts: 1 read first, by comments" in liked.notes
    alone = plan(LIKE, w.blog(subset=False), blog)  # nothing else knows the comment's post
    assert alone.level is Level.SCAN

    shop = replace(w.SHOP, fields={**w.SHOP.fields, "order": ("order.id", "order.user_id", "order.status")})
    twice = plan(STATUS, w.ORDER_TWICE, shop)
    assert touch(twice, "order in user").find == "order detail"
    assert twice.level is Level.KEY_LOOKUP
    assert twice.requests == Spread(3, 3, 3)  # one read, two writes


OPEN = """
keywright: 1
name: Tickets
entities:
  - name: ticket
    count: 1M
    fields: [id uuid key, {name: status, type: enum, values: {open: 2%, paid: 5%, shipped: 93%}}, title string avg 20]
patterns:
  - {operation: New, insert: ticket, set: {ticket.status: open}}
  - {operation: New paid, insert: ticket, set: {ticket.status: paid}}
  - {operation: Pay, update: ticket, where: "ticket.id = :t and ticket.status = 'open'", set: {ticket.status: paid}}
  - {operation: Reopen, update: ticket, where: "ticket.id = :t and ticket.status = 'paid'", set: {ticket.status: open}}
  - {operation: Retitle, update: ticket, where: "ticket.id = :t", set: {ticket.title: ":x"}}
  - {operation: Remove, delete: ticket, where: "ticket.id = :t"}
  - {operation: Put, upsert: ticket, where: "ticket.id = :t", set: {ticket.title: ":x"}}
models:
  - name: All and open
    store: dynamodb
    structures:
      - {table: tickets, of: ticket, pk: "{ticket.id}"}
      - {table: open, of: ticket, purpose: second copy, where: "ticket.status = 'open'", pk: "{ticket.id}"}
"""


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("New", ("put", 1)),
        ("New paid", None),
        ("Pay", ("remove", 1)),
        ("Reopen", ("put", 1)),
        ("Retitle", ("set", 0.02)),
        ("Remove", ("remove", 0.02)),
    ],
)
def test_a_structure_that_keeps_only_some_records(operation: str, expected: tuple[str, float] | None) -> None:
    project = read_yaml(OPEN)
    tickets, made = build_world(project), project.models[0]
    kinds = [r for s in made.structures for r in STORES["dynamodb"].records(s, made, tickets)]
    pattern = project.pattern(operation)
    assert pattern is not None
    found = plan_write(lower_write(pattern, tickets), kinds, tickets)
    touched = {t.record: (t.op, t.count.avg) for t in found.touches}
    assert touched.pop("tickets")[1] == 1
    assert touched.get("open") == (expected if expected is None else (expected[0], pytest.approx(expected[1])))


def test_an_upsert_asks_how_often_it_inserts() -> None:
    project = read_yaml(OPEN)
    pattern = project.pattern("Put")
    assert pattern is not None
    (question,) = lower_write(pattern, build_world(project)).questions
    assert question.endswith("Counted as all of them. (inserts: 30%)")
