"""One table for all: children lie in the partition of the parent they are read with; other ways in are overloaded
indexes; what a list element or a link leads to is an item of its own."""

from __future__ import annotations

from collections import Counter
from typing import Any

from app.starters.asks import Ask
from app.starters.buckets import part_of
from app.starters.design import Design
from app.starters.held import held
from app.starters.homes import Home, home_of, shards_for, template, word_of
from app.starters.times import RECENT, expires, life
from app.starters.ways import Way, plain, served, ways
from app.starters.words import bare, entity_of, listed, short, span

Plain = dict[str, Any]


def single_table(design: Design) -> list[Plain]:
    records: list[Plain] = []
    entries: list[list[Plain]] = []
    homes = {e: home_of(design, e) if e in design.rooted else _link_home(design, e)
             for e in (*design.rooted, *design.links)}  # fmt: skip
    words = Counter(home.word for home in homes.values() if home is not None)
    for entity, home in homes.items():
        if home is None:
            continue
        records += [
            _record(design, entity, home, shared=words[home.word] > 1),
            *_elements(design, entity),
            *_fans(design, entity),
        ]
        for n, entry in enumerate(_index_entries(design, entity, home)):
            if len(entries) <= n:
                entries.append([])
            entries[n].append(entry)
        records += _sentinels(design, entity)
    table: Plain = {"table": _name(design), "capacity": "on demand", "records": records}
    if entries:
        table["gsi"] = [_gsi(n, found) for n, found in enumerate(entries, 1)]
    return [table]


def _name(design: Design) -> str:
    """A table name: three letters at least."""
    words = "".join(c if c.isascii() and c.isalnum() else "-" for c in design.project.name.lower()).split("-")
    name = "-".join(w for w in words if w)
    return name if len(name) >= 3 else "app-data"


def _record(design: Design, entity: str, home: Home, *, shared: bool) -> Plain:
    """`shared`: items of others lie in its partitions, so that its sort keys have to be told from theirs."""
    asks = design.asks_of(entity)
    head = entity.upper() if shared or not home.sk or home.kept_with or len(home.sk) > len(home.pk) else ""
    pk = template(design, home.pk, home.word)
    if home.shards or not home.pk:
        pk = f"{home.word}#{{shard {home.shards}}}" if home.shards else home.word
    out: Plain = {"of": entity, "pk": pk, "sk": template(design, home.sk, head, sorts=True) or entity.upper()}
    out |= held(design, entity, [a for a in asks if not a.contains and not a.each])
    taken = any(a.endswith(".expires_at") for own in design.world.fields.values() for a in own)
    ttl = "" if taken else expires(design, entity) or life(design, entity)
    return {**out, **({"ttl": ttl} if ttl else {}), "note": home.why}


def _link_home(design: Design, link: str) -> Home | None:
    """A many-to-many link: the pair under the end that is asked for most, turned round in an index."""
    columns = design.world.keys.get(link, ())
    ends = [r for r in design.world.rels if r.link == link and r.child == link]
    if len(ends) != 2:
        return None
    first = next((r for a in design.asks_of(link) for r in ends if set(r.via) <= set(a.equal)), ends[0])
    found = ways(design, link, [a for a in design.asks_of(link) if a.equal == first.via], sparse=True)
    order = plain(found[0].keys[found[0].equal :]) if found else []
    rest = [*order, *(c for c in columns if c not in (*first.via, *order))]
    pair = " and ".join(r.parent for r in ends)
    serves = f"; serves {listed(found[0].patterns)}" if found else ""
    return Home(first.via, tuple(rest), first.role.upper(), f"one item per pair of {pair}{serves}")


# ---------------------------------------------------------------- more items of the same entity


def _elements(design: Design, entity: str) -> list[Plain]:
    """One item per element of a list that records are found by: an index cannot take a list apart."""
    asks = [a for a in design.asks_of(entity) if a.contains and not a.words]
    return [_element(design, entity, way) for way in ways(design, entity, asks, sparse=True)]


def _element(design: Design, entity: str, way: Way) -> Plain:
    bound, rest = way.keys[: way.equal], plain(way.keys[way.equal :])
    rest = rest or list(design.world.keys.get(entity, ()))
    word = short(way.asks[0].contains[0]).upper().removesuffix("S")
    return {
        "of": entity,
        "purpose": "second copy",
        "pk": template(design, bound, word),
        "sk": template(design, tuple(rest), "", sorts=True) or entity.upper(),
        "refresh": "same transaction",
        **_columns(design, entity, [*bound, *rest], list(way.asks)),
        "note": f"serves {listed(way.patterns)}: one item per element, written with its {entity}",
    }


def _fans(design: Design, entity: str) -> list[Plain]:
    """One item per reader: written when the record comes to be, so that a timeline is one query."""
    out = []
    for ask in design.asks_of(entity):
        if not ask.each or not ask.equal:
            continue
        rest = plain(ways(design, entity, [ask], sparse=True)[0].keys[len(ask.equal) :])
        rest = rest or list(design.world.keys.get(entity, ()))
        pk = template(design, ask.equal, word_of(design, ask.equal[0]))
        out.append(
            {
                "of": entity,
                "for each": ask.each,
                "purpose": "second copy",
                "pk": pk,
                "sk": template(design, tuple(rest), entity.upper(), sorts=True),
                "refresh": "async within 1 min",
                "ttl": span(RECENT),
                "note": f"serves {ask.pattern}: written once per {ask.each}, so that the read is one query",
            }
        )
    return out


