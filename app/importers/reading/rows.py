"""One row: from its cells to a pattern in the words of the project file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from app.importers.format import Question
from app.importers.reading.consistency import looks_like_consistency, read_consistency
from app.importers.reading.draft import Draft
from app.importers.reading.items import Item, read_items
from app.importers.reading.phrase import Noun, read_phrase, without_id
from app.importers.reading.rates import RateReading, looks_like_rate, read_rate
from app.importers.reading.reader import Reading, noun_said
from app.importers.reading.reads import (
    is_of_person,
    read_conditions,
    read_item,
    read_needs,
    read_order,
    read_search,
)
from app.importers.reading.subject import decide
from app.importers.reading.text import flat, quoted
from app.importers.reading.things import Thing, Vocabulary
from app.importers.reading.verbs import READ_CALLS, WRITE_CALLS
from app.importers.reading.writes import read_delete, read_insert, read_update, read_upsert
from app.model.workload import READS, WRITES


@dataclass(slots=True)
class Row:
    """A row of a table by role, with the cells no role was found for and the units that headers give."""

    line: int
    cells: dict[str, str] = field(default_factory=dict)
    others: list[tuple[str, str]] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)

    @property
    def operation(self) -> str:
        return self.cells.get("operation", "")

    @property
    def text(self) -> str:
        """The row as it was pasted, beside its operation."""
        kept = [cell for role, cell in self.cells.items() if cell and role not in ("operation", "id")]
        return " | ".join([*kept, *(cell for _, cell in self.others if cell)])


_LATENCY = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|sec|seconds?|segundos?)\b")
_WALKS = re.compile(r"\b(friends? of friends?|amigos? de (?:mis )?amigos?|shortest path|path from|recursive|hierarchy|tree|breadcrumb|degrees of|mutual friends)\b")  # noqa: E501


def operation_name(text: str) -> str:
    """The name of a row's pattern: the operation without its number and without a frequency in parentheses."""
    said = without_id(text)
    for remark in re.findall(r"\([^()]*\)", said):
        inner = remark.strip("() ")
        if looks_like_rate(inner) or looks_like_consistency(inner):
            said = said.replace(remark, " ")
    name = " ".join(said.split()).strip(" :,;|-–—")
    return f"{name[:159]}…" if len(name) > 160 else name


def interpret(row: Row, name: str, draft: Draft, words: Vocabulary, *, spanish: bool) -> Reading:
    """The reading of one row. What it adds to the workload goes into `draft`."""
    phrase = read_phrase(row.operation, spanish=spanish)
    r = Reading(name, phrase, draft, words)
    rate = _rate(r, row, spanish=spanish)
    kind = _kind(row, rate)
    items = read_items(row.cells.get("fields", ""), spanish=spanish)
    if kind != "none" and not _WALKS.search(flat(row.operation)):
        thing = decide(r, items, kind, row.cells.get("entity", ""))
        if r.action:
            _read(r, thing, items)
            _check_kind(r, kind)
    _rest(r, row, items, kind)
    _consistency(r, row)
    _share(r, rate)
    return r


def _read(r: Reading, thing: Thing, items: tuple[Item, ...]) -> None:
    r.why("action", r.phrase.why or f"a bare {'plural is a list' if r.action == 'list' else 'noun is a read'}")
    if thing.why:
        r.why("entity", thing.why)
    if r.action == "insert":
        read_insert(r, thing, items)
    elif r.action == "upsert":
        read_upsert(r, thing, items)
    elif r.action == "update":
        read_update(r, thing, items)
    elif r.action == "delete":
        read_delete(r, thing)
    else:
        _read_read(r, thing, items)


