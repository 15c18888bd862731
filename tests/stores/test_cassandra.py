"""Cassandra: row sizes, keys and indexes, refusals, schema and statements."""

import re

import pytest

from app.plan.types import Level
from app.stores import STORES
from app.stores.cassandra import marked
from app.stores.cassandra.dialect import DIALECT, dialect_of
from app.stores.cassandra.encoding import ENCODING
from app.stores.cassandra.facts import FILTERING
from app.stores.cassandra.types import quoted
from tests.stores.wiring import bench

STORE = STORES["cassandra"]

DESK = """
keywright: 1
name: Order desk
entities:
  - {name: user, count: 1M, fields: [id uuid key, name string avg 18]}
  - name: order
    count: 10M
    keep: 7 years
    fields:
      - id string key avg 12
      - user_id uuid
      - {name: status, type: enum, values: {open: 2%, paid: 5%, shipped: 93%}}
      - created_at datetime monotonic
      - {name: total_cents, type: int64, computed: sum(line_item.qty * line_item.unit_price_cents)}
  - {name: line_item, fields: [order_id string, sku string avg 10, qty int32, unit_price_cents int32]}
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 120, max: 5k}}
  - {parent: order, child: line_item, via: order_id, children: {avg: 3, p99: 12, max: 200}, on delete: cascade}
patterns:
  - operation: Load order page
    get: order
    where: order.id = :order
    needs: [order, line_item, user.name]
    consistency: {order: read your writes, user.name: historical}
  - operation: Orders of a user, newest first
    list: order
    where: order.user_id = :user
    order by: order.created_at desc, order.id desc
    limit: 20
    paging: cursor
    needs: [order.id, order.status, order.total_cents]
    consistency: eventual 5 min
  - operation: Orders by status
    list: order
    where: order.status = 'open'
    needs: [order.id]
  - operation: Place order
    insert: order
    with: line_item
    set: {order.status: open, order.created_at: now}
    given: [user.name]
    retry: same key
models:
  - name: Table per query
    store: cassandra
    structures:
      - {table: order_by_id, of: order, partition key: [order.id], embed: [{what: line_item, as: items}],
         copy: [{what: user.name, refresh: never}], computed: [{what: order.total_cents, refresh: same write}]}
      - {table: orders_by_user, of: order, partition key: [order.user_id, month = order.created_at|month],
         clustering key: [order.created_at desc, order.id desc], fields: [order.status]}
"""
READINGS = """
keywright: 1
name: Sensors
entities:
  - {name: sensor, count: 100k, fields: [id uuid key]}
  - {name: reading, count: 13B, keep: 90 days,
     fields: [sensor_id uuid, day date, hour int32, minute int32, at datetime monotonic, value double, note string]}
relationships:
  - {parent: sensor, child: reading, via: sensor_id, children: {avg: 130k, p99: 130k, max: 130k}}
patterns:
  - {operation: Since a day, list: reading, where: "reading.sensor_id = :s and reading.day >= :d", needs: reading}
  - {operation: A few days, list: reading, where: "reading.sensor_id = :s and reading.day in (:a, :b)", needs: reading}
  - {operation: An hour, list: reading, where: "reading.sensor_id = :s and reading.day = :d and reading.hour = :h",
     needs: reading}
  - {operation: Minutes of any hour, list: reading,
     where: "reading.sensor_id = :s and reading.day = :d and reading.minute = :m", needs: reading}
  - {operation: By note, list: reading, where: "reading.note = :n", needs: reading}
  - {operation: Newest of a day, list: reading, where: "reading.sensor_id = :s and reading.day = :d",
     order by: "reading.hour desc, reading.minute desc", limit: 5, needs: reading}
  - {operation: Mixed directions, list: reading, where: "reading.sensor_id = :s and reading.day = :d",
     order by: "reading.hour, reading.minute desc", limit: 5, needs: reading}
  - {operation: All of it, list: reading, needs: reading}
  - {operation: All in order, list: reading, order by: reading.at, needs: reading}
models:
  - name: As asked
    store: cassandra
    structures:
      - {table: sensor_readings, of: reading, partition key: [reading.sensor_id, reading.day],
         clustering key: [reading.hour desc, reading.minute desc]}
"""
BUCKETS = """
keywright: 1
name: Buckets
entities:
  - {name: sensor, count: 1k, fields: [id uuid key]}
  - {name: reading, keep: 90 days, fields: [sensor_id uuid, at datetime monotonic, value double]}
relationships:
  - {parent: sensor, child: reading, via: sensor_id, children: {avg: 130k}}
patterns:
  - {operation: Record, insert: reading, set: {reading.at: now}, rate: 16/s, retry: same key}
  - {operation: Last days, list: reading, where: "reading.sensor_id = :s and reading.at >= :since",
     span: {reading.at: 30 days}, order by: reading.at desc, needs: reading, paging: cursor, limit: 100}
models:
  - name: Months
    store: cassandra
    options: {replication: {dc1: 3}}
    structures:
      - {table: readings, of: reading, partition key: [reading.sensor_id, month = reading.at|month, part = shard 4],
         clustering key: [reading.at desc], ttl: 90 days,
         options: {compaction: {class: TimeWindowCompactionStrategy, window: 3 days}, gc_grace_seconds: 3600}}
"""
SMALL = """
keywright: 1
name: Small
entities:
  - {{name: p, count: 10, fields: [id string key avg 6, title string avg 20]}}
  - name: a
    count: 1k
    fields: [id string key avg 6, p_id string avg 6, at datetime, n int32, total int64, "tags string[] items avg 2"]
relationships:
  - {{parent: p, child: a, via: p_id, children: {{avg: 100}}}}
patterns:
  - {{operation: By tag, list: a, where: "contains(a.tags, :t)", needs: a}}
  - {{operation: By tag in a partition, list: a, where: "a.p_id = :p and contains(a.tags, :t)", needs: a}}
  - {{operation: By number, list: a, where: "a.n >= :n", needs: a}}
  - {{operation: Sorted by index, list: a, where: "contains(a.tags, :t)", order by: a.at, needs: a}}
  - {{operation: By title, list: a, where: "a.at = :at", needs: a}}
  - {{operation: Page, list: a, where: "a.p_id = :p", needs: [a, p.title]}}
  - {{operation: Count up, update: a, where: "a.id = :id and a.p_id = :p", set: {{a.n: +1}}}}
  - {{operation: Remove, delete: a, where: "a.id = :id and a.p_id = :p"}}
  - {{operation: Close once, update: a, where: "a.id = :id and a.p_id = :p", set: {{a.at: now}}, only if: a.n = 0}}
models:
  - name: M
    store: cassandra
    {options}
    structures:
{structures}
"""


