"""The formulas of the workload, each with its figures."""

from math import exp, inf, log

import pytest

from app.model import growth
from app.model.growth import Consistency
from app.model.quantity import DAY, MONTH, YEAR
from app.model.spread import Spread
from tests.model.samples import library, made

REQUESTS = """
    traffic: {reads: 800/s, writes: ~80/s, growth: 30%/year}
    patterns:
      - {operation: Both, get: a, rate: {avg: 5/s, peak: 50/s}}
      - {operation: One, get: a, rate: 5/s}
      - {operation: Peak, get: a, rate: {peak: 1500/s}}
      - {operation: Share, get: a, rate: 90% of reads}
      - {operation: Guess, insert: a, rate: 10% of writes}
      - {operation: Unknown, get: a, rate: unknown}
      - {operation: Silent, get: a}
      - {operation: Due, list: a, limit: 100, rate: 1 per 10 s}
      - {operation: Each, for each: Due, update: a}
    """


@pytest.mark.parametrize(
    ("name", "rate"),
    [
        ("Both", (5, 50, False)),
        ("One", (5, 5, True)),
        ("Peak", (None, 1500, False)),
        ("Share", (720, 720, True)),
        ("Guess", (8, 8, True)),
        ("Unknown", (None, None, False)),
        ("Silent", (None, None, False)),
        ("Each", (10, 10, True)),
    ],
)
def test_rates(name: str, rate: tuple[float | None, float | None, bool]) -> None:
    project = made(REQUESTS)
    patterns = {p.operation: p for p in project.patterns}
    assert growth.rate_of(patterns[name], project.traffic, patterns) == pytest.approx(rate)


def test_a_share_of_unknown_traffic_is_unknown() -> None:
    project = made("patterns: [{operation: A, get: a, rate: 90% of reads}]")
    assert growth.rate_of(project.patterns[0], None) == (None, None, False)


def test_inflow_is_growth_or_the_inserts_of_patterns() -> None:
    found = growth.inflow(library())
    assert found["reader"] == pytest.approx(100 / DAY)
    assert found["loan"] == 2
    assert found["note"] == 1  # half a note per loan
    assert "book" not in found


def test_batches_deletes_and_upserts_in_the_inflow() -> None:
    project = made("""
        entities: [{name: metric}, {name: mail}, {name: cart}, {name: item}, {name: seen}]
        relationships: [{parent: cart, child: item, via: cart_id, children: 4}]
        patterns:
          - {operation: Record, insert: metric, batch: 2000, rate: 200 per 60 s}
          - {operation: Queue, insert: mail, rate: 30/s}
          - {operation: Take, list: mail, limit: 1, also: [{delete: mail}], rate: 30/s}
          - {operation: Add, upsert: item, inserts: 30%, rate: 50/s}
          - {operation: Empty, delete: cart, also: [{delete: item, where: "item.cart_id = :c"}], rate: 1/s}
          - {operation: See, upsert: seen, rate: 5k/s}
        """)
    found = growth.inflow(project)
    assert found["metric"] == pytest.approx(6667, rel=1e-4)
    assert found["mail"] == 0
    assert found["item"] == pytest.approx(50 * 0.3 - 4)
    assert "seen" not in found


def entity(text: str):  # type: ignore[no-untyped-def]
    return made(f"entities: [{{name: a, {text}}}]").entities[0]


@pytest.mark.parametrize(
    ("text", "inflow", "seconds", "count", "assumed"),
    [
        ("count: 10M", None, YEAR, 10e6, False),
        ("count: 10M, growth: 2k/day", None, 10 * DAY, 10.02e6, False),
        ("count: ~10M", 20.0, 10 * DAY, 10e6 + 20 * 10 * DAY, True),
        ("count: 4k, growth: 3%/month", None, 2 * MONTH, 4000 * 1.03**2, False),
        ("keep: 600 s", 6667.0, 0.0, 4.0002e6, True),
        ("count: 1k, keep: 10 days, growth: 200/day", None, YEAR, 2000, False),
        ("count: 5k, keep: 10 days, growth: 200/day", None, YEAR, 5000, False),
        ("growth: 2k/day", None, YEAR, None, False),
    ],
)
def test_count_at(text: str, inflow: float | None, seconds: float, count: float | None, assumed: bool) -> None:
    found, guessed = growth.count_at(entity(text), inflow, seconds)
    assert found == (None if count is None else pytest.approx(count))
    assert guessed is assumed


def test_comments_are_added_where_comments_are() -> None:
    """avg 10, p99 80: a new comment meets a post of 42.9 comments on average."""
    assert Spread(10, 80).met_by_size == pytest.approx(42.9, abs=0.05)
    sigma = log(42.9 / 10) ** 0.5
    assert exp(2.3263 * sigma - sigma**2 / 2) * 10 == pytest.approx(80, rel=0.01)


def test_mean_met_by_size_at_its_edges() -> None:
    assert Spread(10, 80, 30).met_by_size == 30
    assert Spread(10, 1000).met_by_size == pytest.approx(0.01 * 1000**2 / 10)
    assert Spread(5, 5).met_by_size == 5


def test_spreads_in_spreads() -> None:
    """20 alike on a page: 20·avg + √20·(p99 − avg)."""
    page = Spread(20, 20, 20).of(Spread(3, 12, 200))
    assert page.avg == 60
    assert page.p99 == pytest.approx(60 + 20**0.5 * 9)
    assert page.max == 4000


def test_consistency() -> None:
    first = library().patterns[0]
    assert growth.consistency_of(first, "loan.status") == Consistency("read your writes", 0.0)
    assert growth.consistency_of(first, "borrower.name") == Consistency("historical", inf)
    assert growth.consistency_of(first, "note") == growth.UNSAID
    assert not growth.consistency_of(first).said
    assert growth.consistency_of(library().patterns[1], "book.title") == Consistency("eventual", 300.0)
    assert growth.read_consistency("eventual") == Consistency("eventual", None)
