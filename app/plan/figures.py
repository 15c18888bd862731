"""Which figures are maintained, and from what: `sum(line_item.qty * line_item.unit_price_cents)`.

A figure of the workload is named after its field (`=order.total_cents`). A figure that only a model
has is named after its formula (`=video.count(rating)`), so that two models that keep the same
figure keep it under the same name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.model.spread import Spread
from app.plan.types import Figure, Rel

FORMULA = re.compile(r"^\s*(\w+)\s*\(\s*(.*)\)\s*$", re.DOTALL)
PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
WORD = re.compile(r"[A-Za-z_]\w*")


def is_formula(text: str) -> bool:
    """Whether the text is a formula and not the path of an attribute."""
    return FORMULA.match(text) is not None


def paths_in(text: str) -> tuple[str, ...]:
    """Attribute paths that stand in a formula or expression, each once."""
    return tuple(dict.fromkeys(PATH.findall(text)))


def subject(text: str) -> str:
    """What a formula counts or adds up: `comment` in `count(comment)`; empty where nothing is
    named.
    """
    inside = FORMULA.match(text)
    first = WORD.search(inside.group(2)) if inside else None
    return first.group() if first else ""


def figure(name: str, of: str, formula: str, rels: Iterable[Rel]) -> Figure | None:
    """The figure `name` of entity `of`, or None where no relationship leads to what it is made of."""
    rels = tuple(rels)
    source = subject(formula)
    rel = next((r for r in rels if r.parent == of and source in (r.child, r.children_as)), None) or _detour(
        of, source, rels
    )
    if rel is None:
        return None
    reads = {p for p in paths_in(formula) if p.partition(".")[0] in (rel.child, source)}
    own = frozenset(f"{rel.child}.{p.partition('.')[2]}" for p in reads)
    return Figure(name, of, rel, own, " ".join(formula.split()))


def _detour(of: str, source: str, rels: tuple[Rel, ...]) -> Rel | None:
    """A figure of a sibling: the unread messages of a member are those of the member's room.

    The two are joined by the column that both hold; `up` says how many figures one change reaches.
    """
    for mine in rels:
        if mine.child != of:
            continue
        for theirs in rels:
            if theirs.parent == mine.parent and source in (theirs.child, theirs.children_as):
                reached = mine.children if mine.children.avg else Spread(1)
                return Rel(
                    mine.role,
                    of,
                    mine.via,
                    theirs.child,
                    theirs.via,
                    theirs.children,
                    reached,
                    True,
                )
    return None
