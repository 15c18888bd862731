"""The entity–relationship diagram as shapes for an SVG: boxes, curves with crow's feet, labels. Geometry, no looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import quote

from app.model.project import Project
from app.model.workload import Entity, Relationship
from app.templating import number, plural
from app.views.entities.layers import Layout, Spot, lay_out

HEIGHT, LETTER, LEAST, MOST = 46.0, 6.6, 96.0, 210.0
MARGIN = 14.0


@dataclass(frozen=True, slots=True)
class Box:
    """One entity."""

    name: str
    shown: str
    about: str
    href: str
    x: float
    y: float
    w: float
    h: float
    guess: bool


@dataclass(frozen=True, slots=True)
class Curve:
    """One relationship: its path, the feet at its ends, and its label."""

    name: str
    path: str
    feet: str
    label: str
    x: float
    y: float
    anchor: str
    guess: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """The whole picture. `words`: the same in sentences."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]
    words: str


def draw(project: Project) -> Drawing:
    """The picture of a project's entities and relationships."""
    known = {e.name: e for e in project.entities}
    rels = [r for r in project.relationships if {_ends(r)[0], _ends(r)[1]} <= set(known)]
    tied = {end for r in rels for end in _ends(r)}
    linked = {name: _size(e) for name, e in known.items() if name in tied}
    layout = lay_out(linked, [_ends(r) for r in rels], MARGIN + 14)
    alone = [e for name, e in known.items() if name not in tied]
    boxes = [_box(known[name], s.x + MARGIN, s.y) for name, s in layout.spots.items()]
    below, width, height = _alone(alone, layout)
    boxes += below
    right = max((b.x + b.w for b in boxes), default=0.0) + (60 if any(a == b for a, b in map(_ends, rels)) else 0)
    return Drawing(
        round(max(width, right) + MARGIN), round(height + MARGIN), tuple(boxes), tuple(_curves(rels, layout)),
        _words(project, rels),
    )  # fmt: skip


def _ends(r: Relationship) -> tuple[str, str]:
    return (r.from_, r.to) if r.many_to_many else (r.parent, r.child)


def _size(entity: Entity) -> tuple[float, float]:
    letters = max(len(entity.name) * 1.12, len(_about(entity)))
    return min(MOST, max(LEAST, letters * LETTER + 20)), HEIGHT


def _about(entity: Entity) -> str:
    keys = ", ".join(f.name for f in entity.key_fields) or "no key"
    count = number(entity.count.value) if entity.count is not None else "?"
    return f"{count} · {keys}"


def _cut(text: str, width: float, letter: float = LETTER) -> str:
    most = int((width - 16) / letter)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _box(entity: Entity, x: float, y: float) -> Box:
    w, h = _size(entity)
    href = f"#e-{quote(entity.name, safe='')}"
    shown, about = _cut(entity.name, w, LETTER * 1.12), _cut(_about(entity), w)
    return Box(entity.name, shown, about, href, round(x, 1), round(y, 1), w, h, "name" in entity.inferred)


def _alone(entities: Sequence[Entity], layout: Layout) -> tuple[list[Box], float, float]:
    """Entities without relationships, in rows under the rest."""
    most = max(720.0, layout.width)
    x, y = MARGIN, layout.height + (24 if layout.spots else MARGIN)
    boxes: list[Box] = []
    for entity in entities:
        w, h = _size(entity)
        if x + w > most and x > MARGIN:
            x, y = MARGIN, y + h + 14
        boxes.append(_box(entity, x, y))
        x += w + 18
    width = max((b.x + b.w for b in boxes), default=0.0)
    return boxes, max(width, layout.width + MARGIN), y + HEIGHT if entities else layout.height


def _curves(rels: Sequence[Relationship], layout: Layout) -> list[Curve]:
    ports = _ports(rels, layout)
    out: list[Curve] = []
    for i, r in enumerate(rels):
        a, b = _ends(r)
        if a == b:
            out.append(_loop(r, layout.spots[a], sum(_ends(o) == (a, a) for o in rels[:i])))
            continue
        route = layout.routes[a, b]
        start, end = ports[i]
        points = [(_edge(route[0], route[1]), start)]
        for spot in route[1:-1]:
            points += [(spot.x, spot.middle), (spot.x + spot.w, spot.middle)]
            if route[0].x > route[-1].x:
                points[-2:] = [points[-1], points[-2]]
        points.append((_edge(route[-1], route[-2]), end))
        out.append(_curve(r, [(x + MARGIN, y) for x, y in points]))
    return out


