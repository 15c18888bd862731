"""One table per query: the bound attributes are the partition, the order is the clustering key, the needs are the
columns."""

from __future__ import annotations

from typing import Any

from app.starters.asks import Ask
from app.starters.design import Design
from app.starters.held import copies, held
from app.starters.listings import answers, ends, filled, listing, lists
from app.starters.times import clock_of
from app.starters.ways import plain, served
from app.starters.words import listed, plural, short

Plain = dict[str, Any]


def tables(design: Design) -> list[Plain]:
    out: list[Plain] = []
    for entity in (*design.rooted, *design.links):
        asks = [a for a in design.asks_of(entity) if not a.words]
        base = _by_key(design, entity, asks)
        if base:
            base |= _listed_too(design, entity, asks, base)
        found = lists(design, entity, asks, base)
        if base is None and not any(_is_plain(a) for t, mine in found if "ttl" not in t for a in mine):
            base = _fallback(design, entity)
        out += [base] if base else []
        made = [filled(design, entity, table, mine, base is not None) for table, mine in found]
        out += [*made, *_guards(design, entity, made)]
    return _named_once(out)


def _is_plain(ask: Ask) -> bool:
    """A list that every record is in once, so that its table may be the only one."""
    return not ask.each and not ask.contains and ask.action not in ("refresh", "fan")


# ---------------------------------------------------------------- whole records


def _by_key(design: Design, entity: str, asks: list[Ask]) -> Plain | None:
    """The table of whole records, by their key: reads by key and every change need it."""
    key = design.world.keys.get(entity, ())
    mine = [a for a in asks if a.by_key(design.world)]
    if not key or entity in design.links or not (mine or _found_by_key(design, entity, key, asks)):
        return None
    first = _leading(key, asks)
    rest = [k for k in key if k not in first] + _with_key(design, entity, key, mine)
    out: Plain = {
        "table": f"{entity}_by_{'_and_'.join(short(k) for k in key)}",
        "of": entity,
        "partition key": first,
        **({"clustering key": rest} if rest else {}),
        **held(design, entity, mine or [a for a in asks if a.downs]),
    }
    gone = design.world.soft_delete.get(entity, "")
    live = {"where": f"{gone} is null"} if gone and mine and all(gone in a.absent for a in mine) else {}
    why = f"serves {listed(a.pattern for a in mine)}: " if mine else ""
    kept = "; a deleted record leaves it for an archive" if live else ""
    return {
        **out,
        **live,
        **ends(design, entity),
        "note": f"{why}the whole record by its key, where changes find it{kept}",
    }


def _with_key(design: Design, entity: str, key: tuple[str, ...], mine: list[Ask]) -> list[str]:
    """What reads bind beside the whole key, such as a tenant: only key columns can be compared here."""
    own = design.world.fields.get(entity, ())
    bound = {a for ask in mine for a in ask.equal} - set(key)
    return [a for a in own if a in bound and not design.set_later(a)]


def _found_by_key(design: Design, entity: str, key: tuple[str, ...], asks: list[Ask]) -> bool:
    """Whether changes need the record by its key: those that name it, or figures that its children move."""
    changed = design.changed(entity, "update", "delete", "upsert")
    if design.counted(entity) or any(set(key) <= known for known in changed):
        return True
    return bool(changed) and not any(_lists_by(a, key) for a in asks)


def _listed_too(design: Design, entity: str, asks: list[Ask], base: Plain) -> Plain:
    """What the lists that the table of whole records answers want of others."""
    also = [a for a in asks if not a.by_key(design.world) and a.bound and answers(base, listing(design, entity, a))]
    if not also:
        return {}
    mine = [a for a in asks if a.by_key(design.world)]
    return {**held(design, entity, [*mine, *also]), "note": f"{served([*mine, *also])}: the whole record by its key"}


def _leading(key: tuple[str, ...], asks: list[Ask]) -> list[str]:
    """Which part of the key is the partition: what a list binds by itself; else all of it, which spreads best."""
    for ask in asks:
        if len(ask.equal) == 1 and ask.equal[0] in key and len(key) > 1 and not ask.order and not ask.spans:
            return [ask.equal[0]]
    return list(key)


def _lists_by(ask: Ask, key: tuple[str, ...]) -> bool:
    return bool(ask.equal) and not set(ask.equal) & set(key)


def _fallback(design: Design, entity: str) -> Plain:
    """Written, or pointed to, but read by no pattern: by its key, else with its parent."""
    key = design.world.keys.get(entity, ())
    rel = next((r for r in design.world.rels if r.child == entity), None)
    own = design.world.fields.get(entity, ())
    single = [a for a in own if not design.world.stats[a].type.endswith("[]")]
    partition = list(key or (rel.via if rel else ()) or single[:1])
    out: Plain = {"table": plural(entity), "of": entity, "partition key": partition}
    clock = clock_of(design, entity)
    rest = [] if key else [a for a in (clock, *single) if a and a not in partition][:1]
    if rest:
        out["clustering key"] = rest
    if entity in design.links and rel is not None:
        out |= {"partition key": list(rel.via), "clustering key": [k for k in key if k not in rel.via]}
    copied = copies(design, [a for a in design.asks_of(entity) if a.words])
    inside = {**held(design, entity, []), **({"copy": copied} if copied else {})}
    searched = listed(a.pattern for a in design.asks_of(entity) if a.words)
    why = (
        f"whole records; {searched} needs a search index beside this store"
        if searched
        else "no pattern reads it by itself yet"
    )
    return {**out, **inside, **ends(design, entity), "note": why}


def _guards(design: Design, entity: str, out: list[Plain]) -> list[Plain]:
    """A table per unique value: only a primary key keeps values apart here."""
    key = design.world.keys.get(entity, ())
    found = []
    for together in design.world.unique_together.get(entity, ()):
        own = [a for a in design.world.fields.get(entity, ()) if a in together]
        there = any(set(plain([*t["partition key"], *t.get("clustering key", ())])) <= together for t in out)
        if key and own and set(own) != set(key) and not there and design.changed(entity, "insert", "upsert"):
            name = " and ".join(short(a) for a in own)
            found.append(
                {
                    "table": f"{entity}_by_{'_and_'.join(short(a) for a in own)}",
                    "of": entity,
                    "partition key": own,
                    "purpose": "unique",
                    "fields": list(key),
                    "refresh": "same write",
                    "note": f"keeps {name} unique: INSERT … IF NOT EXISTS before the record itself",
                }
            )
    return found


def _named_once(found: list[Plain]) -> list[Plain]:
    seen: dict[str, int] = {}
    for table in found:
        name = table["table"]
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            table["table"] = f"{name}_{seen[name]}"
    return [t for t in found if t["partition key"]]
