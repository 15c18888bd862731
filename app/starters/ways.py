"""One key list per way of asking: equality, then order, then range; one list serves every question it begins with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.starters.asks import Ask
from app.starters.design import Design
from app.starters.words import listed

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """A key list with the asks it serves. `equal`: how many of its first keys are bound; `where`: records it holds."""

    keys: Keys
    asks: tuple[Ask, ...]
    equal: int
    where: str = ""

    @property
    def patterns(self) -> list[str]:
        return list(dict.fromkeys(a.pattern for a in self.asks))


def plain(keys: Iterable[str]) -> list[str]:
    """Keys without directions."""
    return [k.removesuffix(" desc") for k in keys]


def ways(design: Design, entity: str, asks: Iterable[Ask], sparse: bool) -> list[Way]:
    """Key lists that serve the asks of an entity, without those that another begins with.

    `sparse`: an index holds only records that meet a condition, so values that the condition states are no keys.
    """
    found: dict[tuple[Keys, str], list[Ask]] = {}
    for ask in asks:
        if ask.words or ask.by_key(design.world):
            continue
        where = only(ask, sparse)
        keys = (*_bound(ask, where), *ordered(design, entity, ask))
        if keys:
            found.setdefault((keys, where), []).append(ask)
    out: dict[tuple[Keys, str], list[Ask]] = {}
    for keys, where in sorted(found, key=lambda f: (-len(f[0]), not any(a.order for a in found[f]))):
        free = not any(a.order for a in found[keys, where])
        home = next((f for f in out if f[1] == where and _begins(f[0], keys, free)), (keys, where))
        out.setdefault(home, []).extend(found[keys, where])
    first = list(found)
    return [
        Way(keys, tuple(mine), min(len(_bound(a, where)) for a in mine), where)
        for (keys, where), mine in sorted(out.items(), key=lambda w: first.index(w[0]))
    ]


def _begins(longer: Keys, keys: Keys, free: bool) -> bool:
    """Whether a key list begins with another; in any direction where that asks for no order."""
    begin = longer[: len(keys)]
    return begin == keys or (free and plain(begin) == plain(keys))


def served(asks: Iterable[Ask]) -> str:
    """`serves A, B`, or what it finds for a write."""
    asks = list(asks)
    read = listed(a.pattern for a in asks if a.action not in ("refresh", "fan"))
    each = listed(a.pattern for a in asks if a.action == "fan")
    written = listed(a.pattern for a in asks if a.action == "refresh")
    found = f"finds the copies that {written} must refresh" if written else ""
    whom = f"finds for whom {each} writes" if each else ""
    return "; ".join(w for w in (f"serves {read}" if read else "", found, whom) if w)


def only(ask: Ask, sparse: bool) -> str:
    """The condition of records that a way needs to hold: what must be empty, and lists of values stated."""
    empty = [f"{a} is null" for a in ask.absent]
    fixed = [text for a, text in ask.fixed if sparse and a not in ask.contains]
    return " and ".join([*empty, *fixed])


def _bound(ask: Ask, where: str) -> list[str]:
    stated = {a for a, text in ask.fixed if text in where}
    return [a for a in ask.bound if a not in stated]


def ordered(design: Design, entity: str, ask: Ask) -> list[str]:
    """What follows the bound keys: the order, then ranges, then the key, which makes paging exact."""
    keys: list[str] = []
    there = set(ask.bound)
    for attr, direction in ask.order:
        if attr not in there and "." in attr:
            there.add(attr)
            keys.append(f"{attr} desc" if direction < 0 else attr)
    for attr in ask.spans:
        if attr not in there:
            there.add(attr)
            keys.append(attr)
    if ask.order and ask.limit:
        down = " desc" if ask.order[-1][1] < 0 else ""
        keys += [f"{a}{down}" for a in design.world.keys.get(entity, ()) if a not in there]
    return keys
