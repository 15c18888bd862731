"""Rows become a project: every row is read twice, the second time knowing what the whole text speaks of."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from app.importers.format import Imported, Question, RowReading, Unread
from app.importers.reading.cells import Row
from app.importers.reading.context import Count, is_traffic, known
from app.importers.reading.draft import TIMES, Draft
from app.importers.reading.nouns import LABELS
from app.importers.reading.phrase import is_spanish
from app.importers.reading.reader import Reading
from app.importers.reading.rows import interpret, operation_name
from app.importers.reading.text import a, many
from app.importers.reading.things import Vocabulary
from app.model.project import Project
from app.model.workload import Pattern, Traffic


def read_rows(rows: tuple[Row, ...], into: Project, counts: tuple[Count, ...], unread: tuple[Unread, ...]) -> Imported:
    """The project with these rows added; nothing it holds already is changed."""
    spanish = is_spanish([row.operation for row in rows])
    names = _names(rows, into)
    first, draft = _pass(rows, names, into, _given(into, counts), spanish=spanish)
    words = _learned(first, draft, into, counts)
    readings, draft = _pass(rows, names, into, words, spanish=spanish)
    questions = _count(draft, counts)
    traffic, asked = _traffic(into, counts, frozenset(draft.entities))
    entities, relationships = draft.finish()
    patterns = tuple(_pattern(r, row) for r, row in zip(readings, rows, strict=True))
    project = into.model_copy(
        update={
            "entities": entities,
            "relationships": relationships,
            "patterns": (*into.patterns, *patterns),
            "traffic": traffic,
        }
    )
    asks = [q for r in readings for q in r.questions] + questions + _children(draft) + _tenant(readings, into)
    asks = [q for q in asks if q.place not in asked]
    read = tuple(
        RowReading(row.line, row.operation, p.operation, describe(p), bool(p.action))
        for row, p in zip(rows, patterns, strict=True)
    )
    return Imported(project, read, tuple(dict.fromkeys(asks)), unread)


def _names(rows: tuple[Row, ...], into: Project) -> list[str]:
    """A name per row, unique among themselves and the patterns there are."""
    taken = {p.operation.casefold() for p in into.patterns}
    out = []
    for row in rows:
        name = unique = operation_name(row.operation) or row.operation[:160] or "Operation"
        n = 1
        while unique.casefold() in taken:
            n += 1
            unique = f"{name} ({n})"
        taken.add(unique.casefold())
        out.append(unique)
    return out


def _given(into: Project, counts: tuple[Count, ...]) -> Vocabulary:
    names = frozenset(e.name for e in into.entities)
    heads = frozenset(p.entity for p in into.patterns)
    pairs = frozenset((x.parent, x.child) for x in into.relationships if not x.many_to_many)
    return Vocabulary(
        names | frozenset(c.noun for c in counts if known(c, names) and not is_traffic(c)),
        heads,
        pairs=pairs,
        given=names,
    )


def _learned(readings: list[Reading], draft: Draft, into: Project, counts: tuple[Count, ...]) -> Vocabulary:
    given = _given(into, counts)
    timed = frozenset(name for name, e in draft.entities.items() if any(f.get("monotonic") for f in e.fields.values()))
    said = frozenset(pair for r in readings for pair in r.pairs)
    heads = frozenset(r.entity for r in readings if r.entity)
    times = tuple(
        (name, t)
        for name, e in draft.entities.items()
        for t in TIMES
        if t in e.fields and "monotonic" not in e.fields[t]
    )
    doubtful = _doubtful(readings, draft) - given.names
    names = given.names | (frozenset(draft.entities) - doubtful)
    heads -= doubtful
    fields = frozenset((name, f) for name, e in draft.entities.items() for f in e.fields if name not in doubtful)
    fields |= frozenset((e.name, f.name) for e in into.entities for f in e.fields)
    links = frozenset((x.parent, x.child, x.via) for x in draft.links if not x.many)
    many = frozenset(frozenset((x.parent, x.child)) for x in draft.links if x.many and x.child not in LABELS)
    return Vocabulary(names, given.heads | heads, timed, given.pairs | said, many, times, given.given, fields, links)


def _doubtful(readings: list[Reading], draft: Draft) -> frozenset[str]:
    """Names read as entities that are a figure of something else: `average rating` where a review has a rating."""
    out = set()
    for r in readings:
        asked = any(q.place.endswith("/entity") for q in r.questions)
        if r.action == "aggregate" or asked:
            names = (r.entity, r.entity.removesuffix("_level"))
            out |= {r.entity for name, e in draft.entities.items() if name != r.entity and set(names) & set(e.fields)}
    return frozenset(out)


def _pass(
    rows: tuple[Row, ...], names: list[str], into: Project, words: Vocabulary, *, spanish: bool
) -> tuple[list[Reading], Draft]:
    draft = Draft(into)
    draft.times.update(reversed(words.times))
    return [interpret(row, name, draft, words, spanish=spanish) for row, name in zip(rows, names, strict=True)], draft


def _count(draft: Draft, counts: tuple[Count, ...]) -> list[Question]:
    """Puts counts and growth where the text gives them."""
    for count in counts:
        if count.parent:
            link = draft.link(count.parent, count.noun) or draft.link(count.parent, f"{count.parent}_{count.noun}")
            if link is not None and not link.given:
                link.children = f"{{avg: {count.value}}}"
                link.inferred["children"] = f"the text says “{count.said}”"
            continue
        made = draft.entities.get(count.noun)
        if made is None:
            continue
        if count.per:
            made.growth = made.growth or f"{count.value}/{count.per}"
            made.inferred.setdefault("growth", f"the text says “{count.said}”")
        else:
            made.count = made.count or count.value
            made.inferred.setdefault("count", f"the text says “{count.said}”")
    return [
        Question(f"entities/{name}/count", f"How many {many(name)} are there?", "10M")
        for name, made in draft.entities.items()
        if not made.given and not made.count
    ]


def _children(draft: Draft) -> list[Question]:
    """The numbers that decide between embedding and referencing, asked for each new relationship."""
    out = []
    for link in draft.links:
        if link.given or link.children:
            continue
        hint = "{avg: 10, p99: 80, max: none}"
        if link.many:
            text = (
                f"How many {many(link.child)} has {a(link.parent)}, and {a(link.child)} how many {many(link.parent)}?"
            )
            out.append(Question(f"relationships/{link.name}/out", text, hint))
        else:
            text = f"How many {many(link.child)} has one {link.name}: on average, at p99, at most?"
            out.append(Question(f"relationships/{link.name}-{link.child}/children", text, hint))
    return out


def _tenant(readings: list[Reading], into: Project) -> list[Question]:
    """Where many rows name the customer whose data they stay in, whether all of them do."""
    if into.tenant:
        return []
    for name in ("tenant", "workspace", "organization", "organisation"):
        bound = [r for r in readings if any(t.endswith(f" = :{name}") for t in r.terms) and r.entity != name]
        if len(bound) >= 3 and len(bound) * 5 >= len(readings):
            text = f"{len(bound)} of {len(readings)} rows stay inside one {name}. Does every pattern on what it owns?"
            return [Question("tenant", text, f"tenant: {name}")]
    return []


def _traffic(into: Project, counts: tuple[Count, ...], names: frozenset[str]) -> tuple[Traffic | None, set[str]]:
    """Totals of reads and writes that the text gives, and the places they answer."""
    plain: dict[str, Any] = {}
    held = into.traffic
    for count in counts:
        total = "" if count.noun in names else is_traffic(count)
        if total and not (held and getattr(held, total)):
            plain[total] = f"{count.value}/{count.per}"
    answered = {
        f"traffic/{total}" for total in ("reads", "writes") if total in plain or (held and getattr(held, total))
    }
    if not plain:
        return held, answered
    read = Traffic.model_validate(plain)
    if held is None:
        return read, answered
    return held.model_copy(update={word: getattr(read, word) for word in plain}), answered


def _pattern(r: Reading, row: Row) -> Pattern:
    """The pattern of a reading. One that the model refuses keeps its text and asks."""
    plain: dict[str, Any] = {"operation": r.name, "text": row.text}
    if r.action:
        plain |= {r.action: r.entity, **r.plain}
        plain |= {word: value for word, value in (("needs", r.needs), ("set", r.sets), ("with", r.with_)) if value}
        if r.terms:
            plain["where"] = " and ".join(r.terms)
    else:
        plain |= {word: value for word, value in r.plain.items() if word in _WITHOUT_ACTION}
    plain["note"] = "; ".join(r.notes)
    plain["inferred"] = r.inferred if r.action else {}
    try:
        return Pattern.model_validate(plain)
    except ValidationError as why:
        reason = why.errors(include_url=False)[0]["msg"]
        r.ask("action", f"This row was not understood ({reason}).", "get, list, insert, update … of …")
        return Pattern.model_validate({"operation": r.name, "text": row.text, "note": plain["note"]})


_WITHOUT_ACTION = frozenset(["rate", "consistency", "consistency note", "latency", "within"])


def describe(pattern: Pattern) -> str:
    """A reading in one sentence: `get order by order.id = :order; needs order, order_item; 500/s`."""
    if not pattern.action:
        return "not understood yet"
    pieces = [f"{pattern.action} {pattern.entity}"]
    if pattern.where:
        pieces[0] += f" where {pattern.where.text}"
    if pattern.order_by:
        pieces.append(f"ordered by {pattern.order_by.text}")
    if pattern.limit:
        pieces.append(f"limit {pattern.limit.text}")
    for word, value in (("computes", pattern.compute), ("grouped by", pattern.group_by)):
        if value:
            pieces.append(f"{word} {value}")
    if pattern.needs:
        pieces.append("needs " + ", ".join(n.what for n in pattern.needs))
    if pattern.set:
        pieces.append("sets " + ", ".join(f"{k} = {v}" for k, v in pattern.set.items()))
    if pattern.with_:
        pieces.append("with " + ", ".join(pattern.with_))
    if pattern.also:
        pieces.append("also " + ", ".join(f"{step.action} {step.entity}" for step in pattern.also))
    if pattern.rate:
        pieces.append(", ".join(a.text for a in (pattern.rate.avg, pattern.rate.peak) if a))
    return "; ".join(pieces)