def _edge(spot: Spot, towards: Spot) -> float:
    return spot.x + spot.w if towards.x > spot.x else spot.x


def _ports(rels: Sequence[Relationship], layout: Layout) -> Mapping[int, tuple[float, float]]:
    """Heights at which each relationship leaves and arrives: spread over the side of a box, ordered by the far ends."""
    sides: dict[tuple[str, bool], list[tuple[float, int, int]]] = {}
    for i, r in enumerate(rels):
        ends = _ends(r)
        if ends[0] == ends[1]:
            continue
        route = layout.routes[ends]
        for n, (here, there) in enumerate(((route[0], route[1]), (route[-1], route[-2]))):
            sides.setdefault((here.name, there.x > here.x), []).append((there.middle, i, n))
    found: dict[int, dict[int, float]] = {}
    for (name, _), ports in sides.items():
        spot = layout.spots[name]
        for k, (_, i, n) in enumerate(sorted(ports), 1):
            found.setdefault(i, {})[n] = spot.y + spot.h * k / (len(ports) + 1)
    return {i: (at[0], at[1]) for i, at in found.items()}


def _curve(r: Relationship, points: Sequence[tuple[float, float]]) -> Curve:
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (x0 + x1) / 2
        path += f"C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    (x, y), before = points[-1], points[-2][0]
    away = -1 if before < x else 1
    feet = _foot(x, y, away) if _many(r) else ""
    if r.many_to_many:
        feet += _foot(points[0][0], points[0][1], -away)
    anchor = "end" if away < 0 else "start"
    return Curve(r.key, path, feet, _label(r), round(x + away * 14, 1), round(y - 5, 1), anchor, "child" in r.inferred)


def _many(r: Relationship) -> bool:
    most = r.children.spread.max if r.children is not None and r.children.spread is not None else 2
    return r.many_to_many or most > 1


def _foot(x: float, y: float, away: int) -> str:
    return f"M{x:.1f} {y - 5:.1f}L{x + away * 9:.1f} {y:.1f}L{x:.1f} {y + 5:.1f}"


def _loop(r: Relationship, spot: Spot, nth: int) -> Curve:
    """A relationship of an entity with itself: an arc at its right side."""
    x, y, reach = spot.x + spot.w + MARGIN, spot.y, 34 + 14 * nth
    path = f"M{x:.1f} {y + 10:.1f}C{x + reach:.1f} {y - 4:.1f} {x + reach:.1f} {y + 44:.1f} {x:.1f} {y + 34:.1f}"
    feet = _foot(x, y + 34, 1) + (_foot(x, y + 10, 1) if r.many_to_many else "")
    at = round(x + reach * 0.8 + 2, 1), round(y + 8 + 12 * nth, 1)
    return Curve(r.key, path, feet, _label(r), *at, "start", False)


def _label(r: Relationship) -> str:
    """The role where it says more than the entity, and how many."""
    role = r.name if r.name and r.name != r.parent else ""
    given = r.out if r.many_to_many else r.children
    spread = given.spread if given is not None else None
    many = number(spread.avg) if spread is not None else "?"
    return f"{role} {many}".strip()


def _words(project: Project, rels: Sequence[Relationship]) -> str:
    said = [
        f"{a} and {b} are many to many ({r.name})" if r.many_to_many else f"each {a} has many {b}{_as(r)}"
        for r in rels
        for a, b in (_ends(r),)
    ]
    head = plural(len(project.entities), "entity", "entities")
    return f"{head}: {', '.join(e.name for e in project.entities)}. " + ("; ".join(said) + "." if said else "")


def _as(r: Relationship) -> str:
    return f" as {r.name}" if r.name and r.name != r.parent else ""


__all__ = ["Box", "Curve", "Drawing", "draw"]
