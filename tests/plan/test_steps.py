# ruff: noqa: E501  (a table reads best with one case a line)
"""Reads of several steps: what was expected from the facts of each store."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.plan.quick import quick
from app.plan.read import _searched, plan_read
from app.plan.types import Query, Record, World
from tests.plan import worlds as w

CASES: Sequence[tuple[str, Query, Sequence[Record], World, str, str, float, float, int]] = [
    ("embedded order page", w.order_page(), w.ORDERS_MONGO, w.ORDERS, "key lookup", "orders", 1, 1, 1),
    ("embedded, the name must be current", w.order_page(False), w.ORDERS_MONGO, w.ORDERS, "join", "orders users", 1, 1, 1),
    ("referenced order page", w.order_page(), w.ORDERS_REFERENCED, w.ORDERS, "join", "orders lines users", 1, 1, 1),
    ("rows of one database", w.order_page(), w.ORDERS_POSTGRES, w.ORDERS, "join", "orders lines users", 1, 1, 1),
    ("list with lines and buyer", w.BUYER_LIST_LINES, w.ORDERS_POSTGRES, w.ORDERS, "join", "orders lines users", 1, 1, 1),
    ("one item per order", w.order_page(), w.ORDERS_DYNAMO, w.ORDERS, "key lookup", "order", 1, 1, 1),
    ("one item, the name current", w.order_page(False), w.ORDERS_DYNAMO, w.ORDERS, "join", "order user", 2, 2, 2),
    ("list by a projected index", w.BUYER_LIST, w.ORDERS_DYNAMO, w.ORDERS, "index range", "order", 1, 1, 1),
    ("list with lines the index lacks", w.BUYER_LIST_LINES, w.ORDERS_DYNAMO, w.ORDERS, "join", "order order user", 3, 3, 2),
    ("list with names of sellers", w.SELLER_NAMES, w.ORDERS_DYNAMO, w.ORDERS, "join", "order order user", 3, 3, 3),
    ("head and lines with history between", w.order_page(), w.orders_rows(), w.ORDERS, "join", "order+history+line user", 2, 2, 2),
    ("the same with large items", w.order_page(), w.orders_rows(20_000), w.ORDERS, "join", "order line user", 3, 3, 2),
    ("a table by id", w.order_page(), w.ORDERS_CASSANDRA, w.ORDERS, "key lookup", "order_by_id", 1, 1, 1),
    ("a table per list", w.BUYER_LIST, w.ORDERS_CASSANDRA[:2], w.ORDERS, "single-partition range", "orders_by_buyer", 1, 1, 1),
    ("a list table without the total", w.BUYER_LIST, w.ORDERS_CASSANDRA[::2], w.ORDERS, "bounded fan-out", "orders_by_buyer_thin order_by_id", 11, 21, 2),
    ("static columns", w.order_page(), w.ORDERS_STATIC, w.ORDERS, "join", "order_header+order_line users", 2, 2, 2),
    ("copies of 10 min for 1 min", w.read_post(), w.blog(False), w.BLOG, "join", "posts authors", 1, 1, 1),
    ("copies young enough", w.read_post(age=600), w.blog(False), w.BLOG, "index lookup", "posts", 1, 1, 1),
    ("the ten newest embedded", w.read_post(age=600, avatar=False), w.blog(True), w.BLOG, "index lookup", "posts", 1, 1, 1),
    ("all comments, ten embedded", w.read_post(0, 600, False), w.blog(True), w.BLOG, "join", "posts comments", 1, 1, 1),
    ("commenters must be current", w.read_post(10, 60, False, False), w.blog(True), w.BLOG, "join", "posts authors authors", 1, 1, 1),
    ("tags by an array of ids", w.POST_TAGS, w.TAGS_ARRAY, w.TAGS, "join", "posts tags", 1, 1, 1),
    ("tags by link records", w.POST_TAGS, w.TAGS_LINK, w.TAGS, "join", "posts tagged tags", 1, 1, 1),
    ("posts of a tag by an array", w.TAG_POSTS, w.TAGS_ARRAY, w.TAGS, "index lookup", "posts", 1, 1, 1),
    ("posts of a tag by links", w.TAG_POSTS, w.TAGS_LINK, w.TAGS, "join", "tagged posts", 1, 1, 1),
    ("product and reviews in one partition", w.PRODUCT_PAGE, w.ONE_TABLE, w.SHOP_TABLE, "single-partition range", "product+review", 1, 1, 1),
    ("order details without a way in", w.ORDER_DETAILS, w.ONE_TABLE, w.SHOP_TABLE, "impossible", "", 0, 0, 0),
    ("timeline by fan-out on read", w.TIMELINE, (w.FOLLOWING, w.POSTS_BY_AUTHOR), w.SOCIAL, "bounded fan-out", "following posts_by_author", 151, 2001, 2),
    ("timeline by fan-out on write", w.TIMELINE, (w.FOLLOWING, w.POSTS_BY_AUTHOR, w.TIMELINE_TABLE), w.SOCIAL, "single-partition range", "timeline", 1, 1, 1),
    ("a cache of 300 s, 10 s allowed", w.product_page(), w.CACHE, w.CACHED, "key lookup", "products", 1, 1, 1),
    ("a cache, 300 s allowed", w.product_page(300), w.CACHE, w.CACHED, "key lookup", "cache:product", 1, 1, 1),
    ("one day of a sensor in buckets", w.LAST_DAY, w.BUCKETS, w.SENSORS, "index range", "readings", 1, 1, 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "records", "world", "level", "reads", "requests", "high", "rounds"),
    [pytest.param(*c[1:], id=c[0]) for c in CASES],
)
def test_steps(
    query: Query,
    records: Sequence[Record],
    world: World,
    level: str,
    reads: str,
    requests: float,
    high: float,
    rounds: int,
) -> None:
    """The cheapest steps, their requests on average and at p99, and the dependent rounds."""
    plan = plan_read(query, records, world)
    got = ["+".join(s.records_of) for s in plan.steps]
    assert (plan.level.words, sorted(got)) == (level, sorted(reads.split()))
    assert plan.requests.avg == pytest.approx(requests, rel=0.05, abs=0.5)
    assert plan.requests.high == pytest.approx(high, rel=0.05, abs=0.5)
    assert plan.rounds == rounds


@pytest.mark.parametrize(("query", "records", "world"), [pytest.param(*c[1:4], id=c[0]) for c in CASES])
def test_search_agrees(query: Query, records: Sequence[Record], world: World) -> None:
    """Where one record gives everything, the search comes to the same plan."""
    fast = quick(query, records, world)
    if fast is not None:
        slow = _searched(query, records, world)
        assert (fast.level, fast.where, fast.rounds) == (slow.level, slow.where, slow.rounds)
        assert fast.requests == slow.requests
        assert fast.records.avg == pytest.approx(slow.records.avg)
