"""MongoDB: documents in collections, sorted indexes, transactions, sharding by key ranges."""

from __future__ import annotations

from app.stores.mongodb.dialect import DIALECT
from app.stores.mongodb.facts import CONSISTENCY, FACTS
from app.stores.mongodb.problems import problems
from app.stores.mongodb.query import query
from app.stores.mongodb.records import records
from app.stores.mongodb.script import script
from app.stores.store import Capabilities, Store

STORE = Store(
    name="mongodb",
    title="MongoDB",
    family="document",
    about="Documents with nested lists and objects; indexes on any field, also inside lists; "
    "transactions across documents; sharding by ranges or hashes of a key.",
    homepage="https://www.mongodb.com/docs/manual/",
    versions=("5.0", "6.0", "7.0", "8.0"),
    facts=FACTS,
    dialect=DIALECT,
    can=Capabilities(
        embeds=True,
        indexes=True,
        shards_by="shard key",
        range_sharded=True,
        expires=True,
        consistency=CONSISTENCY,
    ),
    structure_word="collection",
    structure_keys=frozenset({"id_", "indexes", "shard_key", "ttl", "schema_version", "bucket"}),
    records=records,
    problems=problems,
    script=script,
    query=query,
    script_language="javascript",
    evidence="reads, writes and refusals held against MongoDB 6.0; shards modelled",
    hints={
        "version": "8.0",
        "nodes": "3",
        "options": "write concern: majority",
        "key": "order.user_id, order.created_at desc",
        "template": "{order.user_id|hash 16}",
        "structure": "{collection: ENTITIES, of: ENTITY, _id: ENTITY.id}",
    },
    word={
        "structure": "collection",
        "record": "document",
        "partition": "shard",
        "index": "index",
        "attribute": "field",
    },
)