def _columns(design: Design, entity: str, keys: list[str], asks: list[Ask]) -> Plain:
    """Which own attributes a second copy holds, with what the reads want of others."""
    own = set(design.world.fields.get(entity, ()))
    wanted = sorted({a for ask in asks for a in ask.attrs if a in own} - set(keys))
    rest = {k: v for k, v in held(design, entity, asks).items() if k != "embed"}
    if set(wanted) >= own - set(keys):
        return rest
    return {"fields": wanted or ["none"], **rest}


# ---------------------------------------------------------------- indexes


def _index_entries(design: Design, entity: str, home: Home) -> list[Plain]:
    """Ways of asking that the base key does not serve."""
    asks = [a for a in design.asks_of(entity) if not a.contains and not a.each]
    found = [w for w in ways(design, entity, asks, sparse=True) if not home.serves(w)]
    if home.kept_with or not set(design.world.keys.get(entity, ())) <= {*home.pk, *home.sk}:
        found += _by_key(design, entity, asks, home)
    return [_entry(design, entity, way) for way in found] + _turned(design, entity, home)


def _by_key(design: Design, entity: str, asks: list[Ask], home: Home) -> list[Way]:
    """Reads by key of what lies in its parent's partition."""
    key = design.world.keys.get(entity, ())
    mine = [a for a in asks if a.by_key(design.world) and not {*home.pk, *home.sk} <= set(a.equal)]
    return [Way(key, tuple(mine), len(key))] if mine else []


def _turned(design: Design, entity: str, home: Home) -> list[Plain]:
    """A link from its other end."""
    if entity not in design.links:
        return []
    other = next(r for r in design.world.rels if r.link == entity and r.child == entity and r.via != home.pk)
    if any(set(other.via) <= set(a.equal) for a in design.asks_of(entity)):
        return []
    key = template(design, other.via, other.role.upper())
    return [{"of": entity, "pk": key, "sk": template(design, home.pk, home.word), "full": (), "why": []}]


def _entry(design: Design, entity: str, way: Way) -> Plain:
    bound, rest = way.keys[: way.equal], tuple(plain(way.keys[way.equal :]))
    pk = template(design, bound, word_of(design, bound[0])) if bound else entity.upper()
    if not bound and (shards := shards_for(design, entity)):
        pk = f"{entity.upper()}#{{{part_of(design, entity, shards)}}}"
    out: Plain = {"of": entity, "pk": pk, "sk": template(design, rest, "", sorts=True) or entity.upper()}
    if way.where:
        out["where"] = way.where
    nothing_below = not any(a.downs for a in way.asks)
    own = {a for ask in way.asks for a in (*ask.attrs, *(x for u in ask.ups for x in u.attrs))}
    keys = set(design.world.keys.get(entity, ())) | set(bound) | set(rest)
    out["full"] = tuple(sorted(own - keys)) if nothing_below and _plain(own, entity) else ()
    out["narrow"] = nothing_below and _plain(own, entity)
    return {**out, "why": way.asks}


def _plain(attrs: set[str], entity: str) -> bool:
    return all(entity_of(a) == entity for a in attrs)


def _gsi(n: int, entries: list[Plain]) -> Plain:
    """An index: one per position, entries of several entities side by side (overloaded)."""
    wanted = [(e.pop("full"), e.pop("narrow", False)) for e in entries]
    note = served(a for e in entries for a in e.pop("why")) or "the pairs from their other end"
    base: Plain = {"name": f"GSI{n}"}
    if len(entries) == 1:
        entry, (attrs, narrow) = entries[0], wanted[0]
        projection: object = "all"
        if narrow:
            projection = [bare(a) for a in attrs] or "keys"
        where = {"where": entry["where"]} if "where" in entry else {}
        key = {"pk": entry["pk"], "sk": entry["sk"], "of": [entry["of"]]}
        return {**base, **key, **where, "projection": projection, "note": note}
    return {**base, "projection": "all", "records": entries, "note": f"overloaded: {note}"}


def _sentinels(design: Design, entity: str) -> list[Plain]:
    """One item per unique value: an index does not enforce uniqueness here."""
    key = design.world.keys.get(entity, ())
    out = []
    for together in design.world.unique_together.get(entity, ()):
        own = tuple(a for a in design.world.fields.get(entity, ()) if a in together)
        if not key or not own or set(own) == set(key):
            continue
        word = "_".join(short(a) for a in own).upper()
        out.append(
            {
                "of": entity,
                "purpose": "unique",
                "pk": template(design, own, word),
                "sk": word,
                "fields": list(key),
                "note": f"keeps {' and '.join(short(a) for a in own)} unique: put with a condition, same transaction",
            }
        )
    return out