def _read_read(r: Reading, thing: Thing, items: tuple[Item, ...]) -> None:
    links = r.phrase.linked("of", "by")
    head = r.phrase.head
    if r.action == "get" and head and len(links) == 1 and is_of_person(thing, head, links[0]):
        _person_of(r, links[0], head)
    elif r.action == "search":
        read_search(r)
        read_conditions(r, thing)
    else:
        read_conditions(r, thing)
    if r.action == "get" and not r.terms:
        r.by_key()
        r.why("where", f"one {r.entity}, so by its key")
    read_order(r)
    read_needs(r, thing, items)
    if r.action == "aggregate":
        _figures(r, items)
    if r.action in ("list", "search"):
        _ask_list(r)


def _person_of(r: Reading, of: Noun, head: Noun) -> None:
    """`author of a post`: the post by its key, with its author."""
    r.entity = r.draft.entity(of.name, f"named by {quoted(noun_said(of))}")
    r.by_key()
    r.why("entity", f"the {head.name} of one {of.name} is read with it")
    read_item(r, Item(noun_said(head), head))


def _ask_list(r: Reading) -> None:
    if "order by" not in r.plain:
        r.ask("order by", "In which order? Newest first, by name, by price …", f"{r.entity}.created_at desc, {r.entity}.id desc")
    if "limit" not in r.plain:
        r.ask("limit", "How many at a time, and is there a next page?", "limit: 20, paging: cursor")


def _figures(r: Reading, items: tuple[Item, ...]) -> None:
    """What an aggregate computes: an average or sum where the words say so."""
    said = flat(r.phrase.text)
    field_name = next((i.noun.name for i in items if i.noun and len(i.noun.words) == 1 and r.draft.entities[r.entity].held(i.noun.name)), "")  # noqa: E501
    if re.search(r"\b(average|avg|mean|promedio|media)\b", said):
        path = r.draft.field(r.entity, field_name or "value", "an average is asked for", "double")
        r.plain["compute"] = f"avg({path})"
    elif re.search(r"\b(sum|total|totals|revenue|suma)\b", said):
        path = r.draft.field(r.entity, field_name or "total", "a sum is asked for", "decimal")
        r.plain["compute"] = f"sum({path})"
    else:
        r.ask("compute", "Which figures: a count, a sum, an average of what?", f"count(*), sum({r.entity}.total)")
    if r.phrase.asides.every:
        path = r.draft.time(r.entity, f"grouped by {r.phrase.asides.every}")
        r.plain["group by"] = f"{path}|{r.phrase.asides.every}"
        r.why("group by", f"one figure per {r.phrase.asides.every}")


# ------------------------------------------------------------------ the other cells


def _kind(row: Row, rate: RateReading) -> str:
    """Whether the row says by itself that it reads, writes or does neither: its type, unit or call to the store."""
    said = set(re.findall(r"[a-z]+", flat(row.cells.get("kind", ""))))
    reads = said & {"read", "reads", "r", "lectura", "lecturas", "leitura", "get", "query"} or "読" in row.cells.get("kind", "")
    writes = said & {"write", "writes", "w", "escritura", "escrituras", "escrita", "insert", "update", "delete"} or "書" in row.cells.get("kind", "")  # noqa: E501
    if bool(reads) != bool(writes):
        return "read" if reads else "write"
    if said & {"none", "ninguna", "ninguno"}:
        return "none"
    if rate.kind:
        return rate.kind
    calls = set(re.findall(r"[a-z]+", row.cells.get("store", "").lower()))
    read, write = calls & READ_CALLS, calls & WRITE_CALLS
    return "read" if read and not write else "write" if write and not read else ""


def _check_kind(r: Reading, kind: str) -> None:
    wrong = (kind == "read" and r.action in WRITES) or (kind == "write" and r.action in READS)
    if wrong:
        r.ask("action", f"The words say {r.action}, the row says it is a {kind}: which is right?", "get, list, insert, update …")


