"""What a real engine said of a model: when, on what, and pattern by pattern; or that it is modelled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.analysis import ModelReport, Report
from app.exporters.markdown_text import plain, table
from app.proof.standing import Standing, loaded, tally
from app.proof.types import Card, Proof
from app.rules.words import count

HEAD = ("#", "Operation", "Verdict", "Rows", "Examined", "Planned", "Returned", "Units", "Median", "p99", "Because")


def standing_words(made: ModelReport, proofs: Sequence[Standing]) -> str:
    """One sentence: `Proved on MongoDB 6.0.5, 2026-11-30: …`, or `Modelled, …`."""
    if not proofs:
        return f"Modelled, not proved on an engine; {plain(made.store.evidence)}."
    return " ".join(_said(s) for s in proofs)


def proof(report: Report, proofs: Sequence[Standing]) -> Iterator[str]:
    """The evidence for each pattern, one table per engine."""
    numbers = {p.operation: str(n) for n, p in enumerate(report.project.patterns, 1)}
    for standing in proofs:
        made = standing.proof
        yield f"### Proof on {plain(_engine(made))}\n"
        yield f"{_said(standing)} {plain(loaded(made))}, seed {made.seed}. Every pattern was run on made-up data.\n"
        rows = [_row(card, numbers.get(card.operation, ""), standing) for card in made.cards]
        yield table(HEAD, rows, right=(0, 4, 5, 6, 7, 8, 9))
        yield (
            "*Examined*: records and index entries the engine read, on average; *planned*: as many by the plan at this "
            "size. Times are those of the engine of the proof and no forecast.\n"
        )


def _said(standing: Standing) -> str:
    made = standing.proof
    since = f" That was change {made.change}. {standing.since}" if standing.since else ""
    return f"Proved on {plain(_engine(made))}, {plain(made.date)}: {tally(made)}.{since}"


def _engine(proof: Proof) -> str:
    return f"{proof.engine} {proof.version}".strip()


def _row(card: Card, number: str, standing: Standing) -> tuple[str, ...]:
    verdict = card.verdict if card.verdict in {"agrees", "skipped"} else f"**{card.verdict}**"
    changed = "The pattern has changed since." if card.operation in standing.outdated else ""
    return (
        number,
        plain(card.operation),
        verdict,
        card.rows if card.rows != "not compared" else "",
        _number(card.examined),
        _number(card.planned_examined) if card.examined is not None else "",
        _number(card.returned),
        _number(card.units),
        _time(card.median_ms),
        _time(card.p99_ms),
        plain(" ".join(text for text in (card.why, changed) if text)),
    )


def _number(value: float | None) -> str:
    return "" if value is None else count(value)


def _time(value: float | None) -> str:
    return "" if value is None else f"{value:.3g} ms" if value < 1000 else f"{value / 1000:.3g} s"


__all__ = ["proof", "standing_words"]
