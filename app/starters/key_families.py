"""Key families: a hash per record, a sorted set per list, a counter per count; everything that can expire does."""

from __future__ import annotations

from typing import Any

from app.starters.held import copies, embeds, figures, plural, short, span
from app.starters.plan import Ask, Design
from app.starters.times import clock_of, keep_of

Plain = dict[str, Any]
SHORT = 30 * 86_400.0
"""Records kept no longer than this may live here alone; longer-lived ones want a durable copy elsewhere."""
WINDOW = 7 * 86_400.0


def key_families(design: Design) -> list[Plain]:
    out: list[Plain] = []
    for entity in design.rooted:
        asks = [a for a in design.asks if a.entity == entity]
        limiter = _limiter(design, entity, asks)
        if limiter:
            out += limiter
            continue
        record = _hash(design, entity, asks)
        if record:
            out.append(record)
        for ask in asks:
            family = _ordered(design, entity, ask)
            if family and family["keys"] not in [f["keys"] for f in out]:
                out.append(family)
        if any(a.action == "count" and not a.equal for a in asks):
            out.append(
                {
                    "keys": f"counter:{plural(entity)}:{{shard 16}}",
                    "type": "string",
                    "purpose": "counter",
                    "counts": entity,
                    "ttl": "none",
                    "note": "sharded so that no key takes every increment; summed when read",
                }
            )
    return out


def _hash(design: Design, entity: str, asks: list[Ask]) -> Plain | None:
    key = design.world.keys.get(entity, ())
    fetched = [a for a in asks if a.action == "get" and a.equal]
    by = key or (fetched[0].equal if fetched else ())
    if not by:
        return None
    name = ":".join([entity, *(f"{{{a}}}" for a in by)])
    nested = embeds(design, entity, asks)
    out: Plain = {"keys": name, "type": "string" if nested else "hash", "of": entity}
    if nested:
        out |= {"format": "json", "embed": nested}
    copied = copies(asks)
    if copied:
        out["copy"] = copied
    kept = figures(design, entity, asks)
    if kept:
        out["computed"] = kept
    keep = keep_of(design, entity)
    out["ttl"] = span(keep) if keep else "none"
    lasting = not keep or keep > SHORT
    note = "one key per record" + ("; keep a durable copy in another store and name it as truth" if lasting else "")
    return {**out, "note": note}


def _ordered(design: Design, entity: str, ask: Ask) -> Plain | None:
    """A sorted set per bound value, scored by the order; its members are the keys of the records."""
    if ask.by_key(design.world) or ask.words or ask.action == "count":
        return None
    score = next((a for a, _ in ask.order if "." in a and not a.startswith("=")), "") or next(iter(ask.spans), "")
    score = score or clock_of(design, entity)
    key = [a for a in design.world.keys.get(entity, ()) if a not in ask.equal]
    own = design.world.fields.get(entity, ())
    member = key or [a for a in own if a in ask.attrs and a not in ask.equal]
    if not member or not (score or key):
        return None
    by = [f"{{{a}}}" for a in (*ask.equal, *ask.contains)]
    name = ":".join(
        [
            f"{plural(entity)}:by_{'_'.join(short(a) for a in (*ask.equal, *ask.contains))}"
            if by
            else f"{plural(entity)}:all",
            *by,
        ]
    )
    keep = keep_of(design, entity)
    family: Plain = {"keys": name, "type": "sorted set" if score else "set", "of": entity}
    family["member"] = ":".join(f"{{{a}}}" for a in member)
    if score:
        family["score"] = score
    if key:
        family["purpose"] = "lookup"
    why = f"members in the order of {short(score)}" if score else "the keys of its records"
    return {**family, "ttl": span(keep) if keep else "none", "note": f"serves {ask.pattern}: {why}"}


def _limiter(design: Design, entity: str, asks: list[Ask]) -> list[Plain]:
    """Counts over a short window: a counter per window, or a sorted set of times where the window slides."""
    counted = [a for a in asks if a.action == "count" and a.equal and a.spans]
    key = [a for a in design.world.fields.get(entity, ()) if a in {e for a in counted for e in a.equal}]
    clock = clock_of(design, entity)
    if not counted or not key or not clock:
        return []
    window = max(a.span_seconds for a in counted) or 60.0
    if window > WINDOW:
        return []
    who = ":".join(f"{{{a}}}" for a in key)
    member = next((f"{{{a}}}" for a in design.world.fields[entity] if a not in (*key, clock)), f"{{{clock}}}")
    return [
        {
            "keys": f"rate:{who}",
            "type": "sorted set",
            "of": entity,
            "member": member,
            "score": clock,
            "purpose": "limiter",
            "ttl": f"{2 * window:g} s",
            "note": f"serves {counted[0].pattern}: times within the window, trimmed at each call",
        }
    ]
