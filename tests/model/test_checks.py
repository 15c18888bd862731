"""Contradictions are questions with their figures."""

import pytest

from app.model.checks import Doubt, doubts
from app.model.text import read_yaml
from tests.model.samples import library, made

CROWD = """
    entities: [{name: u, count: 10M}, {name: f, count: 1.5B, fields: [x int64 key, y int64 key]}]
    relationships:
      - {name: r, parent: u, child: f, via: x, children: {avg: 150, max: 30M}}
      - {name: e, parent: u, child: f, via: y, children: {avg: 150, max: 7500}}
    """


def only(text: str) -> Doubt:
    (found,) = doubts(made(text))
    return found


def test_a_sound_project_has_no_doubts() -> None:
    assert doubts(library()) == ()


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        (
            """
                entities: [{name: a}, {name: b}]
                relationships: [{parent: a, child: b, children: {avg: 2, p99: 300}}]
                """,
            "relationships/a-b/children",
            "a p99 of 300 cannot be with an average of 2",
        ),
        (
            """
                entities: [{name: a, count: 1M}, {name: b, count: 5M}]
                relationships: [{parent: a, child: b, children: {avg: 10}}]
                """,
            "relationships/a-b/children",
            "1,000,000 a with 10 b each would make 10,000,000, but there are 5,000,000",
        ),
        (
            """
                entities: [{name: a, count: 100, growth: 900/day}]
                patterns: [{operation: A, insert: a, rate: 1/s}]
                """,
            "entities/a/growth",
            "grows by 900 a day, but its patterns insert 86,400 a day",
        ),
        (
            "entities: [{name: a, count: 10M, keep: 10 days, growth: 900/day}]",
            "entities/a/count",
            "kept 10 days there would be 9,000",
        ),
        (
            """
                entities: [{name: a, count: 10}, {name: b, count: 20}]
                relationships: [{parent: a, child: b, children: {avg: 2, max: 900}}]
                """,
            "relationships/a-b/children",
            "up to 900 b, but there are only 20",
        ),
        (
            CROWD,
            "relationships/r-f/children",
            "one per e, but there are only 10,000,000 records of u",
        ),
        (
            """
                entities: [{name: a, count: 100}, {name: b, count: 10}]
                relationships: [{name: ab, from: a, to: b, out: {avg: 4}, in: {avg: 10}}]
                """,
            "relationships/ab/out",
            "400 pairs",
        ),
        (
            """
                entities: [{name: a, count: 100}, {name: b}]
                relationships: [{parent: a, child: b, children: {avg: 4, parents: 500}}]
                """,
            "relationships/a-b/children",
            "500 parents with any b",
        ),
        ("entities: [{name: a, size: {avg: 10, max: 5}}]", "entities/a/size", "the maximum (5) is below"),
        ("entities: [{name: a, count: 10, fields: [x string distinct 90]}]", "entities/a/fields", "90 distinct values"),
        ("entities: [{name: a, is a: b}]", "entities/a/is a", "no entity 'b'"),
        ("entities: [{name: a}]\nrelationships: [{parent: a, child: b}]", "relationships/a-b", "no entity 'b'"),
        (
            """
                entities: [{name: a}, {name: b, fields: [x int32]}]
                relationships: [{parent: a, child: b, via: y}]
                """,
            "relationships/a-b/via",
            "b has no field 'y'",
        ),
        ("patterns: [{operation: A, rate: {avg: 9/s, peak: 5/s}}]", "patterns/A/rate", "below the average"),
        ("patterns: [{operation: A, for each: B}]", "patterns/A/for each", "no pattern 'B'"),
        ("patterns: [{operation: A, get: b}]", "patterns/A/entity", "no entity 'b'"),
        (
            "entities: [{name: a, fields: [x int32]}]\npatterns: [{operation: A, get: a, where: a.y = 1}]",
            "patterns/A/where",
            "a has no field 'y'",
        ),
    ],
)  # fmt: skip
def test_doubts(text: str, at: str, words: str) -> None:
    found = only(text)
    assert found.at == at
    assert words in found.what


def test_figures_come_along() -> None:
    found = only("entities: [{name: a, size: {avg: 10, p99: 5}}]")
    assert found.figures == (("avg", 10.0), ("p99", 5.0))


def test_numbers_that_fit_are_no_doubt() -> None:
    project = made("""
        entities:
          - {name: user, count: 1M}
          - {name: order, count: 10M, growth: 2k/day, fields: [seller_id uuid, helper_id uuid present 60%]}
        relationships:
          - {name: seller, parent: user, child: order, via: seller_id, children: {avg: 500, p99: 20k, parents: 20k}}
          - {name: helper, parent: user, child: order, via: helper_id, children: {avg: 6}}
        patterns:
          - {operation: Place, insert: order, rate: 3k/day}
        """)
    assert doubts(project) == ()


def test_worked_projects_raise_only_real_doubts(shared) -> None:  # type: ignore[no-untyped-def]
    def places(name: str) -> set[str]:
        return {d.at for d in doubts(read_yaml((shared / "projects" / f"{name}.yaml").read_text("utf-8")))}

    assert places("social-graph") == {"relationships/followee-follow/children"}
    assert places("blog") == {"entities/comment/growth"}
    for name in ("orders", "sensors", "redis", "saas", "inventory", "killrvideo", "hbase-metrics"):
        assert places(name) == set()
