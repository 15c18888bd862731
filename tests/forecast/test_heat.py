"""Heat of the hottest partition: the share of the busiest value decides, never the mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.analysis import analyse
from app.forecast.load import PathLoad
from app.memory import Memory
from app.model.text import read_yaml

STATUS = """
keywright: 1
name: Requests
entities:
  - name: request
    count: 5M
    size: 1 KB
    fields:
      - id uuid key
      - {name: status, type: enum, values: {pending: 2%, accepted: 5%, confirmed: 90%, failed: 3%}}
patterns:
  - {operation: New, insert: request, set: {request.status: pending}, rate: {peak: 1500/s}}
MORE
models:
  - name: A
    store: dynamodb
    structures:
      - table: requests
        records: [{of: request, pk: "{request.id}"}]
        gsi: [{name: by_status, pk: "PK", of: [request], projection: all}]
"""
ACCEPT = """  - operation: Accept
    update: request
    where: "request.id = :id and request.status = 'pending'"
    set: {request.status: accepted}
    rate: {peak: 1500/s}"""


def loads(text: str, model: int = 0) -> dict[str, PathLoad]:
    report = analyse(read_yaml(text), Memory())
    return {p.path: p for load in report.models[model].loads.values() for p in load.paths}


def status(pk: str = "{request.status}", more: str = "") -> PathLoad:
    return loads(STATUS.replace("PK", pk).replace("MORE", more))["requests.by_status"]


class TestStatusIndex:
    def test_a_literal_takes_all_inserts(self) -> None:
        found = status()
        assert found.writes == 1500
        assert found.heats[0].share == 1
        assert found.heats[0].value == "pending"

    def test_a_change_of_the_key_counts_on_the_old_value_and_on_the_new(self) -> None:
        assert status(more=ACCEPT).writes == 3000  # inserts and removals meet on `pending`

    def test_shards_divide_writes(self) -> None:
        assert status("{request.status}#{shard 4}").writes == 375

    def test_a_constant_is_one_partition(self) -> None:
        assert status("ALL").writes == 1500

    def test_the_table_itself_is_cool(self) -> None:
        assert loads(STATUS.replace("PK", "{request.status}").replace("MORE", ""))["requests"].writes < 0.01


SKEW = """
keywright: 1
name: Limits
entities:
  - {name: tenant, count: 10k, fields: [id string key avg 12]}
  - {name: bucket, count: 50k, size: 200, fields: [tenant_id string key, name string key avg 8, tokens int32]}
relationships:
  - {parent: tenant, child: bucket, via: tenant_id, children: {avg: 5, max: MAX}}
patterns:
  - operation: Take
    update: bucket
    where: "bucket.tenant_id = :t and bucket.name = :b"
    set: {bucket.tokens: -1}
    rate: 8k/s
    SKEW
models:
  - name: A
    store: dynamodb
    structures:
      - table: limits
        records: [{of: bucket, pk: "T#{bucket.tenant_id}", sk: "B#{bucket.name}"}]
"""


def taken(skew: str, most: str = "20") -> PathLoad:
    return loads(SKEW.replace("SKEW", skew).replace("MAX", most))["limits"]


class TestSkew:
    def test_the_share_of_the_largest_key_counts(self) -> None:
        assert taken("skew: {bucket.tenant_id: top value 20%}").writes == pytest.approx(1600)

    def test_a_skew_may_name_the_parent(self) -> None:
        assert taken("skew: {tenant.id: top value 20%}").writes == pytest.approx(1600)

    def test_without_a_skew_the_largest_parent_counts(self) -> None:
        assert taken("").writes == pytest.approx(8000 * 20 / 50_000)

    def test_a_largest_parent_without_bound_is_unknown(self) -> None:
        found = taken("", "none")
        assert found.share_unknown == ("bucket.tenant_id",)
        assert found.heats[0].bound == 1


TABLE = """
keywright: 1
name: Shop
entities:
  - {name: user, count: 1000, size: 1 KB, fields: [id string key]}
  - {name: product, count: 1000, size: 1 KB, fields: [id string key]}
patterns:
  - {operation: Change user, update: user, where: "user.id = :u", rate: 600/s, skew: {user.id: top value 100%}}
  - {operation: Change it, update: product, where: "product.id = :p", rate: 700/s, skew: {product.id: top value 100%}}
models:
  - name: A
    store: dynamodb
    structures:
      - table: shop
        records: [{of: user, pk: "U#{user.id}", sk: U}, {of: product, pk: "P#{product.id}", sk: P}]
"""


def test_keys_with_different_texts_are_different_partitions() -> None:
    assert loads(TABLE)["shop"].writes == 700


def test_a_batch_counts_every_record_once(shared: Path) -> None:
    text = (shared / "cases" / "C17.yaml").read_text()
    assert loads(text)["node_metrics"].writes == pytest.approx(200 * 2000 / 60)


def test_rising_keys_meet_at_the_end_of_the_range(shared: Path) -> None:
    text = (shared / "cases" / "C25.yaml").read_text()
    assert loads(text)["orders._id"].writes == 4000
    assert loads(text, 1)["orders._id"].writes == pytest.approx(2400)


def test_an_index_in_the_same_partition_adds_to_it(shared: Path) -> None:
    text = (shared / "cases" / "C10.yaml").read_text()
    assert loads(text)["tasks.all_by_time"].writes == 2400
    assert loads(text, 1)["tasks"].writes == 4800  # the item and its local entry