def small(*structures: str, options: str = "version: 5.0"):
    lines = "\n".join(f"      - {s}" for s in structures)
    return bench(SMALL.format(structures=lines, options=options), "cassandra")


ROWS = "{table: as, of: a, partition key: [a.p_id], clustering key: [a.id]}"


@pytest.fixture(scope="module")
def desk():
    return bench(DESK, "cassandra")


@pytest.fixture(scope="module")
def readings():
    return bench(READINGS, "cassandra")


# ---------------------------------------------------------------- sizes


def test_hotel_rooms_of_the_documentation():
    """The vendor's example: hotel, date and room as keys and one flag; 73,000 rows make 1.1 MB."""
    rooms = """
keywright: 1
name: Hotels
entities: [{name: room, count: 73k, fields: [hotel_id string avg 5, date date, number int32, free bool]}]
models:
  - name: M
    store: cassandra
    structures: [{table: rooms, of: room, partition key: [room.hotel_id], clustering key: [room.date, room.number]}]
"""
    record = bench(rooms, "cassandra").records[0]
    # The page counts a room number of 2 bytes; here it is an int of 4.
    assert record.size.avg == 4 + 4 + 1 + 8
    assert (record.size.avg - 2) * 73_000 == pytest.approx(1.1e6, rel=0.01)


@pytest.mark.parametrize(
    ("kind", "size"),
    [("uuid", 16), ("int32", 4), ("int64", 8), ("datetime", 8), ("bool", 1), ("string", 30), ("vector(3)", 12)],
)
def test_values(kind, size):
    """A column has its value and 8 bytes of metadata; a key column its value only."""
    assert ENCODING.field("any", kind, 30) == size + 8
    assert ENCODING.key is not None
    assert ENCODING.key(kind, 30) == size


def test_partition_key_counts_once(readings):
    """Rows do not repeat their partition key; the key of a table without clustering is in its one row."""
    row = readings.records[0]
    assert row.size.avg == 4 + 4 + 8 + 8 + 8 + 8 + 8 + readings.world.stats["reading.note"].bytes.avg
    single = small("{table: as, of: a, partition key: [a.id], fields: [a.n]}").records[0]
    assert single.size.avg == 6 + 4 + 8


