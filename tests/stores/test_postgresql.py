"""PostgreSQL: tables, indexes of several kinds, what is refused, and the SQL of each pattern."""

from __future__ import annotations

import re

import pytest

from app.model.text import read_yaml, write_yaml
from app.plan.types import Level
from tests.stores.wiring import Bench, bench

SHOP = """
keywright: 1
name: Shop
entities:
  - {name: user, count: 1M, fields: [id uuid key, email string unique, name string, order_count int32]}
  - name: order
    count: 10M
    fields:
      - id uuid key
      - user_id uuid
      - {name: status, type: enum, values: {open: 2%, paid: 5%, shipped: 93%}}
      - created_at datetime monotonic
      - note string present 20%
      - "tags string[] items avg 3"
      - {name: total, type: int64, computed: sum(line.qty * line.price)}
  - {name: line, fields: [order_id uuid, sku string, qty int32, price int32]}
  - {name: place, count: 1k, fields: [id int32 key, name string, spot point]}
  - {name: "group", count: 1k, fields: [id int32 key, title string]}
relationships:
  - {name: buyer, parent: user, child: order, via: user_id, children: {avg: 10, p99: 90, max: 900}, on delete: cascade}
  - {parent: order, child: line, via: order_id, children: {avg: 3, p99: 12, max: 50}, on delete: cascade}
  - {name: member, from: user, to: "group", out: {avg: 2}, in: {avg: 2000}}
patterns:
  - {operation: Page, get: order, where: "order.id = :o", needs: [order, buyer.name, {what: line,
     order by: line.sku, limit: 5}]}
  - {operation: Newest, list: order, where: "order.user_id = :u",
     order by: "order.created_at desc, order.id desc", limit: 20, paging: cursor, needs: order.status}
  - {operation: Mixed, list: order, where: "order.user_id = :u",
     order by: "order.status, order.created_at desc", limit: 20, paging: cursor, needs: order.status}
  - {operation: Tagged, list: order, where: "contains(order.tags, :tag)", needs: order.status}
  - {operation: Open, list: order,
     where: "order.status = 'open' and order.created_at < now() - interval '1 hour'",
     order by: order.created_at, limit: 100, paging: offset, needs: order.id}
  - {operation: Several, list: order, where: "order.status in ('open', 'paid') or order.note is null",
     needs: order.id, matches: 100}
  - {operation: Begins, list: user, where: "starts_with(user.name, :p)", needs: user.name, matches: 10}
  - {operation: Words, search: user, where: "matches(user.name, user.email, :words)", order by: relevance,
     limit: 10, needs: user.name, matches: 50}
  - {operation: Around, list: place, where: "near(place.spot, :here, :km)", needs: place.name, matches: 5}
  - {operation: By status, aggregate: order, where: "order.user_id = :u", group by: order.status,
     compute: "count(order), max(order.created_at)"}
  - {operation: How many, count: order, where: "order.user_id = :u"}
  - {operation: Place, insert: order, with: line, set: {order.status: open, order.created_at: now},
     also: [{update: user, where: "user.id = :user_id", set: {user.order_count: +1}}], atomic: yes,
     retry: idempotency key}
  - {operation: Pay, update: order, where: "order.id = :o", only if: "order.status = 'open'", set: {order.status: paid}}
  - {operation: Settle, upsert: user, where: "user.email = :email", set: {user.name: ":name"}, inserts: 50%}
  - {operation: Forget, delete: user, where: "user.id = :u"}
  - {operation: Join, insert: member, retry: same key}
models:
  - name: Tables
    store: postgresql
    structures:
      - {table: users, of: user, primary key: [user.id], indexes: [{keys: [user.email], unique: yes},
          {keys: [user.name, user.email], type: gin}, {keys: [user.name]}]}
      - table: orders
        of: order
        primary key: [order.id]
        foreign keys: [buyer]
        computed: [{what: order.total, refresh: same transaction}]
        indexes:
          - {keys: [order.user_id, order.created_at desc, order.id desc], include: [order.status]}
          - {keys: [order.tags], type: gin}
          - {keys: [order.created_at], where: "order.status = 'open'"}
          - {name: by_note, keys: [order.note], type: hash, sparse: yes}
      - {table: lines, of: line, foreign keys: [order], indexes: [{keys: [line.order_id, line.sku]}]}
      - {table: members, of: member, primary key: [user.id, group.id], foreign keys: [user, group]}
      - {table: places, of: place, primary key: [place.id], indexes: [{keys: [place.spot], type: gist}]}
      - {table: "group", of: "group", primary key: [group.id]}
  - name: Documents
    store: postgresql
    structures:
      - {table: users, of: user, primary key: [user.id]}
      - table: orders
        of: order
        primary key: [order.id]
        embed: [{what: line, as: lines, max: 50, beyond: refuse}]
        copy: [{what: buyer.name, as: buyer_name, refresh: async within 5 min}]
        indexes: [{keys: [order.user_id]}, {keys: [line.sku], type: gin}]
"""


