"""Families for one way of asking each: limiter, queue, counter, leaderboard, stream, members, lookup."""

from __future__ import annotations

from typing import Any

from app.starters.asks import Ask
from app.starters.design import Design
from app.starters.held import copies, held
from app.starters.nests import FEW
from app.starters.size import bytes_of
from app.starters.times import RECENT, clock_of, keep_of
from app.starters.ways import ordered, plain, served
from app.starters.words import bare, entity_of, listed, plural, short, span

Plain = dict[str, Any]
WINDOW = 7 * 86_400.0
"""Widest window of a limiter in seconds."""
NUMBERS = ("int32", "int64", "float", "double", "decimal")
STREAM = 1000.0
"""Limit up to which a stream is read in one command."""


def limiter(design: Design, entity: str, asks: list[Ask]) -> list[Plain]:
    """Counts over a short window: a sorted set of times, trimmed at each call."""
    counted = [a for a in asks if a.action == "count" and a.equal and a.spans]
    clock = clock_of(design, entity)
    window = max((a.span_seconds for a in counted), default=0.0) or 60.0
    if not counted or not clock or window > WINDOW:
        return []
    who = [a for a in design.world.fields.get(entity, ()) if a in counted[0].equal]
    rest = [a for a in design.world.fields[entity] if a not in (*who, clock)]
    key = [a for a in design.world.keys.get(entity, ()) if a in rest]
    member = (key or rest or [clock])[0]
    family = {
        "keys": ":".join(["rate", *(f"{{{a}}}" for a in who)]),
        "type": "sorted set",
        "of": entity,
        "member": f"{{{member}}}",
        "score": clock,
        "purpose": "limiter",
        "ttl": f"{2 * window:g} s",
        "note": f"serves {listed(a.pattern for a in counted)}: the times of the last {span(window)}; trim, count and"
        " add in one script",
    }
    return [family]


def queue(entity: str, asks: list[Ask]) -> list[Plain]:
    """What is added at one end and taken from the other."""
    taken = [a for a in asks if a.takes and not a.equal]
    if not taken or len(taken) != len(asks):
        return []
    note = f"serves {listed(a.pattern for a in taken)}: added at one end, taken from the other; what must not be lost"
    note += " is written to a durable store first, and named here as truth"
    return [
        {
            "keys": f"queue:{plural(entity)}",
            "type": "list",
            "of": entity,
            "purpose": "queue",
            "ttl": "none",
            "note": note,
        }
    ]


def counter(_: Design, entity: str, ask: Ask) -> Plain | None:
    """A count that is kept instead of counted: sharded where every insert meets one key."""
    if ask.action != "count" or ask.spans or ask.contains or ask.absent:
        return None
    by = [f"{{{bare(a)}}}" for a in ask.equal]
    name = ":".join(["counter", plural(entity), *by]) if by else f"counter:{plural(entity)}:{{shard 16}}"
    why = "raised with every insert" if by else "sixteen keys, so that none takes every increment; summed when read"
    return {
        "keys": name, "type": "string", "purpose": "counter", "counts": entity, "ttl": "none",
        "note": f"serves {ask.pattern}: {why}",
    }  # fmt: skip


def board(design: Design, entity: str, ask: Ask) -> Plain | None:
    """Records in the order of a number, each no more than a member with its score: a leaderboard."""
    score = next((a for a, _ in ask.order if "." in a), "")
    stat = design.world.stats.get(score)
    own = set(design.world.fields.get(entity, ()))
    member = [a for a in design.world.fields.get(entity, ()) if a not in (*ask.equal, score)]
    single = len(member) == 1 and own <= {*ask.equal, *member, score}
    if stat is None or stat.type not in NUMBERS or not single or ask.contains or ask.ups:
        return None
    note = f"serves {ask.pattern}: ranks by {short(score)}; a better score moves its member"
    return {
        "keys": _named(design, entity, ask, "board"), "type": "sorted set", "of": entity,
        "member": f"{{{member[0]}}}", "score": bare(score), "purpose": "leaderboard", "truth": "none",
        "ttl": _life(design, entity), "note": note, "bound": list(ask.equal),
    }  # fmt: skip


