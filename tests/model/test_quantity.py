"""Numbers as people write them."""

from collections.abc import Callable
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model.problem import Unreadable
from app.model.quantity import (
    Amount,
    assume,
    parse_count,
    parse_duration,
    parse_growth,
    parse_rate,
    parse_share,
    parse_size,
)
from app.model.shares import harmonic, read_shares
from app.model.spread import Spread
from app.model.spreads import read_children, read_counts, read_sizes

Parse = Callable[[object], Amount]
DAY = 86_400


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (parse_count, "10M", 10e6),
        (parse_count, "2.5k", 2500),
        (parse_count, "1,500", 1500),
        (parse_count, "4B", 4e9),
        (parse_count, "1e6", 1e6),
        (parse_count, "0.2", 0.2),
        (parse_size, "3 KB", 3072),
        (parse_size, "600", 600),
        (parse_size, "1.5MB", 1.5 * 1024**2),
        (parse_size, "2 GiB", 2 * 1024**3),
        (parse_duration, "5 min", 300),
        (parse_duration, "30 ms", 0.03),
        (parse_duration, "1 month", 30 * DAY),
        (parse_duration, "2 years", 730 * DAY),
        (parse_duration, "1 h 30 min", 5400),
        (parse_growth, "2.5k/day", 2500 / DAY),
        (parse_growth, "5760/day", 5760 / DAY),
        (parse_rate, "200 per 60 s", 200 / 60),
        (parse_rate, "1 per 10 s", 0.1),
        (parse_rate, "1 per 1 min", 1 / 60),
        (parse_rate, "1,500/s", 1500),
        (parse_rate, "8k/s", 8000),
        (parse_share, "8%", 0.08),
        (parse_share, "0.3", 0.3),
    ],
)
def test_values(parse: Parse, text: str, value: float) -> None:
    found = parse(text)
    assert found.value == pytest.approx(value)
    assert found.text == text
    assert found.known


def test_given_assumed_and_unknown_are_kept_apart() -> None:
    assert parse_count("~200") == Amount("~200", 200, assumed=True)
    assert parse_count("~ 200").text == "~200"
    assert parse_count("unknown") == Amount("unknown", None)
    none = parse_count("none")
    assert (none.value, none.bounded, none.known) == (inf, False, False)
    assert assume(parse_count("10M")).text == "~10M"
    assert assume(parse_count("unknown")).assumed is False


def test_shares_of_the_traffic_and_compound_growth() -> None:
    rate = parse_rate("90% of reads")
    assert (rate.value, rate.of) == (0.9, "reads")
    growth = parse_growth("3%/month")
    assert growth.value == pytest.approx(0.03)
    assert growth.per == 30 * DAY


