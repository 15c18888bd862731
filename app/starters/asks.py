"""What a workload asks for, as ways in: which attributes are bound, in which order, and what comes along.

A read is turned so that it starts at the record that holds its conditions: posts with a tag are found by the link of
post and tag, and the post comes along as its parent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.model.terms import Comparison, Literal
from app.plan.types import Cond, Edge, NeedNode, Query, World

SPANS = ("<", "<=", ">", ">=", "between", "prefix")
Chain = tuple[Edge, ...]
Orders = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Up:
    """A parent's attributes that a read needs: the last role walked, which, how old they may be (0: current)."""

    edge: Edge
    attrs: frozenset[str]
    age: float
    historical: bool
    far: bool = False
    """More than one role away."""


@dataclass(frozen=True, slots=True)
class Down:
    """Children that a read needs with their parent. `first`: only so many (0: all)."""

    edge: Edge
    attrs: frozenset[str]
    first: float
    order: Orders
    conditions: bool
    ups: tuple[Up, ...] = ()
    """What the children in turn need of their other parents."""
    age: float = 0.0


@dataclass(frozen=True, slots=True)
class Ask:
    """One way of asking for one entity: attributes bound by equality, then ranges, then an order.

    `fixed`: bound to values that the condition itself states, with its text; `absent`: attributes that must be empty.
    `each`: the record is wanted once per somebody (`follower of author`), who is found by `each_by`.
    `takes`: what is read is removed. `main`: the read itself; else children that it reads along, with what it wants of
    their parent in `beside`.
    """

    pattern: str
    action: str
    entity: str
    equal: tuple[str, ...] = ()
    spans: tuple[str, ...] = ()
    order: Orders = ()
    limit: float = 0.0
    contains: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    attrs: frozenset[str] = frozenset()
    ups: tuple[Up, ...] = ()
    downs: tuple[Down, ...] = ()
    strong: bool = False
    age: float = 0.0
    span_seconds: float = 0.0
    fixed: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()
    each: str = ""
    each_by: tuple[str, ...] = ()
    takes: bool = False
    main: bool = True
    beside: frozenset[str] = frozenset()

    def by_key(self, world: World) -> bool:
        """Asks for one record by its whole key."""
        key = world.keys.get(self.entity, ())
        return bool(key) and set(key) <= set(self.equal)

    @property
    def bound(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.equal, *self.contains)))


def ask_of(query: Query, takes: bool, lists_inside: bool) -> Ask:
    """The way in of one read. `lists_inside`: a record may hold a list and be found by its elements."""
    at, each, each_by = _home(query, lists_inside)
    node = query.needs[at]
    bound = [i for i, n in enumerate(query.needs) if n.where and _counts(query, at, i, lists_inside, bool(each))]
    conds = [c for i in bound for c in query.needs[i].where]
    own = {key: via for _, e in _first_ups(query, at) for key, via in zip(e.rel.key, e.rel.via, strict=False)}
    order = tuple((own.get(a, a), d) for a, d in (query.root.order or node.order))
    attrs = node.attrs | {a for a, _ in order if a.partition(".")[0].lstrip("=") == node.entity}
    return Ask(
        pattern=query.name,
        action=query.action,
        entity=node.entity,
        equal=_named(conds, ("=", "in")),
        spans=_named(conds, SPANS),
        order=order,
        limit=query.limit,
        contains=_named(conds, ("contains",)),
        words=tuple(a for c in conds if c.op in ("match", "matches") for a in _words(c)),
        attrs=frozenset(attrs),
        ups=tuple(_ups(query, at, order)),
        downs=tuple(_downs(query, at)),
        strong=any(n.strong for n in query.needs),
        age=query.root.age,
        span_seconds=max((c.seconds for c in conds), default=0.0),
        fixed=tuple(f for c in conds if (f := _fixed(c)) is not None),
        absent=_named(conds, ("null",)),
        each=each,
        each_by=each_by,
        takes=takes,
    )


def _first_ups(query: Query, at: int) -> list[tuple[int, Edge]]:
    """Parents one role away, with the edge to each."""
    return [(there, edge) for there, edge in _near(query, at) if not edge.down]


def _named(conds: list[Cond], ops: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.attr for c in conds if c.op in ops))


def _words(cond: Cond) -> tuple[str, ...]:
    return (cond.attr, *getattr(cond.source, "more", ()))