# ---------------------------------------------------------------- plans and refusals


def test_the_page_is_one_row(desk):
    """Order, lines and the name of its day lie in one row."""
    plan = desk.plan("Load order page")
    assert (plan.level, plan.where, plan.requests.avg) == (Level.KEY_LOOKUP, "order_by_id", 1)


def test_month_not_bound(desk):
    """Months are read one by one, newest first; the total is not held, so it takes a second step by key."""
    plan = desk.plan("Orders of a user, newest first")
    first, second = plan.steps
    assert (first.structure, second.structure) == ("orders_by_user", "order_by_id")
    assert first.requests.avg > 1
    assert (second.how, second.requests.avg) == ("each", 10)
    assert plan.level is Level.FAN_OUT
    text = desk.text("Orders of a user, newest first")
    assert "one request for each month in which there are rows, newest before oldest" in text
    assert "(created_at, id) < (:last_created_at, :last_id)" in text


def test_range_on_the_partition_key_is_refused(readings):
    """The well-known mistake: a range on a partition column, with both ways to say it otherwise."""
    plan = readings.plan("Since a day")
    assert plan.level is Level.IMPOSSIBLE
    (found,) = plan.misses
    assert (found.code, found.attr) == ("partition", "reading.day")
    assert FILTERING in found.what
    assert "with IN or with one request each in parallel" in found.fix
    assert "month bucket" in found.fix
    assert "first clustering column" in found.fix
    assert readings.text("Since a day").startswith("-- Since a day")


def test_in_on_the_partition_key(readings):
    """A list of days is accepted: several partitions in one request."""
    plan = readings.plan("A few days")
    assert plan.level is Level.FAN_OUT
    assert "day IN (:a, :b)" in readings.text("A few days")


def test_clustering_prefix(readings):
    """Clustering columns are bound from the first on, without a gap."""
    assert readings.plan("An hour").level is Level.PARTITION_RANGE
    plan = readings.plan("Minutes of any hour")
    assert plan.level is Level.IMPOSSIBLE
    gap = next(m for m in plan.misses if m.code == "gap")
    assert "reading.hour comes before reading.minute" in gap.what


def test_no_filtering(readings):
    """A plain column is not filtered, whatever ALLOW FILTERING would accept."""
    plan = readings.plan("By note")
    assert plan.level is Level.IMPOSSIBLE
    assert any("ALLOW FILTERING" in m.what for m in plan.misses)


def test_order_as_declared_or_reversed(readings):
    """Rows come in the clustering order or its full reverse, in no other."""
    assert readings.plan("Newest of a day").steps[0].order == "stored"
    mixed = readings.plan("Mixed directions")
    assert mixed.level is Level.IMPOSSIBLE
    assert any(m.code == "order" for m in mixed.misses)


def test_whole_table(readings):
    """Without conditions the whole ring is read; in an order it is refused."""
    assert readings.plan("All of it").level is Level.SCAN
    assert readings.plan("All in order").level is Level.IMPOSSIBLE


def test_versions():
    """Before 3.0 a list was accepted on the last column only."""
    assert dialect_of("2.1").veto is not DIALECT.veto
    assert dialect_of("4.0") is dialect_of("") is DIALECT


def test_index_alone_asks_every_node():
    """An index is local to its node: without the partition key all are asked, with it one."""
    found = small(ROWS.replace("[a.id]}", "[a.id], indexes: [{keys: [a.tags]}]}"), options="nodes: 6")
    assert found.plan("By tag").level is Level.SCATTER
    assert found.plan("By tag in a partition").level.served
    assert "tags CONTAINS :t" in found.text("By tag")


def test_an_index_gives_no_order():
    """ORDER BY over an index is refused."""
    plan = small(ROWS.replace("[a.id]}", "[a.id], indexes: [{keys: [a.tags]}]}")).plan("Sorted by index")
    assert plan.level is Level.IMPOSSIBLE


def test_a_range_needs_a_storage_attached_index():
    """A legacy index answers equality only; an SAI also a range."""
    legacy = small(ROWS.replace("[a.id]}", "[a.id], indexes: [{keys: [a.n], type: 2i}]}"))
    sai = small(ROWS.replace("[a.id]}", "[a.id], indexes: [{keys: [a.n], type: sai}]}"))
    assert legacy.plan("By number").level is Level.IMPOSSIBLE
    assert sai.plan("By number").level is Level.SCATTER