@pytest.mark.parametrize(
    ("parse", "text", "words"),
    [
        (parse_count, "10Q", "10M"),
        (parse_count, "5m", "for millions 10M"),
        (parse_count, "2,5k", "is not a count"),
        (parse_count, "", "nothing is written"),
        (parse_count, ["1"], "expected one number"),
        (parse_count, "1e300", "larger than anything"),
        (parse_size, "4k", "3 KB"),
        (parse_duration, "5 m", "min or month"),
        (parse_duration, "5 bananas", "not a unit"),
        (parse_duration, "300", "not a length of time"),
        (parse_rate, "500", "Write 500/s"),
        (parse_rate, "90%", "of reads or of writes"),
        (parse_rate, "5 per 0 s", "no length"),
        (parse_share, "150%", "more than all"),
        (parse_share, "30", "Write 30% for a share"),
        (parse_growth, "often", "2k/day"),
    ],
)
def test_refusals_say_what_to_write(parse: Parse, text: object, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        parse(text)


@given(st.text(max_size=20))
def test_junk_is_unreadable_and_nothing_worse(text: str) -> None:
    for parse in (parse_count, parse_size, parse_duration, parse_growth, parse_rate, parse_share):
        try:
            again = parse(text).text
        except Unreadable:
            continue
        assert parse(again).text == again


# ---------------------------------------------------------------- spreads


def test_spread_forms() -> None:
    full = read_counts({"avg": "10", "p99": "80", "max": "none"})
    assert full.spread == Spread(10, 80, inf)
    assert read_counts("12").spread == Spread(12)
    assert read_counts("exactly 1").spread == Spread(1, 1, 1)
    assert read_counts({"avg": "unknown", "max": "none"}).spread is None
    assert read_sizes({"avg": "4 KB", "max": "60 KB"}).spread == Spread(4096, 0, 61440)
    assert read_counts({"avg": "12"}) == read_counts("12")
    assert read_counts("~3").assumed


def test_spread_typed_in_one_cell() -> None:
    assert read_counts("{avg: 10, p99: 80, max: none}") == read_counts({"avg": "10", "p99": "80", "max": "none"})
    assert read_counts("avg 10 p99 80").spread == Spread(10, 80)
    assert read_sizes("avg 3 KB, max 9 KB").spread == Spread(3072, 0, 9216)
    given = read_children("{avg: 1, growth: 2/day, parents: 20k}")
    assert given.growth is not None
    assert given.growth.spread is not None
    assert given.growth.spread.max == pytest.approx(2 / DAY)
    assert given.parents is not None
    assert given.parents.value == 20_000


def test_growth_of_children_may_differ_by_figure() -> None:
    given = read_children({"avg": "800", "growth": {"avg": "1/day", "p99": "80/day", "max": "20k/day"}})
    assert given.growth is not None
    assert given.growth.max is not None
    assert given.growth.max.value == pytest.approx(20_000 / DAY)
    assert read_children({"avg": "10", "growth": "scaled"}).growth.scaled  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"avgg": "1"}, "Did you mean 'avg'"),
        ({}, "nothing is given"),
        ({"avg": "1", "growth": "1/day"}, "not part of a spread"),
        ("avg 1 avg 2", "given twice"),
        ([], "expected a number or"),
    ],
)
def test_spread_refusals(raw: object, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        read_counts(raw)


def test_a_spread_is_read_back_from_its_text() -> None:
    for raw in ("exactly 1", "12", "~3", {"avg": "10", "p99": "80"}, {"max": "none"}):
        given = read_counts(raw)
        assert read_counts(given.text) == given
        assert read_counts(given.plain()) == given


# ---------------------------------------------------------------- shares of values


def test_shares() -> None:
    assert read_shares("even").top(4) == 0.25
    assert read_shares("top value 40%").top(None) == 0.4
    assert read_shares("zipf 1.0").top(100) == pytest.approx(1 / sum(1 / k for k in range(1, 101)))
    assert read_shares("zipf 1.0").top(None) is None
    listed = read_shares({"pending": "70%", "done": "20%"})
    assert listed.top(None) == 0.7
    assert listed.of("done", None) == 0.2
    assert listed.of("other", 4) == pytest.approx(0.05)
    assert listed.of("other", None) is None
    assert read_shares({"a": "60%", "b": "40%"}).of("c", 9) == 0.0
    assert read_shares({"a": "10%"}).top(4) == pytest.approx(0.3)
    assert read_shares("{a: 60%, b: 40%}") == read_shares({"a": "60%", "b": "40%"})


@pytest.mark.parametrize("raw", ["", "some", "top value", "zipf x", {"a": "60%", "b": "50%"}, [], {}])
def test_shares_refused(raw: object) -> None:
    with pytest.raises(Unreadable):
        read_shares(raw)


@pytest.mark.parametrize("s", [0.5, 0.9, 1.0, 1.1, 2.0])
def test_harmonic_numbers(s: float) -> None:
    exact = sum(k**-s for k in range(1, 20_001))
    assert harmonic(20_000, s) == pytest.approx(exact, rel=1e-9)
