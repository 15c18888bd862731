"""Parts of a design in one short line: what a pattern asks for, what a structure holds, what a plan costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf

from app.analysis import ModelReport, Report
from app.model.candidate import Index, RecordShape, Structure
from app.model.keys import KeyPart, Template
from app.model.spread import Spread
from app.model.workload import AlsoWrite, Pattern, Relationship
from app.plan.types import Plan
from app.rules.rule import SEVERITIES, Finding, Severity
from app.rules.words import count, rate, size

SEVERAL: Mapping[Severity, str] = {
    "error": "errors",
    "warning": "warnings",
    "advice": "advice",
    "question": "questions",
}


def findings_of(report: Report, models: tuple[ModelReport, ...]) -> tuple[Finding, ...]:
    """Findings of the workload and of these models, accepted ones included.

    Those of models that could not be judged are always among them: silence would read as approval.
    """
    names = {m.model.name for m in models} | set(not_judged(report))
    return tuple(f for f in report.findings if not f.model or f.model in names)


def not_judged(report: Report) -> tuple[str, ...]:
    """Models on a store nobody knows, of which nothing can be said."""
    judged = {m.model.name for m in report.models}
    return tuple(m.name for m in report.project.models if m.name not in judged)


def tally(findings: Iterable[Finding]) -> str:
    """`1 error, 3 warnings`; accepted findings do not count."""
    found = [f.severity for f in findings if not f.accepted]
    return ", ".join(plural(found.count(s), s, SEVERAL[s]) for s in SEVERITIES if s in found) or "none"


def plural(n: int, one: str, many: str = "") -> str:
    """`1 model`, `3 models`, `2 entities`."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def asked(pattern: Pattern) -> str:
    """Conditions, order, limit and needs of a read; what a write sets."""
    parts = []
    if pattern.where is not None:
        parts.append(pattern.where.text)
    if pattern.order_by is not None:
        parts.append(f"order by {pattern.order_by.text}")
    if pattern.limit is not None:
        parts.append(f"limit {pattern.limit.text}{f', {pattern.paging} paging' if pattern.paging else ''}")
    if pattern.needs:
        parts.append("needs " + ", ".join(n.what for n in pattern.needs))
    if pattern.set:
        parts.append("set " + ", ".join(f"{k} = {v}" for k, v in pattern.set.items()))
    if pattern.with_:
        parts.append("with " + ", ".join(pattern.with_))
    parts += [_also(a) for a in pattern.also]
    if pattern.only_if is not None:
        parts.append(f"only if {pattern.only_if.text}")
    return "; ".join(parts) or pattern.text


def _also(change: AlsoWrite) -> str:
    where = f" where {change.where.text}" if change.where is not None else ""
    each = f" for each {change.for_each}" if change.for_each else ""
    made = " set " + ", ".join(f"{k} = {v}" for k, v in change.set.items()) if change.set else ""
    return f"also {change.action} {change.entity}{where}{made}{each}"


def frequency(average: float | None, peak: float | None) -> str:
    if average is None:
        return "unknown"
    return rate(average) if peak is None or peak == average else f"{rate(average)}, peak {rate(peak)}"


def consistency(pattern: Pattern) -> str:
    levels = [level if on == "*" else f"{on}: {level}" for on, level in pattern.consistency.items()]
    note = f" ({pattern.consistency_note})" if pattern.consistency_note else ""
    return (", ".join(levels) or "not said") + note


def promises(pattern: Pattern) -> str:
    """What else the operation is held to: latency, all or nothing, what a repeat may do, busiest values, its job."""
    parts = []
    if pattern.latency is not None:
        parts.append(f"answers in {pattern.latency.text}")
    if pattern.within is not None:
        parts.append(f"done within {pattern.within.text}")
    if pattern.batch is not None:
        parts.append(f"in batches of {pattern.batch.text}")
    if pattern.for_each:
        parts.append(f"for each {pattern.for_each}")
    if pattern.atomic:
        parts.append("all or nothing")
    if pattern.retry:
        parts.append(f"repeat: {pattern.retry}")
    parts += [f"{attr}: {shares.text}" for attr, shares in pattern.skew.items()]
    return "; ".join(parts)


