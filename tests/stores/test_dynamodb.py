"""DynamoDB: item sizes, keys and indexes, refusals, tables and requests."""

import json
from dataclasses import replace

import pytest

from app.model.text import read_yaml
from app.plan.types import Cond, Kind, Level, Match, Part, Single, Walked
from app.plan.world import build_world
from app.stores import STORES
from app.stores.dynamodb.dialect import veto
from app.stores.dynamodb.encoding import ENCODING, number_bytes
from tests.stores.wiring import bench

STORE = STORES["dynamodb"]

DESK = """
keywright: 1
name: Order desk
entities:
  - name: user
    count: 1M
    fields: [id uuid key, name string avg 18, email string unique]
  - name: order
    count: 10M
    fields:
      - id string key avg 12
      - user_id uuid
      - {name: status, type: enum, values: {open: 2%, paid: 5%, shipped: 93%}}
      - created_at datetime monotonic
      - {name: total_cents, type: int64, computed: sum(line_item.qty * line_item.unit_price_cents)}
  - name: line_item
    fields: [order_id string, sku string avg 10, qty int32, unit_price_cents int32]
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 120, max: 5k}}
  - {parent: order, child: line_item, via: order_id, children: {avg: 3, p99: 12, max: 200}, on delete: cascade}
patterns:
  - operation: Load order page
    get: order
    where: order.id = :order
    needs: [order, line_item, user.name]
    rate: 500/s
    consistency: {order: read your writes, user.name: historical}
  - operation: Order page, a little late
    get: order
    where: order.id = :order
    needs: [order, line_item, user.name]
    consistency: {order: eventual 5 min, user.name: historical}
  - operation: Orders of a user, newest first
    list: order
    where: order.user_id = :user
    order by: order.created_at desc, order.id desc
    limit: 20
    paging: cursor
    needs: [order.id, order.status]
    consistency: eventual 5 min
  - operation: Orders of a user since
    list: order
    where: order.user_id = :user and order.created_at >= :since
    span: {order.created_at: 30 days}
    needs: [order.id]
  - operation: Log in
    get: user
    where: user.email = :email
    needs: [user.id]
  - operation: Open orders
    list: order
    where: order.status = 'open'
    needs: [order.id]
  - operation: Place order
    insert: order
    with: line_item
    set: {order.status: open, order.created_at: now}
    given: [user.name]
    rate: 20/s
    retry: same key
  - {operation: Sign up, insert: user, rate: 3/s, retry: same key}
models:
  - name: Single table
    store: dynamodb
    structures:
      - table: desk
        capacity: on demand
        records:
          - {of: user, pk: "USER#{user.id}", sk: PROFILE}
          - {of: order, pk: "USER#{order.user_id}", sk: "ORDER#{order.created_at}#{order.id}",
             embed: [{what: line_item, as: items}], copy: [{what: user.name, refresh: never}],
             computed: [{what: order.total_cents, refresh: same write}]}
          - {of: user, purpose: unique, pk: "EMAIL#{user.email}", sk: EMAIL, fields: [user.id]}
        gsi: [{name: GSI1, pk: "ORDER#{order.id}", sk: ORDER, of: [order], projection: all}]
"""


@pytest.fixture(scope="module")
def desk():
    return bench(DESK, "dynamodb")


def one_table(structure: str, more: str = "") -> str:
    """A project with two small entities and one table."""
    return f"""
keywright: 1
name: Small
entities:
  - name: a
    count: 1k
    fields: [id string key avg 6, group string distinct 10, at datetime, n int32, "tags string[] items avg 2"]
  - {{name: b, count: 1k, fields: [id string key avg 6, at datetime]}}
{more}
models:
  - name: M
    store: dynamodb
    structures:
      - {structure}
"""


# ---------------------------------------------------------------- sizes


NUMBERS = {
    "0": 1, "1": 2, "27": 2, "100": 2, "101": 3, "500": 2, "-1": 3, "3.14": 3, "-5.5": 4, "1700000000": 2,
    "9" * 38: 20,
}  # fmt: skip


