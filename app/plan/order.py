"""How far a path gives the order a read asks for, and which order the query must state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.plan.bind import SPECIAL
from app.plan.match import whole_keys
from app.plan.types import Dialect, Kind, Match, Single, Stat, Use, Walked

Ask = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Arranged:
    """The order obtained.

    `kind`: none, stored, reversed, merged, partial, sorted, client, or "" where nobody gives it. `ask`: the order to
    write in the query. `streams`: lists the engine merges. `given`: leading attributes the path gives. `why`: code of
    the reason why the path does not, `attr` and `blocker` its names.
    """

    kind: str = "none"
    ask: Ask = ()
    streams: float = 1
    given: int = 0
    why: str = ""
    attr: str = ""
    blocker: str = ""
    precision: float = 0.0
    """Seconds within which the order is not kept: the stored parts are derived from the attribute (0: exact)."""

    @property
    def streaming(self) -> bool:
        """Results come in the order asked for, one after the other."""
        return self.kind in STREAMING


STREAMING = frozenset({"none", "stored", "reversed", "merged"})
FINE = 60.0
"""Seconds within which records may stand in any order without anyone calling the list unsorted."""
UNORDERED = Arranged()


def wanted(single: Single, stats: Mapping[str, Stat]) -> Ask:
    """The order still to be made: without attributes fixed to one value, and none after a unique one.

    Engines do not draw either conclusion reliably, so the query must be written from this, not from the pattern.
    """
    if not single.order:
        return ()
    fixed = {c.attr for c in single.where if c.op in ("=", "null")}
    out = []
    for attr, way in single.order:
        if attr in fixed:
            continue
        out.append((attr, way))
        stat = stats.get(attr)
        if stat is not None and stat.unique:
            break
    return tuple(out)


def arrange(match: Match, ask: Ask, dialect: Dialect) -> Arranged:
    """Walk the stored parts beside the order asked for; a point is passed over, a list multiplies the streams."""
    if not ask or (match.path.unique and whole_keys(match) == 1):  # one record needs no order
        return UNORDERED
    if match.path.hashed or match.path.kind in SPECIAL:
        return _made(Arranged("", ask, 1, 0, "hashed", ask[0][0]), dialect)
    turn, streams, given, at, precision = 0, 1.0, 0, 0, 0.0
    # values of later parts are no bounds where the engine walks the whole path for its order
    entered = bool(match.partition) or dialect.lead is not Use.EACH or any(w.kind is not None for w in match.order[:1])
    why = blocker = ""
    for step in match.order:
        if at == len(ask):
            break
        part = step.part
        attr, way = ask[at]
        if part.attr == attr:
            this = part.dir * part.kept.order * way
            why = _against(step, turn, this)
            if why:
                blocker = attr
                break
            turn = this
            if part.kept.exact or (match.single.buckets and part.kept.bucket):
                given, at = given + 1, at + 1
            elif at == len(ask) - 1 and _fine(match, step):
                precision = part.kept.bucket
        elif step.kind is Kind.POINT and (entered or not step.conds):
            continue
        elif step.kind is Kind.POINTS and step.tight and streams * step.count <= dialect.merge:
            streams *= step.count
        else:
            why, blocker = "before", part.attr
            break
    if at < len(ask) and precision and not why:
        given, at = given + 1, at + 1
    elif precision:
        precision = 0.0
    if at < len(ask):
        short = Arranged("", _told(match, ask, turn, dialect), 1, given, why or "absent", ask[at][0], blocker)
        return _made(short, dialect)
    if turn < 0 and not dialect.reverse:
        return _made(Arranged("", ask, 1, 0, "backwards", ask[0][0]), dialect)
    kind = "merged" if streams > 1 else "reversed" if turn < 0 else "stored"
    told = _told(match, ask, turn, dialect)
    return Arranged(_over_partitions(match, ask, kind), told, streams, given, precision=precision)


def _told(match: Match, ask: Ask, turn: int, dialect: Dialect) -> Ask:
    """The order as the query has to name it: with the parts of one value that the engine does not take as fixed."""
    loose = [w for w in match.order if w.kind is Kind.POINT and w.conds and not dialect.ops[w.conds[0].op].fixes]
    if not loose or not turn:
        return ask
    out, left = [], list(ask)
    for step in match.order:
        if left and step.part.attr == left[0][0]:
            out.append(left.pop(0))
        elif left and step in loose:
            out.append((step.part.attr, step.part.dir * step.part.kept.order * turn))
    return (*out, *left)


def _fine(match: Match, step: Walked) -> bool:
    """Is this derived part as good as the attribute? To the minute, or as the end of a key no two records share."""
    bucket = step.part.kept.bucket
    return 0 < bucket <= FINE or (bucket > 0 and match.path.unique and step is match.order[-1])


def _against(step: Walked, turn: int, this: int) -> str:
    if step.part.many and step.kind is not None:
        return "array"
    if not step.part.kept.order:
        return "lost"
    return "direction" if turn and this != turn else ""


def _made(short: Arranged, dialect: Dialect) -> Arranged:
    """Who makes the order that the path does not give."""
    kind = ""
    if dialect.sort is Use.CLIENT:
        kind = "client"
    elif dialect.sort is Use.SERVER:
        kind = "partial" if short.given and dialect.partial_sort else "sorted"
    return Arranged(kind, short.ask, 1, short.given, short.why, short.attr, short.blocker)


def unordered(ask: Ask, dialect: Dialect) -> Arranged:
    """What several paths give whose records are intersected: no order, whatever each of them keeps."""
    return _made(Arranged("", ask, 1, 0, "intersected", ask[0][0]), dialect) if ask else UNORDERED


def _over_partitions(match: Match, ask: Ask, kind: str) -> str:
    """Several partitions are merged, unless they are buckets of the sort attribute: those follow each other."""
    for step in match.partition:
        if step.count > 1 and not follows(step, ask):
            return "merged"
    return kind


def follows(step: Walked, ask: Ask) -> bool:
    """Is this part a bucket of the attribute sorted by first?"""
    kept = step.part.kept
    return bool((kept.bucket or kept.chunk) and (not ask or step.part.attr == ask[0][0]))
