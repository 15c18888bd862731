"""What MongoDB limits and recommends, each with its source."""

from __future__ import annotations

from collections.abc import Mapping

from app.stores.store import Fact

READ = "2026-11"
MANUAL = "mongodb/docs:content/manual/manual/source/"
MIRROR = "rkumar-mongo/docs@ee7e998:source/"
SKILLS = "mongodb/agent-skills@a2bc4ec:skills/mongodb-schema-design/"
COMPASS = "mongodb-js/compass@9bb94bc:packages/"
LIMITS = MANUAL + "reference/limits.txt"
SERIES = MANUAL + "core/timeseries/timeseries-limitations.txt"
SPECS = "mongodb/specifications:source/retryable-writes/tests/README.md"

MIB = 1024 * 1024


def _hard(value: float, unit: str, source: str, note: str = "") -> Fact:
    return Fact(value, unit, source, READ, note)


def _soft(value: float, unit: str, source: str, note: str = "") -> Fact:
    return Fact(value, unit, source, READ, note, kind="soft")


FACTS: Mapping[str, Fact] = {
    "max_record_bytes": _hard(16 * MIB, "bytes", SPECS, "one document"),
    "max_indexes": _hard(64, "indexes per collection", LIMITS, "_id counts"),
    "sort_memory_bytes": _soft(
        100 * MIB,
        "bytes",
        MIRROR + "includes/fact-agg-memory-limit.rst",
        "a sort above it fails up to 5.x and spills to disk since 6.0",
    ),
    "points_with_sort": _soft(
        200,
        "values",
        MANUAL + "tutorial/equality-sort-range-guideline.txt",
        "$in of 201 values or more acts as a range; so does a 6.0 server; the number may change by version",
    ),
    "hash_join_documents": _soft(
        10_000,
        "documents",
        "mongodb/mongo:src/mongo/db/query/query_knobs.idl",
        "$lookup without an index reads a collection of so many once and hashes it (6.0), a longer one each time",
    ),
    "partition_bytes": _soft(
        128 * MIB,
        "bytes",
        MANUAL + "core/sharding-data-partitioning.txt",
        "default range size of a sharded collection; one shard-key value above it cannot be split",
    ),
    "max_nesting": _hard(100, "levels", LIMITS, "each object or array is one level"),
    "max_index_fields": _hard(32, "fields per compound index", LIMITS),
    "max_array_fields": _hard(1, "array field per index entry", MIRROR + "core/index-multikey.txt"),
    "max_text_indexes": _hard(1, "text index per collection", MIRROR + "includes/fact-text-index-limit-one.rst"),
    "max_namespace_bytes": _hard(
        255, "bytes", MIRROR + "includes/fact-collection-namespace-limit.rst", "database.collection"
    ),
    "message_bytes": _hard(48_000_000, "bytes", SPECS, "one request on the wire"),
    "writes_per_batch": _hard(100_000, "writes", LIMITS, "drivers split longer batches"),
    "transaction_seconds": _hard(60, "seconds", LIMITS, "default lifetime; settable"),
    "transaction_lock_ms": _soft(
        5,
        "milliseconds",
        MIRROR + "core/transactions-production-consideration.txt",
        "how long a transaction waits for a lock before it gives up",
    ),
    "ttl_seconds": _soft(
        60,
        "seconds",
        MIRROR + "includes/fact-ttl-collection-background-timing.rst",
        "how often expired documents are looked for; under load they live longer",
    ),
    "ttl_deletes": _soft(50_000, "documents per index and pass", MANUAL + "core/index-ttl.txt"),
    "series_bucket_records": _hard(1000, "measurements", SERIES),
    "series_bucket_bytes": _hard(125 * 1024, "bytes", SERIES),
    "series_record_bytes": _hard(4 * MIB, "bytes", SERIES, "one measurement"),
    "replica_set_members": _soft(
        3, "nodes", MANUAL + "core/replica-set-architecture-three-members.txt", "the usual members of one shard"
    ),
    "balance_bytes": _soft(
        384 * MIB,
        "bytes",
        MANUAL + "core/sharding-balancer-administration.txt",
        "difference between shards from which ranges are moved",
    ),
    "min_index_bytes": _soft(8192, "bytes", MANUAL + "data-modeling/best-practices.txt"),
    "record_bytes_soft": _soft(
        MIB, "bytes", SKILLS + "references/fundamental-document-size.md", "keep documents below"
    ),
    "record_bytes_bloated": _soft(
        10_000_000, "bytes", COMPASS + "compass-crud/src/utils/index.ts", "Compass warns above"
    ),
    "embedded_children": _soft(
        100, "children", SKILLS + "SKILL.md", "embed below about this many, and only bounded lists"
    ),
    "large_array": _soft(250, "elements", COMPASS + "compass-crud/src/utils/index.ts", "Compass warns from here"),
    "many_indexes": _soft(10, "indexes per collection", COMPASS + "compass-indexes/src/components/indexes/indexes.tsx"),
    "many_collections": _soft(10_000, "collections", COMPASS + "databases-collections-list/src/databases.tsx"),
}

CONSISTENCY: Mapping[str, str] = {
    "strong": "read from the primary with readConcern linearizable, write with w: majority",
    "read your writes": "a causal session with readConcern majority and w: majority, or the primary",
    "causal": "a causal session with readConcern majority and w: majority",
    "eventual": "a secondary read preference",
    "historical": "what was copied at writing time",
}
"""Setting that gives each need. Source: mongodb/docs, read-isolation-consistency-recency."""
WRITE_CONSISTENCY: Mapping[str, str] = {
    "strong": "acknowledged by a majority of the members, whatever fails then",
    "read your writes": "acknowledged by a majority; reads in the same causal session see it",
    "causal": "acknowledged by a majority, in a causal session",
}
"""The same of a write: a read concern says nothing about it."""