@pytest.mark.parametrize(("number", "size"), NUMBERS.items())
def test_number(number, size):
    """A number has a byte for each pair of digits on the decimal point, without 00 at its ends, and one more."""
    assert number_bytes(number) == size


def test_item_of_the_documentation():
    """The vendor's example: two short attributes make 23 bytes."""
    size = ENCODING.field("shirt-color", "string", 1) + ENCODING.field("shirt-size", "string", 1)
    assert size == 23


def test_empty_list():
    """An empty list called tags has 7 bytes: its name and 3."""
    assert ENCODING.array("tags", 0) == 7


def test_list_elements_cost_one_byte_each():
    """Each element of a list costs a byte beside its content."""
    assert ENCODING.element(0, 10) == 11


@pytest.mark.parametrize(("kind", "size"), [("uuid", 36), ("datetime", 24), ("bool", 1), ("binary", 5)])
def test_values(kind, size):
    """Types the store does not know are text; booleans are one byte."""
    assert ENCODING.field("", kind, 5) == size


def test_size_of_an_entity_given_as_a_whole():
    """A record said to have 1 KB has 1,024 bytes where its key is one of its fields."""
    text = one_table('{table: as, of: c, pk: "{c.id}"}', "  - {name: c, count: 5, size: 1 KB, fields: [id uuid key]}")
    assert bench(text, "dynamodb").records[0].size.avg == 1024


# ---------------------------------------------------------------- records and paths


def test_kinds_of_item(desk):
    """A single table holds one kind of record for each of its record shapes; a sentinel is no truth."""
    assert [(r.name, r.truth) for r in desk.records] == [
        ("desk/user", True),
        ("desk/order", True),
        ("desk/user unique", False),
    ]


def test_paths_of_an_item(desk):
    """The table's key is strong, a GSI is eventual and lags, a scan reads everything."""
    primary, gsi, scan = desk.record("desk/order").paths
    assert (primary.name, primary.primary, primary.strong) == ("desk", True, True)
    assert (gsi.name, gsi.kind, gsi.strong, gsi.lag) == ("desk.GSI1", "gsi", False, 1)
    assert (scan.name, scan.scan) == ("desk scan", True)


def test_key_parts_keep_literals_and_columns(desk):
    """Literals are parts of the key, and each key attribute is a column of its own."""
    primary = desk.record("desk/order").primary
    assert [(p.literal, p.attr, p.column) for p in primary.partition] == [("USER#", "", 0), ("", "order.user_id", 0)]
    assert [p.literal or p.attr for p in primary.order] == ["ORDER#", "order.created_at", "#", "order.id"]
    assert {p.column for p in primary.order} == {1}


def test_records_per_partition(desk):
    """Ten orders on average lie in one user's collection, one profile beside them."""
    assert desk.record("desk/order").per.avg == 10
    assert desk.record("desk/user").per.avg == 1


def test_sentinel_is_in_no_index_of_its_entity():
    """An index of an entity does not hold the sentinel items of that entity."""
    text = one_table(
        '{table: as, records: [{of: a, pk: "{a.id}", sk: A}, {of: a, purpose: unique, pk: "G#{a.group}", sk: G}],'
        ' gsi: [{name: g, pk: "{a.group}", of: [a]}]}'
    )
    first, second = bench(text, "dynamodb").records
    assert [p.kind for p in first.paths] == ["primary", "gsi", "scan"]
    assert [p.kind for p in second.paths] == ["primary"]


def test_projection_and_sparse_index():
    """A projection holds what it lists with both keys; an index with `where` holds only what meets it."""
    text = one_table(
        '{table: as, of: a, pk: "{a.id}", gsi: [{name: g, pk: "{a.group}", where: "a.n = 1", projection: [a.at]}]}'
    )
    gsi = bench(text, "dynamodb").records[0].paths[1]
    assert gsi.holds == {"a.id", "a.group", "a.at"}
    assert [(c.attr, c.op) for c in gsi.only] == [("a.n", "=")]


