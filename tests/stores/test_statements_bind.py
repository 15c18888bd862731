"""What statements name exists in the emitted schema, keys are bound whole, and one value has one name.

Every model of the examples and worked projects is tried, the starters over them, and starters over pasted tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

from app.analysis import analyse
from app.examples import EXAMPLES
from app.exporters import queries, scripts
from app.importers import read_patterns
from app.model.project import Project
from app.model.text import read_yaml
from app.starters import starter
from tests.conftest import SHARED
from tests.stores.wiring import bench

STATIC = """
keywright: 1
name: Tickets
entities:
  - {name: ticket, count: 5M, fields: [id uuid key, status string, subject string]}
  - {name: comment, fields: [id uuid key, ticket_id uuid, body string]}
relationships:
  - {parent: ticket, child: comment, via: ticket_id, children: {avg: 3, max: 100}}
patterns:
  - {operation: Status, get: ticket, where: "ticket.id = :ticket", needs: [status], rate: 1/s}
  - {operation: Change, update: ticket, where: "ticket.id = :ticket", set: {status: ":status"}, rate: 1/s}
  - {operation: Create, insert: ticket, rate: 1/s}
  - {operation: Remove, delete: ticket, where: "ticket.id = :ticket", rate: 1/s}
models:
  - name: Static columns
    store: cassandra
    structures:
      - table: comments_by_ticket
        of: comment
        partition key: [comment.ticket_id]
        clustering key: [comment.id]
        static: [ticket.status, ticket.subject]
"""
PASTED = {
    "order table": """
| Operation | Fields needed | Freq | Consistency |
|---|---|---|---|
| Get order by id | order, line items | 500/s | strong |
| Update order status | status | 20/s | strong |
| List orders by status | id, status | 5/s | eventual 1 min |
| Count open orders per customer | count | 5/s | eventual 1 min |
""",
    "ticket table": """
| # | Access pattern | Attributes | QPS | Consistency | Notes |
|---|---|---|---|---|---|
| 1 | Get ticket by ID (within tenant) | ticket, comments, assignee name | 300 rps | read-your-writes | agents |
| 2 | List open tickets for tenant, newest first | id, subject, status, created_at | 120/s | eventual 5s | page of 50 |
| 3 | List tickets assigned to agent, by priority | id, subject, priority, due_at | 60/s | eventual | |
| 4 | Create ticket | subject, body, requester, priority | 15/s | strong | |
| 5 | Add comment to ticket | comment body, author | 40/s | strong | |
| 6 | Change ticket status | status, updated_at | 30/s | strong | |
| 7 | Assign ticket to agent | assignee_id | 12/s | strong | |
| 8 | Count open tickets per tenant | count | 10/s | eventual 1 min | dashboard |
""",
    "reading table": """
