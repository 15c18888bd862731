"""One table per query: the bound attributes are the partition, the order is the clustering key, the needs are the columns."""

from __future__ import annotations

from typing import Any

from app.starters.held import copies, embeds, plural, short, span
from app.starters.plan import Ask, Design, bytes_of
from app.starters.times import clock_of, keep_of

Plain = dict[str, Any]
PARTITION = 100 * 1024 * 1024.0
BUCKETS = (("day", 86_400.0), ("month", 2_592_000.0), ("year", 31_536_000.0))


def tables(design: Design) -> list[Plain]:
    out: list[Plain] = []
    for entity in _entities(design):
        asks = [a for a in design.asks if a.entity == entity and not a.words]
        base = _by_key(design, entity, asks)
        if base:
            out.append(base)
        lists: dict[tuple[Any, ...], tuple[Plain, list[Ask]]] = {}
        for ask in asks:
            if not ask.by_key(design.world) and (ask.equal or ask.contains or ask.order):
                table = _listing(design, entity, ask)
                lists.setdefault((tuple(table["partition key"]), tuple(table["clustering key"])), (table, []))[
                    1
                ].append(ask)
        out += [_filled(design, entity, table, found, base is not None) for table, found in lists.values()]
        if not base and not lists:
            out.append(_fallback(design, entity))
    return _named_once(out)


def _entities(design: Design) -> list[str]:
    links = [r.name for r in design.project.relationships if r.many_to_many]
    return [*design.rooted, *(n for n in links if any(a.entity == n for a in design.asks))]


def _by_key(design: Design, entity: str, asks: list[Ask]) -> Plain | None:
    """The table of whole records, by their key: reads by key and every change need it."""
    key = design.world.keys.get(entity, ())
    wanted = any(a.by_key(design.world) for a in asks)
    changed = any(
        c.entity == entity and c.kind in ("update", "delete", "upsert") for w in design.writes for c in w.changes
    )
    if not key or not (wanted or changed) or entity not in design.rooted:
        return None
    out: Plain = {
        "table": f"{entity}_by_{'_'.join(short(k) for k in key[:1])}",
        "of": entity,
        "partition key": [key[0]],
    }
    if len(key) > 1:
        out["clustering key"] = list(key[1:])
    mine = [a for a in asks if a.by_key(design.world)]
    held = {"embed": embeds(design, entity, asks), "copy": copies(mine)}
    out |= {name: value for name, value in held.items() if value}
    return {**out, **_ttl(design, entity), "note": "the whole record by its key: the truth of the tables beside it"}


def _listing(design: Design, entity: str, ask: Ask) -> Plain:
    bound = list(dict.fromkeys((*ask.equal, *ask.contains)))
    clock = clock_of(design, entity)
    times = {a for a, _ in ask.order} | set(ask.spans)
    partition: list[str] = list(bound)
    bucket = _bucket(design, entity, ask, bound) if clock and clock in times else ""
    if bucket:
        partition.append(f"{bucket} = {clock}|{bucket}")
    elif not bound:
        partition.append("part = shard 8")
    clustering = [
        f"{a} desc" if d < 0 else a for a, d in ask.order if "." in a and not a.startswith("=") and a not in bound
    ]
    there = {c.removesuffix(" desc") for c in clustering} | set(bound)
    clustering += [a for a in ask.spans if a not in there]
    there |= set(ask.spans)
    down = " desc" if ask.order and ask.order[-1][1] < 0 else ""
    clustering += [f"{a}{down}" for a in design.world.keys.get(entity, ()) if a not in there]
    name = (
        f"{plural(entity)}_by_{'_and_'.join(_role(design, a) for a in bound)}"
        if bound
        else f"{plural(entity)}_in_order"
    )
    return {"table": name, "of": entity, "partition key": partition, "clustering key": clustering, "bucket": bucket}


