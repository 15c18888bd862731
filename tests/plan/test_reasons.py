"""Why a read is not served, and what would serve it."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from app.model.spread import ONE, Spread
from app.plan.choose import best
from app.plan.read import plan_read
from app.plan.types import AccessPath, Cond, Held, Level, Plan, Query, Record, Single, Stat
from tests.plan import worlds as w
from tests.plan.dialects import dialect_of
from tests.plan.notation import parts, world

ORDER_BY_ID = Query("Order", "get", (w.need("order", {"order.status", "=order.total"}, where=(w.eq("order.id"),)),))


def codes(plan: Plan) -> list[str]:
    return [m.code for m in plan.misses]


def test_nobody_holds_it() -> None:
    """A figure that is maintained nowhere is named, with the structure that could hold it."""
    plain = w.record("orders", "orders", "order", w.M, ("order.id",))
    plan = plan_read(ORDER_BY_ID, (plain,), w.ORDERS)
    assert (plan.level, plan.missing, codes(plan)) == (Level.IMPOSSIBLE, ("=order.total",), ["fields"])
    assert "orders" in plan.misses[0].fix


def test_no_structure_for_the_entity() -> None:
    """An entity that no record holds is a missing structure, not a missing field; its fields are named together."""
    plan = plan_read(ORDER_BY_ID, (w.record("users", "users", "user", w.M, ("user.id",)),), w.ORDERS)
    assert codes(plan) == ["structure"]
    assert plan.missing == ("=order.total", "order.status")
    assert "=order.total, order.status" in plan.misses[0].what


def test_copy_too_old() -> None:
    """A copy older than the read allows is no copy, and that is the reason."""
    copied = Held("user", frozenset({"user.name"}), w.up(w.BUYER), 0, age=600, how="copy")
    orders = w.record("orders", "orders", "order", w.M, ("order.id",), held=(copied,))
    needs = (
        w.need("order", {"order.status"}, where=(w.eq("order.id"),), age=60),
        w.need("user", {"user.name"}, w.up(w.BUYER), 0, age=60),
    )
    plan = plan_read(Query("Order", "get", needs), (orders,), w.ORDERS)
    assert (plan.level, codes(plan)) == (Level.IMPOSSIBLE, ["age"])
    older = replace(needs[1], age=600)
    assert plan_read(Query("Order", "get", (needs[0], older)), (orders,), w.ORDERS).level is Level.KEY_LOOKUP
    latest = replace(needs[1], age=600, strong=True)
    assert codes(plan_read(Query("Order", "get", (needs[0], latest)), (orders,), w.ORDERS)) == ["age"]


def test_age_adds_up_along_the_way() -> None:
    """A copy of 10 min read through an index that lags a second is older than 10 min."""
    copied = Held("user", frozenset({"user.name"}), w.up(w.BUYER), 0, age=600, how="copy")
    orders = w.record("orders", "orders", "order", w.D, ("O#{order.id}",), held=(copied,))
    late = AccessPath("orders.GSI1", "order", parts(["{order.buyer_id}"]), strong=False, lag=1, kind="gsi")
    orders = replace(orders, paths=(*orders.paths, late))

    def read(age: float) -> Plan:
        needs = (
            w.need("order", {"order.status"}, where=(w.eq("order.buyer_id"),), age=inf),
            w.need("user", {"user.name"}, w.up(w.BUYER), 0, age=age),
        )
        return plan_read(Query("Orders", "list", needs, w.BUYER.children), (orders,), w.ORDERS)

    assert read(601).level is Level.INDEX_LOOKUP
    assert read(600).level is not Level.INDEX_LOOKUP


def test_never_refreshed_serves_only_history() -> None:
    """A copy that is never refreshed is right where the old value is right."""
    assert plan_read(w.order_page(True), w.ORDERS_MONGO, w.ORDERS).level is Level.KEY_LOOKUP
    plan = plan_read(w.order_page(False), w.ORDERS_MONGO, w.ORDERS)
    assert (plan.level, codes(plan)) == (Level.JOIN, ["age"])


def test_subset_for_all() -> None:
    """The ten newest inside cannot stand for all, and the join says so."""
    plan = plan_read(w.read_post(0, 600, False), w.blog(True), w.BLOG)
    assert plan.level is Level.JOIN
    assert "subset" in codes(plan)


def test_no_way_in() -> None:
    """What is held where no condition leads is told by the nearest path."""
    records = tuple(replace(r, paths=tuple(p for p in r.paths if not p.scan)) for r in w.ONE_TABLE)
    plan = plan_read(w.ORDER_DETAILS, records, w.SHOP_TABLE)
    assert plan.level is Level.IMPOSSIBLE
    assert codes(plan) == ["partition"]
    assert plan.missing == ()
    assert "order.id" in plan.misses[0].fix


def test_stale_index() -> None:
    """A read that must see the latest write is refused by an index that lags, and only by that."""
    single = Single("s", "order", (Cond("order.region"),), strong=True)
    base = AccessPath("orders", "order", parts(["id"]), unique=True, primary=True)
    late = AccessPath("orders.GSI1", "order", parts(["region"]), strong=False, lag=1, kind="gsi")
    choice = best(single, (base, late), dialect_of("dynamodb"), world())
    assert choice.served_by is None
    assert choice.nearest is not None
    assert [r.code for r in choice.nearest.reasons] == ["stale"]
    assert (
        best(replace(single, strong=False), (base, late), dialect_of("dynamodb"), world()).level is Level.INDEX_LOOKUP
    )


def test_fix_is_planned_before_it_is_offered() -> None:
    """The key that the fix names serves the read when it is made."""
    single = Single("s", "order", (Cond("order.status"),), order=(("order.created_at", -1),), limit=20)
    scan = AccessPath("orders", "order", scan=True, kind="scan")
    flat = AccessPath("orders.i", "order", order=parts(["region", "status"]), holds=frozenset())
    before = best(single, (scan, flat), dialect_of("mongodb"), world())
    assert before.level is Level.SCAN
    made = replace(flat, order=parts(["status", "-created_at"]))
    after = best(single, (scan, made), dialect_of("mongodb"), world())
    assert after.level is Level.INDEX_RANGE
    assert after.served_by is not None
    assert after.served_by.arranged.kind == "stored"


def test_likely_choice_differs() -> None:
    """An engine that tries plans out keeps the one that fills its first batch, not the cheapest."""
    single = Single("s", "order", (Cond("order.user_id", share=0.3),), order=(("order.created_at", 1),))
    paths = (
        AccessPath("orders", "order", scan=True, kind="scan"),
        AccessPath("orders.user", "order", order=parts(["user_id"]), holds=frozenset()),
        AccessPath("orders.time", "order", order=parts(["created_at"]), holds=frozenset()),
    )
    choice = best(single, paths, dialect_of("mongodb"), world())
    assert choice.served_by is not None
    assert choice.likely is not None
    assert (choice.served_by.path.name, choice.likely.path.name) == ("orders.user", "orders.time")


def test_spreads_follow_the_bounds() -> None:
    """Average, p99 and maximum of what is read follow the answer's; a limit cuts all three."""
    plan = plan_read(replace(w.BUYER_LIST, limit=0), w.ORDERS_MONGO, w.ORDERS)
    assert (plan.records.avg, plan.records.high, plan.records.max) == (10, 120, 5000)
    plan = plan_read(w.BUYER_LIST, w.ORDERS_MONGO, w.ORDERS)
    assert (plan.records.avg, plan.records.high, plan.records.max) == (10, 20, 20)


