"""Limits, defaults and soft ceilings of Apache Cassandra, each with its source. Sizes are 1,024-based bytes.

A default (`cassandra.yaml`) can be changed by whoever runs the cluster; the note says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.stores.store import Fact

READ = "2026-11"
DOCS = "https://cassandra.apache.org/doc/5.0/cassandra/"
YAML = DOCS + "managing/configuration/cass_yaml_file.html"
SIZING = DOCS + "developing/data-modeling/data-modeling_refining.html"
LIMITS = "https://docs.datastax.com/en/cql/hcd/reference/cql-limits.html"
PARTITION = "https://docs.datastax.com/en/cassandra_win/2.2/cassandra/planning/planPlanningPartitionSize.html"
NODE = "https://support.huaweicloud.com/eu/cassandraug-nosql/nosql_11_0214.html"
KB, MB = 1024, 1024**2


def _hard(value: float, unit: str, source: str, note: str = "") -> Fact:
    return Fact(value, unit, source, READ, note)


def _soft(value: float, unit: str, source: str, note: str = "", *, assumed: bool = False) -> Fact:
    return Fact(value, unit, source, READ, note, assumed=assumed, kind="soft")


NO_CEILING = (
    "none is published for one partition; this is what a vendor states for a whole node of 16 cores: measure yours"
)

FACTS: Mapping[str, Fact] = MappingProxyType(
    {
        "partition_bytes": _soft(
            100 * MB, "bytes", PARTITION, "also the warning threshold of 4.1; 5.0 warns of nothing"
        ),
        "partition_rows": _soft(100_000, "rows", PARTITION, "the page says values"),
        "partition_cells": _hard(2e9, "cells", SIZING),
        "partition_writes_per_second": _soft(5000, "rows/s", NODE, NO_CEILING, assumed=True),
        "partition_reads_per_second": _soft(5000, "reads/s", NODE, NO_CEILING, assumed=True),
        "max_record_bytes": _hard(
            16 * MB,
            "bytes",
            DOCS + "overview/faq/index.html",
            "one mutation, by default half a commit log segment of 32 MB",
        ),
        "max_value_bytes": _soft(MB, "bytes", LIMITS, "advised for one value; 2 GB in the protocol"),
        "max_key_bytes": _hard(65_535, "bytes", YAML, "the whole partition key; each clustering value by itself too"),
        "cell_bytes": _soft(8, "bytes per value that is no key", SIZING, "timestamps are packed on disk: less there"),
        "ttl_cell_bytes": _soft(
            8,
            "bytes per value with a TTL",
            "https://docs.datastax.com/en/ddaccql/doc/cql/cql_using/useExpire.html",
        ),
        "tombstone_warn": _soft(1000, "tombstones per read", YAML, "default: logged"),
        "tombstone_fail": _hard(100_000, "tombstones per read", YAML, "default: the read fails"),
        "gc_grace_seconds": _soft(
            864_000,
            "seconds",
            DOCS + "developing/cql/ddl.html",
            "default: tombstones stay at least so long",
        ),
        "batch_warn_bytes": _soft(5 * KB, "bytes", YAML, "default: logged"),
        "batch_fail_bytes": _hard(50 * KB, "bytes", YAML, "default: the batch fails"),
        "batch_partitions_warn": _soft(10, "partitions", YAML, "default, unlogged batches"),
        "batch_statements": _hard(65_535, "statements", LIMITS),
        "query_parameters": _hard(65_535, "parameters", LIMITS),
        "max_ttl_seconds": _hard(
            630_720_000,
            "seconds",
            "apache/cassandra: Attributes.MAX_TTL",
            "20 years; more is refused",
        ),
        "twcs_windows": _soft(50, "windows in the TTL", "https://github.com/jeffjirsa/twcs", "at most, as a rule"),
        "twcs_window_seconds": _soft(
            86_400,
            "seconds",
            DOCS + "managing/operating/compaction/twcs.html",
            "default window of TimeWindowCompactionStrategy",
        ),
        "lwt_round_trips": _soft(
            4,
            "round trips",
            "https://www.pythian.com/blog/lightweight-transactions-cassandra",
            "IF …; 2 with Paxos v2, from 4.1 on",
        ),
        "view_extra_columns": _hard(
            1,
            "column",
            DOCS + "developing/cql/mvs.html",
            "a view's key has the table's key and one more column",
        ),
        "view_lag_seconds": _soft(
            1, "seconds", DOCS + "developing/cql/mvs.html", "no figure is published", assumed=True
        ),
        "index_term_bytes": _hard(8 * KB, "bytes", YAML, "SAI, text or frozen; warned from 1 KB on; default"),
        "replicas": _soft(3, "replicas", "apache/cassandra:conf/cassandra.yaml", "suggested; the default is 1"),
    }
)
"""By slug. Partition ceilings are assumed: replace them with a measurement."""

FILTERING = (
    "Cannot execute this query as it might involve data filtering and thus may have unpredictable"
    " performance. If you want to execute this query despite the performance unpredictability, use"
    " ALLOW FILTERING"
)
"""What Cassandra 3.10 and later answer. apache/cassandra: cql3/restrictions/StatementRestrictions.java."""
