"""Key families: a key per record, a sorted set, stream or hash per list, a counter per count; what can expire does."""

from __future__ import annotations

from typing import Any

from app.starters.asks import Ask
from app.starters.design import Design
from app.starters.families import board, counter, fan, guards, limiter, lookup, members, queue, stream, unique
from app.starters.held import held
from app.starters.times import keep_of
from app.starters.words import listed, plural, span

Plain = dict[str, Any]
SHORT = 30 * 86_400.0
"""Records kept no longer than this may live here alone; longer-lived ones want a durable copy elsewhere."""


def key_families(design: Design) -> list[Plain]:
    out: list[Plain] = []
    for entity in (*design.rooted, *design.links):
        for family in _families(design, entity):
            same = next((f for f in out if f["keys"] == family["keys"]), None)
            if same is None:
                out.append(family)
    return out


def _families(design: Design, entity: str) -> list[Plain]:
    asks = design.asks_of(entity)
    special = limiter(design, entity, asks) or queue(entity, asks)
    if special:
        return special
    out: list[Plain] = []
    for ask in asks:
        if not ask.by_key(design.world) and not ask.words:
            found = _listing(design, entity, ask)
            out += [found] if found else []
    out += guards(design, entity, out)
    home = _home(design, entity, out, asks)
    record = None if home else _record(design, entity, asks)
    truth = home or record
    for family in out:
        family.pop("bound", None)
        if truth is not None and family is not truth and family.get("purpose") != "counter":
            kept = family.get("purpose", "lookup")
            purpose = "second copy" if kept == "lookup" and "for each" not in family else kept
            family |= {"purpose": purpose, "truth": truth["keys"], "refresh": "same write"}
    return [record, *out] if record else out


def _listing(design: Design, entity: str, ask: Ask) -> Plain | None:
    """The family that answers one list: what holds the records themselves before what holds their keys."""
    for make in (fan, counter, unique, board, stream, members, lookup):
        found = make(design, entity, ask)
        if found:
            return found
    return None


def _home(design: Design, entity: str, out: list[Plain], asks: list[Ask]) -> Plain | None:
    """The family of a list that holds every record whole and answers what names one by its key too."""
    named = [set(a.equal) for a in asks if a.by_key(design.world)]
    named += [set(k) for k in design.changed(entity, "update", "delete", "upsert")]
    homes = [f for f in out if "bound" in f]
    found = next((f for f in homes if all(set(f["bound"]) <= known for known in named)), None)
    return found or (next(iter(out), None) if entity in design.links else None)


def _record(design: Design, entity: str, asks: list[Ask]) -> Plain | None:
    """One key per record: a hash, or a JSON text where something is nested in it."""
    key = design.world.keys.get(entity, ())
    fetched = [a for a in asks if a.action == "get" and a.equal]
    by = key or (fetched[0].equal if fetched else ())
    if not by or entity in design.links:
        return None
    inside = held(design, entity, asks)
    out: Plain = {"keys": ":".join([entity, *(f"{{{a}}}" for a in by)])}
    out |= {"type": "string", "format": "json"} if "embed" in inside else {"type": "hash"}
    out |= {"of": entity, **inside}
    keep = keep_of(design, entity)
    mine = listed(a.pattern for a in asks if a.by_key(design.world) or a in fetched)
    why = f"serves {mine}: " if mine else ""
    if keep and keep <= SHORT:
        return {**out, **_session(design, entity, keep), "truth": "none", "note": f"{why}lives here alone and expires"}
    note = f"{why}one key per {entity}; {plural(entity)} last: keep a durable copy in another store, named as truth"
    return {**out, "ttl": span(keep) if keep else "none", "note": note}


def _session(design: Design, entity: str, keep: float) -> Plain:
    """What is read by its key and made anew when gone lives on with every use; the rest ends at its age."""
    read = any(a.by_key(design.world) for a in design.asks_of(entity))
    if read and keep >= 600 and not any(a.order for a in design.asks_of(entity)):
        return {"ttl": f"{span(keep)} sliding", "purpose": "session"}
    return {"ttl": span(keep)}