def test_matches_bends_selectivities() -> None:
    """Where the number matched is known, it wins over distinct values, and each condition takes its part."""
    single = Single("s", "order", (Cond("order.status"), Cond("order.region")))
    flat = AccessPath("orders.i", "order", order=parts(["status", "region"]), holds=frozenset())
    half = replace(flat, order=parts(["status"]))
    mongo = dialect_of("mongodb")
    whole = best(single, (flat,), mongo, world(), matched=Spread(500)).served_by
    part = best(single, (half,), mongo, world(), matched=Spread(500)).served_by
    assert whole is not None
    assert part is not None
    assert whole.cost.returned.avg == pytest.approx(500)
    assert part.cost.returned.avg == pytest.approx(500)
    assert 1000 < part.cost.keys < 5000


def test_late_rows_show_their_range() -> None:
    """Reading until 20 pass a filter that one in ten passes takes 200 on average and more at p99."""
    single = Query(
        "s", "list",
        (w.need("order", {"order.id"}, where=(Cond("order.region"),), order=(("order.created_at", 1),)),),
        Spread(500), 20,
    )  # fmt: skip
    flat = AccessPath("orders.i", "order", order=parts(["created_at"]), holds=frozenset())
    record = w.record("orders", "orders", "order", w.M, ("order.id",))
    plan = plan_read(single, (replace(record, paths=(*record.paths, flat)),), world())
    assert plan.records.avg == pytest.approx(200)
    assert 290 < plan.records.high < 310