def stream(design: Design, entity: str, ask: Ask) -> Plain | None:
    """What is only ever added, asked for in the order of its arrival: a stream holds the records themselves."""
    changed = design.changed(entity, "update", "delete", "upsert")
    rising = _rising(design, entity)
    times = {a for a, _ in ask.order} | set(ask.spans)
    if (
        changed
        or not rising
        or times != {rising}
        or not ask.equal
        or ask.contains
        or ask.fixed
        or ask.absent
        or ask.downs
    ):
        return None
    if not (0 < ask.limit <= STREAM or ask.span_seconds):
        return None
    inside = {k: v for k, v in held(design, entity, [ask]).items() if k != "embed"}
    if any(not _copied(inside, up.attrs) for up in ask.ups):
        return None
    return {
        "keys": _named(design, entity, ask), "type": "stream", "of": entity, **inside, "ttl": _life(design, entity),
        "note": f"serves {ask.pattern}: only ever added to, and read from its end; whole records in one command",
        "bound": list(ask.equal),
    }  # fmt: skip


def _picky(ask: Ask) -> bool:
    """Conditions that a family by key alone cannot judge."""
    return bool(ask.contains or ask.fixed or ask.absent)


def _rising(design: Design, entity: str) -> str:
    """The attribute in whose order records arrive, as a stream keeps it."""
    own = design.world.fields.get(entity, ())
    rising = [a for a in own if a in design.world.monotonic]
    key = design.world.keys.get(entity, ())
    timed = [a for a in key if design.world.stats[a].type in ("timeuuid", "objectid")]
    return next(iter([*rising, *timed]), "")


def _copied(inside: Plain, attrs: frozenset[str]) -> bool:
    return {short(a) for a in attrs} <= {str(c["what"]).partition(".")[2] for c in inside.get("copy", ())}


def members(design: Design, entity: str, ask: Ask) -> Plain | None:
    """A few children without an order, whole, in one hash per parent: all of them or one of them in one command."""
    rel = next((r for r in design.world.rels if r.child == entity and set(r.via) == set(ask.bound)), None)
    key = [a for a in design.world.keys.get(entity, ()) if a not in ask.equal]
    few = rel is not None and not rel.assumed and rel.children.high <= FEW and rel.children.max <= 5 * FEW
    if (
        not few
        or not key
        or ask.order
        or ask.spans
        or ask.contains
        or ask.absent
        or ask.downs
        or entity in design.links
    ):
        return None
    inside = {k: v for k, v in held(design, entity, [ask]).items() if k != "embed"}
    return {
        "keys": _named(design, entity, ask), "type": "hash", "of": entity, "member": ":".join(f"{{{a}}}" for a in key),
        **inside, "fields": list(design.world.fields[entity]), "ttl": _life(design, entity),
        "note": f"serves {ask.pattern}: a field per {entity}, few enough to be read at once", "bound": list(ask.equal),
    }  # fmt: skip


def lookup(design: Design, entity: str, ask: Ask) -> Plain | None:
    """The keys of the records found, in their order; the records are read after, in one pipeline."""
    if ask.action == "count" and not ask.spans:
        return None
    own = design.world.fields.get(entity, ())
    rest = plain(ordered(design, entity, ask))
    score = next((a for a in rest if a.lstrip("=") in _scores(ask)), "")
    score = score or ("" if rest else clock_of(design, entity))
    key = [a for a in design.world.keys.get(entity, ()) if a not in ask.equal]
    whole = score and entity_of(score) == entity and _never_named(design, entity) and _plain_text(design, entity)
    rest = [a for a in own if a not in (*ask.equal, score)]
    member = _whole_member(design, entity, ask, score) if whole else key or [a for a in rest if a in ask.attrs]
    if not member or not (score or key):
        return None
    family: Plain = {"keys": _named(design, entity, ask), "type": "sorted set" if score else "set", "of": entity}
    family["member"] = ":".join(f"{{{a}}}" for a in member)
    if score:
        family["score"] = bare(score)
    if whole and set(own) <= {*ask.equal, score, *member}:
        note = f"{served([ask])}: each member is a whole {entity}, in the order of {short(score)}"
        return {**family, "ttl": _life(design, entity), "note": note, "bound": list(ask.equal)}
    if key:
        family["purpose"] = "lookup"
    foreign = {short(a) for a in (*ask.bound, score) if a and entity_of(a) != entity}
    keyed = [c for c in copies(design, [ask]) if c["what"].partition(".")[2] in foreign]
    if keyed:
        family["copy"] = keyed
    if score.startswith("="):
        family["computed"] = held(design, entity, [ask]).get("computed", [])
    why = f"members in the order of {short(score)}" if score else "the keys of its records"
    return {
        **family,
        "ttl": _life(design, entity),
        "note": f"{served([ask])}: {why}; the records in one pipeline after",
    }


