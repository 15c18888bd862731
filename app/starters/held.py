"""What a record holds of others: embeds, copies and maintained figures, written as a project file would."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

import inflection

from app.plan.types import Rel
from app.starters.plan import Ask, Design, Nest, Up

Plain = dict[str, Any]


def embeds(design: Design, entity: str, asks: Iterable[Ask] = ()) -> list[Plain]:
    """The embed entries of one record kind."""
    asks = list(asks)
    return [_embed(design, nest, asks) for nest in design.inside(entity)]


def _embed(design: Design, nest: Nest, asks: list[Ask]) -> Plain:
    out: Plain = {"what": nest.rel.children_as or nest.rel.child, "as": plural(nest.rel.child)}
    if nest.first:
        out |= {"first": f"{nest.first:.0f}", "order by": order_text(nest.order)}
    elif nest.max:
        out |= {"max": f"{nest.max:.0f}", "beyond": "refuse"}
    inner = embeds(design, nest.rel.child) if not nest.first else []
    if inner:
        out["embed"] = inner
    copied = copied_ups([up for a in asks for d in a.downs if d.edge.rel == nest.rel for up in d.ups])
    if copied:
        out["copy"] = copied
    return {**out, "note": nest.because}


def copies(asks: Iterable[Ask]) -> list[Plain]:
    """Copied parent attributes that reads of this entity want, where their age allows a copy."""
    return copied_ups([up for ask in asks for up in ask.ups])


def copied_ups(ups: Iterable[Up]) -> list[Plain]:
    """One copy per attribute, as young as the strictest read wants it."""
    found: dict[str, tuple[float, bool]] = {}
    for up in ups:
        for attr in sorted(up.attrs):
            what = spelled(up.edge.rel, attr)
            age, historical = found.get(what, (inf, True))
            found[what] = (min(age, inf if up.historical else up.age), historical and up.historical)
    return [_copy(what, age, historical) for what, (age, historical) in found.items() if historical or age > 0]


def _copy(what: str, age: float, historical: bool) -> Plain:
    name = what.replace(".", "_")
    if historical:
        return {"what": what, "as": name, "refresh": "never", "because": "the value at writing time is the right one"}
    return {
        "what": what,
        "as": name,
        "refresh": f"async within {span(age)}",
        "because": f"reads accept it {span(age)} old",
    }


def spelled(rel: Rel, attr: str) -> str:
    """An attribute of a parent by its role: `buyer.name`."""
    return f"{rel.role}.{attr.partition('.')[2]}"


def figures(design: Design, entity: str, asks: Iterable[Ask]) -> list[Plain]:
    """Maintained figures that reads want; with the same write where what they count lives inside."""
    wanted = sorted({a for ask in asks for a in ask.attrs if a.startswith("=")})
    inside = {n.rel.child for n in design.inside(entity)}
    known = {f.name: f for f in design.world.figures}
    out = []
    for name in wanted:
        figure = known.get(name)
        child = figure.rel.child if figure is not None else ""
        out.append({"what": name[1:], "refresh": "same write" if child in inside else "same transaction"})
    return out


def strong_ups(asks: Iterable[Ask]) -> list[Up]:
    """Parents whose current value is wanted: no copy will do."""
    return [up for ask in asks for up in ask.ups if not up.historical and up.age == 0]


# ---------------------------------------------------------------- words


def plural(noun: str) -> str:
    """A structure's name: `order` → `orders`, `category` → `categories`."""
    return str(inflection.pluralize(noun))


def order_text(order: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{a.lstrip('=')} desc" if d < 0 else a.lstrip("=") for a, d in order)


def span(seconds: float) -> str:
    """`10 min`, `1 day`."""
    for size, word in ((86_400.0, "day"), (3600.0, "h"), (60.0, "min")):
        if seconds >= size and seconds % size == 0:
            n = int(seconds // size)
            return f"{n} {word}s" if word == "day" and n > 1 else f"{n} {word}"
    return f"{seconds:g} s"


def short(attr: str) -> str:
    return attr.lstrip("=").partition(".")[2] or attr
