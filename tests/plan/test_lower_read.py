"""From read patterns to trees of needs."""

from math import inf
from pathlib import Path

import pytest

from app.model.spread import ONE, Spread
from app.model.text import read_yaml
from app.plan.lower import ANY_AGE, lower
from app.plan.types import Query, WriteIntent
from app.plan.world import build_world
from tests.plan.desk import desk, world


def read(text: str) -> Query:
    project = desk(text)
    found = lower(project.patterns[-1], build_world(project), project)
    assert isinstance(found, Query)
    return found


def tree(query: Query) -> list[tuple[str, int, set[str]]]:
    return [(n.entity, n.up, set(n.attrs)) for n in query.needs]


def conds(query: Query, node: int = 0) -> list[tuple[str, str, float | None]]:
    return [(c.attr, c.op, c.share) for c in query.needs[node].where]


LINE = {"line_item.order_id", "line_item.sku", "line_item.qty", "line_item.unit_price_cents"}
ORDER = {"id", "buyer_id", "seller_id", "status", "created_at", "coupon", "tags"}


def test_what_is_needed_is_a_tree_of_roles() -> None:
    q = read(
        '{operation: Page, get: order, where: "order.id = :o", needs: [order, line_item, buyer.name, seller.name]}'
    )
    assert tree(q) == [
        ("order", -1, {f"order.{f}" for f in ORDER}),
        ("line_item", 0, LINE),
        ("user", 0, {"user.name"}),
        ("user", 0, {"user.name"}),
    ]
    assert [n.edge.rel.role for n in q.needs[2:] if n.edge] == ["buyer", "seller"]
    assert q.matched == ONE
    assert q.questions == ()


def test_nothing_needed_means_own_fields_and_no_figures() -> None:
    q = read('{operation: Page, get: order, where: "order.id = :o"}')
    assert tree(q) == [("order", -1, {f"order.{f}" for f in ORDER})]


def test_a_figure_and_a_key_of_another() -> None:
    q = read('{operation: L, list: order, where: "order.seller_id = :s", needs: [order.total_cents, buyer.id]}')
    assert tree(q) == [("order", -1, {"=order.total_cents", "order.buyer_id"})]
    assert q.matched == Spread(500, 20_000, 900_000)


def test_an_entity_with_a_size_holds_more_than_its_fields() -> None:
    q = read('{operation: N, get: note, where: "note.id = :n"}')
    assert q.needs[0].attrs == {"note.id", "note.order_id", "note.deleted_at", "note.*"}


def test_children_with_condition_order_and_limit() -> None:
    q = read(
        '{operation: P, get: order, where: "order.id = :o", needs: [order.id, {what: line_item, '
        'where: "line_item.qty > 1", order by: line_item.qty desc, limit: 5}]}'
    )
    line = q.needs[1]
    assert conds(q, 1) == [("line_item.qty", ">", None)]
    assert line.order == (("line_item.qty", -1),)
    assert line.first == 5


def test_a_condition_stands_where_it_belongs() -> None:
    q = read("{operation: L, list: order, where: \"label.text = :t and order.status = 'open'\", needs: [order.id]}")
    assert [n.entity for n in q.needs] == ["order", "labelled", "label"]
    assert conds(q) == [("order.status", "=", 0.02)]
    assert conds(q, 2) == [("label.text", "=", None)]
    assert q.matched.avg == pytest.approx(2e5)  # of the order's own condition
    assert q.needs[2].matched == ONE


def test_the_key_of_a_parent_is_an_own_column() -> None:
    q = read('{operation: L, list: line_item, where: "order.id = :o", needs: [line_item.sku]}')
    assert tree(q) == [("line_item", -1, {"line_item.sku"})]
    assert conds(q) == [("line_item.order_id", "=", None)]
    assert q.matched == Spread(3, 12, 200)


def test_operators() -> None:
    q = read(
        '{operation: L, list: order, where: "contains(order.tags, :t) and starts_with(order.id, :p) and '
        "order.status in ('open', 'paid') and order.coupon is not null and order.seller_id in (:a, :b, :c)\"}"
    )
    assert conds(q) == [
        ("order.tags", "contains", None),
        ("order.id", "prefix", None),
        ("order.status", "in", pytest.approx(0.07)),
        ("order.coupon", "not null", 0.08),
        ("order.seller_id", "in", None),
    ]
    assert [c.n for c in q.needs[0].where][2:] == [2, 1, 3]