def test_view_is_a_path_of_its_table():
    """A view is written by the server: a way into its table, late and not strong."""
    view = "{materialized view: as_by_at, of: a, partition key: [a.at], clustering key: [a.p_id, a.id]}"
    found = small(ROWS, view)
    (record,) = found.records
    assert [(p.name, p.kind, p.strong) for p in record.paths][1] == ("as_by_at", "view", False)
    assert found.plan("By title").steps[0].path == "as_by_at"
    assert "FROM as_by_at" in found.text("By title")
    assert "CREATE MATERIALIZED VIEW IF NOT EXISTS as_by_at" in found.script["schema.cql"]


def test_static_columns_come_with_any_row():
    """A static column is stored once per partition and read with its rows in one request."""
    found = small(ROWS.replace("[a.id]}", "[a.id], static: [p.title]}"))
    assert [(r.name, r.static) for r in found.records] == [("as", False), ("as static p", True)]
    plan = found.plan("Page")
    assert (plan.requests.avg, plan.level) == (1, Level.PARTITION_RANGE)
    assert "p_title text STATIC" in found.script["schema.cql"]


def test_one_row_per_follower(shared):
    """A timeline has a row for each follower of the author, and gives the page in one request."""
    found = bench((shared / "projects" / "social-graph.yaml").read_text(), "cassandra")
    timeline = found.record("timeline")
    assert (timeline.truth, timeline.purpose, timeline.entries.avg) == (False, "for each", 150)
    plan = found.plan("Home timeline")
    assert (plan.where, plan.requests.avg) == ("timeline", 1)


# ---------------------------------------------------------------- problems


@pytest.mark.parametrize(
    ("structure", "words"),
    [
        ("{table: as, of: a}", "has no partition key"),
        ("{table: as, of: z, partition key: [z.id]}", "is of z"),
        ("{table: as, of: a, partition key: [a.nix]}", "a.nix"),
        ("{table: as, of: a, partition key: [a.p_id]}", "lacks a.id"),
        ("{table: as, of: a, partition key: [a.tags], clustering key: [a.id]}", "is a list"),
        ("{table: as, of: a, partition key: [a.id], counters: [a.n]}", "mixes counters"),
        ("{table: as, of: a, partition key: [a.id], fields: none, counters: [a.n], ttl: 1 day}", "cannot expire"),
        ("{table: as, of: a, partition key: [a.id], static: [p.title]}", "static columns need a clustering key"),
        ("{table: as, of: a, partition key: [a.id], clustering key: [a.at], static: [p.title]}", "cannot be static"),
        ("{table: as, of: a, partition key: [a.id], indexes: [{keys: [a.id]}]}", "whole partition key"),
        ("{table: as, of: a, partition key: [a.id], indexes: [{keys: [a.n, a.at]}]}", "an index has one column"),
        ("{table: as, of: a, partition key: [a.id], indexes: [{keys: [a.n], unique: yes}]}", "does not make it unique"),
        ("{table: as, of: a, partition key: [a.id], ttl: 30 years}", "20 years"),
        ("{table: as, of: a, partition key: [a.id], ttl: at a.at}", "USING TTL"),
        (
            "{table: as, of: a, partition key: [a.id], ttl: 1 year, options: {compaction: {window: 1 day}}}",
            "365 windows",
        ),
        ("{materialized view: v, of: a, partition key: [a.at], clustering key: [a.id]}", "which table does this view"),
    ],
)
def test_problem(structure, words):
    """What the server would refuse by itself is said in a sentence."""
    found = small(structure).problems
    assert any(words in p for p in found), found


def test_view_key():
    """A view's key has every key column of its table and at most one more."""
    found = small(ROWS, "{materialized view: v, of: a, partition key: [a.at], clustering key: [a.n, a.id]}").problems
    assert any("p_id is missing" in p for p in found)
    assert any("not at, n" in p for p in found)


def test_no_problem_with_a_sound_table(desk):
    """A table in order has nothing said about it."""
    assert desk.problems == ()


# ---------------------------------------------------------------- schema


def test_schema(desk):
    """Types of embeds come first; keys, clustering order and derived columns follow the model."""
    text = desk.script["schema.cql"]
    assert text.index("CREATE TYPE IF NOT EXISTS line_item") < text.index("CREATE TABLE IF NOT EXISTS order_by_id")
    assert "items frozen<list<frozen<line_item>>>" in text
    assert "user_name text" in text
    assert "PRIMARY KEY ((user_id, month), created_at, id)" in text
    assert "CLUSTERING ORDER BY (created_at DESC, id DESC)" in text