def _rate(r: Reading, row: Row, *, spanish: bool) -> RateReading:
    """Frequency from its column, from columns for average and peak, or from a remark in parentheses."""
    found = RateReading()
    for role in ("rate", "avg", "peak"):
        cell = row.cells.get(role, "")
        if not cell:
            continue
        one = read_rate(cell, row.units.get(role, ""), spanish=spanish)
        r.note(one.note if one.found else f"{role}: {one.note}" if one.note else "")
        if one.question:
            r.ask("rate", one.question, "500/s")
        if one.why:
            r.why("rate", one.why)
        peak = one.peak or (one.avg if role == "peak" else "")
        avg = "" if role == "peak" and not one.peak else one.avg
        found = RateReading(found.avg or avg, found.peak or peak, found.kind or one.kind, found.within or one.within)
    if not found.found:
        for remark in r.phrase.asides.remarks:
            if looks_like_rate(remark):
                found = read_rate(remark, spanish=spanish)
                r.note(found.note)
    return found


def _share(r: Reading, rate: RateReading) -> None:
    """Writes the rate into the pattern; a bare share is one of the reads or of the writes, by the action."""
    of = "writes" if r.action in WRITES else "reads" if r.action in READS else ""
    plain: dict[str, str] = {}
    for name, value in (("avg", rate.avg), ("peak", rate.peak)):
        if value.endswith("%"):
            if of:
                plain[name] = f"{value} of {of}"
            else:
                r.note(f"rate: {value}")
        elif value:
            plain[name] = value
    if plain:
        r.plain["rate"] = plain
    if any("% of" in v for v in plain.values()):
        total = next(v for v in plain.values() if "% of" in v).split(" of ")[1]
        asked = f"How many {total} are there in all? A share of them is given."
        r.questions.append(Question(f"traffic/{total}", asked, "2k/s"))
    if rate.within:
        r.plain["within"] = rate.within


def _consistency(r: Reading, row: Row) -> None:
    cell = row.cells.get("consistency", "")
    cells = [cell] if cell else [c for c in r.phrase.asides.remarks if looks_like_consistency(c)][:1]
    for said in cells:
        found = read_consistency(said)
        if found.level:
            r.plain["consistency"] = found.level
        if found.why:
            r.why("consistency", found.why)
        if found.note:
            r.plain["consistency note"] = found.note
        if found.question:
            r.ask("consistency", found.question, found.hint)


def _rest(r: Reading, row: Row, items: tuple[Item, ...], kind: str) -> None:
    """Notes for what no rule read, and the question that a row without a reading asks."""
    if hit := _LATENCY.search(flat(row.cells.get("latency", ""))):
        r.plain["latency"] = f"{hit[1]} {'ms' if hit[2] == 'ms' else 's'}"
    elif row.cells.get("latency"):
        r.note(f"latency: {row.cells['latency']}")
    for role in ("order", "limit", "store"):
        if cell := row.cells.get(role, ""):
            r.note(f"{role}: {cell}")
    for header, cell in row.others:
        if cell:
            r.note(f"{header}: {cell}" if header else cell)
    if note := row.cells.get("notes", ""):
        r.note(note)
    for remark in r.phrase.asides.remarks:
        if not looks_like_rate(remark) and not looks_like_consistency(remark) and remark not in r.name:
            r.note(remark)
    if r.phrase.rest:
        r.note(f"then: {r.phrase.rest}")
        r.ask("also", f"A second step is named: {quoted(r.phrase.rest)}. Is it part of the same operation?")
    if not r.action:
        _ask_action(r, kind, items)


def _ask_action(r: Reading, kind: str, items: tuple[Item, ...]) -> None:
    hint = "insert, update, upsert or delete of …" if kind == "write" else "get, list, search, count … of …"
    if kind == "none":
        r.ask("action", "The row says that no data is read or written. Leave it out?", "delete the row, or say what it reads")
    elif _WALKS.search(flat(r.phrase.text)):
        r.ask("action", "This walks along relationships: along which, and how far?", "traverse: follow from follower to followee")
    else:
        r.ask("action", f"What does {quoted(r.name)} do, and to which entity?", hint)
    for item in items:
        r.note(f"needs: {item.said}")

