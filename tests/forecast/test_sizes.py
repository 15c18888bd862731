"""Sizes of partitions and records over time."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.analysis import analyse
from app.forecast.breakeven import EmbedOrReference
from app.forecast.load import PartitionSize, StructureLoad
from app.memory import Memory
from app.model.spread import Spread
from app.model.text import read_yaml

DAY = 86_400
GB = 1024**3


def structure(text: str, model: int = 0) -> StructureLoad:
    return next(iter(analyse(read_yaml(text), Memory()).models[model].loads.values()))


def partition(text: str, path: str, model: int = 0) -> PartitionSize:
    return next(p for p in structure(text, model).partitions if p.path == path)


class TestTimeBuckets:
    def test_live_rows_and_rows_until_purged_are_told_apart(self, shared: Path) -> None:
        found = partition((shared / "cases/C17.yaml").read_text(), "node_metrics")
        assert found.rows.avg == pytest.approx(4e6)
        assert found.purged_rows == pytest.approx(24e6)
        assert found.purged_bytes / GB == pytest.approx(3.35, abs=0.01)

    def test_a_host_in_the_key_divides_by_the_hosts(self, shared: Path) -> None:
        text = (shared / "cases/C17.yaml").read_text()
        text = text.replace("[metric.cluster, metric.type, hour", "[metric.cluster, metric.type, metric.host, hour")
        found = partition(text, "node_metrics")
        assert found.purged_rows == pytest.approx(120_000)
        assert found.purged_bytes == pytest.approx(3.6e9 / 200)


GROWING = """
keywright: 1
name: Chat
horizon: 4 years
entities:
  - {name: room, count: 1000, fields: [id uuid key]}
  - {name: message, count: 100M, GROWTH size: 1 KB, fields: [id uuid key, room_id uuid, at datetime]}
relationships:
  - {parent: room, child: message, via: room_id, children: {avg: 100k, p99: 100k, max: 200k}}
models:
  - name: A
    store: cassandra
    structures:
      - {table: messages, of: message, partition key: [message.room_id], clustering key: [message.at, message.id]}
"""


class TestGrowth:
    def test_children_of_one_parent_grow_with_their_number(self) -> None:
        now = partition(GROWING.replace("GROWTH", ""), "messages")
        assert now.rows == Spread(100_000, 100_000, 200_000)
        later = partition(GROWING.replace("GROWTH", "growth: 100M/year,"), "messages")
        assert later.rows.max == pytest.approx(200_000 * 5, rel=0.01)
        assert later.unbounded

    def test_the_day_a_limit_is_passed(self) -> None:
        text = GROWING.replace("GROWTH", "growth: 100M/year,").replace("100k", "50k").replace("200k", "80k")
        found = partition(text.replace("100M, g", "50M, g").replace("100M/year", "50M/year"), "messages")
        assert found.crosses_p99 == pytest.approx(365 * DAY, rel=0.01)  # 100,000 rows
        assert found.crosses_max == pytest.approx(365 * DAY * 0.25, rel=0.02)

    def test_growth_in_percent_compounds(self) -> None:
        found = partition(GROWING.replace("GROWTH", "growth: 100%/year,"), "messages")
        assert found.rows.avg == pytest.approx(100_000 * 16)

    def test_one_record_for_each_key_never_grows(self, shared: Path) -> None:
        found = partition((shared / "cases/C07.yaml").read_text(), "users")
        assert found.rows == Spread(1, 1, 1)
        assert not found.unbounded


class TestRecords:
    def test_p99_passes_the_limit_though_the_average_is_small(self, shared: Path) -> None:
        load = structure((shared / "cases/C12.yaml").read_text())
        size = load.record_now["analysis/person"]
        assert size.avg / 1024 == pytest.approx(24.5, abs=0.5)
        assert size.high / 1024 == pytest.approx(541, abs=2)
        assert load.record_crosses["analysis/person"] == (0.0, None)

    def test_the_day_an_array_fills_a_document(self, shared: Path) -> None:
        crosses = structure((shared / "cases/C20.yaml").read_text()).record_crosses["user_edits"]
        assert crosses[0] == pytest.approx((496.3 - 200) / 3 * DAY, rel=0.01)
        assert crosses[1] == 0

    def test_a_child_meets_large_parents(self) -> None:
        assert Spread(10, 80).met_by_size == pytest.approx(42.9, abs=0.05)


def test_local_index_entries_count_for_the_collection(shared: Path) -> None:
    found = partition((shared / "cases/C10.yaml").read_text(), "tasks", 1)
    assert found.local
    assert found.bytes.avg == pytest.approx(2 * 30e6 * 2048)
    assert found.limit == 10 * GB
    assert found.crosses_p99 == 0


class TestBreakEven:
    def test_both_sides_cost_the_same_where_it_flips(self) -> None:
        found = EmbedOrReference(1000, 500, together=5, page=0, page_size=0, alone=20, changes=1)
        flips = found.flips_at
        assert flips is not None
        assert found.embed(flips) == pytest.approx(found.reference(flips))

    def test_pages_move_the_point(self) -> None:
        found = EmbedOrReference(1000, 500, together=0, page=50, page_size=20, alone=0, changes=1)
        flips = found.flips_at
        assert flips is not None
        assert flips > 20
        assert found.embed(flips) == pytest.approx(found.reference(flips))

    def test_children_always_wanted_and_never_changed_are_embedded(self) -> None:
        assert EmbedOrReference(1000, 500, together=5, page=0, page_size=0, alone=0, changes=0).flips_at is None
