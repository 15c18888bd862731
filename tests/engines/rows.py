"""The orders of planner cases in PostgreSQL: the table, its indexes, a case as SQL, and what the server did for it.

Everything a case needs beyond the table is made inside a transaction that is rolled back, so one table serves all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.engines.orders import orders, value
from tests.plan.notation import OPS, STATS, component

BASE = datetime(2026, 1, 1)  # noqa: DTZ001 (a column without time zone: its days are the same everywhere)
STEP = timedelta(seconds=21.6)
"""Between two values of `at`: the last 3 hours hold a tenth of them, as the notation says."""
ARRAYS = ("tags", "scores")
COMPARED = ("=", "<", "<=", ">", ">=", "!=")
WIDER = {">": ">=", "<": "<="}
"""What a comparison says of a value that stands for several."""
WORDS = "to_tsvector"
COLUMN = re.compile(rf"\b({'|'.join(STATS)})\b")
QUOTED = re.compile(r"'(?:[^']|'')*'")


def stored(attr: str, n: Any) -> Any:
    """A value as the column keeps it: `at` is a time."""
    return BASE + int(n) * STEP if attr == "at" else n


def type_of(attr: str) -> str:
    if attr == "at":
        return "timestamp"
    if attr == "name":
        return "text"
    one = "integer" if isinstance(value(attr, 0), int) else "text"
    return f"{one}[]" if attr in ARRAYS else one


def create(connection: Any, table: str = "orders") -> None:
    """The table with its records, its statistics and every page known to be visible to all."""
    columns = ", ".join(f"{c} {type_of(c)}" for c in STATS)
    connection.execute(f"CREATE TABLE {table} ({columns}, PRIMARY KEY (id))")
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({', '.join(STATS)}) FROM STDIN") as copy:
        for order in orders():
            copy.write_row([stored(c, order[c]) if c in order else None for c in STATS])
    connection.execute(f"VACUUM (FREEZE, ANALYZE) {table}")


# ---------------------------------------------------------------- conditions


@dataclass(frozen=True)
class Sql:
    """Text with placeholders and what they stand for."""

    text: str
    values: tuple[Any, ...] = ()


def condition(text: str, derived: Mapping[str, str]) -> Iterator[Sql]:
    """`total >= 4000` in SQL. `derived`: attribute → expression of it in an index, which the query has to name too."""
    attr, _, rest = text.partition(" ")
    op = next(o for o in OPS if rest.startswith(o))
    raw = rest.removeprefix(op).strip()
    if op in COMPARED:
        yield Sql(f"{attr} {op} %s", (typed(attr, raw),))
        if attr in derived and not derived[attr].startswith(WORDS):
            same = derived[attr].replace(f"({attr})", f"(%s::{type_of(attr)})")
            yield Sql(f"{derived[attr]} {WIDER.get(op, op)} {same}", (typed(attr, raw),))
    elif op in ("is null", "not null"):
        yield Sql(f"{attr} IS {'NOT ' if op == 'not null' else ''}NULL")
    elif op == "between":
        yield Sql(f"{attr} BETWEEN %s AND %s", tuple(typed(attr, v) for v in raw.split(",")))
    elif op in ("in", "not in"):
        first, dots, last = raw.partition("..")
        listed = range(int(first), int(last) + 1) if dots else [typed(attr, v) for v in raw.split(",")]
        yield Sql(f"{attr} {'= ANY' if op == 'in' else '<> ALL'}(%s::{type_of(attr)}[])", (list(listed),))
    elif op == "contains":
        yield Sql(f"{attr} @> %s::{type_of(attr)}", ([typed(attr, raw)],))
    elif op == "prefix":
        yield Sql(f"{attr} LIKE %s", (f"{raw}%",))
    elif attr in derived:
        yield Sql(f"{derived[attr]} @@ to_tsquery('simple', %s)", (raw,))
    else:
        yield Sql(f"{attr} LIKE %s", (f"%{raw}%",))


def typed(attr: str, raw: str) -> Any:
    if attr == "at" and raw.endswith("h"):
        return stored(attr, len(orders())) - timedelta(hours=float(raw[:-1]))
    return stored(attr, int(raw)) if isinstance(value(attr, 0), int) and attr != "name" else raw


def conjunction(texts: Iterable[str], derived: Mapping[str, str]) -> Sql:
    found = [s for t in texts for s in condition(t, derived)]
    return Sql(" AND ".join(s.text for s in found), tuple(v for s in found for v in s.values))


# ---------------------------------------------------------------- indexes


def long_form(index: Any) -> Mapping[str, Any]:
    return index if isinstance(index, dict) else {"keys": index}


def indexes_of(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [long_form(i) for i in body.get("indexes", [body["index"]] if "index" in body else [])]


def expression(key: str, kind: str) -> tuple[str, str]:
    """Attribute and SQL of one part of a key."""
    part = component(key.removesuffix(" desc"), 0)[0]
    attr = part.attr.removeprefix("order.")
    if kind == "text":
        return attr, f"{WORDS}('simple', {attr})"
    kept = part.kept
    if kept.bucket:
        unit = {60: "minute", 3600: "hour", 86_400: "day"}[int(kept.bucket)]
        return attr, f"date_trunc('{unit}', ({attr}))"
    return attr, attr if kept.exact else f"lower(({attr}))"


def derived_of(body: Mapping[str, Any]) -> dict[str, str]:
    """Attribute → expression, where an index holds one."""
    found = (expression(k, i.get("type", "")) for i in indexes_of(body) for k in i["keys"])
    return {attr: sql for attr, sql in found if attr != sql}


def create_indexes(connection: Any, body: Mapping[str, Any], table: str = "orders") -> None:
    if "stored" in body:
        key = ", ".join(body["stored"])
        connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey, ADD PRIMARY KEY ({key})")
    for n, index in enumerate(indexes_of(body), 1):
        kind = index.get("type", "")
        method = {"text": "gin"}.get(kind, kind) or "btree"
        unique = "UNIQUE " if index.get("unique") == "yes" else ""
        keys = ", ".join(_key(k, kind) for k in index["keys"])
        holds = f" INCLUDE ({', '.join(index['include'])})" if "include" in index else ""
        only = conjunction(index.get("only", ()), {})
        where = f" WHERE {literally(connection, only)}" if only.text else ""
        connection.execute(f"CREATE {unique}INDEX index{n} ON {table} USING {method} ({keys}){holds}{where}")
    if derived_of(body):
        connection.execute(f"ANALYZE {table}")  # an index on an expression has statistics of its own


def _key(key: str, kind: str) -> str:
    attr, sql = expression(key, kind)
    descending = key.startswith("-") or key.endswith(" desc")
    return (sql if attr == sql else f"({sql})") + (" DESC" if descending else "")


def literally(connection: Any, sql: Sql) -> str:
    """With the values in their places, as a definition wants them."""
    from psycopg import ClientCursor  # noqa: PLC0415 (only where an engine is used)

    return ClientCursor(connection).mogrify(sql.text, sql.values)


# ---------------------------------------------------------------- queries


def select(body: Mapping[str, Any], ask: Sequence[tuple[str, int]], table: str = "orders") -> Sql:
    """The read, with the order that the plan says to write."""
    derived = derived_of(body)
    parts, values = [f"SELECT {', '.join(body.get('needs', ())) or ('1' if 'needs' in body else '*')} FROM {table}"], []
    tests = [conjunction(body.get("where", ()), derived)]
    branches = [conjunction(b, derived) for b in body.get("any of", ())]
    if branches:
        either = " OR ".join(f"({b.text})" for b in branches)
        tests.append(Sql(f"({either})", tuple(v for b in branches for v in b.values)))
    if "after" in body:
        tests.append(after(body))
    told = [t for t in tests if t.text]
    if told:
        parts.append("WHERE " + " AND ".join(t.text for t in told))
        values += [v for t in told for v in t.values]
    if ask:
        parts.append("ORDER BY " + ", ".join(f"{a.removeprefix('order.')}{' DESC' if d < 0 else ''}" for a, d in ask))
    elif best := ranked(body):
        parts.append(f"ORDER BY ts_rank({best.text}) DESC")
        values += best.values
    parts += [f"{word} {body[name]}" for word, name in (("LIMIT", "limit"), ("OFFSET", "offset")) if name in body]
    return Sql(" ".join(parts), tuple(values))


def ranked(body: Mapping[str, Any]) -> Sql | None:
    """What the best of the words found are told by, where a limit keeps only those."""
    words = [w for w in body.get("where", ()) if " match " in w and w.split()[0] in derived_of(body)]
    if not words or "limit" not in body or "order by" in body:
        return None
    attr, _, raw = words[0].partition(" match ")
    return Sql(f"{derived_of(body)[attr]}, to_tsquery('simple', %s)", (raw,))


def after(body: Mapping[str, Any]) -> Sql:
    """The rest of a list beyond the last record seen: a comparison of rows."""
    names = [a.lstrip("-") for a in body["order by"]]
    down = body["order by"][0].startswith("-")
    values = tuple(typed(n, v) for n, v in zip(names, body["after"], strict=True))
    return Sql(f"({', '.join(names)}) {'<' if down else '>'} ({', '.join(['%s'] * len(names))})", values)


# ---------------------------------------------------------------- what the server did


@dataclass
class Found:
    """What the server did. `heap`: rows looked at; `entries`: index entries that met the conditions of the index;
    `pages`: pages of indexes read."""

    nodes: list[str] = field(default_factory=list)
    indexes: set[str] = field(default_factory=set)
    bounded: set[str] = field(default_factory=set)
    filtered: set[str] = field(default_factory=set)
    heap: float = 0
    entries: float = 0
    returned: float = 0
    fetches: float = 0
    cost: float = 0
    searches: float = 0

    @property
    def order(self) -> str:
        if "Incremental Sort" in self.nodes:
            return "partial"
        return "sorted" if "Sort" in self.nodes else "none"

    @property
    def covered(self) -> bool:
        return "Index Only Scan" in self.nodes and self.fetches == 0


def names_in(text: str) -> set[str]:
    return set(COLUMN.findall(QUOTED.sub("", text)))


def explained(connection: Any, query: Sql) -> Found:
    row = connection.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {query.text}", query.values).fetchone()
    found = Found(returned=row[0][0]["Plan"]["Actual Rows"], cost=row[0][0]["Plan"]["Total Cost"])
    pending = [row[0][0]["Plan"]]
    while pending:
        node = pending.pop()
        pending += node.get("Plans", ())
        _note(node, found)
    return found


def looked_at(connection: Any, query: Sql, values: Mapping[str, Any], table: str) -> float:
    """Rows and entries of one table that a query looks at."""
    row = connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query.text}", values).fetchone()
    pending, seen = [row[0][0]["Plan"]], 0.0
    while pending:
        node = pending.pop()
        pending += node.get("Plans", ())
        if node.get("Relation Name") == table:
            seen += (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
    return seen


def _note(node: Mapping[str, Any], found: Found) -> None:
    kind, loops = node["Node Type"], node["Actual Loops"]
    found.nodes.append(kind)
    if "Index Name" in node:
        found.indexes.add(node["Index Name"])
        found.searches += node.get("Index Searches", 0)
    found.bounded |= names_in(node.get("Index Cond", ""))
    if "Scan" not in kind:
        return
    found.filtered |= names_in(node.get("Filter", ""))
    seen = node["Actual Rows"] * loops
    if kind == "Bitmap Index Scan":
        found.entries += seen
        return
    seen += (node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)) * loops
    if kind in ("Index Scan", "Index Only Scan"):
        found.entries += seen
    if kind == "Index Only Scan":
        found.fetches += node.get("Heap Fetches", 0)
    else:
        found.heap += seen


def only(connection: Any, names: Iterable[str]) -> None:
    """No other index of the table may be used, until all is undone."""
    connection.execute(
        "UPDATE pg_index SET indisvalid = false FROM pg_class c"
        " WHERE c.oid = indexrelid AND indrelid = 'orders'::regclass AND relname <> ALL(%s)",
        (list(names),),
    )


def pages_read(connection: Any) -> dict[str, int]:
    """Pages read in this transaction, by index."""
    said = "SELECT indexrelid::regclass::text, pg_stat_get_xact_blocks_fetched(indexrelid) FROM pg_index"
    return dict(connection.execute(f"{said} WHERE indrelid = 'orders'::regclass").fetchall())


def pages(connection: Any, index: str) -> int:
    """Pages of an index."""
    found = connection.execute("SELECT relpages FROM pg_class WHERE relname = %s", (index,)).fetchone()
    return int(found[0])


@contextmanager
def tried(connection: Any) -> Iterator[None]:
    """All that is done inside is undone."""
    from psycopg import Rollback  # noqa: PLC0415 (only where an engine is used)

    with connection.transaction():
        yield
        raise Rollback


def set_to(connection: Any, settings: Mapping[str, str]) -> None:
    for name, setting in settings.items():
        connection.execute(f"SET LOCAL {name} = {setting}")
