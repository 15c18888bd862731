"""One table for all: entities that are listed by a parent share its partition; other ways in are overloaded indexes."""

from __future__ import annotations

from typing import Any

from app.starters.held import copies, embeds, figures, short
from app.starters.indexes import ways
from app.starters.plan import Ask, Design
from app.starters.times import keep_of

Plain = dict[str, Any]
PADDED = {"int32": 10, "int64": 19}
"""Digits that make an integer sort as text."""


def single_table(design: Design) -> list[Plain]:
    records: list[Plain] = []
    entries: list[list[Plain]] = []
    for entity in design.rooted:
        records.append(_record(design, entity))
        for n, (entry, full) in enumerate(_index_entries(design, entity)):
            if len(entries) <= n:
                entries.append([])
            entries[n].append({**entry, "full": full})
        records += _sentinels(design, entity)
    records += _links(design, entries)
    table: Plain = {"table": _name(design), "capacity": "on demand", "records": records}
    if entries:
        table["gsi"] = [_gsi(n, found) for n, found in enumerate(entries, 1)]
    if any(keep_of(design, e) for e in design.rooted):
        table["ttl"] = "at expires_at"
    return [table]


def _name(design: Design) -> str:
    words = "".join(c if c.isalnum() else "-" for c in design.project.name.lower()).strip("-")
    return "-".join(w for w in words.split("-") if w) or "app"


def _record(design: Design, entity: str) -> Plain:
    asks = [a for a in design.asks if a.entity == entity]
    pk, sk, why = _base_key(design, entity, asks)
    out: Plain = {"of": entity, "pk": pk, "sk": sk}
    held = {"embed": embeds(design, entity, asks), "copy": copies(asks), "computed": figures(design, entity, asks)}
    out |= {name: value for name, value in held.items() if value}
    return {**out, "note": why}


def _base_key(design: Design, entity: str, asks: list[Ask]) -> tuple[str, str, str]:
    """The base key serves what must be current; without such a need, the read by key, else the first list."""
    key = design.world.keys.get(entity, ())
    fetched = any(a.by_key(design.world) for a in asks) or _changed_by_key(design, entity)
    lists = [a for a in asks if not a.by_key(design.world) and a.equal and not a.words]
    if key and (fetched or not lists):
        if len(key) > 1:
            return _template(key[:1], design), _template(key[1:], design, head=""), "read by its whole key"
        return _template(key, design), entity.upper(), "read by its key, always current"
    if lists:
        keys = ways(design, entity, lists[:1])[0][0]
        n = len(lists[0].equal)
        sort = [k.removesuffix(" desc") for k in keys[n:]] or [a for a in key]
        return _template(keys[:n], design), _template(sort, design, head=entity), f"listed together: {lists[0].pattern}"
    parent = next((r for r in design.world.rels if r.child == entity), None)
    if parent is not None:
        order = [a for a in design.world.fields[entity] if a in design.world.monotonic][:1] or list(key)
        return _template(parent.via, design), _template(order, design, head=entity), f"kept with its {parent.role}"
    return _template(key, design) if key else f"{entity.upper()}#{{shard 8}}", entity.upper(), "no pattern reads it yet"


def _changed_by_key(design: Design, entity: str) -> bool:
    key = set(design.world.keys.get(entity, ()))
    return any(
        c.entity == entity and c.kind != "insert" and key and key <= c.known for w in design.writes for c in w.changes
    )


def _template(attrs: tuple[str, ...] | list[str], design: Design, head: str | None = None) -> str:
    """`USER#{order.user_id}`: the entity's or role's name, then the values."""
    parts = [_placeholder(a, design) for a in attrs if "." in a]
    word = _word(attrs[0]) if head is None and attrs else (head or "").upper()
    return "#".join([word, *parts] if word else parts)


def _word(attr: str) -> str:
    """`order.user_id` → USER, `user.id` → USER, `order.status` → STATUS."""
    entity, _, name = attr.partition(".")
    name = name.removesuffix(" desc")
    return entity.upper() if name == "id" else name.removesuffix("_id").upper()


def _placeholder(attr: str, design: Design) -> str:
    attr = attr.removesuffix(" desc")
    stat = design.world.stats.get(attr)
    pad = PADDED.get(stat.type, 0) if stat is not None else 0
    return f"{{{attr}|pad {pad}}}" if pad else f"{{{attr}}}"


def _index_entries(design: Design, entity: str) -> list[tuple[Plain, frozenset[str]]]:
    """Ways of asking that the base key does not serve."""
    asks = [a for a in design.asks if a.entity == entity]
    pk, sk, _ = _base_key(design, entity, asks)
    out = []
    arrays = {a for a in design.world.fields.get(entity, ()) if design.world.stats[a].type.endswith("[]")}
    for keys, patterns in ways(design, entity, asks):
        mine = [a for a in asks if a.pattern in patterns]
        n = max(1, len(mine[0].equal))
        if arrays & set(keys):
            continue
        entry = {"of": entity, "pk": _template(keys[:n], design), "sk": _template(list(keys[n:]), design, head="")}
        if not keys[n:]:
            entry["sk"] = entity.upper()
        if not mine[0].equal:
            first = keys[0].removesuffix(" desc")
            entry = {"of": entity, "pk": f"{entity.upper()}#{{shard 8}}", "sk": _placeholder(first, design)}
        if (entry["pk"], entry["sk"]) != (pk, sk):
            wanted = (
                frozenset(a for ask in mine for a in ask.attrs if not ask.downs)
                if all(not a.downs for a in mine)
                else frozenset()
            )
            out.append((entry, wanted))
    return out


def _gsi(n: int, entries: list[Plain]) -> Plain:
    """An overloaded index: one per position, entries of several entities side by side."""
    wanted = [e.pop("full") for e in entries]
    base: Plain = {"name": f"GSI{n}"}
    if len(entries) == 1 and wanted[0]:
        entry = entries[0]
        attrs = sorted(a.lstrip("=") for a in wanted[0])
        return {**base, "pk": entry["pk"], "sk": entry["sk"], "of": [entry["of"]], "projection": attrs}
    return {**base, "projection": "all", "records": entries}


def _sentinels(design: Design, entity: str) -> list[Plain]:
    """One item per unique value: an index does not enforce uniqueness here."""
    key = design.world.keys.get(entity, ())
    fields = next((e.fields for e in design.project.entities if e.name == entity), ())
    out = []
    for f in fields:
        if f.unique and not f.key and key:
            word = f.name.upper()
            out.append(
                {
                    "of": entity,
                    "purpose": "unique",
                    "pk": f"{word}#{{{entity}.{f.name}}}",
                    "sk": word,
                    "fields": list(key),
                    "note": f"keeps {short(f.name)} unique: written in the same transaction",
                }
            )
    return out


def _links(design: Design, entries: list[list[Plain]]) -> list[Plain]:
    """Many-to-many without attributes: one item per pair, and the pair turned round in an index."""
    out = []
    for link in design.project.relationships:
        if not link.many_to_many:
            continue
        near, far = (design.world.keys.get(e, ()) for e in (link.from_, link.to))
        if len(near) == 1 and len(far) == 1:
            pk, sk = _template(near, design), _template(far, design)
            out.append(
                {"of": link.name, "pk": pk, "sk": sk, "note": f"one item per pair of {link.from_} and {link.to}"}
            )
            if not entries:
                entries.append([])
            entries[0].append({"of": link.name, "pk": sk, "sk": pk, "full": frozenset()})
    return out
