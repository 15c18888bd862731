"""Frequencies and consistency as people write them."""

from __future__ import annotations

import pytest

from app.importers.reading.consistency import read_consistency
from app.importers.reading.rates import read_rate
from app.model.quantity import parse_rate

RATES = [
    # text, unit of the header, average, peak, kind
    ("500 r/s", "", "500/s", "", "read"),
    ("50 w/s", "", "50/s", "", "write"),
    ("500 RPS", "", "500/s", "", ""),
    ("10M/s", "", "10M/s", "", ""),
    ("3k/min", "", "3k/min", "", ""),
    ("1,000/s", "", "1000/s", "", ""),
    ("1 000/s", "", "1000/s", "", ""),
    ("2,5k/día", "", "2.5k/day", "", ""),
    ("100-200/s", "", "100/s", "200/s", ""),
    ("100–200 r/s", "", "100/s", "200/s", "read"),
    ("0.07-0.10/sec", "", "0.07/s", "0.10/s", ""),
    ("avg 50/s, peak 200/s", "", "50/s", "200/s", ""),
    ("50/s (peak 200/s)", "", "50/s", "200/s", ""),
    ("50/s avg / 200/s peak", "", "50/s", "200/s", ""),
    ("media 50/s, pico 200/s", "", "50/s", "200/s", ""),
    ("up to 200 req/s", "", "", "200/s", ""),
    ("500 requests per second", "", "500/s", "", ""),
    ("10 mil lecturas por segundo", "", "10k/s", "", "read"),
    ("20 orders/s", "", "20/s", "", ""),
    ("5 million/day", "", "5M/day", "", ""),
    ("2 veces al día", "", "2/day", "", ""),
    ("every 5 minutes", "", "1 per 5 min", "", ""),
    ("once a day", "", "1/day", "", ""),
    ("nightly", "", "1/day", "", ""),
    ("cada hora", "", "1/h", "", ""),
    ("90% of reads", "", "90% of reads", "", "read"),
    ("90 % de lecturas", "", "90% of reads", "", "read"),
    ("5% of writes", "", "5% of writes", "", "write"),
    ("~200/s", "", "~200/s", "", ""),
    ("<5/s", "", "~5/s", "", ""),
    ("10", "/s", "10/s", "", ""),
    ("0.3", "/day", "0.3/day", "", ""),
    ("high", "", "~100/s", "", ""),
    ("Very high", "", "~1k/s", "", ""),
    ("media", "", "~10/s", "", ""),
    ("baja", "", "~1/s", "", ""),
    ("muy baja", "", "~0.1/s", "", ""),
    ("高い", "", "~100/s", "", ""),
    ("非常に高い", "", "~1k/s", "", ""),
    ("low (1/min)", "", "1/min", "", ""),
]


@pytest.mark.parametrize(("text", "unit", "avg", "peak", "kind"), RATES, ids=[r[0] for r in RATES])
def test_a_frequency(text: str, unit: str, avg: str, peak: str, kind: str) -> None:
    read = read_rate(text, unit)
    assert (read.avg, read.peak, read.kind) == (avg, peak, kind)
    assert not read.question or avg.startswith("~")
    for rate in (avg, peak):
        if rate:
            assert parse_rate(rate).text == rate


def test_a_point_between_thousands_in_spanish() -> None:
    assert read_rate("1.667/s", spanish=True).avg == "1667/s"
    assert read_rate("1.667/s").avg == "1.667/s"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("500", "per what"),
        ("5 r/s per user", "per user"),
        ("10-20 per sec per device", "per device"),
        ("depends on the season", "not a frequency"),
        ("120% of reads", "more than all"),
        ("5 r/s, 3 w/s", "Two frequencies"),
        ("alta", "How many per second"),
    ],
)
def test_a_frequency_that_leaves_something_open_asks(text: str, words: str) -> None:
    assert words in read_rate(text).question


@pytest.mark.parametrize("text", ["", "-", "—", "n/a", "TBD", "?"])
def test_no_frequency(text: str) -> None:
    read = read_rate(text)
    assert not read.found
    assert not read.question


def test_a_job_and_a_remark() -> None:
    job = read_rate("1/day within 2 h")
    assert (job.avg, job.within) == ("1/day", "2 h")
    assert read_rate("high (event day)").note == "event day"


LEVELS = [
    ("read-your-writes", "read your writes", ""),
    ("Read your own writes", "read your writes", ""),
    ("lee tus escrituras", "read your writes", ""),
    ("strong (same doc)", "strong", "same doc"),
    ("Strongly consistent", "strong", ""),
    ("fuerte", "strong", ""),
    ("強い", "strong", ""),
    ("causal", "causal", ""),
    ("eventual 5 min", "eventual 5 min", ""),
    ("eventual (5 min)", "eventual 5 min", ""),
    ("≤5 min stale", "eventual 5 min", ""),
    ("eventual, 10s max", "eventual 10 s", ""),
    ("bounded staleness 30 segundos", "eventual 30 s", ""),
    ("snapshot", "historical", ""),
]


@pytest.mark.parametrize(("text", "level", "note"), LEVELS, ids=[x[0] for x in LEVELS])
def test_a_consistency(text: str, level: str, note: str) -> None:
    read = read_consistency(text)
    assert (read.level, read.note, read.question) == (level, note, "")


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("eventual ok", "eventual"),
        ("stale ok", "eventual"),
        ("a few seconds", "eventual"),
        ("strong for stock, eventual for name", "strong"),
        ("not strong", ""),
        ("whatever", ""),
    ],
)
def test_a_consistency_that_leaves_something_open_asks(text: str, level: str) -> None:
    read = read_consistency(text)
    assert read.level == level
    assert read.question