| Operation | Fields needed | Freq |
|---|---|---|
| Insert reading | sensor id, time, value | 10k/s |
| Readings of a sensor in a time range | time, value | 50/s |
| Latest reading per sensor | value | 100/s |
""",
}


@dataclass(frozen=True)
class Texts:
    """What one model hands over."""

    name: str
    schema: str
    queries: dict[str, str]
    moved: dict[str, frozenset[str]]
    """Operation → structures in which it takes a record from one key to another."""


def projects() -> Iterator[tuple[str, Project]]:
    yield from ((name, example.project()) for name, example in EXAMPLES.items())
    yield from ((name, read_patterns(text).project) for name, text in PASTED.items())
    yield "static", read_yaml(STATIC)
    for file in sorted((SHARED / "projects").glob("*.yaml")):
        yield f"shared {file.stem}", read_yaml(file.read_text(encoding="utf-8"))


@cache
def texts(store: str) -> tuple[Texts, ...]:
    found = []
    for key, project in projects():
        made = starter(project, store).model_copy(update={"name": f"Starter for {store}"})
        models = (*(m for m in project.models if m.store == store), made)
        report = analyse(project.model_copy(update={"models": models}))
        for each in report.models:
            asked = {p.operation: queries.query(report, each, p.operation) for p in report.project.patterns}
            schema = "\n".join(scripts.files(report, each).values())
            moved = {
                k: frozenset(t.structure for t in p.touches if t.op == "move" and t.store == store)
                for k, p in each.plans.items()
            }
            asked = {k: v for k, v in asked.items() if v}
            found.append(Texts(f"{key}: {each.model.name}", schema, asked, moved))
    return tuple(found)


def fail_on(faults: list[str]) -> None:
    assert not faults, f"{len(faults)} faults:\n" + "\n".join(faults)


# ---------------------------------------------------------------- Cassandra


@dataclass(frozen=True)
class Table:
    columns: frozenset[str]
    partition: tuple[str, ...]
    clustering: tuple[str, ...]
    static: frozenset[str]
    indexed: frozenset[str] = field(default=frozenset())


NAME = r'(?:"(?:[^"]|"")*"|[A-Za-z_][\w]*)'


def names_in(text: str) -> tuple[str, ...]:
    return tuple(n.strip('"') for n in re.findall(NAME, text))


def key_in(body: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    key = re.search(r"PRIMARY KEY \(\(([^)]*)\)(?:, ([^)]*))?\)", body)
    assert key is not None, body
    return names_in(key[1]), names_in(key[2] or "")


def tables(schema: str) -> dict[str, Table]:
    found: dict[str, Table] = {}
    for name, body in re.findall(rf"CREATE TABLE IF NOT EXISTS ({NAME}) \(\n(.*?)\n\)", schema, flags=re.DOTALL):
        lines = [x.strip().rstrip(",") for x in body.splitlines() if "PRIMARY KEY" not in x]
        columns = [names_in(x)[0] for x in lines]
        static = frozenset(c for c, x in zip(columns, lines, strict=True) if x.endswith(" STATIC"))
        found[name.strip('"')] = Table(frozenset(columns), *key_in(body), static)
    for on, what in re.findall(rf"CREATE (?:CUSTOM )?INDEX.*?ON\s+({NAME})\s*\((.*?)\)", schema, flags=re.DOTALL):
        table = found[on.strip('"')]
        found[on.strip('"')] = replace(table, indexed=table.indexed | {names_in(what)[-1]})
    views = rf"CREATE MATERIALIZED VIEW IF NOT EXISTS ({NAME}).*?FROM ({NAME})(.*?);"
    for name, base, body in re.findall(views, schema, flags=re.DOTALL):
        found[name.strip('"')] = Table(found[base.strip('"')].columns, *key_in(body), frozenset())
    return found


def cql(text: str) -> Iterator[str]:
    bare = "\n".join(x for x in text.splitlines() if not x.lstrip().startswith("--"))
    for piece in bare.replace("BEGIN BATCH", "").replace("APPLY BATCH;", "").split(";"):
        if piece.strip():
            yield re.sub(r" USING TIMESTAMP :\w+", "", " ".join(piece.split()))


def compared(where: str) -> tuple[str, ...]:
    """Columns left of an operator, tuples included."""
    plain = re.sub(r"'(?:[^']|'')*'", "''", where)
    found: list[str] = []
    for term in plain.split(" AND "):
        left = re.split(r" (?:=|<=|>=|<|>|IN|CONTAINS|!=) ?", term)[0]
        found += names_in(left)
    return tuple(found)


def equal_columns(where: str) -> set[str]:
    return {n.strip('"') for n in re.findall(rf"({NAME}) (?:=|IN) ?", where)}


def faults_of(statement: str, known: dict[str, Table]) -> Iterator[str]:
    if statement.startswith("INSERT"):
        met = re.match(rf"INSERT INTO ({NAME}) \(([^)]*)\) VALUES \((.*)\)(?: IF NOT EXISTS)?$", statement)
        assert met is not None, statement
        table, columns = known.get(met[1].strip('"')), names_in(met[2])
        if table is None:
            yield f"no table {met[1]}"
            return
        missing = set(table.partition) - set(columns)
        if not set(columns) <= table.static | set(table.partition):
            missing |= set(table.clustering) - set(columns)
        yield from (f"no column {c}" for c in columns if c not in table.columns)
        yield from (f"key {c} has no value" for c in sorted(missing))
        return
    met = re.search(rf"(?:FROM|UPDATE) ({NAME})", statement)
    table = known.get(met[1].strip('"')) if met else None
    if table is None:
        yield "no such table"
        return
    head, _, tail = statement.partition(" WHERE ")
    where, _, condition = tail.partition(" IF ")
    where = re.split(r" (?:ORDER BY|LIMIT|GROUP BY|PER PARTITION|ALLOW) ", where)[0]
    named = [*compared(where)]
    if condition and condition != "EXISTS":
        named += compared(condition)
    if head.startswith("UPDATE"):
        sets = re.search(r" SET (.*)$", head)
        named += [names_in(x)[0] for x in re.split(r", (?=[\"\w]+ = )", sets[1] if sets else "")]
    elif head.startswith("SELECT") and not head.startswith(("SELECT *", "SELECT count")):
        named += names_in(head.removeprefix("SELECT ").partition(" FROM ")[0])
    yield from (f"no column {c}" for c in named if c not in table.columns)
    if head.startswith("SELECT") and (not where or set(compared(where)) & table.indexed):
        return  # a scan or an index, as its level says
    yield from (f"key {c} is not bound" for c in table.partition if c not in equal_columns(where))
    if head.startswith("UPDATE") and not set(named) - set(compared(where)) <= table.static:
        yield from (f"key {c} is not bound" for c in table.clustering if c not in equal_columns(where))


def bound(statement: str) -> dict[str, str]:
    """Column → value: of an INSERT, or of a WHERE."""
    if met := re.match(rf"INSERT INTO {NAME} \(([^)]*)\) VALUES \((.*)\)", statement):
        return dict(zip(names_in(met[1]), met[2].removesuffix(" IF NOT EXISTS").split(", "), strict=False))
    where = statement.partition(" WHERE ")[2].partition(" IF ")[0]
    return {c.strip('"'): v for c, v in re.findall(rf"({NAME}) = ([^ ;]+)", where)}


def moves(statements: list[str], known: dict[str, Table]) -> Iterator[str]:
    """A row that is deleted and written again has another key: the deletion of the same key would win."""
    for gone in (s for s in statements if s.startswith("DELETE FROM")):
        name = gone.split()[2].strip('"')
        for new in (s for s in statements if s.startswith(f"INSERT INTO {gone.split()[2]} ")):
            keys = known[name].partition + known[name].clustering
            before, after = bound(gone), bound(new)
            if not any(before[k] != after[k] for k in keys):
                yield f"{name}: what is deleted has the key of what is written"
            yield from (
                f"{name}: {k} is {before[k]} and {after[k]}"
                for k in keys
                if before[k] != after[k] and not before[k].startswith((":old_", ':"old_', "'"))
            )


def test_cassandra_names_its_columns_and_binds_its_keys() -> None:
    faults = []
    for model in texts("cassandra"):
        known = tables(model.schema)
        for operation, text in model.queries.items():
            statements = list(cql(text))
            found = [f"{fault} in: {s}" for s in statements for fault in faults_of(s, known)]
            found += moves(statements, known)
            faults += [f"{model.name} / {operation}: {fault}" for fault in found]
    fail_on(faults)


# ---------------------------------------------------------------- DynamoDB


def bodies(text: str) -> Iterator[dict[str, object]]:
    """Every request body in a text."""
    decoder, at = json.JSONDecoder(), 0
    lines = "\n".join(x for x in text.splitlines() if not x.startswith("#"))
    while (start := lines.find("{", at)) >= 0:
        body, at = decoder.raw_decode(lines, start)
        yield body


def schemas(text: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Table → index ("": the table) → its key attributes, out of `create-tables.sh` or JSON."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for body in _objects(text):
        if "KeySchema" not in body or "TableName" not in body:
            continue
        ways = {"": body, **{i["IndexName"]: i for kind in ("Global", "Local") for i in _indexes(body, kind)}}
        found[str(body["TableName"])] = {
            name: tuple(k["AttributeName"] for k in way["KeySchema"]) for name, way in ways.items()
        }
    return found


def _indexes(body: dict, kind: str) -> list[dict]:  # type: ignore[type-arg]
    return list(body.get(f"{kind}SecondaryIndexes", []))


def _objects(text: str) -> Iterator[dict]:  # type: ignore[type-arg]
    decoder, at = json.JSONDecoder(), 0
    while (start := text.find("{", at)) >= 0:
        try:
            body, at = decoder.raw_decode(text, start)
        except json.JSONDecodeError:
            at = start + 1
            continue
        yield body


def requests(body: dict) -> Iterator[dict]:  # type: ignore[type-arg]
    """Single requests, those of a transaction or a batch included."""
    if "TransactItems" in body:
        for item in body["TransactItems"]:
            yield from item.values()
    elif "RequestItems" in body:
        for table, asked in body["RequestItems"].items():
            yield from ({"TableName": table, "Key": key} for key in asked["Keys"])
    else:
        yield body


def key_faults(one: dict, ways: dict[str, dict[str, tuple[str, ...]]]) -> Iterator[str]:  # type: ignore[type-arg]
    table = ways.get(one["TableName"])
    if table is None:
        yield f"no table {one['TableName']}"
        return
    keys = table.get(one.get("IndexName", ""))
    if keys is None:
        yield f"no index {one['IndexName']}"
        return
    if "Key" in one and set(one["Key"]) != set(keys):
        yield f"key {sorted(one['Key'])} is not {sorted(keys)}"
    if "Item" in one and not set(keys) <= set(one["Item"]):
        yield f"item without {sorted(set(keys) - set(one['Item']))}"
    if "KeyConditionExpression" in one:
        names = one["ExpressionAttributeNames"]
        used = [names[n] for n in re.findall(r"#\w+", one["KeyConditionExpression"])]
        yield from (f"{n} is no key of {one.get('IndexName', one['TableName'])}" for n in used if n not in keys)
        if keys[0] not in used:
            yield f"{keys[0]} is not bound"


def test_dynamodb_names_the_keys_of_its_tables() -> None:
    faults = []
    for model in texts("dynamodb"):
        ways = schemas(model.schema)
        assert ways or not model.queries, model.name
        for operation, text in model.queries.items():
            for body in bodies(text):
                for one in requests(body):
                    faults += [f"{model.name} / {operation}: {fault}" for fault in key_faults(one, ways)]
    fail_on(faults)


# ---------------------------------------------------------------- Redis

SHELL = frozenset({"RANDOM"})


def test_redis_lists_every_parameter_it_uses() -> None:
    faults = []
    for model in texts("redis"):
        for operation, text in model.queries.items():
            head = re.search(r"^# parameters: (.*)$", text, flags=re.MULTILINE)
            listed = {n.strip() for n in head[1].split(",")} if head else set()
            commands = "\n".join(x for x in text.splitlines() if not x.lstrip().startswith("#"))
            used = set(re.findall(r"\$[A-Za-z_]\w*", commands))
            faults += [f"{model.name} / {operation}: {n} is not listed" for n in sorted(used - listed)]
            if re.search(r"\b(True|False|None)\b", commands):
                faults.append(f"{model.name} / {operation}: a value as Python writes it")
    fail_on(faults)


OUT = ("ZREM ", "SREM ", "UNLINK ", "DECR ", "HDEL ", "LREM ")


def test_redis_takes_a_record_out_of_its_old_key() -> None:
    faults = []
    for model in texts("redis"):
        for operation, structures in model.moved.items():
            lines = model.queries.get(operation, "").splitlines()
            gone = [x for x in lines if x.startswith(OUT)]
            faults += [
                f"{model.name} / {operation}: nothing leaves {s}"
                for s in structures
                if not any(re.split(r"[{:]", s)[0] in x for x in gone)
            ]
    fail_on(faults)


# ---------------------------------------------------------------- what single statements say

READINGS = """
keywright: 1
name: Sensors
entities:
  - {name: reading, count: 5M, fields: [sensor_id uuid key, time datetime key, value double, good bool]}
  - {name: sensor, count: 1k, fields: [id uuid key, name string]}