def _whole_member(design: Design, entity: str, ask: Ask, score: str) -> list[str]:
    """Every value of a record, and its score among them where the rest may be equal: a set keeps equal members once."""
    rest = [a for a in design.world.fields.get(entity, ()) if a not in (*ask.equal, score)]
    apart = [design.world.keys.get(entity, ()), *design.world.unique_together.get(entity, ())]
    if any(keys and set(keys) <= {*ask.equal, *rest} for keys in apart):
        return rest
    return [score, *rest]


def _never_named(design: Design, entity: str) -> bool:
    """No read and no change names a record by itself: it is only added and listed."""
    asks = [a for a in design.asks_of(entity) if a.by_key(design.world) or a.contains]
    return not asks and not design.changed(entity, "update", "delete", "upsert") and not design.counted(entity)


def _plain_text(design: Design, entity: str) -> bool:
    """Few and short values, so that a record makes a member."""
    own = design.world.fields.get(entity, ())
    lists = any(design.world.stats[a].type.endswith("[]") for a in own)
    return not lists and len(own) <= 6 and bytes_of(entity, design.world) <= 200 and not any(design.inside(entity))


def _scores(ask: Ask) -> set[str]:
    return {bare(a) for a, _ in ask.order} | {bare(a) for a in ask.spans}


def unique(design: Design, entity: str, ask: Ask) -> Plain | None:
    """From a value that no two records share to the key of its record."""
    key = design.world.keys.get(entity, ())
    sets = design.world.unique_together.get(entity, ())
    rest = [k for k in key if k not in ask.equal]
    if len(rest) != 1 or frozenset(ask.equal) not in sets or ask.contains or ask.order or ask.spans:
        return None
    why = f"serves {ask.pattern}: the key of the one {entity} with this value; SET … NX keeps it unique"
    return _value_key(design, entity, ask.equal, rest[0], why)


def guards(design: Design, entity: str, out: list[Plain]) -> list[Plain]:
    """A key per value that no two records share, where no read asks by it."""
    key = design.world.keys.get(entity, ())
    found = []
    for together in design.world.unique_together.get(entity, ()):
        own = tuple(a for a in design.world.fields.get(entity, ()) if a in together)
        rest = [k for k in key if k not in own]
        if len(rest) == 1 and own and design.changed(entity, "insert", "upsert"):
            why = f"keeps {' and '.join(short(a) for a in own)} unique: SET … NX before the record itself"
            found.append(_value_key(design, entity, own, rest[0], why))
    return [f for f in found if f["keys"] not in [o["keys"] for o in out]]


def _value_key(design: Design, entity: str, own: tuple[str, ...], key: str, note: str) -> Plain:
    by = [f"{{{bare(a)}}}" for a in own]
    return {
        "keys": ":".join([f"{entity}:by_{'_'.join(short(a) for a in own)}", *by]), "type": "string", "of": entity,
        "value": f"{{{key}}}", "purpose": "unique", "ttl": _life(design, entity), "note": note,
    }  # fmt: skip


def fan(design: Design, entity: str, ask: Ask) -> Plain | None:
    """One list per reader, written when the record comes to be: a timeline."""
    clock = clock_of(design, entity)
    key = design.world.keys.get(entity, ())
    if not ask.each or not ask.equal or not key or not clock:
        return None
    name = f"{plural(entity)}:for_{short(ask.equal[0])}:{{{bare(ask.equal[0])}}}"
    return {
        "keys": name, "type": "sorted set", "of": entity, "for each": ask.each, "member": f"{{{key[0]}}}",
        "score": clock, "purpose": "lookup", "max": "800", "ttl": span(RECENT),
        "note": f"serves {ask.pattern}: the newest 800 for every {ask.each}, written when a {entity} comes to be",
    }  # fmt: skip


def _named(design: Design, entity: str, ask: Ask, head: str = "") -> str:
    what = head or plural(entity)
    if entity in design.links:
        ends = [r for r in design.world.rels if r.link == entity and r.child == entity]
        what = plural(next((r.parent for r in ends if not set(r.via) & set(ask.bound)), entity))
    if not ask.bound:
        return f"{what}:all"
    by = [f"{{{bare(a)}}}" for a in ask.bound]
    word = "" if head else f":by_{'_'.join(short(a).removesuffix('_id') for a in ask.bound)}"
    return ":".join([f"{what}{word}", *by])


def _life(design: Design, entity: str) -> str:
    keep = keep_of(design, entity)
    return span(keep) if keep else "none"
