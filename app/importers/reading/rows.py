"""One row: from its cells to a pattern in the words of the project file."""

from __future__ import annotations

import re
from dataclasses import replace

from app.importers.reading.cells import Row, check_kind, kind_of, read_freshness, read_rates, write_rates
from app.importers.reading.consistency import looks_like_consistency
from app.importers.reading.draft import Draft
from app.importers.reading.items import Item, read_items
from app.importers.reading.needs import FIGURES, read_needs
from app.importers.reading.noun import Noun, noun_of
from app.importers.reading.ordering import read_order
from app.importers.reading.phrase import read_phrase, without_id
from app.importers.reading.rates import looks_like_rate
from app.importers.reading.reader import Reading, noun_said, parameter
from app.importers.reading.reads import (
    bind,
    is_of_person,
    read_conditions,
    read_search,
)
from app.importers.reading.remarks import read_remark
from app.importers.reading.subject import decide
from app.importers.reading.text import flat, many, quoted
from app.importers.reading.things import Thing, Vocabulary, thing_of
from app.importers.reading.together import belong
from app.importers.reading.writes import read_delete, read_insert, read_update, read_upsert

_LATENCY = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|sec|seconds?|segundos?)\b")
_ASKS = re.compile(
    r"(?:who|which|what|where|when|is|are|does|do|can|quien|quienes|cual|cuales|que|donde|como|how(?! many))\b"
)
_LIMITS = re.compile(r"(?:api )?(?:rate limit|throttle)\w*\b")
_SCOPE = re.compile(r"(?:(?:with)?in|inside|per|for|of|scoped to|dentro de|por)\b")
_WALKS = re.compile(
    r"\b(friends? of friends?|amigos? de (?:mis )?amigos?|shortest path|path from|recursive|"
    r"hierarchy|tree|breadcrumb|degrees of|mutual friends)\b"
)


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
    rate = read_rates(r, row, spanish=spanish)
    kind = kind_of(row, rate)
    items = read_items(row.cells.get("fields", ""), spanish=spanish)
    if (
        kind != "none"
        and not _LIMITS.match(flat(row.operation))
        and not _ASKS.match(flat(row.operation))
        and not _WALKS.search(flat(row.operation))
    ):
        thing = decide(r, items, kind, row.cells.get("entity", ""))
        if r.action:
            _read(r, thing, items)
            check_kind(r, kind)
    _rest(r, row, items, kind)
    read_freshness(r, row)
    write_rates(r, rate)
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
        read_delete(r, thing, items)
    else:
        _read_read(r, thing, items)
    _scoped(r)


def _scoped(r: Reading) -> None:
    """`(within tenant)`: one more thing that the record is bound to."""
    for remark in r.phrase.asides.remarks:
        hit = _SCOPE.match(flat(remark))
        noun = noun_of(flat(remark)[hit.end() :].split(), spanish=r.phrase.spanish) if hit else None
        thing = thing_of(noun, r.words) if noun else Thing()
        if noun is None or not (thing.entity and r.words.is_thing(thing.entity)) or thing.entity == r.entity:
            continue
        if r.action == "insert":
            belong(r, thing.entity, remark)
        else:
            bind(r, noun, "of")


def _read_read(r: Reading, thing: Thing, items: tuple[Item, ...]) -> None:
    head = r.phrase.head
    if r.action == "get" and head and is_of_person(r, thing, head):
        thing, items = _person_of(r, r.phrase.linked("of", "by")[0], head, items)
    elif r.action == "search":
        read_search(r)
        read_conditions(r, thing)
    else:
        read_conditions(r, thing)
    if r.action == "get" and not r.terms:
        r.by_key()
    read_needs(r, thing, items)
    read_order(r)
    if r.action == "aggregate":
        _figures(r, thing, items)
    if r.action in ("list", "search"):
        _ask_list(r)
    if r.action == "list" and r.plain.get("paging") == "cursor" and not r.terms:
        owners = sorted(parent for parent, child in r.words.pairs if child == r.entity)
        of = f": those of one {' or '.join(owners)}" if owners else ""
        asked = f"Which {many(r.entity)}{of}? No condition is named."
        r.ask("where", asked, f"{r.entity}.{owners[0]}_id = :{parameter(owners[0])}" if owners else "")