def test_options():
    """Expiry, compaction and other options of a table are written as the server reads them."""
    text = bench(BUCKETS, "cassandra").script["schema.cql"]
    assert "{'class': 'NetworkTopologyStrategy', 'dc1': 3}" in text
    assert "default_time_to_live = 7776000" in text
    assert "'compaction_window_unit': 'DAYS', 'compaction_window_size': 3" in text
    assert "gc_grace_seconds = 3600" in text
    assert "part int" in text


def test_counters_of_figures():
    """A table of counters has its key and counters only."""
    counted = "{table: ps, of: p, partition key: [p.id], fields: none, counters: [{as: how_many, what: count(a)}]}"
    text = small(counted).script["schema.cql"]
    assert re.search(r"CREATE TABLE IF NOT EXISTS ps \(\n  id text,\n  how_many counter,\n  PRIMARY KEY", text)


@pytest.mark.parametrize(
    ("name", "as_written"), [("order", '"order"'), ("Day", '"Day"'), ("day", "day"), ('a"b', '"a""b"')]
)
def test_quoting(name, as_written):
    """Reserved words and names that are not plain lower case stand in quotes."""
    assert quoted(name) == as_written


# ---------------------------------------------------------------- statements


def test_buckets_and_shards_are_spelled_out():
    """One request for each month and shard, the range inside it, the next page behind the last row."""
    text = bench(BUCKETS, "cassandra").text("Last days")
    assert "one request for each month that at >= :since meets, newest before oldest" in text
    assert "one request for each part from 0 to 3, merged by the application" in text
    assert "AND at >= :since\n LIMIT 100;" in text
    assert "(at) >= (:since)\n   AND (at) < (:last_at)" in text


def test_reverse_order_is_written_out(readings):
    """The declared order needs no ORDER BY."""
    assert "ORDER BY" not in readings.text("Newest of a day")


def test_insert_into_every_table(desk):
    """A new order is one batch over its tables, under the names of their columns."""
    text = desk.text("Place order")
    assert "BEGIN BATCH" in text
    assert "INSERT INTO orders_by_user (user_id, month, created_at, id, status)" in text
    assert "VALUES (:user_id, :created_at_month, :now, :id, 'open');" in text


def test_plain_columns_are_not_added_to():
    """Only a counter is added to; a plain column is written on condition that nobody changed it."""
    text = small(ROWS).text("Count up")
    assert "n is no counter" in text
    assert "SET n = :new_n\n WHERE p_id = :p AND id = :id\n    IF n = :old_n;" in text


def test_delete_and_condition():
    """A delete names the whole key; `only if` is a lightweight transaction."""
    found = small(ROWS)
    assert "DELETE FROM as WHERE p_id = :p AND id = :id;" in found.text("Remove")
    assert "IF n = 0;" in found.text("Close once")


def test_counting(shared):
    """A counter column is added to in place, apart from other writes."""
    found = bench((shared / "projects" / "killrvideo.yaml").read_text(), "cassandra")
    assert "SET views = views + 1" in found.text("Count a view")


# ---------------------------------------------------------------- cases that happened


def test_query_on_a_column_that_is_no_key(shared):
    """Nothing finds a user by email: the answer of the server is quoted, a table of its own proposed."""
    plan = bench((shared / "cases" / "C14.yaml").read_text(), "cassandra").plan("Get by email")
    assert plan.level is Level.IMPOSSIBLE
    assert any(FILTERING in m.what for m in plan.misses)
    assert any("Add a table with the partition key (user_info.email)" in m.fix for m in plan.misses)


def test_rows_of_a_known_size(shared):
    """Rows said to have 150 bytes have 150: their partition key is not repeated in each."""
    record = bench((shared / "cases" / "C17.yaml").read_text(), "cassandra").records[0]
    assert (record.size.avg, record.ttl) == (150, 600)


@pytest.mark.parametrize("folder", ["projects", "cases"])
def test_every_shared_model_is_total(shared, folder):
    """Every Cassandra model writes its schema and the query of every pattern."""
    for file in sorted((shared / folder).glob("*.yaml")):
        text = file.read_text()
        if "store: cassandra" not in text:
            continue
        found = bench(text, "cassandra")
        assert found.script["schema.cql"].startswith("CREATE KEYSPACE")
        for pattern in found.project.patterns:
            assert found.text(pattern.operation)