def test_local_index_is_strong_and_fetches():
    """An LSI shares the partition key, is read strongly and fetches what it lacks."""
    text = one_table(
        '{table: as, of: a, pk: "{a.group}", sk: "{a.id}", lsi: [{name: l, sk: "{a.at}", projection: keys}]}'
    )
    lsi = bench(text, "dynamodb").records[0].paths[1]
    assert [p.attr for p in (*lsi.partition, *lsi.order)] == ["a.group", "a.at"]
    assert (lsi.kind, lsi.strong, lsi.fetches) == ("lsi", True, True)


def test_keys_of_several_attributes():
    """A key list makes an index key of several attributes, the first of them the partition."""
    text = one_table('{table: as, of: a, pk: "{a.id}", gsi: [{name: g, keys: [a.group, a.n, a.at]}]}')
    found = bench(text, "dynamodb")
    gsi = found.records[0].paths[1]
    assert [p.attr for p in gsi.partition] == ["a.group"]
    assert [(p.attr, p.column) for p in gsi.order] == [("a.n", 1), ("a.at", 2)]
    schema = json.loads(found.script["as_.create-table.json"])["GlobalSecondaryIndexes"][0]["KeySchema"]
    assert [k["KeyType"] for k in schema] == ["HASH", "RANGE", "RANGE"]


def test_expiry_belongs_to_the_kind_that_has_the_attribute():
    """The table's expiry counts for the kind whose field it names only."""
    text = one_table('{table: as, ttl: at b.at, records: [{of: a, pk: "A#{a.id}"}, {of: b, pk: "B#{b.id}"}]}')
    assert [r.ttl_text for r in bench(text, "dynamodb").records] == ["", "at b.at"]


# ---------------------------------------------------------------- plans


def test_read_your_writes_is_refused_on_an_index(desk):
    """The order's own id leads through a GSI only, which is eventual: the fix is the id in the table's key."""
    plan = desk.plan("Load order page")
    assert not plan.served
    stale = next(m for m in plan.misses if m.code == "stale")
    assert "eventually consistent only" in stale.what
    assert any("table's own key" in m.fix for m in plan.misses)


def test_an_index_serves_what_may_be_late(desk):
    """With five minutes allowed, one lookup on the index gives order, lines and the name of its day."""
    plan = desk.plan("Order page, a little late")
    assert (plan.level, plan.where, plan.requests.avg) == (Level.INDEX_LOOKUP, "desk.GSI1", 1)


def test_newest_first_is_the_sort_key_reversed(desk):
    """The newest orders of a user are a range of one collection, read backwards."""
    plan = desk.plan("Orders of a user, newest first")
    assert (plan.level, plan.steps[0].order) == (Level.PARTITION_RANGE, "reversed")


def test_without_a_key_there_is_only_a_scan(desk):
    """A condition on a plain attribute is a scan, billed for every item, and the rule is said."""
    plan = desk.plan("Open orders")
    assert plan.level is Level.SCAN
    assert any("partition key value with =" in m.what for m in plan.misses)


def test_a_sentinel_serves_a_lookup(desk):
    """The item that keeps an email unique also finds its user."""
    assert desk.plan("Log in").level is Level.KEY_LOOKUP


def test_insert_writes_item_and_index(desk):
    """An order is one item and one index entry, rounded up to write units each."""
    plan = desk.plan("Place order")
    (touch,) = plan.touches
    assert (touch.record, touch.op, touch.entries["desk.GSI1"], touch.units) == ("desk/order", "put", 1, 2)


def test_unique_value_is_a_second_item_in_the_transaction(desk):
    """Signing up writes the profile and the sentinel: two items, twice the units."""
    plan = desk.plan("Sign up")
    assert [t.why for t in plan.touches] == ["truth", "unique"]
    assert (plan.scope, plan.units) == ("transaction", 4)


def test_filter_on_a_key_attribute_is_refused():
    """A filter may not name a key attribute; one packed with others is stored apart and may be filtered."""
    at = Cond("a.at", "!=")
    single = Single("p", "a", (Cond("a.id"), at))
    path = bench(one_table('{table: as, of: a, pk: "{a.id}", sk: "{a.at}"}'), "dynamodb").records[0].primary
    match = Match(single, path, (Walked(path.partition[0], Kind.POINT),), (Walked(path.order[0]),), (), (at,))
    assert [m.code for m in veto(match)] == ["filter"]
    packed = replace(path, order=(Part(literal="T#", column=1), Part("a.at", column=1)))
    assert not list(veto(replace(match, path=packed)))


