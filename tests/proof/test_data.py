"""Made-up data: counts, keys, spreads and skew of the project; the same from the same seed."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest

from app.examples import EXAMPLES
from app.model.text import read_yaml
from app.plan.types import Edge
from app.plan.world import build_world
from app.proof.data import Data
from app.proof.generate import Generator
from app.proof.scale import counts_at, default_scale, scaled

MOMENT = datetime(2026, 12, 1, 12, tzinfo=UTC)


MEMBERS = """
keywright: 1
name: Members
entities:
  - {name: user, count: 30, fields: [id uuid key]}
  - {name: room, count: 30, fields: [id uuid key]}
  - {name: member, count: 300, fields: [user_id uuid, room_id uuid], unique: [[user_id, room_id]]}
relationships:
  - {parent: user, child: member, via: user_id, children: {avg: 10, p99: 15, max: 20}}
  - {parent: room, child: member, via: room_id, children: {avg: 10, p99: 15, max: 20}}
"""


@cache
def data(name: str, scale: float | None = None, seed: int = 1) -> Data:
    project = EXAMPLES[name].project()
    world = build_world(project)
    part = default_scale(world, {}) if scale is None else scale
    return Generator(project, world, counts_at(world, part), part, seed, MOMENT, 6).all()


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_keys_are_unique_and_foreign_keys_lead_somewhere(name: str) -> None:
    made = data(name)
    for entity, keys in made.world.keys.items():
        rows = made.rows.get(entity, [])
        if keys:
            assert len({tuple(r[k] for k in keys) for r in rows}) == len(rows)
    for rel in made.world.rels:
        for row in made.rows.get(rel.child, []):
            if made.rows.get(rel.parent) and row[rel.via[0]] is not None:
                assert len(made.follow(row, Edge(rel, False))) == 1


def test_a_pair_of_parents_that_is_unique_is_there_once() -> None:
    project = read_yaml(MEMBERS)
    world = build_world(project)
    made = Generator(project, world, counts_at(world, 1.0), 1.0, 1, MOMENT, 6).all().rows["member"]
    pairs = [(r["member.user_id"], r["member.room_id"]) for r in made]
    assert len(set(pairs)) == len(pairs) > 100


def test_the_same_seed_makes_the_same_data() -> None:
    assert data("order-page", 2e-5).rows == data.__wrapped__("order-page", 2e-5).rows
    assert data("order-page", 2e-5).rows != data("order-page", 2e-5, seed=2).rows


def test_counts_follow_the_scale_and_nothing_is_beyond_the_cap() -> None:
    made = data("order-page")
    assert max(map(len, made.rows.values())) <= 20_000
    assert len(made.rows["line_item"]) / len(made.rows["order"]) == pytest.approx(3, rel=0.01)
    assert len(made.rows["user"]) / len(made.rows["order"]) == pytest.approx(1 / 60, rel=0.02)


def test_children_are_spread_as_said() -> None:
    made = data("blog")
    rel = next(r for r in made.world.rels if r.role == "post")
    sizes = sorted(len(made.follow(p, Edge(rel, True))) for p in made.rows["post"])
    assert sum(sizes) / len(sizes) == pytest.approx(10)
    assert 50 < sizes[int(len(sizes) * 0.99)] < 130
    assert sizes[len(sizes) // 2] < 10


def test_values_have_their_shares() -> None:
    made = data("order-page")
    met = Counter(r["order.status"] for r in made.rows["order"])
    total = len(made.rows["order"])
    assert met["shipped"] / total == pytest.approx(0.93, abs=0.02)
    assert met["open"] / total == pytest.approx(0.02, abs=0.01)


def test_times_rise_within_what_is_kept() -> None:
    made = data("sensors")
    times = [r["reading.at"] for r in made.rows["reading"]]
    assert times == sorted(set(times))
    assert MOMENT - timedelta(days=60) <= times[0]
    assert times[-1] <= MOMENT


def test_identifiers_in_time_order_sort_byte_by_byte() -> None:
    comments = data("blog").rows["comment"]
    ids = [r["comment.id"].bytes for r in comments]
    assert [i[:6] for i in ids] == sorted(i[:6] for i in ids)


def test_strings_have_their_bytes() -> None:
    posts = data("blog").rows["post"]
    sizes = [len(r["post.content"]) for r in posts]
    assert 3000 < sum(sizes) / len(sizes) < 5500
    assert max(sizes) <= 60 * 1024


def test_figures_are_made_of_the_rows() -> None:
    made = data("order-page", 2e-5)
    order = made.rows["order"][0]
    lines = made.find(("line_item.order_id",), (order["order.id"],))
    right = sum(r["line_item.qty"] * r["line_item.unit_price_cents"] for r in lines)
    assert made.value(order, "=order.total_cents") == right


def test_the_scaled_project_has_the_numbers_of_the_data() -> None:
    project = EXAMPLES["blog"].project()
    world = build_world(project)
    made = Generator(project, world, counts_at(world, 0.001), 0.001, 1, MOMENT, 6).all()
    small = build_world(scaled(project, made, 0.001))
    assert small.counts["comment"] == len(made.rows["comment"])
    rel = next(r for r in small.rels if r.role == "post")
    biggest = max(len(made.follow(p, Edge(rel, True))) for p in made.rows["post"])
    assert rel.children.max == biggest


def test_changes_are_undone() -> None:
    made = data("order-page", 2e-5)
    user = made.rows["user"][0]
    by_name = made.find(("user.name",), (user["user.name"],))
    assert user in by_name
    back = made.change("user", user, {"user.name": "nobody"})
    assert made.find(("user.name",), ("nobody",)) == [user]
    back()
    assert made.find(("user.name",), ("nobody",)) == ()
    gone = made.remove("user", user)
    assert user not in made.rows["user"]
    gone()
    assert made.rows["user"][0] is user
