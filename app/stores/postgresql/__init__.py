"""PostgreSQL: rows in tables with keys that point to each other, sorted and inverted indexes, joins, transactions."""

from __future__ import annotations

from app.stores.postgresql.dialect import DIALECT
from app.stores.postgresql.facts import CONSISTENCY, FACTS
from app.stores.postgresql.problems import problems
from app.stores.postgresql.query import query
from app.stores.postgresql.records import records
from app.stores.postgresql.script import script
from app.stores.store import Capabilities, Store

STORE = Store(
    name="postgresql",
    title="PostgreSQL",
    family="relational",
    about="Rows in tables that point to each other by keys; joins, indexes of several kinds, lists and documents"
    " inside a row where they are wanted; transactions over all of it on one machine.",
    homepage="https://www.postgresql.org/docs/18/",
    versions=("18", "17", "16", "15"),
    facts=FACTS,
    dialect=DIALECT,
    can=Capabilities(embeds=True, indexes=True, relational=True, consistency=CONSISTENCY),
    structure_word="table",
    structure_keys=frozenset({"primary_key", "foreign_keys", "partition_by", "indexes"}),
    records=records,
    problems=problems,
    script=script,
    query=query,
    script_language="sql",
    evidence="reads, writes, bytes and statements held against PostgreSQL 18",
    hints={
        "version": "18",
        "key": "order.user_id, order.created_at desc",
        "template": "order.created_at|month",
        "structure": "{table: ENTITIES, of: ENTITY, primary key: [ENTITY.id]}",
    },
    word={
        "structure": "table",
        "record": "row",
        "partition": "partition",
        "index": "index",
        "attribute": "column",
    },
)