CARTS = """
keywright: 1
name: Carts
entities:
  - {name: room, count: 1M, fields: [id uuid key, title string avg 20, last_at datetime]}
  - {name: member, count: 9M, fields: [room_id uuid key, user_id uuid key]}
  - {name: cart, count: 1M, fields: [user_id uuid key, updated_at datetime]}
  - {name: item, count: 4M, fields: [user_id uuid key, sku string key, qty int32]}
relationships:
  - {parent: cart, child: item, via: user_id, children: {avg: 4, max: 200}}
  - {parent: room, child: member, via: room_id, children: {avg: 9}}
patterns:
  - {operation: Touch, update: cart, where: "cart.user_id = :order", set: {cart.updated_at: now}}
  - {operation: Add, upsert: item, where: "item.user_id = :user and item.sku = :sku", set: {item.qty: ":where"}}
  - operation: Rooms
    list: member
    where: member.user_id = :me
    order by: room.last_at desc
    limit: 9
    paging: cursor
models:
  - name: Tables
    store: cassandra
    structures:
      - {table: items, of: item, partition key: [item.user_id], clustering key: [item.sku], static: [cart.updated_at]}
      - {table: carts, of: cart, partition key: [cart.user_id], embed: [item]}
      - table: rooms
        of: member
        partition key: [member.user_id]
        clustering key: ["newest = room.last_at desc", member.room_id]
        copy: [{what: room.last_at, refresh: async within 5 s}]
"""


def test_a_static_column_of_a_parent_is_written_under_its_own_name() -> None:
    made = bench(CARTS, "cassandra")
    assert "cart_updated_at timestamp STATIC" in "\n".join(made.script.values())
    assert "SET cart_updated_at = :now\n" in made.text("Touch")


def test_a_bind_marker_that_cql_reads_as_a_word_of_its_own_is_quoted() -> None:
    made = bench(CARTS, "cassandra")
    assert 'WHERE user_id = :"order"' in made.text("Touch")
    assert 'SET qty = :"where"' in made.text("Add")
    assert marked("SELECT a FROM t WHERE b = ':order' AND c = :user; -- no") == (
        "SELECT a FROM t WHERE b = ':order' AND c = :user; -- no"
    )


def test_a_key_column_is_never_set() -> None:
    """The child's own name for its parent's key is the key of the row that holds it."""
    text = bench(CARTS, "cassandra").text("Add")
    assert "SET item = :item\n" in text


def test_the_next_page_is_asked_by_the_columns_of_the_key() -> None:
    """The sort attribute may also be kept beside the key, under another name."""
    assert "AND (newest) < (:last_newest)" in bench(CARTS, "cassandra").text("Rooms")


def test_a_column_that_is_called_last_keeps_its_name_on_the_next_page() -> None:
    text = bench(CARTS.replace("newest = room", "last_seen = room"), "cassandra").text("Rooms")
    assert "AND (last_seen) < (:last_seen)" in text
    assert "last_last_" not in text


HOLDS = """
keywright: 1
name: Holds
entities:
  - {name: hold, count: 1M, fields: [id uuid key, sku string avg 9]}
  - {name: mark, fields: [hold_id uuid key, by uuid key, points int32]}
relationships: [{parent: hold, child: mark, via: hold_id, children: {avg: 3}}]
patterns:
  - {operation: Expire hold, delete: hold, where: "hold.id = :r"}
  - {operation: Make hold, insert: hold}
models:
  - name: Tables
    store: cassandra
    structures:
      - {table: holds, of: hold, partition key: ["part = hold.id|hash 16"], clustering key: [hold.id]}
      - {table: marks, of: hold, partition key: [hold.id], fields: none, counters: [{as: sum, what: sum(mark.points)}]}
"""


def test_a_hash_in_a_key_is_explained() -> None:
    lines = bench(HOLDS, "cassandra").text("Expire hold").splitlines()
    assert lines[0] == "-- :r_hash: hash of :r modulo 16"
    assert any("DELETE FROM holds WHERE part = :r_hash AND id = :r;" in line for line in lines)


def test_a_row_of_counters_is_not_inserted() -> None:
    text = bench(HOLDS, "cassandra").text("Make hold")
    assert "INSERT INTO holds " in text
    assert "INSERT INTO marks" not in text
