"""Reads of several steps: what was expected from the facts of each store."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.plan.read import plan_read
from app.plan.types import Level as L
from app.plan.types import Query, Record, World
from tests.plan import worlds as w

CASES: Sequence[tuple[str, Query, Sequence[Record], World, L, str, float, float, int]] = [
    ("embedded order page", w.order_page(), w.ORDERS_MONGO, w.ORDERS, L.KEY_LOOKUP, "orders", 1, 1, 1),
    ("embedded, the name must be current", w.order_page(False), w.ORDERS_MONGO, w.ORDERS, L.JOIN, "orders users", 1, 1, 1),
    ("referenced order page", w.order_page(), w.ORDERS_REFERENCED, w.ORDERS, L.JOIN, "orders lines users", 1, 1, 1),
    ("rows of one database", w.order_page(), w.ORDERS_POSTGRES, w.ORDERS, L.JOIN, "orders lines users", 1, 1, 1),
    ("list with lines and buyer", w.BUYER_LIST_LINES, w.ORDERS_POSTGRES, w.ORDERS, L.JOIN, "orders lines users", 1, 1, 1),
    ("one item per order", w.order_page(), w.ORDERS_DYNAMO, w.ORDERS, L.KEY_LOOKUP, "order", 1, 1, 1),
    ("one item, the name current", w.order_page(False), w.ORDERS_DYNAMO, w.ORDERS, L.JOIN, "order user", 2, 2, 2),
    ("list by a projected index", w.BUYER_LIST, w.ORDERS_DYNAMO, w.ORDERS, L.INDEX_RANGE, "order", 1, 1, 1),
    ("list with lines the index lacks", w.BUYER_LIST_LINES, w.ORDERS_DYNAMO, w.ORDERS, L.JOIN, "order order user", 3, 3, 2),
    ("list with names of sellers", w.SELLER_NAMES, w.ORDERS_DYNAMO, w.ORDERS, L.JOIN, "order order user", 3, 3, 3),
    ("head and lines with history between", w.order_page(), w.orders_rows(), w.ORDERS, L.JOIN, "order+history+line user", 2, 2, 2),
    ("the same with large items", w.order_page(), w.orders_rows(20_000), w.ORDERS, L.JOIN, "order line user", 3, 3, 2),
    ("a table by id", w.order_page(), w.ORDERS_CASSANDRA, w.ORDERS, L.KEY_LOOKUP, "order_by_id", 1, 1, 1),
    ("a table per list", w.BUYER_LIST, w.ORDERS_CASSANDRA[:2], w.ORDERS, L.PARTITION_RANGE, "orders_by_buyer", 1, 1, 1),
    ("a list table without the total", w.BUYER_LIST, w.ORDERS_CASSANDRA[::2], w.ORDERS, L.FAN_OUT, "orders_by_buyer_thin order_by_id", 11, 21, 2),
    ("static columns", w.order_page(), w.ORDERS_STATIC, w.ORDERS, L.JOIN, "order_header+order_line users", 2, 2, 2),
    ("copies of 10 min for 1 min", w.read_post(), w.blog(False), w.BLOG, L.JOIN, "posts authors", 1, 1, 1),
    ("copies young enough", w.read_post(age=600), w.blog(False), w.BLOG, L.INDEX_LOOKUP, "posts", 1, 1, 1),
    ("the ten newest embedded", w.read_post(age=600, avatar=False), w.blog(True), w.BLOG, L.INDEX_LOOKUP, "posts", 1, 1, 1),
    ("all comments, ten embedded", w.read_post(0, 600, False), w.blog(True), w.BLOG, L.JOIN, "posts comments", 1, 1, 1),
    ("commenters must be current", w.read_post(10, 60, False, False), w.blog(True), w.BLOG, L.JOIN, "posts authors authors", 1, 1, 1),
    ("tags by an array of ids", w.POST_TAGS, w.TAGS_ARRAY, w.TAGS, L.JOIN, "posts tags", 1, 1, 1),
    ("tags by link records", w.POST_TAGS, w.TAGS_LINK, w.TAGS, L.JOIN, "posts tagged tags", 1, 1, 1),
    ("posts of a tag by an array", w.TAG_POSTS, w.TAGS_ARRAY, w.TAGS, L.INDEX_LOOKUP, "posts", 1, 1, 1),
    ("posts of a tag by links", w.TAG_POSTS, w.TAGS_LINK, w.TAGS, L.JOIN, "tagged posts", 1, 1, 1),
    ("product and reviews in one partition", w.PRODUCT_PAGE, w.ONE_TABLE, w.SHOP_TABLE, L.PARTITION_RANGE, "product+review", 1, 1, 1),
    ("order details without a way in", w.ORDER_DETAILS, w.ONE_TABLE, w.SHOP_TABLE, L.IMPOSSIBLE, "", 0, 0, 0),
    ("timeline by fan-out on read", w.TIMELINE, (w.FOLLOWING, w.POSTS_BY_AUTHOR), w.SOCIAL, L.FAN_OUT, "following posts_by_author", 151, 2001, 2),
    ("timeline by fan-out on write", w.TIMELINE, (w.FOLLOWING, w.POSTS_BY_AUTHOR, w.TIMELINE_TABLE), w.SOCIAL, L.PARTITION_RANGE, "timeline", 1, 1, 1),
    ("a cache of 300 s, 10 s allowed", w.product_page(), w.CACHE, w.CACHED, L.KEY_LOOKUP, "products", 1, 1, 1),
    ("a cache, 300 s allowed", w.product_page(300), w.CACHE, w.CACHED, L.KEY_LOOKUP, "cache:product", 1, 1, 1),
    ("one day of a sensor in buckets", w.LAST_DAY, w.BUCKETS, w.SENSORS, L.INDEX_RANGE, "readings", 1, 1, 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "records", "world", "level", "reads", "requests", "high", "rounds"),
    [pytest.param(*c[1:], id=c[0]) for c in CASES],
)
def test_steps(
    query: Query,
    records: Sequence[Record],
    world: World,
    level: L,
    reads: str,
    requests: float,
    high: float,
    rounds: int,
) -> None:
    """The cheapest steps, their requests on average and at p99, and the dependent rounds."""
    plan = plan_read(query, records, world)
    got = ["+".join(s.records_of) for s in plan.steps]
    assert (plan.level, sorted(got)) == (level, sorted(reads.split()))
    assert plan.requests.avg == pytest.approx(requests, rel=0.05, abs=0.5)
    assert plan.requests.high == pytest.approx(high, rel=0.05, abs=0.5)
    assert plan.rounds == rounds
