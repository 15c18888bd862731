"""Tables that answer one list each: what is bound is the partition, the order the clustering key."""

from __future__ import annotations

from typing import Any

from app.starters.asks import Ask
from app.starters.buckets import bucket_of, part_of, recent_of, shards_of, time_of, uncounted
from app.starters.design import Design
from app.starters.held import held
from app.starters.times import RECENT, clock_of, life
from app.starters.ways import only, ordered, plain, served
from app.starters.words import bare, entity_of, plural, short, span

Plain = dict[str, Any]


def lists(design: Design, entity: str, asks: list[Ask], base: Plain | None) -> list[tuple[Plain, list[Ask]]]:
    """One table per way of asking; asks that one table serves share it."""
    out: dict[tuple[Any, ...], tuple[Plain, list[Ask]]] = {}
    for ask in asks:
        if ask.by_key(design.world) or not (ask.bound or ask.order or ask.spans or ask.absent):
            continue
        table = listing(design, entity, ask)
        if base and answers(base, table) and not ask.beside:
            continue
        key = (tuple(table["partition key"]), table.get("where", ""), ask.each, table.get("ttl", ""))
        home = next((k for k in out if k[:-1] == key and _together(design, k[-1], out[k][1], ask, table)), None)
        if home is not None and _worth(design, entity, home[-1], out[home][1]) < _worth(
            design, entity, tuple(table["clustering key"]), [ask]
        ):
            out[(*key, tuple(table["clustering key"]))] = (table, [*out.pop(home)[1], ask])
        elif home is not None:
            out[home][1].append(ask)
        else:
            out[(*key, tuple(table["clustering key"]))] = (table, [ask])
    return list(out.values())


def _worth(design: Design, entity: str, clustering: tuple[str, ...], asks: list[Ask]) -> tuple[bool, int, bool]:
    """Which of two clustering keys stays when one table answers both: what is asked for, the longer, the sorted."""
    return any(ordered(design, entity, a) for a in asks), len(clustering), _sorted(asks)


def _together(design: Design, one: tuple[str, ...], asks: list[Ask], ask: Ask, table: Plain) -> bool:
    """Whether one table may answer both; a read of whole partitions takes any order of their rows."""
    whole = [not ordered(design, a.entity, a) and not a.each for a in (*asks, ask)]
    return whole[-1] or all(whole[:-1]) or _begins(one, tuple(table["clustering key"]), asks, ask)


def _begins(one: tuple[str, ...], other: tuple[str, ...], asks: list[Ask], ask: Ask) -> bool:
    """Whether one clustering key begins like the other; a read without an order takes any direction."""
    n = min(len(one), len(other))
    if not ask.order or not _sorted(asks):
        return plain(one[:n]) == plain(other[:n])
    return one[:n] == other[:n]


def _sorted(asks: list[Ask]) -> bool:
    return any(a.order for a in asks)


def answers(base: Plain, table: Plain) -> bool:
    """Whether the table of whole records lists the same: by the first part of its key, in no other order."""
    wanted = table["clustering key"]
    same = base["partition key"] == table["partition key"] and base.get("where", "") == table.get("where", "")
    return bool(same and base.get("clustering key", [])[: len(wanted)] == wanted)


def listing(design: Design, entity: str, ask: Ask) -> Plain:
    where = only(ask, sparse=False)
    lists = [text for a, text in ask.fixed if " in (" in text and a in ask.equal]
    if lists and ask.order:  # one table of what is asked for, instead of one partition per value
        where = " and ".join([w for w in (where, *lists) if w])
    stated = {a for a, text in ask.fixed if text in lists and ask.order}
    bound = [a for a in ask.bound if a not in stated]
    clustering = ordered(design, entity, ask)
    recent = recent_of(design, entity, ask, bound)
    bucket = "" if recent else bucket_of(design, entity, ask, bound)
    partition = [bare(b) for b in bound]
    clock = clock_of(design, entity)
    if recent:
        pass  # rows end before the partition is large
    elif bucket:
        partition.append(f"{bucket} = {time_of(design, ask)}|{bucket}")
    elif shards := shards_of(design, entity, bound):
        partition.append(f"part = {part_of(design, entity, shards)}")
    elif not bound:
        partition.append("part = shard 1")
    there = {*plain(clustering), *bound}
    down = " desc" if ask.order and ask.order[-1][1] < 0 else ""
    clustering += [f"{a}{down}" for a in design.world.keys.get(entity, ()) if a not in there]
    if clustering and not ask.each:
        clustering += [f"{a}{down}" for a in _whose(design, entity) if a not in there]
    if not clustering and not design.world.keys.get(entity) and clock and clock not in bound:
        clustering = [f"{clock} desc"]
    table: Plain = {
        "table": f"{'newest_' if recent else ''}{_called(design, entity, ask, bound)}",
        "of": entity,
        "partition key": partition,
        "clustering key": [bare(c) for c in clustering],
        "bucket": bucket,
        **({"ttl": span(recent)} if recent else {}),
    }
    return {**table, **({"where": where} if where else {}), **({"for each": ask.each} if ask.each else {})}


