"""What a record holds of others: embeds, copies and maintained figures, written as a project file would."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

from app.plan.lower_read import ANY_AGE
from app.plan.types import Rel
from app.starters.asks import Ask, Up
from app.starters.design import Design, Nest
from app.starters.nests import FEW
from app.starters.words import bare, entity_of, order_text, plural, span

Plain = dict[str, Any]
FIRST_AGE = 600.0
"""Age of a copy in seconds, to begin with, where no read says how old it may be."""


def embeds(design: Design, entity: str, asks: Iterable[Ask] = ()) -> list[Plain]:
    """The embed entries of one record kind."""
    asks = list(asks)
    return [_embed(design, nest, asks) for nest in design.inside(entity)]


def _embed(design: Design, nest: Nest, asks: list[Ask]) -> Plain:
    rel = nest.rel
    out: Plain = {"what": rel.children_as or rel.child, "as": plural(rel.child)}
    if nest.first:
        out |= {"first": f"{nest.first:.0f}", "order by": order_text(nest.order)}
    elif nest.max:
        out |= {"max": f"{nest.max:.0f}", "beyond": "refuse"}
    inner = embeds(design, rel.child, asks) if not nest.first else []
    if inner:
        out["embed"] = inner
    copied = copied_ups(design, [up for a in asks for d in a.downs if d.edge.rel == rel for up in d.ups])
    if copied:
        out["copy"] = copied
    counted = sorted({bare(x) for a in asks for d in a.downs if d.edge.rel == rel for x in d.attrs if x[0] == "="})
    if counted:
        out["computed"] = [{"what": x, "refresh": "same write"} for x in counted]
    return {**out, "note": nest.because}


def copies(design: Design, asks: Iterable[Ask]) -> list[Plain]:
    """Copied parent attributes that reads of this entity want, where their age allows a copy."""
    return copied_ups(design, [up for ask in asks for up in ask.ups])


def copied_ups(design: Design, ups: Iterable[Up]) -> list[Plain]:
    """One copy per attribute, as young as the strictest read wants it."""
    found: dict[str, tuple[str, Rel, float, bool]] = {}
    for up in ups:
        for attr in sorted(up.attrs):
            what = spelled(up, attr)
            _, _, age, historical = found.get(what, (attr, up.edge.rel, inf, True))
            young = min(age, inf if up.historical else up.age)
            found[what] = (attr, up.edge.rel, young, historical and up.historical)
    made = (_copy(design, what, *value) for what, value in found.items())
    return [c for c in made if c is not None]


def _copy(design: Design, what: str, attr: str, rel: Rel, age: float, historical: bool) -> Plain | None:
    name = what.replace(".", "_")
    if f"{rel.child}.{name}" in design.world.fields.get(rel.child, ()):
        name += "_copied"  # the record has a field of that name itself
    out = {"what": what, "as": name}
    if attr in design.world.immutable:
        return {**out, "refresh": "never", "because": f"{bare(attr)} never changes"}
    if historical:
        return {**out, "refresh": "never", "because": "the value at writing time is the right one"}
    if age >= ANY_AGE:
        why = f"no read says how old it may be: {span(FIRST_AGE)} to begin with"
        return {**out, "refresh": f"async within {span(FIRST_AGE)}", "because": why}
    if age > 0:
        return {**out, "refresh": f"async within {span(age)}", "because": f"reads accept it {span(age)} old"}
    if not design.set_later(attr):
        return {**out, "refresh": "same write", "because": "read as of now, and no pattern changes it"}
    if rel.children.high <= FEW and not rel.assumed:
        why = f"read as of now, and at most {rel.children.high:,.0f} records repeat it"
        return {**out, "refresh": "same transaction", "because": why}
    return None


def spelled(up: Up, attr: str) -> str:
    """An attribute of a parent by its role: `buyer.name`."""
    return f"{up.edge.rel.role if not up.far else entity_of(attr)}.{bare(attr).partition('.')[2]}"


def figures(design: Design, entity: str, asks: Iterable[Ask]) -> list[Plain]:
    """Maintained figures that reads want; with the same write where what they count lives inside."""
    wanted = {a for ask in asks for a in (*ask.attrs, *(x for x, _ in ask.order)) if a.startswith("=")}
    return [_figure(design, entity, name) for name in sorted(wanted) if entity_of(name) == entity]


def _figure(design: Design, entity: str, name: str) -> Plain:
    figure = next((f for f in design.world.figures if f.name == name), None)
    child = figure.rel.child if figure is not None else ""
    inside = child in {n.rel.child for n in design.inside(entity)}
    refresh = "same write" if inside or design.kind in ("table_per_query", "key_families") else "same transaction"
    why = f"kept up with every {child}, so that no read counts" if child else "kept up, so that no read computes it"
    return {"what": bare(name), "refresh": refresh, "because": why}


def held(design: Design, entity: str, asks: Iterable[Ask]) -> Plain:
    """`embed`, `copy` and `computed` of a record kind, those that are not empty."""
    asks = list(asks)
    every: dict[str, list[Plain]] = {
        "embed": embeds(design, entity, asks),
        "copy": copies(design, asks),
        "computed": figures(design, entity, asks),
    }
    return {name: value for name, value in every.items() if value}