def _role(design: Design, attr: str) -> str:
    """`order.buyer_id` → `buyer`."""
    rel = next((r for r in design.world.rels if attr in r.via and len(r.via) == 1), None)
    return rel.role if rel is not None else short(attr)


def _bucket(design: Design, entity: str, ask: Ask, bound: list[str]) -> str:
    """The smallest time bucket that keeps a partition well under its size; none where no partition grows large."""
    world = design.world
    inflow, keep = world.inflow.get(entity, 0.0), keep_of(design, entity)
    rel = next((r for r in world.rels if r.child == entity and set(r.via) & set(bound)), None)
    size = max(50.0, bytes_of(entity, world))
    count = max(world.counts.get(entity, 0.0), inflow * (keep or 63_115_200.0))
    if rel is not None:
        most = (
            rel.children.max
            if rel.children.max < float("inf")
            else max(10 * rel.children.high, count / max(1.0, world.counts.get(rel.parent, 1.0)))
        )
    else:
        most = count if not bound else count / max(1.0, min(world.stats[a].distinct for a in bound if a in world.stats))
    if most * size <= PARTITION / 2:
        return ""
    if ask.span_seconds:
        wide = [name for name, seconds in BUCKETS if seconds >= ask.span_seconds]
        return wide[0] if wide else BUCKETS[-1][0]
    life = keep or 63_115_200.0
    fits = [name for name, seconds in BUCKETS if most * size * min(1.0, seconds / life) <= PARTITION / 2]
    return fits[-1] if fits else BUCKETS[0][0]


def _filled(design: Design, entity: str, table: Plain, asks: list[Ask], has_base: bool) -> Plain:
    """Columns that the reads want, beside the key; everything where there is no table of whole records."""
    bucket = table.pop("bucket")
    keyed = {k.removesuffix(" desc") for k in (*table["partition key"], *table["clustering key"])}
    wanted = sorted({a for ask in asks for a in ask.attrs if not a.startswith("=")} - keyed)
    own = set(design.world.fields.get(entity, ()))
    if has_base and not set(wanted) >= own - keyed:
        table["fields"] = wanted or ["none"]
    figured = sorted({a[1:] for ask in asks for a in ask.attrs if a.startswith("=")})
    held: dict[str, list[Plain]] = {
        "copy": copies(asks),
        "embed": embeds(design, entity, asks) if any(a.downs for a in asks) else [],
        "computed": [{"what": a, "refresh": "same write"} for a in figured],
    }
    table |= {name: value for name, value in held.items() if value}
    if has_base:
        table |= {"purpose": "second copy", "refresh": "same write"}
    why = f"serves {', '.join(a.pattern for a in asks)}"
    return {
        **table,
        **_ttl(design, entity),
        "note": f"{why}; a {bucket} bucket bounds the partition" if bucket else why,
    }


def _ttl(design: Design, entity: str) -> Plain:
    keep = keep_of(design, entity)
    return {"ttl": span(keep)} if keep and design.can.expires else {}


def _fallback(design: Design, entity: str) -> Plain:
    key = design.world.keys.get(entity, ())
    rel = next((r for r in design.world.rels if r.child == entity), None)
    out: Plain = {"table": plural(entity), "of": entity, "partition key": list(key[:1] or (rel.via[:1] if rel else ()))}
    rest = (
        list(key[1:])
        if key
        else [a for a in design.world.fields.get(entity, ()) if rel is None or a not in rel.via][:1]
    )
    if rest:
        out["clustering key"] = rest
    held = embeds(design, entity)
    return {
        **out,
        **({"embed": held} if held else {}),
        **_ttl(design, entity),
        "note": "no pattern reads it by itself yet",
    }


def _named_once(found: list[Plain]) -> list[Plain]:
    seen: dict[str, int] = {}
    for table in found:
        name = table["table"]
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            table["table"] = f"{name}_{seen[name]}"
    return [t for t in found if t["partition key"]]