@pytest.fixture(scope="module")
def shop() -> Bench:
    return bench(SHOP, "postgresql", "Tables")


@pytest.fixture(scope="module")
def documents() -> Bench:
    return bench(SHOP, "postgresql", "Documents")


def body(text: str) -> str:
    """A statement without its comments."""
    return "\n".join(line for line in text.splitlines() if not line.startswith("--"))


# ---------------------------------------------------------------- ways in


def test_each_index_is_a_way_in(shop: Bench) -> None:
    orders = {p.name: p for p in shop.record("orders").paths}
    assert orders["orders.pkey"].unique
    assert [p.attr for p in orders["orders.user_id_created_at_id_idx"].order] == [
        "order.user_id",
        "order.created_at",
        "order.id",
    ]
    assert orders["orders.user_id_created_at_id_idx"].holds == {"order.status"}
    assert orders["orders.tags_gin"].hashed
    assert orders["orders.tags_gin"].order[0].many
    assert orders["orders.created_at_idx"].only[0].attr == "order.status"
    assert orders["orders.by_note"].only[0].op == "not null"


def test_words_are_searched_together(shop: Bench) -> None:
    path = next(p for p in shop.record("users").paths if p.kind == "text")
    assert [p.attr for p in path.order] == ["user.name", "user.email"]
    assert shop.plan("Words").level is Level.INDEX_LOOKUP


@pytest.mark.parametrize(
    ("operation", "level", "path"),
    [
        ("Page", Level.JOIN, "orders.pkey + users.pkey + lines.order_id_sku_idx"),
        ("Newest", Level.INDEX_RANGE, "orders.user_id_created_at_id_idx"),
        ("Tagged", Level.INDEX_LOOKUP, "orders.tags_gin"),
        ("Open", Level.INDEX_RANGE, "orders.created_at_idx"),
    ],
)
def test_reads_are_served_by_their_index(shop: Bench, operation: str, level: Level, path: str) -> None:
    plan = shop.plan(operation)
    assert (plan.level, plan.where) == (level, path)


def test_a_b_tree_on_an_array_finds_no_element() -> None:
    model = bench(SHOP.replace("{keys: [order.tags], type: gin}", "{keys: [order.tags]}"), "postgresql", "Tables")
    assert not any(p.order and p.order[0].attr == "order.tags" for p in model.record("orders").paths)
    assert any("compares whole arrays" in p for p in model.problems)


def test_a_value_inside_a_document_is_reached_by_an_expression() -> None:
    text = """
keywright: 1
name: Addresses
entities: [{name: user, count: 1M, fields: [id uuid key, address object, address.city string]}]
models:
  - name: M
    store: postgresql
    structures:
      - {table: users, of: user, primary key: [user.id], indexes: [{expression: "address ->> 'city'"}]}
"""
    model = bench(text, "postgresql")
    assert [p.order[0].attr for p in model.record("users").paths if p.kind == "index"] == ["user.address.city"]
    assert "((address ->> 'city'))" in model.script["m.sql"]


# ---------------------------------------------------------------- tables


def test_tables_come_after_those_they_point_to(shop: Bench) -> None:
    text = shop.script["tables.sql"]
    made = re.findall(r'CREATE TABLE IF NOT EXISTS ("?\w+"?)', text)
    assert made.index("users") < made.index("orders") < made.index("lines")
    assert made.index('"group"') < made.index("members")
    assert "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE" in text
    assert "CHECK (status IN ('open', 'paid', 'shipped'))" in text
    assert "total bigint NOT NULL DEFAULT 0" in text


def test_a_row_without_a_key_gets_one(shop: Bench) -> None:
    assert "id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY" in shop.script["tables.sql"]


def test_text_that_is_asked_for_by_its_beginning_sorts_by_bytes(shop: Bench) -> None:
    assert 'name text COLLATE "C" NOT NULL' in shop.script["tables.sql"]


def test_indexes_are_written_as_they_are_meant(shop: Bench) -> None:
    text = shop.script["tables.sql"]
    assert "ON orders (user_id, created_at DESC, id DESC) INCLUDE (status);" in text
    assert "ON orders (created_at)\n  WHERE status = 'open';" in text
    assert "by_note\n  ON orders USING hash (note)\n  WHERE note IS NOT NULL;" in text
    assert "USING gin (to_tsvector('simple', coalesce(name, '') || ' ' || coalesce(email, '')))" in text


