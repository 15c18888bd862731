"""Writes that find the records to change by way of others."""

from pathlib import Path

import pytest

from app.model.text import read_yaml
from app.plan.lower import lower_write
from app.plan.types import Level, Plan, Touch
from app.plan.world import build_world
from app.plan.write import plan_write
from app.stores import STORES

PROJECT = read_yaml(Path(__file__).with_name("support.yaml").read_text())
WORLD = build_world(PROJECT)


def planned(store: str, operation: str, leave_out: str = "") -> Plan:
    """The plan on the model of a store, without one of its structures."""
    model = next(m for m in PROJECT.models if m.store == store)
    left = tuple(s for s in model.structures if s.name != leave_out)
    model = model.model_copy(update={"structures": left})
    kinds = [r for s in left for r in STORES[store].records(s, model, WORLD)]
    pattern = PROJECT.pattern(operation)
    assert pattern is not None
    return plan_write(lower_write(pattern, WORLD), kinds, WORLD)


def touch(plan: Plan, structure: str) -> Touch:
    (found,) = [t for t in plan.touches if t.structure.startswith(structure)]
    return found


TABLES = ("cassandra", "dynamodb")


@pytest.mark.parametrize("store", TABLES)
def test_a_figure_in_a_table_whose_key_another_table_holds(store: str) -> None:
    plan = planned(store, "Comment")
    counted = touch(plan, "posts_by_author")
    assert (counted.find, counted.level, counted.reads) == ("posts_by_id", Level.KEY_LOOKUP, 1)
    assert plan.level is Level.KEY_LOOKUP
    assert plan.requests.avg == 3  # one read, two writes
    assert not plan.misses
    assert "posts_by_author: 1 read first, by posts_by_id" in plan.notes


@pytest.mark.parametrize("store", TABLES)
def test_what_the_writer_has_needs_no_read(store: str) -> None:
    plan = planned(store, "Comment on screen", leave_out="posts_by_id")
    counted = touch(plan, "posts_by_author")
    assert (counted.find, counted.reads) == ("key", 0)
    assert not plan.misses


def test_impossible_where_no_other_table_gives_the_key() -> None:
    plan = planned("cassandra", "Comment", leave_out="posts_by_id")
    assert plan.level is Level.IMPOSSIBLE
    assert plan.misses


@pytest.mark.parametrize("store", [*TABLES, "redis"])
def test_a_copy_whose_holders_are_listed_elsewhere(store: str) -> None:
    plan = planned(store, "Rename")
    copied = touch(plan, "posts_by_slug")
    assert copied.find.startswith("posts_by_author")
    assert (copied.reads, copied.count.avg, copied.count.high) == (1, 20, 400)
    assert plan.level is Level.FAN_OUT
    assert not [m for m in plan.misses if m.code != "limit"]


@pytest.mark.parametrize("store", [*TABLES, "redis"])
def test_a_second_copy_found_by_the_record_itself(store: str) -> None:
    plan = planned(store, "Ship")
    copy = touch(plan, "orders_by_buyer")
    assert (copy.find.partition(":")[0], copy.level, copy.reads) == ("order_by_id", Level.KEY_LOOKUP, 1)
    assert plan.level is Level.KEY_LOOKUP


@pytest.mark.parametrize("store", TABLES)
def test_the_old_place_in_an_order_is_learned_first(store: str) -> None:
    plan = planned(store, "Score")
    board = touch(plan, "scores_by_game")
    assert (board.op, board.find, board.reads) == ("move", "score_by_game_and_player", 1)
    assert plan.level is Level.KEY_LOOKUP
    assert not plan.misses


def test_one_of_a_partition_is_picked_by_the_writer() -> None:
    plan = planned("cassandra", "Unfollow")
    gone = touch(plan, "following")
    assert (gone.find, gone.level, gone.reads) == ("following", Level.PARTITION_RANGE, 1)
    assert plan.requests.avg == 2


ROOMS = """
keywright: 1
name: Rooms
entities:
  - {name: room, count: 1k, fields: [id uuid key, {name: last_at, type: datetime, computed: max(message.at)}]}
  - {name: member, count: 5k, fields: [room_id uuid key, user_id uuid key, muted bool]}
  - {name: message, count: 1M, fields: [id uuid key, room_id uuid, at datetime]}
  - {name: place, count: 1k, fields: [id uuid key, city string avg 8, {name: stars, type: double, computed: avg(vote.n)}]}
  - {name: vote, count: 10k, fields: [id uuid key, place_id uuid, n int32]}
relationships:
  - {parent: room, child: member, via: room_id, children: {avg: 5, p99: 80}}
  - {parent: room, child: message, via: room_id, children: {avg: 1k}}
  - {parent: place, child: vote, via: place_id, children: {avg: 10}}
patterns:
  - {operation: Say, insert: message}
  - {operation: Vote, insert: vote}
models:
  - name: Tables
    store: cassandra
    structures:
      - {table: members_by_room, of: member, partition key: [member.room_id], clustering key: [member.user_id]}
      - {table: rooms_of_user, of: member, purpose: second copy, partition key: [member.user_id], clustering key: [room.last_at desc, member.room_id], computed: [{what: room.last_at, refresh: same write}]}
      - {table: places, of: place, partition key: [place.id]}
      - {table: places_by_city, of: place, purpose: second copy, partition key: [place.city], clustering key: [place.stars desc, place.id], computed: [{what: place.stars, refresh: same write}]}
      - {table: votes, of: vote, partition key: [vote.place_id], clustering key: [vote.id]}
      - {table: messages, of: message, partition key: [message.room_id], clustering key: [message.id]}
"""  # noqa: E501


def test_one_read_leads_to_the_next() -> None:
    project = read_yaml(ROOMS)
    world, model = build_world(project), project.models[0]
    kinds = [r for s in model.structures for r in STORES["cassandra"].records(s, model, world)]
    said, voted = (plan_write(lower_write(p, world), kinds, world) for p in project.patterns)
    # who is in the room, then the row of each of them, for its old place in the order
    moved = touch(said, "rooms_of_user")
    assert (moved.op, moved.find) == ("move", "members_by_room and rooms_of_user")
    assert moved.reads == 1 + 5
    assert not said.misses
    # the city of the place, then the places of that city, for the old number of stars
    starred = touch(voted, "places_by_city")
    assert (starred.op, starred.find, starred.reads) == ("move", "places and places_by_city", 2)
    assert voted.level is Level.PARTITION_RANGE