# ---------------------------------------------------------------- problems


@pytest.mark.parametrize(
    ("structure", "words"),
    [
        ("{table: as, of: a}", "has no partition key"),
        ('{table: as, of: z, pk: "{a.id}"}', "is of z"),
        ('{table: as, of: a, pk: "{a.nix}"}', "a.nix"),
        ('{table: as, records: [{of: a, pk: "A#{a.id}", sk: A}, {of: b, pk: "B#{b.id}"}]}', "b has no `sk`"),
        ('{table: as, of: a, pk: "{a.id}", lsi: [{name: l, sk: "{a.at}"}]}', "only a table with a sort key"),
        ('{table: as, of: a, pk: "{a.id}", sk: X, lsi: [{name: l}]}', "an LSI needs a sort key"),
        ('{table: as, of: a, pk: "{a.id}", gsi: [{name: g, pk: "{a.id}"}]}', "the table's own key"),
        (
            '{table: as, of: a, pk: "{a.id}", gsi: [{name: g, pk: "{a.group}", projection: [a.group]}]}',
            "a key attribute",
        ),
        ('{table: as, of: a, pk: "{a.id}", gsi: [{name: g, pk: "{a.tags}"}]}', "is an array"),
        ('{table: as, of: a, pk: "{a.id}", gsi: [{name: g}]}', "it has no `pk`"),
        ('{table: as, of: a, pk: "{a.id}", gsi: [{name: g, pk: "{b.at}", of: [b]}]}', "does not hold"),
        (
            '{table: as, of: a, pk: "{a.id}", gsi: [{name: g, pk: "{a.n}"}, {name: g, pk: "{a.at}"}]}',
            "2 indexes called g",
        ),
        ("{table: as, records: [{of: a, pk: X, sk: Y}, {of: b, pk: X, sk: Y}]}", "have the same key"),
        ('{table: as, of: a, pk: "{a.id}", indexes: [{keys: [a.n]}]}', "`indexes` is not read"),
    ],
)
def test_problem(structure, words):
    """What the store would refuse by itself is said in a sentence."""
    found = bench(one_table(structure), "dynamodb").problems
    assert any(words in p for p in found), found


def test_more_indexes_than_allowed():
    """Twenty-one global indexes are one too many."""
    indexes = ", ".join(f'{{name: g{i}, pk: "{{a.group}}"}}' for i in range(21))
    found = bench(one_table(f'{{table: as, of: a, pk: "{{a.id}}", gsi: [{indexes}]}}'), "dynamodb").problems
    assert any("has 21 GSIs; 20 are allowed" in p for p in found)


def test_no_problem_with_a_sound_table(desk):
    """A table in order has nothing said about it."""
    assert desk.problems == ()


# ---------------------------------------------------------------- scripts


def test_create_table(desk):
    """Attribute definitions name exactly the key attributes; capacity on demand is billed per request."""
    body = json.loads(desk.script["desk.create-table.json"])
    names = {d["AttributeName"] for d in body["AttributeDefinitions"]}
    schemas = [body["KeySchema"], *(i["KeySchema"] for i in body["GlobalSecondaryIndexes"])]
    assert names == {k["AttributeName"] for s in schemas for k in s} == {"pk", "sk", "GSI1_pk", "GSI1_sk"}
    assert body["BillingMode"] == "PAY_PER_REQUEST"
    assert "ProvisionedThroughput" not in body