def test_what_belongs_to_others_lies_in_columns(documents: Bench) -> None:
    text = documents.script["documents.sql"]
    assert "lines jsonb NOT NULL DEFAULT '[]'" in text
    assert "buyer_name text" in text
    assert "USING gin (lines jsonb_path_ops)" in text


def test_partitions_of_time_and_of_a_hash() -> None:
    text = """
keywright: 1
name: Events
entities:
  - {name: event, count: 1B, keep: 90 days, fields: [id uuid key, at datetime monotonic, account_id uuid]}
models:
  - name: M
    store: postgresql
    structures:
      - {table: events, of: event, partition by: ["event.at|month"], primary key: [event.id, event.at]}
      - {table: by_account, of: event, purpose: second copy, partition by: ["event.account_id|hash 4"],
          primary key: [event.account_id, event.id]}
"""
    model = bench(text, "postgresql")
    made = model.script["m.sql"]
    assert "PARTITION BY RANGE (at);" in made
    assert "PARTITION BY HASH (account_id);" in made
    assert made.count("MODULUS 4") == 4
    assert model.problems == ()


EVENTS = """
keywright: 1
name: Events
entities:
  - name: event
    count: 100M
    keep: 300 days
    fields: [id uuid key, at datetime monotonic, account_id uuid distinct 1M]
patterns:
  - {operation: One, get: event, where: "event.id = :id"}
  - {operation: Lately, list: event, where: "event.account_id = :a and event.at >= :since", span: {event.at: 7 days}}
  - {operation: Last, list: event, where: "event.account_id = :a", order by: event.at desc, limit: 5}
  - {operation: All, list: event, where: "event.account_id = :a"}
models:
  - name: M
    store: postgresql
    structures:
      - table: events
        of: event
        partition by: ["event.at|month"]
        primary key: [event.id, event.at]
        indexes: [{keys: [event.account_id, event.at desc]}]
"""


@pytest.mark.parametrize(
    ("operation", "level", "partitions"),
    [
        ("One", Level.SCATTER, 10),
        ("Lately", Level.INDEX_RANGE, 1),
        ("Last", Level.INDEX_RANGE, 1),
        ("All", Level.SCATTER, 10),
    ],
)
def test_a_read_that_does_not_say_when_asks_every_partition(operation: str, level: Level, partitions: float) -> None:
    """Newest first, partitions of time are read one after the other until there is enough."""
    plan = bench(EVENTS, "postgresql").plan(operation)
    assert (plan.level, plan.partitions) == (level, partitions)


def test_what_tables_say_survives_a_round_trip() -> None:
    for text in (SHOP, EVENTS):
        project = read_yaml(text)
        assert read_yaml(write_yaml(project)) == project


# ---------------------------------------------------------------- refusals

T = "{table: t, of: order, primary key: [order.id], "


@pytest.mark.parametrize(
    ("structure", "said"),
    [
        (T + "partition by: [\"order.created_at|month\"]}", "must include order.created_at"),
        (T + "indexes: [{keys: [order.user_id, order.status], type: hash}]}", "a hash index has one column"),
        (T + "indexes: [{keys: [order.tags], type: gin, include: [order.status]}]}", "includes no further columns"),
        (T + "indexes: [{keys: [order.tags], type: gin, unique: yes}]}", "only a B-tree can be"),
        (T + "indexes: [{keys: [order.user_id], type: gin}]}", "btree_gin"),
        (T + "indexes: [{keys: [order.user_id], type: bitmap}]}", "no kind of index"),
        (T + "indexes: [{expression: \"lower(nothing)\"}]}", "has no column nothing"),
        (T + "foreign keys: [seller]}", "no relationship of order"),
        (T + "ttl: 30 days}", "does not expire rows"),
        ("{table: a_table_whose_name_is_longer_than_the_sixty_three_bytes_it_may_have, of: order}", "cuts it"),
        (T + "indexes: [{keys: [order.status], where: \"order.user_id = :u\"}]}", "cannot have parameters"),
    ],
)  # fmt: skip
def test_what_is_refused_is_said(structure: str, said: str) -> None:
    text = (
        SHOP.partition("models:")[0] + f"models:\n  - name: M\n    store: postgresql\n    structures: [{structure}]\n"
    )
    assert any(said in p for p in bench(text, "postgresql").problems)


def test_a_foreign_key_needs_a_key_to_point_to() -> None:
    text = SHOP.replace("primary key: [user.id], indexes", "primary key: [user.email], indexes")
    found = bench(text, "postgresql", "Tables").problems
    assert any("nothing keeps that unique in users" in p for p in found)


