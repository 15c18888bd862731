"""What Redis limits and what its vendors recommend, each with its source."""

from __future__ import annotations

from collections.abc import Mapping

from app.stores.store import Fact

READ = "2026-11"
DOCS = "redis/docs:content/"
TYPES = DOCS + "develop/data-types/"
CLUSTER = DOCS + "operate/oss_and_stack/reference/cluster-spec.md"
TUNING = DOCS + "operate/oss_and_stack/management/optimization/memory-optimization.md"
UNITS = "https://redis.io/docs/latest/embeds/rc-pro-billing-units"
BIG_KEYS = "https://support.huaweicloud.com/intl/en-us/bestpractice-dcs/dcs-bp-0220411.html"
SOURCE = "redis/redis@4f8cdc2:src/"

MIB = 1024 * 1024
PLANNING = "planning figure of one vendor; measure your own instance"
OPINION = "one vendor's threshold for a big key, not a limit of the server"


def _hard(value: float, unit: str, source: str, note: str = "") -> Fact:
    return Fact(value, unit, source, READ, note)


def _soft(value: float, unit: str, source: str, note: str = "", *, assumed: bool = False) -> Fact:
    return Fact(value, unit, source, READ, note, assumed, "soft")


FACTS: Mapping[str, Fact] = {
    "max_record_bytes": _hard(512 * MIB, "bytes", TYPES + "strings/_index.md", "one string value"),
    "max_key_bytes": _hard(512 * MIB, "bytes", DOCS + "develop/using-commands/keyspace.md"),
    "key_bytes_soft": _soft(1024, "bytes", DOCS + "develop/using-commands/keyspace.md", "hash it"),
    "partition_writes_per_second": _soft(25_000, "commands/s", UNITS, PLANNING, assumed=True),
    "partition_reads_per_second": _soft(25_000, "commands/s", UNITS, PLANNING, assumed=True),
    "node_commands_per_second": _soft(
        100_000,
        "commands/s",
        "https://help.aliyun.com/en/redis/product-overview/read-or-write-splitting-cluster-instances",
        "ceiling of one process with cheap commands and no pipeline",
        assumed=True,
    ),
    "partition_bytes": _soft(50 * MIB, "bytes", BIG_KEYS, OPINION, assumed=True),
    "partition_rows": _soft(5000, "elements", BIG_KEYS, OPINION, assumed=True),
    "string_bytes_soft": _soft(10_240, "bytes", BIG_KEYS, OPINION, assumed=True),
    "shard_bytes": _soft(25 * 1024 * MIB, "bytes", UNITS, PLANNING, assumed=True),
    "max_list_elements": _hard(2**32 - 1, "elements", TYPES + "lists.md"),
    "max_set_members": _hard(2**32 - 1, "members", TYPES + "sets.md"),
    "hash_slots": _hard(16_384, "slots", CLUSTER, "CRC16 of the key, or of its {tag}"),
    "cluster_nodes": _soft(1000, "nodes", CLUSTER),
    "hash_listpack_entries": _soft(512, "fields", TUNING, "hash-max-listpack-entries, settable"),
    "hash_listpack_value": _soft(64, "bytes", TUNING, "hash-max-listpack-value, settable"),
    "zset_listpack_entries": _soft(128, "members", TUNING, "zset-max-listpack-entries, settable"),
    "zset_listpack_value": _soft(64, "bytes", TUNING, "zset-max-listpack-value, settable"),
    "set_listpack_entries": _soft(128, "members", TUNING, "since 7.2; before, a hash table"),
    "set_intset_entries": _soft(512, "members", TUNING, "sets of whole numbers only"),
    "list_node_bytes": _soft(8192, "bytes", SOURCE + "config.c", "list-max-listpack-size -2"),
    "stream_node_entries": _soft(100, "entries", SOURCE + "config.c"),
    "stream_node_bytes": _soft(4096, "bytes", SOURCE + "config.c", "allocated with the first entry"),
    "embedded_string_bytes": _soft(44, "bytes", SOURCE + "object.c", "stored with its object"),
    "hyperloglog_bytes": _soft(12_304, "bytes", "measured: redis 7.0.15", "dense form"),
    "max_clients": _soft(10_000, "connections", SOURCE + "config.c", "default, settable"),
    "pipeline_commands": _soft(10_000, "commands per batch", DOCS + "develop/using-commands/pipelining.md"),
    "scan_count": _soft(10, "elements per call", DOCS + "commands/scan.md", "default of COUNT"),
    "keys_stall_ms": _soft(
        236, "milliseconds per million keys", "measured: redis on 2 cores", "KEYS blocks the server"
    ),
    "append_loss_seconds": _soft(
        1,
        "seconds",
        DOCS + "operate/oss_and_stack/management/persistence.md",
        "written and lost at most, appendfsync everysec",
    ),
}

CONSISTENCY: Mapping[str, str] = {
    "strong": "read from the primary; a failover may still lose writes that were acknowledged",
    "read your writes": "the same primary",
    "causal": "the same primary",
    "eventual": "a replica, or a cached value within its time to live",
    "historical": "what was written at the time",
}
"""Setting that gives each need. Source: redis/docs, replication and cluster-spec."""