def test_offset_pages() -> None:
    """The last page passes over more than the average one."""
    read = w.need("order", {"order.id"}, order=(("order.created_at", 1),))
    query = Query("s", "list", (read,), Spread(5000, 5000, 5000), 20, 40, 2000)
    flat = AccessPath("orders.i", "order", order=parts(["created_at"]), holds=frozenset())
    record = w.record("orders", "orders", "order", w.P, ("order.id",))
    plan = plan_read(query, (replace(record, paths=(*record.paths, flat)),), world())
    assert (plan.records.avg, plan.records.max) == pytest.approx((60, 2020))
    assert "passed over" in plan.notes[0]


def test_chunks_follow_each_other() -> None:
    """A chunk of 100 records is one request; a limit needs the newest chunks only."""
    keyed = AccessPath(
        "c", "order", parts(["user_id", "created_at|chunk 100"]), parts(["-created_at"]), unique=True, primary=True
    )
    single = Single("s", "order", (Cond("order.user_id"),), order=(("order.created_at", -1),))
    every = best(single, (keyed,), dialect_of("cassandra"), world(), matched=Spread(950, 2000, 3000)).served_by
    assert every is not None
    assert (every.cost.requests.avg, every.cost.requests.high, every.cost.requests.max) == (10, 20, 30)
    few = best(
        replace(single, limit=20), (keyed,), dialect_of("cassandra"), world(), matched=Spread(950, 2000, 3000)
    ).served_by
    assert few is not None
    assert few.cost.requests.avg == 1


def test_cache_says_what_a_miss_costs() -> None:
    """A read from a cache tells that the truth is read on a miss."""
    plan = plan_read(w.product_page(300), w.CACHE, w.CACHED)
    assert any("miss" in n for n in plan.notes)


def test_server_joins_need_an_index() -> None:
    """Without an index on the foreign field a join reads the whole collection, and is no way."""
    lines = w.record("lines", "lines", "line_item", w.M, ("line_item.id",))
    plan = plan_read(w.order_page(), (*w.ORDERS_REFERENCED[:2], lines), w.ORDERS)
    assert plan.level in (Level.SCAN, Level.IMPOSSIBLE)
    assert plan_read(w.order_page(), w.ORDERS_REFERENCED, w.ORDERS).level is Level.JOIN


def test_stores_without_joins_ask_again() -> None:
    """Where no server joins, a child's record is a further request."""
    plan = plan_read(w.order_page(False), w.ORDERS_DYNAMO, w.ORDERS)
    assert [s.how for s in plan.steps] == ["first", "list"]
    assert plan.rounds == 2


def test_equal_arguments_give_equal_plans() -> None:
    """The planner remembers, and nothing it remembers changes an answer."""
    for query, records, workload in ((w.TIMELINE, (w.FOLLOWING, w.POSTS_BY_AUTHOR), w.SOCIAL),):
        assert plan_read(query, records, workload) == plan_read(query, list(records), workload)


def test_constants_alone_are_read_all_the_same() -> None:
    """A read that needs only what its condition states still asks whether the record is there."""
    query = Query("Exists", "get", (w.need("order", {"order.id"}, where=(w.eq("order.id"),)),), ONE)
    assert plan_read(query, w.ORDERS_CASSANDRA, w.ORDERS).requests.avg == 1