def test_a_good_model_has_no_faults(shop: Bench, documents: Bench) -> None:
    assert shop.problems == ()
    assert documents.problems == ()


# ---------------------------------------------------------------- reads


def test_a_page_is_one_statement(shop: Bench) -> None:
    text = body(shop.text("Page"))
    assert text.count(";") == 1
    assert "u.name AS buyer_name" in text
    assert "ORDER BY l.sku\n    LIMIT 5\n  ) AS one) AS lines" in text


def test_a_next_page_compares_rows_where_directions_agree(shop: Bench) -> None:
    assert "(created_at, id) < (:last_created_at, :last_id)" in shop.text("Newest")
    assert shop.text("Newest").count("SELECT status, created_at, id") == 2


def test_a_next_page_goes_branch_by_branch_where_they_do_not(shop: Bench) -> None:
    text = shop.text("Mixed")
    assert "status >= :last_status AND" in text
    assert "(status = :last_status AND created_at < :last_created_at)" in text


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ("Tagged", "tags @> CAST(ARRAY[:tag] AS text[])"),
        ("Open", "LIMIT 100 OFFSET :skip"),
        ("Open", "created_at < now() - interval '3600 seconds'"),
        ("Several", "(status IN ('open', 'paid') OR note IS NULL)"),
        ("Begins", "name ^@ :p"),
        ("Words", "@@ websearch_to_tsquery('simple', :words)"),
        ("Words", "ORDER BY ts_rank("),
        ("Around", "spot <@ box(point((CAST(:here AS point))[0]"),
        ("By status", "SELECT status, count(*) AS count, max(created_at) AS max_created_at"),
        ("By status", "GROUP BY 1"),
        ("How many", "SELECT count(*)"),
    ],
)
def test_each_condition_has_its_operator(shop: Bench, operation: str, said: str) -> None:
    assert said in shop.text(operation)


# ---------------------------------------------------------------- writes


def test_a_record_and_its_children_are_one_transaction(shop: Bench) -> None:
    text = shop.text("Place")
    assert text.index("BEGIN;") < text.index("INSERT INTO orders") < text.index("INSERT INTO lines")
    assert "FROM jsonb_to_recordset(CAST(:line_list AS jsonb)) AS line (sku text, qty integer, price integer)" in text
    assert "SET order_count = users.order_count + 1" in text
    assert text.index("UPDATE users") < text.index("COMMIT;")
    assert "ON CONFLICT (id) DO NOTHING" in text  # a row that breaks another unique index was not there already


def test_a_condition_stands_in_the_update(shop: Bench) -> None:
    assert "WHERE id = :o\n  AND status = 'open';" in shop.text("Pay")
    assert "no row changed: the condition was not met" in shop.text("Pay")


def test_an_upsert_names_the_key_it_goes_by(shop: Bench) -> None:
    assert "ON CONFLICT (email) DO UPDATE SET name = :name" in shop.text("Settle")


def test_a_foreign_key_takes_the_children_along(shop: Bench, documents: Bench) -> None:
    assert "DELETE FROM orders" not in shop.text("Forget")
    assert "DELETE FROM orders\nWHERE user_id IN (SELECT id FROM users WHERE id = :u);" in documents.text("Forget")


def test_copies_are_refreshed_later(documents: Bench) -> None:
    text = documents.text("Settle")
    assert "afterwards, within 300 s" in text
    assert "UPDATE orders\nSET buyer_name = :name" in text


def test_a_link_is_written_once(shop: Bench) -> None:
    text = shop.text("Join")
    assert "INSERT INTO members (user_id, group_id)" in text
    assert "ON CONFLICT (user_id, group_id) DO NOTHING" in text


def test_a_parent_that_is_needed_whole_comes_as_the_key_its_child_keeps() -> None:
    text = (
        "keywright: 1\nname: Small\nentities:\n"
        "  - {name: depot, count: 100, fields: [id uuid key]}\n"
        "  - {name: scan, count: 10k, fields: [id uuid key, depot_id uuid, note string avg 9]}\n"
        "relationships:\n  - {parent: depot, child: scan, via: depot_id}\n"
        "patterns:\n  - {operation: Open, get: scan, where: 'scan.id = :s', needs: [scan.note, depot]}\n"
        "models:\n  - {name: M, store: postgresql, structures: [{table: scans, of: scan, primary key: [scan.id]}]}\n"
    )
    assert "SELECT note, depot_id\nFROM scans\n" in bench(text, "postgresql").text("Open")