def _person_of(r: Reading, of: Noun, head: Noun, items: tuple[Item, ...]) -> tuple[Thing, tuple[Item, ...]]:
    """`author of a post`: the post by its key, with its author, or with the author's fields that are named."""
    r.draft.forget(r.entity)
    r.entity = r.draft.entity(of.name, f"named by {quoted(noun_said(of))}")
    r.by_key()
    r.why("entity", f"the {head.name} of one {of.name} is read with it")
    named = tuple(replace(i, whose=i.whose or head) for i in items if i.noun is not None)
    return Thing(r.entity), named or (Item(noun_said(head), head),)


def _ask_list(r: Reading) -> None:
    if "order by" not in r.plain:
        r.ask(
            "order by",
            "In which order? Newest first, by name, by price …",
            f"{r.entity}.created_at desc, {r.entity}.id desc",
        )
    if "limit" not in r.plain:
        r.ask("limit", "How many at a time, and is there a next page?", "limit: 20, paging: cursor")


def _figures(r: Reading, thing: Thing, items: tuple[Item, ...]) -> None:
    """What an aggregate computes: an average or sum where the words say so."""
    said = flat(r.phrase.text)
    field_name = thing.attribute or next(
        (
            i.noun.name
            for i in items
            if i.noun
            and len(i.noun.words) == 1
            and i.noun.name not in FIGURES
            and r.draft.entities[r.entity].held(i.noun.name)
        ),
        "",
    )
    if re.search(r"\b(average|avg|mean|promedio|media)\b", said):
        path = r.draft.field(r.entity, field_name or "value", "an average is asked for", "double")
        counted = any(i.noun is not None and i.noun.name == "count" for i in items)
        r.plain["compute"] = f"avg({path})" + (", count(*)" if counted else "")
    elif re.search(r"\b(sum|total|totals|revenue|suma)\b", said):
        path = r.draft.field(r.entity, field_name or "total", "a sum is asked for", "decimal")
        r.plain["compute"] = f"sum({path})"
    else:
        r.ask("compute", "Which figures: a count, a sum, an average of what?", f"count(*), sum({r.entity}.total)")
    if "compute" in r.plain:
        r.why("compute", f"the words ask for {r.plain['compute'].split('(')[0]}")
    if r.phrase.asides.every:
        path = r.draft.time(r.entity, f"grouped by {r.phrase.asides.every}")
        r.plain["group by"] = f"{path}|{r.phrase.asides.every}"
        r.why("group by", f"one figure per {r.phrase.asides.every}")


# ------------------------------------------------------------------ the other cells


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
    if "…" in r.name and "…" not in row.operation:
        r.note(row.operation)
    if note := row.cells.get("notes", ""):
        r.note(note)
        read_remark(r, note)
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
        r.ask(
            "action",
            "The row says that no data is read or written. Leave it out?",
            "delete the row, or say what it reads",
        )
    elif _LIMITS.match(flat(r.phrase.text)):
        r.ask(
            "action",
            f"{quoted(r.name)} counts calls against a limit: which thing counts them, and for how long?",
            "upsert: an entity with a key, a window of time and a count",
        )
    elif _WALKS.search(flat(r.phrase.text)):
        r.ask(
            "action",
            "This walks along relationships: along which, and how far?",
            "traverse: follow from follower to followee",
        )
    else:
        r.ask("action", f"What does {quoted(r.name)} do, and to which entity?", hint)
    for item in items:
        r.note(f"needs: {item.said}")
