"""Limits, ceilings and prices of DynamoDB, each with its source. Sizes are 1,024-based bytes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.stores.store import Fact

READ = "2026-11"
GUIDE = "awsdocs/amazon-dynamodb-developer-guide@8229480:doc_source/"
QUOTAS = GUIDE + "ServiceQuotas.md"
PARTITIONS = GUIDE + "bp-partition-key-design.md"
CAPACITY = GUIDE + "ProvisionedThroughput.md"
SIZES = GUIDE + "CapacityUnitCalculations.md"
SITE = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
COSTS = (
    "aws/agent-toolkit-for-aws@d6ad2e4:skills/specialized-skills/database-skills/"
    "amazon-dynamodb/scripts/calculate_costs.py"
)
PRICES = "https://aws.amazon.com/dynamodb/pricing/provisioned/"
KB, MB, GB = 1024, 1024**2, 1024**3


def _hard(value: float, unit: str, source: str, note: str = "") -> Fact:
    return Fact(value, unit, source, READ, note)


def _soft(value: float, unit: str, source: str, note: str = "", *, assumed: bool = False) -> Fact:
    return Fact(value, unit, source, READ, note, assumed=assumed, kind="soft")


def _price(value: float, unit: str, source: str) -> Fact:
    return Fact(value, unit, source, READ, "us-east-1, Standard table class", kind="price")


FACTS: Mapping[str, Fact] = MappingProxyType(
    {
        "max_record_bytes": _hard(
            400 * KB, "bytes", QUOTAS, "attribute names count; with LSIs, their entries count too"
        ),
        "max_key_bytes": _hard(2048, "bytes", QUOTAS, "partition key value; at least 1"),
        "max_sort_key_bytes": _hard(1024, "bytes", QUOTAS, "sort key value; at least 1"),
        "max_nesting_levels": _hard(32, "levels", QUOTAS),
        "partition_writes_per_second": _hard(
            1000, "write units/s", PARTITIONS, "each GSI has partitions of its own; on demand too"
        ),
        "partition_reads_per_second": _hard(
            3000, "read units/s", PARTITIONS, "each GSI has partitions of its own; on demand too"
        ),
        "split_partition_bytes": _soft(
            10 * GB,
            "bytes",
            QUOTAS,
            "a partition splits near this size, by sort key where the table has no LSI",
        ),
        "lsi_collection_bytes": _hard(
            10 * GB, "bytes", GUIDE + "LSI.md", "item collection of a table with at least one LSI"
        ),
        "max_indexes": _soft(20, "GSIs per table", QUOTAS, "can be raised on request"),
        "max_local_indexes": _hard(5, "LSIs per table", QUOTAS, "only when the table is created"),
        "max_projected_attributes": _hard(100, "attributes", QUOTAS, "listed in INCLUDE, over all indexes of a table"),
        "max_key_attributes": _hard(
            4,
            "attributes",
            SITE + "GSI.DesignPattern.MultiAttributeKeys.html",
            "partition and sort key each; GSIs only, tables have one of each",
        ),
        "gsi_lag_seconds": _soft(1, "seconds", GUIDE + "HowItWorks.ReadConsistency.md", "usually less", assumed=True),
        "gsi_key_change_writes": _hard(2, "entries", GUIDE + "GSI.md", "the old entry is removed and a new one put"),
        "page_bytes": _hard(MB, "bytes", GUIDE + "Query.md", "before filter and projection; Query and Scan"),
        "batch_get_items": _hard(100, "items", QUOTAS, "at most 16 MB; not atomic"),
        "batch_write_items": _hard(25, "items", QUOTAS, "at most 16 MB; not atomic"),
        "batch_bytes": _hard(16 * MB, "bytes", QUOTAS),
        "transaction_items": _hard(100, "items", GUIDE + "transaction-apis.md", "no item twice; not on indexes"),
        "transaction_bytes": _hard(4 * MB, "bytes", GUIDE + "transaction-apis.md"),
        "transaction_factor": _hard(2, "times the units", COSTS, "of the table; index entries cost as always"),
        "transaction_token_seconds": _hard(600, "seconds", GUIDE + "transaction-apis.md"),
        "expression_bytes": _hard(4 * KB, "bytes", QUOTAS),
        "in_operands": _hard(100, "operands", QUOTAS, "IN in a filter; keys take none"),
        "read_unit_bytes": _hard(4 * KB, "bytes", CAPACITY, "half a unit if eventual"),
        "write_unit_bytes": _hard(KB, "bytes", CAPACITY),
        "eventual_read_factor": _hard(0.5, "times the units", CAPACITY),
        "storage_overhead_bytes": _hard(100, "bytes per item or index entry", SIZES, "storage only, no capacity units"),
        "table_units_per_second": _soft(
            40_000, "read and write units/s", QUOTAS, "default quota of a table with its GSIs"
        ),
        "new_table_writes_per_second": _soft(
            4000, "write units/s", SITE + "on-demand-capacity-mode.html", "new table on demand"
        ),
        "new_table_reads_per_second": _soft(
            12_000, "read units/s", SITE + "on-demand-capacity-mode.html", "new table on demand"
        ),
        "burst_seconds": _soft(300, "seconds of unused capacity", PARTITIONS, "not guaranteed"),
        "stream_retention_seconds": _hard(86_400, "seconds", GUIDE + "Streams.md"),
        "ttl_delay_seconds": _soft(
            2 * 86_400,
            "seconds",
            GUIDE + "TTL.md",
            "typical; the page now says a few days: expired items stay readable until then",
        ),
        "price_write_million": _price(0.625, "USD per million write units on demand", COSTS),
        "price_read_million": _price(0.125, "USD per million read units on demand", COSTS),
        "price_storage_gb_month": _price(0.25, "USD per GB and month", COSTS),
        "price_write_unit_hour": _price(0.00065, "USD per provisioned write unit and hour", PRICES),
        "price_read_unit_hour": _price(0.00013, "USD per provisioned read unit and hour", PRICES),
    }
)
"""By slug. No `partition_bytes`: without an LSI an item collection may grow past one partition."""
