"""A subset kept inside a record loses an element: the next one is read from where all of them are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, log, sqrt

from app.model.spread import Z99, Spread
from app.plan.lower_read import ANY_AGE
from app.plan.read import plan_read
from app.plan.spot import AFTERTHOUGHTS
from app.plan.types import Change, Cond, Edge, Held, Level, NeedNode, Query, Record, World

RARE = 0.001
"""A smaller share of the changes is not worth a word."""


@dataclass(frozen=True, slots=True)
class Refill:
    """`share`: of the changes that leave a gap. `requests`, `records`: of one refill. `path`: where it reads, "" where
    nothing holds all of them."""

    share: float
    requests: float = 0.0
    records: float = 0.0
    path: str = ""

    @property
    def reads(self) -> float:
        """Requests of one change, on average."""
        return self.share * self.requests

    def told(self, record: str, held: Held, change: Change) -> str:
        """The sentence for the plan."""
        what = "deletes" if change.kind == "delete" else "changes of its order"
        head = f"{record}: {self.share:.0%} of the {what} leave a gap among the first {held.first:,.0f} {held.entity}"
        if not self.path:
            return f"{head}, and nothing else holds all of them: the subset shrinks"
        return f"{head}: the next one is read by {self.path}, {self.records:,.0f} records"


def refill(op: str, attrs: frozenset[str], change: Change, record: Record, at: int, records: Sequence[Record],
           world: World) -> Refill | None:  # fmt: skip
    """What filling up a subset takes; None where a change leaves no gap: nothing is taken out, or all goes together."""
    held = record.shape[at]
    edge = held.edge
    if not held.first or edge is None or not edge.down or change.cascade:
        return None
    moved = op == "set" and attrs & {a for a, _ in held.order}
    if op != "pull" and not moved:
        return None
    share = _share(held.first, edge.count)
    if share < RARE:
        return None
    others = tuple(r for r in records if r is not record and r.purpose not in AFTERTHOUGHTS)
    plan = plan_read(_query(held, edge, world), others, world)
    if plan.level is Level.IMPOSSIBLE:
        return Refill(share)
    return Refill(share, plan.requests.avg, plan.records.avg, plan.where)


def _share(first: float, children: Spread) -> float:
    """Share of the children that are among the first n of a parent with no fewer: its list was full."""
    if children.avg <= 0:
        return 0.0
    return min(1.0, first * _reach(first, children) / children.avg)


def _reach(first: float, children: Spread) -> float:
    """Share of the parents with so many children or more: of the lognormal through average and p99."""
    if children.high <= children.avg:
        return float(children.avg >= first)
    sigma = Z99 - sqrt(max(0.0, Z99 * Z99 - 2 * log(children.high / children.avg)))
    above = (log(first / children.avg) + sigma * sigma / 2) / sigma
    return erfc(above / sqrt(2)) / 2


def _query(held: Held, edge: Edge, world: World) -> Query:
    """The first n children of one parent, as the subset keeps them."""
    attrs = frozenset(world.fields.get(held.entity, ())) if held.attrs is None else held.attrs
    where = tuple(Cond(a, "=") for a in edge.far)
    need = NeedNode(held.entity, attrs, where=where, order=held.order, first=held.first, age=ANY_AGE)
    return Query(f"refill {held.entity}", "list", (need,), edge.count, held.first)
