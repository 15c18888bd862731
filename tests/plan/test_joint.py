"""Attributes whose values go with each other: what a project says of them, and what follows for a plan."""

from __future__ import annotations

import pytest

from app.model.checks import doubts
from app.model.project import Project
from app.model.rename import rename_field
from app.model.text import read_yaml, write_yaml
from app.plan.joint import combinations
from app.plan.lower import lower
from app.plan.read import plan_read
from app.plan.types import Plan, Query
from app.plan.world import build_world
from app.stores import STORES

TEXT = """
keywright: 1
name: Places
entities:
  - name: place
    count: 1M
    fields: [id uuid key, country string distinct 50, city string distinct 5000, kind string distinct 10, at datetime
      distinct 100k]{together}
patterns:
  - {{operation: Of a city, list: place, where: "place.country = :c and place.city = :t", rate: 1/s}}
  - {{operation: Some of a city, list: place, where: "place.country = :c and place.city = :t", limit: 20, rate: 1/s}}
  - {{operation: Of a kind, list: place, where: "place.country = :c and place.kind = :k", rate: 1/s}}
  - {{operation: All three, list: place, rate: 1/s
    , where: "place.country = :c and place.city = :t and place.kind = :k"}}
  - {{operation: Since, list: place, where: "place.country = :c and place.at = :a", rate: 1/s}}
models:
  - name: Documents
    store: mongodb
    structures:
      - {{collection: places, of: place, _id: place.id, indexes: [{indexes}]}}
"""


def project(distinct: str = "5k", indexes: str = "{keys: [place.country]}", fields: str = "country, city") -> Project:
    said = f"\n    together: [{{fields: [{fields}], distinct: {distinct}}}]" if distinct else ""
    return read_yaml(TEXT.format(together=said, indexes=indexes))


def plan(of: Project, operation: str) -> Plan:
    world = build_world(of)
    pattern = of.pattern(operation)
    assert pattern is not None
    query = lower(pattern, world, of)
    assert isinstance(query, Query)
    records = [r for s in of.models[0].structures for r in STORES["mongodb"].records(s, of.models[0], world)]
    return plan_read(query, records, world)


def test_a_city_tells_its_country() -> None:
    """As many pairs as cities: the second condition keeps all of what the first finds."""
    by_city = "{keys: [place.city]}"
    step = plan(project(indexes=by_city), "Of a city").steps[0]
    assert (step.keys, step.records.avg) == (pytest.approx(200), pytest.approx(200))
    apart = plan(project("", by_city), "Of a city").steps[0]
    assert apart.records.avg == pytest.approx(200)


@pytest.mark.parametrize(
    ("distinct", "found"),
    [("", 4), ("5k", 200), ("20k", 50), ("100", 200), ("10M", 4)],
    ids=["not said", "functional", "partly", "fewer than cities: bounded below", "more than there can be: independent"],
)
def test_records_found(distinct: str, found: float) -> None:
    """Between what is independent and what the narrowest condition finds alone."""
    both = "{keys: [place.country, place.city]}"
    result = plan(project(distinct, both), "Of a city")
    assert result.records.avg == pytest.approx(found)
    assert result.steps[0].keys == pytest.approx(found)


def test_the_filter_keeps_what_goes_together() -> None:
    """Read by country and filtered by city: what is read is the same, what is returned is not."""
    assert plan(project(), "Of a city").records.avg == pytest.approx(20_000)
    # one place in a hundred of the country lies in the city, not one in 5,000
    assert plan(project(), "Some of a city").records.avg == pytest.approx(2000)


def test_others_stay_independent() -> None:
    three = plan(project(indexes="{keys: [place.country, place.city, place.kind]}"), "All three")
    assert three.records.avg == pytest.approx(20)
    kind = plan(project(indexes="{keys: [place.country, place.kind]}"), "Of a kind")
    assert kind.records.avg == pytest.approx(2000)


def test_part_of_a_group() -> None:
    """Of three fields that go together two have at most as many combinations."""
    few = plan(project("6k", "{keys: [place.country, place.city]}", "country, city, kind"), "Of a city")
    assert few.records.avg == pytest.approx(1e6 / 6000)


def test_runs_of_an_index_are_those_within_the_prefix() -> None:
    """An engine that jumps from value to value meets the cities of the country, not all there are."""
    walked = "{keys: [place.country, place.city, place.at]}"
    apart, within = (plan(project(said, walked), "Since").steps[0].keys for said in ("", "5k"))
    assert apart > 8000  # nearly two entries for each of 5,000 cities
    assert within < 250  # for each of the country's hundred


def test_combinations() -> None:
    world = build_world(project("20k"))
    groups = world.together["place"]
    assert combinations(["place.country", "place.city", "place.kind"], groups, world.stats) == 200_000
    assert combinations(["place.country", "place.kind"], groups, world.stats) == 500


def test_the_file_keeps_it_and_a_rename_follows() -> None:
    before = project()
    assert read_yaml(write_yaml(before)) == before
    after = rename_field(before, "place", "city", "town")
    assert after.entities[0].together[0].fields == ("country", "town")


@pytest.mark.parametrize(
    ("distinct", "fields", "says"),
    [
        ("100", "country, city", "fewer than the 5,000 values"),
        ("2M", "country, city", "250,000 combinations at most"),
        ("5k", "country, town", "no field 'town'"),
        ("5k", "country", "alone goes together with nothing"),
    ],
)
def test_what_cannot_be_is_asked(distinct: str, fields: str, says: str) -> None:
    assert any(says in d.what for d in doubts(project(distinct, fields=fields)) if d.at == "entities/place/together")
    assert not any(d.at.endswith("/together") for d in doubts(project()))


def test_independence_is_said_only_where_it_matters() -> None:
    """Four places or two hundred; not where the project tells, nor where the result is large anyway."""
    silent = project("")
    notes = " ".join(plan(silent, "Of a city").notes)
    assert "country and city are taken as independent, 4 records; up to 200" in notes
    assert "independent" not in " ".join(plan(project(), "Of a city").notes)
    assert "independent" not in " ".join(plan(silent, "Of a kind").notes)
