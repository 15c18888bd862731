"""Where a figure rests on conditions being independent, though the project does not say so."""

from __future__ import annotations

from app.plan.joint import EQUAL
from app.plan.serve import Task

FEW = 1000.0
"""Records that are still a small result."""
MUCH = 10.0
"""So many times as many would change the plan's figures."""
SEEN = 100.0
"""Fewer records than this are read without anyone noticing."""


def independent(task: Task) -> str:
    """A sentence where two or more equalities on plain attributes leave few records only if they are independent, and
    many more if one attribute tells the other; else empty. A number of matches that was given settles it."""
    single, numbers, world = task.single, task.numbers, task.world
    if len(single.where) < 2 or numbers.bend != 1:
        return ""
    keys = {a for names in world.unique_together.get(single.of, ()) for a in names}
    keys |= {a for r in world.rels if r.child == single.of for a in r.via}
    said = {a for names, _ in numbers.groups for a in names}
    plain = [c for c in single.where if c.op in EQUAL and c.attr not in keys | said and c.attr in world.stats]
    if len({c.attr for c in plain}) < 2:
        return ""
    found = numbers.population * numbers.kept(single.where) * numbers.lift(single.where)
    shares = [numbers.share(c) for c in plain]
    together = found
    for share in shares:
        together /= share
    together *= min(shares)
    if found > FEW or together < max(SEEN, MUCH * found):
        return ""
    names = [c.attr.lstrip("=").partition(".")[2] for c in plain]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"{listed} are taken as independent, {found:,.3g} records; up to {together:,.0f} if one tells the other:"
        f" say how many combinations there are (together)"
    )