def test_a_list_of_unknown_length_counts_as_ten() -> None:
    q = read('{operation: L, list: order, where: "order.id in (:ids)"}')
    assert q.needs[0].where[0].n in (1, 10)  # as the file says it: one name may be one value or many


def test_ranges_of_time_have_a_width() -> None:
    q = read(
        '{operation: L, list: order, where: "order.buyer_id = :u and order.created_at >= :since", '
        "span: {order.created_at: 2 days}}"
    )
    found = q.needs[0].where[1]
    assert found.seconds == 2 * 86_400
    assert found.share == pytest.approx(20 * 2 * 86_400 / 1e7)  # 20/s, of 10M
    assert q.matched.avg == pytest.approx(10 * found.share)


def test_time_since_now_is_a_width() -> None:
    q = read("{operation: L, list: move, where: \"move.at >= now() - interval '1 hour'\"}")
    assert q.needs[0].where[0].seconds == 3600
    assert q.matched.avg == pytest.approx(3600)


def test_a_range_without_width_is_a_question() -> None:
    q = read('{operation: L, list: order, where: "order.created_at > :since"}')
    assert q.questions == ("how wide is the range of order.created_at? (span: {order.created_at: 24 h})",)
    told = read('{operation: L, list: order, where: "order.created_at > :since", matches: {avg: 50, max: 900}}')
    assert told.questions == ()
    assert told.matched == Spread(50, 0, 900)


def test_words_to_search_for_are_a_question_without_matches() -> None:
    q = read('{operation: S, search: user, where: "matches(user.name, user.email, :w)", order by: relevance}')
    assert conds(q)[0][:2] == ("user.name", "match")
    assert q.needs[0].order == ()  # relevance is no attribute
    assert "how many records does the search" in q.questions[0]


def test_alternatives() -> None:
    q = read(
        "{operation: L, list: order, where: \"order.buyer_id = :u and (order.status = 'open' or order.coupon = :c)\"}"
    )
    (one, other) = q.needs[0].any_of
    assert [(c.attr, c.op) for c in one + other] == [("order.status", "="), ("order.coupon", "=")]
    mixed = read('{operation: L, list: order, where: "order.status = :s or user.name = :n"}')
    assert mixed.needs[0].any_of == ()
    assert mixed.questions


def test_children_that_exist() -> None:
    q = read('{operation: L, list: order, where: "has(line_item.sku = :s)", needs: [order.id]}')
    assert conds(q, 1) == [("line_item.sku", "=", None)]


def test_what_only_the_record_can_judge() -> None:
    q = read('{operation: L, list: order, where: "order.seller_id = order.buyer_id"}')
    assert conds(q) == [("order.seller_id", "opaque", None)]


def test_deleted_records_are_left_out() -> None:
    q = read('{operation: L, list: note, where: "note.order_id = :o"}')
    assert conds(q) == [("note.order_id", "=", None), ("note.deleted_at", "null", 0.75)]
    said = read('{operation: L, list: note, where: "note.deleted_at is not null"}')
    assert conds(said) == [("note.deleted_at", "not null", 0.25)]


def test_how_fresh_each_need_must_be() -> None:
    base = '{operation: P, get: order, where: "order.id = :o", needs: [order, line_item, buyer.name], consistency: '
    strict = read(base + "{order: read your writes, buyer.name: historical, '*': eventual 5 min}}")
    order, line, user = strict.needs
    assert (order.strong, order.age, order.historical) == (True, 0, False)
    assert (line.strong, line.age, line.historical) == (False, 300, False)
    assert user.historical
    assert [n.age for n in read(base + "eventual}").needs] == [ANY_AGE] * 3
    causal = read(base + "causal}")
    assert [(n.strong, n.age) for n in causal.needs] == [(False, 0)] * 3
    assert inf > ANY_AGE  # a copy that is never refreshed is older than any age


def test_a_level_of_an_entity_counts_where_it_is_stricter_than_that_of_one_attribute() -> None:
    q = read(
        '{operation: P, get: order, where: "order.id = :o", needs: [buyer.name, buyer.email], '
        "consistency: {buyer.name: eventual 1 day, user: eventual 10 s}}"
    )
    assert q.needs[1].age == 10


