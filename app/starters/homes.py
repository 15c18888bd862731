"""Where the records of an entity live in a single table: the key that must be current and serves most."""

from __future__ import annotations

from dataclasses import dataclass

from app.plan.types import Rel
from app.starters.asks import Ask
from app.starters.design import Design
from app.starters.size import bytes_of, writes_per_second
from app.starters.ways import Keys, Way, plain, ways
from app.starters.words import bare, listed, short

PADDED = {"int32": 10, "int64": 19}
"""Digits that make an integer sort as text."""
BUSY = 500.0
"""Writes per second on one partition from which on it is split, half of what a partition takes."""
SMALL = 1024.0**3
"""Bytes under one constant key up to which it is not split."""


@dataclass(frozen=True, slots=True)
class Home:
    """The base key of one entity. `word`: what its partition is called; `kept_with`: the parent whose it is."""

    pk: Keys
    sk: Keys
    word: str
    why: str
    kept_with: str = ""
    shards: int = 0

    def serves(self, way: Way) -> bool:
        """Whether a way of asking is answered by the base key already."""
        if way.where or self.shards:
            return False
        bound, rest = set(way.keys[: way.equal]), plain(way.keys[way.equal :])
        return bound == set(self.pk) and list(self.sk[: len(rest)]) == rest


def home_of(design: Design, entity: str) -> Home:
    """With its parent where they are read together; else by its key; else with its first list."""
    key = design.world.keys.get(entity, ())
    asks = design.asks_of(entity)
    beside = _parent(design, entity, asks)
    if beside is not None:
        rel, ask = beside
        found = ways(design, entity, [ask], sparse=True)
        order = plain(found[0].keys[found[0].equal :]) if found else []
        rest = [*order, *(k for k in key if k not in (*order, *rel.via))] or _tail(design, entity, rel.via)
        why = f"in the partition of its {rel.role}: one query reads both"
        return Home(rel.via, tuple(rest), _name(rel.parent), why, rel.parent)
    lists = _lists(design, entity, asks)
    if key and (_fetched(design, entity, asks) or not lists):
        return _by_key(design, entity, key, lists)
    if lists:
        return _by_list(design, entity, lists[0])
    return _with_parent(design, entity)


def _lists(design: Design, entity: str, asks: list[Ask]) -> list[Way]:
    own = set(design.world.fields.get(entity, ()))
    found = ways(design, entity, [a for a in asks if a.equal and not a.contains], sparse=True)
    return [w for w in found if w.equal and not w.where and set(plain(w.keys[: w.equal])) <= own]


def _fetched(design: Design, entity: str, asks: list[Ask]) -> bool:
    """A read or a change names the record by its key."""
    key = set(design.world.keys.get(entity, ()))
    changes = design.changed(entity, "update", "delete", "upsert")
    named = any(a.by_key(design.world) for a in asks) or any(key and key <= known for known in changes)
    return named or design.counted(entity)


def _parent(design: Design, entity: str, asks: list[Ask]) -> tuple[Rel, Ask] | None:
    """The parent that is read together with its children by its own key, if nothing names the children without it."""
    key = set(design.world.keys.get(entity, ()))
    for ask in asks:
        if ask.main or ask.absent or ask.fixed:
            continue
        rel = next((r for r in design.world.rels if r.child == entity and r.via == ask.equal), None)
        if rel is None or rel.parent not in design.rooted or design.world.keys.get(rel.parent, ()) != rel.key:
            continue
        changes = design.changed(entity, "update", "delete", "upsert")
        named = [set(a.equal) for a in asks if a.by_key(design.world) and (a.strong or a.age == 0)]
        named += [set(known) for known in changes if key and key <= known]
        whole = any(a.pattern == ask.pattern and a.by_key(design.world) for a in design.asks_of(rel.parent))
        if whole and all(set(rel.via) <= known for known in named):
            return rel, ask
    return None


def _by_key(design: Design, entity: str, key: Keys, lists: list[Way]) -> Home:
    if len(key) == 1:
        return Home(key, (), _name(entity), "read by its key, always current")
    first = next((w.keys[0] for w in lists if w.equal == 1 and w.keys[0] in key and _leads(w, key)), "")
    if not first:
        return Home(key, (), _name(entity), "read by its whole key, which spreads it evenly")
    rest = tuple(k for k in key if k != first)
    return Home((first,), rest, word_of(design, first), f"read by its whole key, and listed by {short(first)}")


def _leads(way: Way, key: Keys) -> bool:
    return set(plain(way.keys)) <= set(key)


def _by_list(design: Design, entity: str, way: Way) -> Home:
    key = design.world.keys.get(entity, ())
    bound = way.keys[: way.equal]
    order = plain(way.keys[way.equal :])
    rest = [*order, *(k for k in key if k not in (*order, *bound))] or _tail(design, entity, bound)
    why = f"listed together: serves {listed(way.patterns)}"
    return Home(bound, tuple(rest), word_of(design, bound[0]), why)


def _with_parent(design: Design, entity: str) -> Home:
    key = design.world.keys.get(entity, ())
    rel = next((r for r in design.world.rels if r.child == entity), None)
    if rel is not None:
        return Home(
            rel.via, key or _tail(design, entity, rel.via), word_of(design, rel.via[0]), f"kept with its {rel.role}"
        )
    if key:
        return Home(key, (), _name(entity), "no pattern reads it yet")
    shards = shards_for(design, entity)
    return Home((), _tail(design, entity, ()), _name(entity), "no pattern reads it yet, and it has no key", "", shards)


def _tail(design: Design, entity: str, bound: Keys) -> Keys:
    """What tells records of one partition apart where there is no key: the first time, else the first field."""
    own = [a for a in design.world.fields.get(entity, ()) if a not in bound]
    rising = [a for a in own if a in design.world.monotonic]
    return tuple((rising or own)[:1])


def shards_for(design: Design, entity: str) -> int:
    """Into how many parts a constant key is split; 0 where the numbers allow one."""
    rate = writes_per_second(design, entity)
    known = entity not in design.world.counts_assumed
    size = design.world.counts.get(entity, 0.0) * bytes_of(entity, design.world)
    if rate is not None and known and rate <= BUSY / 2 and size <= SMALL:
        return 0
    return 8 if rate is None else min(64, max(4, round(rate / BUSY + 0.5)))


# ---------------------------------------------------------------- as templates


def template(design: Design, attrs: Keys, word: str, *, sorts: bool = False) -> str:
    """`USER#{order.user_id}`: a word, then the values. `sorts`: integers are padded, so that they sort as text."""
    parts = [_placeholder(design, a, sorts) for a in attrs]
    return "#".join([word, *parts] if word else parts)


def _placeholder(design: Design, attr: str, sorts: bool) -> str:
    stat = design.world.stats.get(attr)
    pad = PADDED.get(stat.type, 0) if stat is not None and sorts else 0
    return f"{{{bare(attr)}|pad {pad}}}" if pad else f"{{{bare(attr)}}}"


def word_of(design: Design, attr: str) -> str:
    """What a partition is called: `order.buyer_id` → BUYER, `user.id` → USER, `order.status` → STATUS."""
    rel = next((r for r in design.world.rels if r.via == (attr,)), None)
    if rel is not None:
        return _name(rel.role)
    entity, _, name = bare(attr).partition(".")
    return _name(entity if name == "id" else name.removesuffix("_id"))


def _name(word: str) -> str:
    return word.upper()
