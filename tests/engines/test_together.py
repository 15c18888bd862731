"""Values that go together: the records a plan expects are those a real server finds.

A hundred cities in ten countries: the city tells its country. The file says so, and the plan expects a hundredth of the
rows; without a word from the file a plan expects a thousandth, and says that it takes the two as independent. The same
for orders of which only those count whose customer is of one tier: how many are read until the page is full.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.analysis import analyse
from app.model.text import read_yaml
from app.plan.types import Plan

TEXT = """
keywright: 1
name: Places
entities:
  - name: place
    count: 5000
    fields: [id int32 key, country int32 distinct 10, city int32 distinct 100, owner_id int32]{together}
  - {{name: owner, count: 500, fields: [id int32 key, tier int32 distinct 10]}}
relationships:
  - {{name: owner, parent: owner, child: place, via: owner_id, children: {{avg: 10}}}}
patterns:
  - {{operation: Of a city, list: place, where: "place.country = :c and place.city = :t", rate: 1/s}}
  - {{operation: Of a tier, list: place, where: "place.country = :c and owner.tier = :t", order by: place.id, limit: 20
    , needs: [place.id], rate: 1/s}}
models:
  - name: Rows
    store: postgresql
    structures:
      - {{table: place, of: place, primary key: [place.id]
        , indexes: [{{keys: [place.country, place.city]}}, {{keys: [place.country, place.id]}}]}}
      - {{table: owner, of: owner, primary key: [owner.id]}}
"""


def plan(together: str, operation: str) -> Plan:
    return analyse(read_yaml(TEXT.format(together=together))).models[0].plans[operation]


@pytest.fixture(scope="module")
def places(postgresql: Any) -> Iterator[Any]:
    run = postgresql.execute
    run("CREATE TABLE owner (id int PRIMARY KEY, tier int)")
    run("INSERT INTO owner SELECT i, i * 7919 % 1000 / 100 FROM generate_series(1, 500) i")
    run("CREATE TABLE place (id int PRIMARY KEY, country int, city int, owner_id int)")
    # cities 0 to 99, ten in each country; owners independent of both
    run(
        "INSERT INTO place SELECT i, c % 10, c, 1 + abs(hashint4(i + 1)) % 500"
        " FROM (SELECT i, abs(hashint4(i)) % 100 c FROM generate_series(1, 5000) i) one"
    )
    run("CREATE INDEX ON place (country, city)")
    run("CREATE INDEX ON place (country, id)")
    run("ANALYZE place")
    yield postgresql
    run("DROP TABLE place, owner")


def test_rows_of_a_city_and_its_country(places: Any) -> None:
    (found,) = places.execute("SELECT avg(n) FROM (SELECT count(*) n FROM place GROUP BY country, city) one").fetchone()
    said = plan("\n    together: [{fields: [country, city], distinct: 100}]", "Of a city")
    apart = plan("", "Of a city")
    assert said.records.avg == pytest.approx(float(found), rel=0.05)
    assert apart.records.avg == pytest.approx(float(found) / 10, rel=0.05)
    assert "independent" not in " ".join(said.notes)


def test_rows_read_until_the_page_is_full(places: Any) -> None:
    """In order of the key, joining each place with its owner, until twenty are of the tier."""
    expected = plan("", "Of a tier").steps[0].records
    places.execute(
        "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_sort = off; SET enable_seqscan = off"
    )
    read = []
    for country in range(10):
        (found,) = places.execute(
            "EXPLAIN (ANALYZE, FORMAT JSON) SELECT p.id FROM place p JOIN owner o ON o.id = p.owner_id"
            " WHERE p.country = %s AND o.tier = 3 ORDER BY p.id LIMIT 20",
            [country],
        ).fetchone()
        read.append(_rows(found[0]["Plan"], "place"))
    places.execute("RESET ALL")
    assert sum(read) / len(read) == pytest.approx(expected.avg, rel=0.25)
    assert max(read) <= expected.high * 1.1


def _rows(node: Any, table: str) -> float:
    mine = float(node["Actual Rows"] * node["Actual Loops"]) if node.get("Relation Name") == table else 0.0
    return mine + sum(_rows(n, table) for n in node.get("Plans", ()))