def test_pages_by_offset() -> None:
    q = read("{operation: L, list: order, limit: 30, paging: offset, pages: {avg: 2, max: 80}}")
    assert (q.limit, q.offset, q.peak_offset) == (30, 30, 2370)
    assert q.matched == Spread(1e7, 1e7, 1e7)
    assert read("{operation: L, list: order, limit: 30, paging: cursor, pages: {avg: 2}}").offset == 0


def test_aggregates_need_what_they_add_up() -> None:
    q = read(
        '{operation: A, aggregate: move, where: "move.sku = :s", group by: move.warehouse, compute: "sum(move.qty)"}'
    )
    assert tree(q) == [("move", -1, {"move.qty", "move.warehouse"})]
    assert tree(read("{operation: C, count: order}")) == [("order", -1, set())]


def test_several_entities_hang_together_by_what_the_condition_names() -> None:
    q = read('{operation: All, list: [line_item, note], where: "order.id = :o"}')
    assert [(n.entity, n.up) for n in q.needs] == [("order", -1), ("line_item", 0), ("note", 0)]
    assert conds(q) == [("order.id", "=", None)]


def test_unknown_names_are_questions_and_the_rest_is_planned() -> None:
    q = read('{operation: L, list: order, where: "order.colour = :c and user.name = :n", needs: [order.id, thing]}')
    assert q.needs[0].attrs == {"order.id"}
    assert "order has no field colour" in q.questions
    assert "user may be reached from order by buyer or by seller: name the role" in q.questions
    assert any("thing" in text for text in q.questions)
    lost = read("{operation: L, list: nothing}")
    assert lost.questions == ("the entity nothing is not described",)


def test_no_action_no_plan() -> None:
    project = desk("{operation: Something}")
    assert lower(project.patterns[-1], world(), project) is None


def test_a_job_names_a_pattern_that_exists() -> None:
    q = read('{operation: J, get: order, where: "order.id = :o", for each: Due}')
    assert q.questions == ("`for each` names Due, and there is no such pattern",)


def test_through_names_the_way(shared: Path) -> None:
    project = read_yaml((shared / "projects/social-graph.yaml").read_text())
    pattern = project.pattern("Home timeline")
    assert pattern
    q = lower(pattern, build_world(project), project)
    assert isinstance(q, Query)
    assert [(n.entity, n.up) for n in q.needs] == [("post", -1), ("user", 0), ("follow", 1)]
    assert conds(q, 2) == [("follow.follower_id", "=", None)]
    assert q.needs[2].edge
    assert q.needs[2].edge.rel.role == "followee"
    assert q.matched == Spread(150, 2000, 7500)


def test_traversals_have_a_course(shared: Path) -> None:
    project = read_yaml((shared / "projects/social-graph.yaml").read_text())
    found = {}
    for pattern in project.patterns:
        q = lower(pattern, build_world(project), project)
        if isinstance(q, Query) and q.course:
            found[q.name] = q.course
    know = found["People you may know"]
    assert (know.least, know.most) == (2, 3)
    assert [(h.leaves, h.enters) for h in know.hops] == [("follower", "followee")]
    ring = found["Fraud ring"]
    assert [(h.leaves, h.enters, h.out.avg) for h in ring.hops] == [
        ("account", "device", 1.6),
        ("device", "account", 1.3),
    ]
    assert (ring.least, ring.most) == (2, 8)
    degrees = found["Degrees of separation"]
    assert degrees.shortest
    assert degrees.hops[0].both
    assert degrees.hops[0].out.avg == 300


def test_a_course_that_is_not_understood_is_a_question() -> None:
    q = read("{operation: T, traverse: order, along: [somewhere over the rainbow]}")
    assert q.course is None
    assert "is not understood" in q.questions[0]


def test_every_shared_pattern_is_lowered(shared: Path) -> None:
    for folder in ("projects", "cases"):
        for path in sorted((shared / folder).glob("*.yaml")):
            project = read_yaml(path.read_text())
            w = build_world(project)
            for pattern in project.patterns:
                found = lower(pattern, w, project)
                assert isinstance(found, (Query, WriteIntent)), (path.name, pattern.operation)
                if isinstance(found, WriteIntent):
                    assert found.changes, (path.name, pattern.operation)
