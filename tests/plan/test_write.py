"""What writes reach, whether they are all-or-nothing, what a repeat does; expected before anything ran."""

from dataclasses import dataclass, field, replace
from math import inf

import pytest

from app.plan.types import Change, Plan, Record, World, WriteIntent
from app.plan.write import plan_write
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