def children(relationship: Relationship) -> str:
    if relationship.many_to_many:
        ends = [
            f"{word} {spoken(s.text)}"
            for word, s in (("out", relationship.out), ("in", relationship.in_))
            if s is not None
        ]
        return ", ".join(ends) or "unknown"
    return spoken(relationship.children.text) if relationship.children is not None else "unknown"


def spoken(text: str) -> str:
    """A spread without the braces of the file: `avg 10, p99 120, max 5k`."""
    return text.strip("{}").replace(": ", " ")


def held(structure: Structure) -> str:
    """`order, items (line_item) inside, copy of buyer.name`."""
    things: tuple[Structure | RecordShape, ...] = structure.records or (structure,)
    return "; ".join(_held(t) for t in things)


def _held(thing: Structure | RecordShape) -> str:
    aside = f" ({thing.purpose})" if thing.purpose and isinstance(thing, RecordShape) else ""
    parts = [f"{thing.of}{aside}"] if thing.of else []
    parts += [f"{e.as_} ({e.what}) inside" if e.as_ and e.as_ != e.what else f"{e.what} inside" for e in thing.embed]
    parts += [f"ids of {r.what}" for r in thing.reference]
    parts += [f"copy of {c.what}" for c in thing.copied]
    parts += [f"{c.what} kept" for c in thing.computed]
    return ", ".join(parts)


def key_words(structure: Structure) -> str:
    """Keys and indexes as the file writes them."""
    named: Iterable[tuple[str, object]] = (
        ("_id", structure.id_),
        ("key", structure.key),
        ("shard key", structure.shard_key),
        ("partition", structure.partition_key),
        ("clustering", structure.clustering_key),
        ("primary key", structure.primary_key),
        ("partition by", structure.partition_by),
        ("foreign keys", structure.foreign_keys),
        ("row key", structure.row_key),
        ("pk", structure.pk),
        ("sk", structure.sk),
        ("path", structure.path),
        ("member", structure.member),
        ("score", structure.score or None),
    )
    parts = [f"{word} {key_text(value)}" for word, value in named if value]
    parts += [
        f"{r.of}: {key_text(r.pk)} / {key_text(r.sk)}" if r.sk else f"{r.of}: {key_text(r.pk)}"
        for r in structure.records
        if r.pk
    ]
    parts += [index_words(i) for i in (*structure.indexes, *structure.gsi, *structure.lsi)]
    return "; ".join(parts)


def index_words(index: Index) -> str:
    if index.keys:
        flags = "".join(f" {word}" for word, on in (("unique", index.unique), ("sparse", index.sparse)) if on)
        kind = f"{index.type} index" if index.type else "index"
        also = f" including {', '.join(index.include)}" if index.include else ""
        return f"{kind} {key_text(index.keys)}{flags}{also}{f' where {index.where.text}' if index.where else ''}"
    if index.pk:
        return f"{index.name} {key_text(index.pk)}{f' / {key_text(index.sk)}' if index.sk else ''}"
    return index.name or index.expression or f"{len(index.records)} kinds of entry"


def key_text(value: object) -> str:
    """A key as typed."""
    if isinstance(value, Template):
        return value.text
    if isinstance(value, tuple):
        return ", ".join(v.plain() if isinstance(v, KeyPart) else str(v) for v in value)
    return str(value or "")


def spread_text(spread: Spread, words: Callable[[float], str]) -> str:
    """`1.2 KB / 4.5 KB / 39 KB`; one figure where all are the same."""
    if spread.avg == spread.high == spread.max:
        return words(spread.avg)
    return " / ".join((words(spread.avg), words(spread.high), "no bound" if spread.max == inf else words(spread.max)))


def plan_numbers(plan: Plan) -> tuple[str, str, str]:
    """Requests, records and bytes of one operation on average; dashes where nothing runs."""
    if not plan.steps and not plan.touches:
        return "–", "–", "–"
    return count(plan.requests.avg), count(plan.records.avg), size(plan.bytes.avg)