def test_provisioned_capacity_reaches_the_indexes():
    """An index without units of its own gets the table's: a starved index holds back the table's writes."""
    text = one_table(
        '{table: as, of: a, capacity: {read: 500, write: 200}, pk: "{a.id}", gsi: [{name: g, pk: "{a.n}"}]}'
    )
    body = json.loads(bench(text, "dynamodb").script["as_.create-table.json"])
    assert body["ProvisionedThroughput"] == {"ReadCapacityUnits": 500, "WriteCapacityUnits": 200}
    assert body["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["WriteCapacityUnits"] == 200
    assert {"AttributeName": "n", "AttributeType": "N"} in body["AttributeDefinitions"]


def test_expiry_and_stream():
    """Expiry is a request of its own, a stream an option of the table."""
    text = one_table('{table: abc, of: a, pk: "{a.id}", ttl: at a.at, options: {stream: new and old images}}')
    script = bench(text, "dynamodb").script
    assert json.loads(script["abc.update-time-to-live.json"])["TimeToLiveSpecification"]["AttributeName"] == "at"
    stream = json.loads(script["abc.create-table.json"])["StreamSpecification"]
    assert stream["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert "update-time-to-live" in script["create-tables.sh"]


def test_key_attributes_are_not_projected_twice():
    """INCLUDE lists attributes that are no keys; without any the projection is KEYS_ONLY."""
    text = one_table(
        '{table: abc, of: a, pk: "{a.id}", gsi: [{name: g, pk: "{a.n}", projection: [a.n, a.at]},'
        ' {name: h, pk: "{a.at}", projection: [a.id]}]}'
    )
    body = json.loads(bench(text, "dynamodb").script["abc.create-table.json"])
    first, second = (i["Projection"] for i in body["GlobalSecondaryIndexes"])
    assert first == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["at"]}
    assert second == {"ProjectionType": "KEYS_ONLY"}


# ---------------------------------------------------------------- requests


def bodies(text: str) -> list[dict]:
    """The JSON bodies of a query text."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while (at := text.find("\n{", at)) >= 0:
        body, length = decoder.raw_decode(text[at + 1 :])
        found.append(body)
        at += length
    return found


def test_query_with_pages(desk):
    """The next page is the same request, starting behind the last item."""
    first, second = bodies(desk.text("Orders of a user, newest first"))
    assert first["KeyConditionExpression"] == "#pk = :pk AND begins_with(#sk, :sk)"
    assert first["ExpressionAttributeValues"][":pk"] == {"S": "USER#{user}"}
    assert (first["ScanIndexForward"], first["Limit"]) == (False, 20)
    assert set(second["ExclusiveStartKey"]) == {"pk", "sk"}
    assert {k: v for k, v in second.items() if k != "ExclusiveStartKey"} == first


def test_range_inside_a_packed_key(desk):
    """A range on a part of the sort key ends before the next kind of item."""
    (body,) = bodies(desk.text("Orders of a user since"))
    values = body["ExpressionAttributeValues"]
    assert values[":sk_from"] == {"S": "ORDER#{since}"}
    assert values[":sk_to"] == {"S": "ORDER#\uffff"}


def test_get_item(desk):
    """A whole key is one GetItem."""
    (body,) = bodies(desk.text("Log in"))
    assert body["Key"] == {"pk": {"S": "EMAIL#{email}"}, "sk": {"S": "EMAIL"}}


def test_scan_tells_the_kind_by_its_key(desk):
    """A scan of a single table keeps the items whose keys start like those of the kind asked for."""
    (body,) = bodies(desk.text("Open orders"))
    assert "begins_with(#sk, :sk)" in body["FilterExpression"]
    assert body["ExpressionAttributeValues"][":status"] == {"S": "open"}


def test_put_with_index_keys(desk):
    """A new item brings the keys of its indexes and refuses to replace another."""
    (body,) = bodies(desk.text("Place order"))
    assert body["Item"]["GSI1_pk"] == {"S": "ORDER#{id}"}
    assert body["Item"]["sk"] == {"S": "ORDER#{now}#{id}"}
    assert body["ConditionExpression"] == "attribute_not_exists(#pk)"


def test_transaction(desk):
    """Items that belong together go into one transaction with a token."""
    (body,) = bodies(desk.text("Sign up"))
    puts = [next(iter(i.values())) for i in body["TransactItems"]]
    assert [p["Item"]["pk"]["S"] for p in puts] == ["USER#{id}", "EMAIL#{email}"]
    assert all("attribute_not_exists" in p["ConditionExpression"] for p in puts)
    assert body["ClientRequestToken"]


def test_leaving_a_sparse_index():
    """An update after which the index's condition fails removes the index key."""
    more = """
relationships: []
patterns:
  - {operation: Close, update: a, where: "a.id = :id", set: {a.group: closed}}
  - {operation: Open, update: a, where: "a.id = :id", set: {a.group: open}}
"""
    text = one_table(
        '{table: abc, of: a, pk: "{a.id}", gsi: [{name: g, pk: "G#{a.n}", where: "a.group = \'open\'"}]}', more
    )
    found = bench(text, "dynamodb")
    (closed,), (opened,) = bodies(found.text("Close")), bodies(found.text("Open"))
    assert closed["UpdateExpression"] == "SET #group = :group REMOVE #g_pk"
    assert opened["UpdateExpression"] == "SET #group = :group, #g_pk = :g_pk"


# ---------------------------------------------------------------- cases that happened


def case(shared, name: str, model: str = ""):
    return bench((shared / "cases" / f"{name}.yaml").read_text(), "dynamodb", model)


def test_status_index_in_write_units(shared):
    """1 KB requests make one unit in the table and one in the index; a changed status two more entries."""
    found = case(shared, "C01")
    new, accept = found.plan("New request"), found.plan("Accept")
    assert new.touches[0].units == 2
    assert accept.touches[0].entries["requests.by_status"] == 2


def test_filter_after_limit(shared):
    """Ten of a type that is 5 % of the events are 200 items read: 12.5 units."""
    plan = case(shared, "C05").plan("Latest ten of type X")
    assert (plan.records.avg, plan.units) == (200, 12.5)


def test_aggregate_in_one_item(shared):
    """900 articles of 0.6 KB pass the limit of an item, 40 do not."""
    record = case(shared, "C12").records[0]
    limit = STORE.facts["max_record_bytes"].value
    assert record.size.avg < limit < record.size.p99
    assert record.size.p99 == pytest.approx(540 * 1024, rel=0.01)


@pytest.mark.parametrize("folder", ["projects", "cases"])
def test_every_shared_model_is_total(shared, folder):
    """Every DynamoDB model writes its scripts and the query of every pattern."""
    for file in sorted((shared / folder).glob("*.yaml")):
        text = file.read_text()
        if "store: dynamodb" not in text:
            continue
        found = bench(text, "dynamodb")
        for name, content in found.script.items():
            assert content
            if name.endswith(".json"):
                json.loads(content)
        for pattern in found.project.patterns:
            assert found.text(pattern.operation)


def test_a_map_in_a_list_costs_three_bytes_and_one_for_each_pair():
    """`items: [{sku: "0123456789", qty: 1}]`: the list 3 + 1, the map 3 + 2 × 1, beside names and values."""
    project = read_yaml("""
keywright: 1
name: Orders
entities:
  - {name: order, fields: [id string key avg 10]}
  - {name: line, fields: [order_id string avg 10, sku string avg 10, note string avg 5]}
relationships: [{parent: order, child: line, via: order_id, children: {avg: 1, p99: 1, max: 20}}]
models:
  - name: Items
    store: dynamodb
    structures: [{table: orders, of: order, pk: "{order.id}", embed: [{what: line, as: items}]}]
""")
    world = build_world(project)
    (record,) = STORES["dynamodb"].records(project.models[0].structures[0], project.models[0], world)
    fields = (len("sku") + 10) + (len("note") + 5)
    assert record.size.avg == (2 + 10) + len("items") + (3 + 1) + (3 + 2) + fields


def test_a_search_for_words_is_a_search_for_letters() -> None:
    """A filter has no operator for words."""
    made = bench(
        """
keywright: 1
name: Blog
entities: [{name: post, count: 1M, fields: [id uuid key, title string avg 40]}]
patterns: [{operation: Search, list: post, where: "matches(post.title, :words)", limit: 20}]
models: [{name: Table, store: dynamodb, structures: [{table: blog, of: post, pk: "POST#{post.id}"}]}]
""",
        "dynamodb",
    )
    text = made.text("Search")
    assert '"FilterExpression": "contains(#title, :title)"' in text
    assert "# contains() compares letters" in text
