"""What PostgreSQL limits and recommends, each with its source."""

from __future__ import annotations

from collections.abc import Mapping

from app.stores.store import Fact

READ = "2026-11"
LIMITS = "postgres/postgres:doc/src/sgml/limits.sgml"
MEASURED = "measured: PostgreSQL 18.6, held in tests/engines/test_postgresql_sizes.py"


def _hard(value: float, unit: str, source: str, note: str = "") -> Fact:
    return Fact(value, unit, source, READ, note)


def _soft(value: float, unit: str, source: str, note: str = "") -> Fact:
    return Fact(value, unit, source, READ, note, kind="soft")


FACTS: Mapping[str, Fact] = {
    "max_table_bytes": _hard(32 * 1024**4, "bytes per table or partition", LIMITS, "with pages of 8 KiB"),
    "max_columns": _hard(1600, "columns per table", LIMITS, "fewer where the row does not fit a page"),
    "max_field_bytes": _hard(1024**3, "bytes per value", LIMITS),
    "max_index_fields": _hard(32, "columns per index", LIMITS),
    "max_partition_keys": _hard(32, "columns of a partition key", LIMITS),
    "max_key_bytes": _hard(
        2704, "bytes per B-tree entry", MEASURED, "index row size … exceeds btree version 4 maximum 2704"
    ),
    "max_name_bytes": _hard(63, "bytes of a name", LIMITS, "a longer one is cut, with no more than a notice"),
    "max_parameters": _hard(65_535, "parameters per statement", LIMITS),
    "disk_page_bytes": _soft(
        8192, "bytes per disk page", MEASURED, "a row lies in one page; longer values are moved out"
    ),
    "item_bytes": _soft(4, "bytes of a line pointer", "measured: PostgreSQL 15.18", "for each row and index entry"),
    "toast_bytes": _soft(
        2000,
        "bytes of a row",
        "measured: PostgreSQL 15.18",
        "above it long values are compressed, then stored out of line in pieces",
    ),
    "skip_scan_version": _soft(
        18,
        "version",
        "https://www.postgresql.org/message-id/attachment/176822/master.diff",
        "from it on a B-tree is entered although its first column is not bound, value by value",
    ),
}

CONSISTENCY: Mapping[str, str] = {
    "strong": "read from the primary; SERIALIZABLE where what was read decides what is written",
    "read your writes": "read from the primary",
    "causal": "read from the primary, or a standby whose replay is waited for (synchronous_commit = remote_apply)",
    "eventual": "a standby: it lags behind the primary",
    "historical": "what was copied at writing time",
}
"""Setting that gives each need. Source: https://www.postgresql.org/docs/current/transaction-iso.html and
https://www.postgresql.org/docs/current/warm-standby.html."""
WRITE_CONSISTENCY: Mapping[str, str] = {
    "strong": "synchronous_commit = on, and SERIALIZABLE where what was read decides what is written",
    "read your writes": "synchronous_commit = on; reads from the primary see it",
    "causal": "synchronous_commit = on; reads from the primary see it",
}
"""The same of a write."""