def test_constants_without_a_way_in() -> None:
    """Even a read that needs only what its condition states tells why no path leads to the record."""
    read = w.need("order", {"order.total"}, where=(Cond("order.total"), Cond("order.amount", "<", share=0.1)))
    keyed = AccessPath("orders", "order", parts(["amount"]), unique=True, primary=True)
    index = AccessPath("orders.i", "order", parts(["amount"]), holds=frozenset(), kind="index")
    orders = replace(w.record("orders", "orders", "order", w.C, ("order.id",)), paths=(keyed, index))
    plan = plan_read(Query("s", "list", (read,)), (orders,), world())
    assert plan.level is Level.IMPOSSIBLE
    assert codes(plan)


def test_unknown_statistics_do_not_stop_a_plan() -> None:
    """An attribute without figures is planned with defaults."""
    query = Query("s", "list", (w.need("thing", {"thing.a"}, where=(w.eq("thing.b"),)),))
    plan = plan_read(query, (w.record("things", "things", "thing", w.M, ("thing.id",)),), w.ORDERS)
    assert plan.level is Level.SCAN
    assert Stat(1).distinct == 1


def _orders(name: str, *held: Held, gsi: bool = False, age: float = 0) -> Record:
    made = w.record(name, name, "order", w.D, (f"{name}#{{order.id}}",), held=held)
    root = replace(made.shape[0], age=age)
    made = replace(made, shape=(root, *made.shape[1:]))
    if not gsi:
        return made
    late = AccessPath(f"{name}.GSI1", "order", parts(["{order.buyer_id}"]), strong=False, lag=1, kind="gsi")
    return replace(made, paths=(late,))


def _buyer(age: float = 0) -> Held:
    return Held("user", frozenset({"user.name"}), w.up(w.BUYER), 0, age=age, how="copy")


def _asked(strong: bool = False, age: float = 60, by: str = "order.id") -> Query:
    needs = (
        w.need("order", {"order.status"}, where=(w.eq(by),), age=inf),
        w.need("user", {"user.name"}, w.up(w.BUYER), 0, age=age, strong=strong),
    )
    return Query("Order with its buyer", "get", needs)


def test_each_structure_that_nearly_gave_it_says_why() -> None:
    """One copy is too old, another lies where no condition leads: both are told, each with its own fix."""
    users = w.record("users", "users", "user", w.D, ("U#{user.email}",))
    records = (_orders("old", _buyer(600)), users)
    plan = plan_read(_asked(), records, w.ORDERS)
    assert plan.level is Level.IMPOSSIBLE
    told = {m.path: m for m in plan.misses}
    assert (told["old"].code, told["users"].code) == ("age", "partition")
    assert "sooner" in told["old"].fix
    assert "user.id" in told["users"].fix
    assert plan.missing == ("user.name",)


def test_a_copy_behind_an_index_that_lags() -> None:
    """Young enough, and held; but the only way there may not know the record yet."""
    base = replace(_orders("orders", gsi=True), shape=(Held("order"), _buyer()))
    plan = plan_read(_asked(strong=True, by="order.buyer_id"), (base,), w.ORDERS)
    assert (plan.level, codes(plan)) == (Level.IMPOSSIBLE, ["stale"])
    assert "follows the record at once" in plan.misses[0].fix


def test_a_subset_that_is_all_there_is() -> None:
    """Ten comments are embedded, all are asked for, and nothing else holds them."""
    posts = tuple(r for r in w.blog(True) if r.of != "comment")
    plan = plan_read(w.read_post(0, 600, False), posts, w.BLOG)
    assert plan.level is Level.IMPOSSIBLE
    assert "subset" in codes(plan)
    assert "structure of its own" in next(m.fix for m in plan.misses if m.code == "subset")


def test_what_lies_behind_a_record_that_cannot_be_read() -> None:
    """The buyer would be found by its key, if only the order could be read: that reason comes first."""
    orders = w.record("orders", "orders", "order", w.D, ("{order.seller_id}",))
    users = w.record("users", "users", "user", w.D, ("{user.id}",))
    plan = plan_read(_asked(), (orders, users), w.ORDERS)
    assert (plan.level, codes(plan), plan.missing) == (Level.IMPOSSIBLE, ["partition", "way"], ())
    assert "users holds `user.name`" in plan.misses[1].what