def _whose(design: Design, entity: str) -> tuple[str, ...]:
    """Whose a record is that has no key of its own: two of one time are told apart by it."""
    if design.world.keys.get(entity):
        return ()
    return next((r.via for r in design.world.rels if r.child == entity), ())


def _called(design: Design, entity: str, ask: Ask, bound: list[str]) -> str:
    """`orders_by_buyer`; a link is called after what it leads to: `posts_by_tag`."""
    what = plural(entity)
    if entity in design.links:
        ends = [r for r in design.world.rels if r.link == entity and r.child == entity]
        what = plural(next((r.parent for r in ends if not set(r.via) & set(bound)), entity))
    if ask.each:
        return f"{what}_for_{'_and_'.join(_role(design, a) for a in bound)}"
    return f"{what}_by_{'_and_'.join(_role(design, a) for a in bound)}" if bound else f"{what}_in_order"


def _role(design: Design, attr: str) -> str:
    """`order.buyer_id` → `buyer`, `post.tags` → `tag`."""
    rel = next((r for r in design.world.rels if attr in r.via and len(r.via) == 1), None)
    if rel is not None:
        return rel.role
    stat = design.world.stats.get(attr)
    name = short(attr)
    return name.removesuffix("s") if stat is not None and stat.type.endswith("[]") else name


# ---------------------------------------------------------------- columns


def ends(design: Design, entity: str) -> Plain:
    ttl = life(design, entity)
    return {"ttl": ttl} if ttl else {}


def filled(design: Design, entity: str, table: Plain, asks: list[Ask], has_base: bool) -> Plain:
    """Columns that the reads want, beside the key; everything where there is no table of whole records."""
    bucket = table.pop("bucket")
    if not table["clustering key"]:
        del table["clustering key"]
    keyed = {k.removesuffix(" desc") for k in (*table["partition key"], *table.get("clustering key", ()))}
    own = set(design.world.fields.get(entity, ()))
    wanted = sorted({a for ask in asks for a in ask.attrs if a in own} - keyed)
    repeats = has_base or "ttl" in table or bool(table.get("for each")) or any(a.contains for a in asks)
    if repeats and not set(wanted) >= own - keyed:
        table["fields"] = wanted or ["none"]
    wants = held(design, entity, asks)
    if not any(a.downs for a in asks):
        wants.pop("embed", None)
    table |= wants
    static = _static(design, entity, table, asks)
    if static:
        table["static"] = static
    if table.get("for each") and design.expires:
        table["ttl"] = span(RECENT)
    newest = table.get("ttl", "") if not table.get("for each") else ""
    if has_base or table.get("for each") or newest:
        refresh = "async within 1 min" if table.get("for each") else "same write"
        table |= {"purpose": "second copy", "refresh": refresh}
    return {
        **ends(design, entity),
        **table,
        "note": _why(table, asks, bucket, bool(static), newest) + _unsaid(design, entity, asks),
    }


def _static(design: Design, entity: str, table: Plain, asks: list[Ask]) -> list[str]:
    """What the reads want of the parent whose partition this is: kept once beside the rows."""
    partition = tuple(table["partition key"])
    rel = next((r for r in design.world.rels if r.child == entity and r.via == partition), None)
    beside = {a for ask in asks for a in ask.beside if entity_of(a) == (rel.parent if rel else "")}
    if rel is None or 2 * len(beside - set(rel.key)) > len(set(design.world.fields[rel.parent]) - set(rel.key)):
        return []  # most of the parent: its own table, asked at the same time, keeps one truth
    if "where" in table or "clustering key" not in table or any(a.startswith("=") for a in beside):
        return []
    return [f"{rel.role}.{short(a)}" for a in sorted(beside - set(rel.key))]


def _unsaid(design: Design, entity: str, asks: list[Ask]) -> str:
    """Why rows that come in the order of time are not cut by it: nobody said how many there are."""
    timed = next((a for a in asks if time_of(design, a) and uncounted(design, entity, list(a.bound))), None)
    if timed is None or not design.world.inflow.get(entity):
        return ""
    return f"; no time bucket yet: how many {plural(entity)} share {' and '.join(short(b) for b in timed.bound)}?"


def _why(table: Plain, asks: list[Ask], bucket: str, static: bool, newest: str) -> str:
    why = served(asks)
    if newest:
        why += f": only rows of the last {newest}, so that the newest is found without a bucket"
    if table.get("for each"):
        why += f": one row per {table['for each']}, written when the record comes to be"
    if any(a.contains for a in asks):
        why += ": one row per element of the list"
    if static:
        why += ": the parent's columns are static, so that one query reads both"
    if "where" in table:
        why += f"; it holds only rows where {table['where']}"
    if "part = shard 1" in table["partition key"]:
        why += "; one partition holds them all, which these numbers allow"
    elif any(str(k).startswith("part = ") for k in table["partition key"]):
        why += "; the parts keep one partition from taking everything"
    article = "an" if bucket == "hour" else "a"
    return f"{why}; {article} {bucket} bucket bounds the partition" if bucket else why
