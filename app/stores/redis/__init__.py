"""Redis: values by key, each with a type of its own; a cache, counters, boards, queues."""

from __future__ import annotations

from app.stores.redis.catalog import catalog_entry
from app.stores.redis.dialect import DIALECT
from app.stores.redis.facts import CONSISTENCY, FACTS
from app.stores.redis.problems import problems
from app.stores.redis.query import query
from app.stores.redis.records import records
from app.stores.redis.script import script
from app.stores.store import Capabilities, Store

STORE = Store(
    name="redis",
    title="Redis",
    family="key-value",
    about="Values by key in memory: strings, hashes, lists, sets, sorted sets, streams. Nothing finds a value but its"
    " key; usually in front of a store that keeps the truth.",
    homepage="https://redis.io/docs/latest/",
    versions=("6.2", "7.0", "7.2", "7.4", "8.0"),
    facts=FACTS,
    dialect=DIALECT,
    can=Capabilities(
        by_key_only=True,
        durable=False,
        shards_by="hash slot",
        expires=True,
        consistency=CONSISTENCY,
    ),
    structure_word="keys",
    structure_keys=frozenset(
        {
            "type",
            "format",
            "member",
            "score",
            "value",
            "counts",
            "max",
            "on_change",
            "owner",
            "ttl",
            "purpose",
            "truth",
        }
    ),
    records=records,
    problems=problems,
    script=script,
    query=query,
    script_language="shell",
    evidence="reads, writes, slots and sizes held against Valkey 9.1",
    hints={
        "version": "8.0",
        "nodes": "3",
        "options": "maxmemory: 8 GB, appendonly: everysec",
        "key": "order.created_at desc",
        "template": "orders:{order.user_id}",
        "structure": '{keys: "cache:ENTITY:{ENTITY.id}", type: hash, of: ENTITY, ttl: 300 s}',
    },
    word={
        "structure": "key family",
        "record": "value",
        "partition": "key",
        "index": "member order",
        "attribute": "field",
    },
    catalog=catalog_entry,
)