relationships:
  - {parent: sensor, child: reading, via: sensor_id}
patterns:
  - operation: Range
    list: reading
    where: "reading.sensor_id = :sensor and reading.time >= :since and reading.time < :until"
    order by: reading.time
    rate: 1/s
  - {operation: Rename, update: sensor, where: "sensor.id = :sensor", set: {name: ":name"}, consistency: strong}
  - {operation: Mark, update: reading, where: "reading.sensor_id = :s and reading.time = :t", set: {good: true}}
models:
  - name: Documents
    store: mongodb
    structures:
      - {collection: readings, of: reading, _id: [reading.sensor_id, reading.time]}
      - {collection: sensors, of: sensor, _id: sensor.id}
  - name: Tables
    store: dynamodb
    structures:
      - {table: readings, of: reading, pk: "{reading.sensor_id}", sk: "{reading.time}"}
      - {table: sensors, of: sensor, pk: "{sensor.id}"}
  - name: Keys
    store: redis
    structures:
      - {keys: "reading:{reading.sensor_id}:{reading.time}", of: reading, type: hash}
      - {keys: "sensor:{sensor.id}", of: sensor, type: hash}
"""


def test_mongodb_bounds_the_range_inside_a_compound_id() -> None:
    text = bench(READINGS, "mongodb").text("Range")
    assert "$gte: { sensor_id: p.sensor, time: p.since }" in text
    assert "$lt: { sensor_id: p.sensor, time: p.until }" in text
    assert '"_id.time"' not in text.replace('"_id.time": 1', "")


def test_mongodb_asks_a_write_for_the_majority_and_no_read_concern() -> None:
    text = bench(READINGS, "mongodb").text("Rename")
    assert 'writeConcern: { w: "majority" }' in text
    assert "linearizable" not in text


def test_dynamodb_updates_only_what_is_there() -> None:
    assert '"ConditionExpression": "attribute_exists(' in bench(READINGS, "dynamodb").text("Rename")


def test_dynamodb_says_what_between_includes() -> None:
    assert "# BETWEEN includes both ends: leave out what has exactly {until}" in bench(READINGS, "dynamodb").text(
        "Range"
    )


def test_redis_says_that_an_update_makes_a_key() -> None:
    text = bench(READINGS, "redis").text("Mark")
    assert "a key that is not there is made" in text
    assert "good true" in text


def test_the_script_speaks_of_expiry_only_where_there_is_some() -> None:
    assert "expiry" not in bench(READINGS, "dynamodb").script["create-tables.sh"]