def _fixed(cond: Cond) -> tuple[str, str] | None:
    """An equality with values that stand in the condition: attribute and condition as text."""
    source = cond.source
    if cond.op not in ("=", "in") or not isinstance(source, Comparison) or not source.operands:
        return None
    values = [o.value for o in source.operands if isinstance(o, Literal)]
    if len(values) != len(source.operands) or not all(isinstance(v, (str, int, float, bool)) for v in values):
        return None
    texts = [_quoted(v) for v in values]
    right = f"= {texts[0]}" if cond.op == "=" else f"in ({', '.join(texts)})"
    return cond.attr, f"{cond.attr} {right}"


def _quoted(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"{value:g}"
    return "'" + str(value).replace("'", "''") + "'"


# ---------------------------------------------------------------- where a read begins


def _home(query: Query, lists_inside: bool) -> tuple[int, str, tuple[str, ...]]:
    """The node a read is found by, whom each of its records is for, and what finds them."""
    if query.root.where:
        return 0, "", ()
    bound = [i for i, n in enumerate(query.needs) if n.where]
    if not bound:
        return 0, "", ()
    chain = chain_to(query, 0, bound[0])
    downs = [i for i, (_, e) in enumerate(chain) if e.down]
    if not downs:
        return 0, "", ()
    first, last = downs[0], downs[-1]
    if first == 0 and lists_inside and len(downs) == 1:
        return 0, "", ()
    if first == 0:
        return chain[last][0], "", ()
    ups = [e for _, e in chain[:first]]
    whom = _other_end(query, chain[last][1])
    return 0, f"{whom} of {' of '.join(reversed([e.rel.role for e in ups]))}", chain[last][1].rel.via


def _other_end(query: Query, edge: Edge) -> str:
    """Who is meant by a link walked down: the role of its other end, else its own name."""
    bound = {c.attr for n in query.needs for c in n.where}
    for name in sorted(bound):
        entity, _, column = name.partition(".")
        if entity == edge.rel.child:
            return column.removesuffix("_id")
    return edge.rel.child


def _counts(query: Query, at: int, i: int, lists_inside: bool, each: bool) -> bool:
    """Whether conditions of a node bound the record the read begins at: its own, its parents', a link's."""
    if i == at:
        return True
    downs = sum(e.down for _, e in chain_to(query, at, i))
    if downs and not query.root.where:
        return each or lists_inside
    return not downs


def chain_to(query: Query, start: int, end: int) -> tuple[tuple[int, Edge], ...]:
    """The way between two nodes: each node reached, with the edge that leads there."""
    seen: dict[int, tuple[tuple[int, Edge], ...]] = {start: ()}
    todo = [start]
    for here in todo:
        for there, edge in _near(query, here):
            if there not in seen:
                seen[there] = (*seen[here], (there, edge))
                todo.append(there)
    return seen.get(end, ())


def _near(query: Query, here: int) -> Iterator[tuple[int, Edge]]:
    node = query.needs[here]
    if node.edge is not None:
        yield node.up, node.edge.back()
    for i, other in enumerate(query.needs):
        if other.up == here and other.edge is not None:
            yield i, other.edge


# ---------------------------------------------------------------- what comes along


def _ups(query: Query, at: int, order: Orders) -> Iterator[Up]:
    """Attributes of parents, near and far: those needed, bound or sorted by."""
    for i, node in enumerate(query.needs):
        chain = chain_to(query, at, i)
        if not chain or any(e.down for _, e in chain):
            continue
        asked = {c.attr for c in node.where} | {a for a, _ in order if a.lstrip("=").partition(".")[0] == node.entity}
        own = (node.attrs | asked) - set(chain[-1][1].rel.key)
        if own:
            yield Up(chain[-1][1], frozenset(own), node.age, node.historical, len(chain) > 1)


def _downs(query: Query, at: int) -> Iterator[Down]:
    for i, node in enumerate(query.needs):
        chain = chain_to(query, at, i)
        if not chain or not chain[-1][1].down or not (node.attrs or _wants_below(query, i)):
            continue
        if any(not e.down for _, e in chain):
            continue
        ups = tuple(u for u in _ups(query, i, node.order) if u.edge.rel != chain[-1][1].rel and not u.far)
        yield Down(chain[-1][1], node.attrs, node.first, node.order, bool(node.where), ups, node.age)


def _wants_below(query: Query, at: int) -> bool:
    return any(n.up == at and _wanted(n) for n in query.needs)


def _wanted(node: NeedNode) -> bool:
    return bool(node.attrs)
