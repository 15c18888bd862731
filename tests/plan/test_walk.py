"""Traversals: growth by the end a walk arrives by, distinct nodes, and what they cost each store."""

from __future__ import annotations

from math import inf

import pytest

from app.model.spread import ONE, Spread
from app.plan.read import plan_read
from app.plan.types import Course, Expand, Hop, Level, NeedNode, Query, Record
from app.plan.walk import growth, seen_by_size, walk
from tests.plan import worlds as w

FOLLOW = Hop(
    "follow", (w.down(w.FOLLOWER), w.up(w.FOLLOWEE)), "follower", w.FOLLOWER.children, "followee",
    w.FOLLOWEE.children, 1e7,
)  # fmt: skip
BACK = Hop(
    "follow", (w.down(w.FOLLOWEE), w.up(w.FOLLOWER)), "followee", w.FOLLOWEE.children, "follower",
    w.FOLLOWER.children, 1e7,
)  # fmt: skip
FRIENDS = Query(
    "People you may know",
    "traverse",
    (NeedNode("user", frozenset({"user.name"}), where=(w.eq("user.id"),)),),
    limit=20,
    course=Course((FOLLOW,), 2, 3),
)
USERS = w.record("users", "users", "user", w.C, ("user.id",))
MONGO: tuple[Record, ...] = (
    w.record("users", "users", "user", w.M, ("user.id",)),
    w.record("follows", "follows", "follow", w.M, ("follow.follower_id", "follow.followee_id")),
)


def test_other_end_keeps_the_average() -> None:
    """Left by another end than it was entered by, a node is as large as any."""
    assert growth(FOLLOW, FOLLOW).avg == 150


def test_same_end_meets_by_size() -> None:
    """Left by the end it was entered by, a node is met in proportion to its degree, less the edge come by."""
    assert growth(FOLLOW, BACK).avg == pytest.approx(w.FOLLOWEE.children.met_by_size - 1)


def test_degrees_together_grow_faster() -> None:
    """Where the two degrees go together, a hop meets large nodes."""
    both = Hop("f", (), "a", Spread(10, 60, 100), "b", Spread(10, 60, 100), 1e6, together=1)
    assert growth(both, both).avg == pytest.approx(Spread(10, 60, 100).met_by_size)


def test_start_is_the_average() -> None:
    """The first hop leaves any node."""
    assert growth(None, FOLLOW) == w.FOLLOWER.children


def test_distinct_nodes_are_fewer_when_some_are_large() -> None:
    """Popular nodes are met again and again."""
    alike, unlike = seen_by_size(5000, 3000, Spread(10)), seen_by_size(5000, 3000, Spread(10, 80))
    assert unlike < alike < 3000
    assert seen_by_size(inf, 3000, Spread(10, 80)) == 3000


def test_visited_once_is_not_walked_again() -> None:
    """An engine that keeps a visited set expands each node once."""
    small = Hop("f", (), "a", Spread(20), "b", Spread(20), 100)
    free = walk(Course((small,), 1, 4), Expand())
    once = walk(Course((small,), 1, 4), Expand(visited="global"))
    assert once.edges.avg < free.edges.avg
    assert once.edges.avg <= 100 * 20 * 1.05


def test_shortest_from_both_ends() -> None:
    """Half the depth from each end meets far fewer edges."""
    one = walk(Course((FOLLOW,), 1, 4, True), Expand())
    two = walk(Course((FOLLOW,), 1, 4, True), Expand(shortest=True))
    assert two.edges.avg < one.edges.avg / 100


def test_supernode() -> None:
    """The largest node is met the sooner the more edges it has, and its edges are shown beside."""
    walked = walk(Course((BACK, FOLLOW), 1, 2), Expand())
    assert 0 < walked.supernode <= 1
    assert walked.at_worst == 1e7


def test_client_walk() -> None:
    """Without a server walk each frontier node is a request: 1 + 150 + 22,500."""
    plan = plan_read(FRIENDS, (w.FOLLOWING, USERS), w.SOCIAL)
    assert plan.level is Level.TRAVERSAL
    assert plan.requests.avg == pytest.approx(22_651 + 20, rel=0.01)
    assert plan.records.avg == pytest.approx(150 + 150**2 + 150**3, rel=0.01)
    assert plan.rounds == 4
    assert [s.how for s in plan.steps] == ["each", "each"]


def test_server_walk() -> None:
    """A graph lookup inside one collection is one request; names are read afterwards."""
    plan = plan_read(FRIENDS, MONGO, w.SOCIAL)
    assert plan.level is Level.TRAVERSAL
    assert plan.steps[0].how == "server"
    assert plan.requests.avg == 2
    assert plan.records.avg < 150 + 150**2 + 150**3


def test_no_way_along() -> None:
    """Without a way from a node to its edges there is no walk, and the reason is the hop's."""
    by_followee = w.record("followers", "followers", "follow", w.C, ("follow.followee_id",), ("follow.follower_id",))
    plan = plan_read(FRIENDS, (by_followee, USERS), w.SOCIAL)
    assert plan.level is Level.IMPOSSIBLE
    assert {m.code for m in plan.misses} == {"partition"}
    nothing = plan_read(FRIENDS, (USERS,), w.SOCIAL)
    assert nothing.level is Level.IMPOSSIBLE
    assert nothing.missing == ("follow.followee_id",)


def test_start_to_be_found() -> None:
    """A walk that starts at records found by a condition reads these first."""
    start = NeedNode("user", frozenset({"user.name"}), where=(w.eq("user.email"),))
    query = Query("From an address", "traverse", (start,), ONE, course=Course((FOLLOW,), 1, 1))
    by_email = ("email", (), ("user.email",), (), True, True)
    records = (w.record("users", "users", "user", w.M, ("user.id",), (), (by_email,)), MONGO[1])
    plan = plan_read(query, records, w.SOCIAL)
    assert [s.path for s in plan.steps] == ["users.email", "follows", "users"]
