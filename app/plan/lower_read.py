"""From a read pattern to a tree of needs: what is wanted, found by which conditions, in which order, how fresh.

What cannot be understood becomes a sentence in `questions`; the rest of the pattern still gets its plan.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.model.growth import read_consistency
from app.model.quantity import Amount
from app.model.spread import Spread
from app.model.terms import AnyOf, Comparison, Conditions, Has, Opaque, Order, Ref, Term
from app.model.workload import Need, Pattern
from app.plan.course import course_of
from app.plan.figures import paths_in
from app.plan.judge import RANGES, cond, halves
from app.plan.matched import found_by
from app.plan.tree import Tree, Twig
from app.plan.types import Cond, Query, World

ANY_AGE = 1e12
"""Seconds, for a need that states no greatest age: any copy that is refreshed at all is young enough."""
WORDS = frozenset({"relevance", "paths", "rank", "distance"})
"""Orders that are no attributes: the search or the walk itself brings them."""
UNTOLD = frozenset({*RANGES, "match", "near", "prefix"})
"""Operators that no number of distinct values tells anything about."""
JUDGED = "opaque"
"""Operator of a condition that only the record can judge."""


def lower_read(pattern: Pattern, world: World) -> Query:
    """The read as the planner sees it. Never raises; unknown names and missing widths are questions."""
    root, asked = _root(pattern, world)
    tree = Tree(world, root)
    if root not in world.fields:
        tree.ask(f"the entity {root} is not described")
    tree.through(pattern.through)
    _needs(tree, pattern, asked)
    shown = [(len(t.where), t.any_of) for t in tree.twigs]  # conditions on what is shown with each record
    _conditions(tree, 0, pattern.where, pattern)
    for i, twig in enumerate(tree.twigs):
        twig.required = (len(twig.where), twig.any_of) != (shown[i] if i < len(shown) else (0, ()))
    for twig in tree.twigs:
        twig.where = list(halves(twig.where, world.stats))
    _not_deleted(tree)
    tree.twigs[0].order = _order(tree, pattern.order_by)
    limit = _number(pattern.limit)
    _freshness(tree, pattern)
    skipped, most = _pages(pattern, limit)
    found = _matched(tree, pattern)
    return Query(
        name=pattern.operation,
        action="aggregate" if pattern.figures else pattern.action,
        needs=tuple(t.done(m) for t, m in zip(tree.twigs, found, strict=True)),
        matched=next((m for m in found if m is not None), None) or found_by(root, (), (), world),
        limit=limit,
        offset=skipped,
        peak_offset=most,
        course=course_of(pattern, tree),
        questions=tuple(tree.questions),
    )


def _root(pattern: Pattern, world: World) -> tuple[str, tuple[str, ...]]:
    """The entity the read starts from, and those asked for as a whole where there are several.

    Several entities hang together by what the condition names: everything of an order is read from the order.
    """
    if not pattern.more:
        return pattern.entity, ()
    asked = (pattern.entity, *pattern.more)
    named = [p.partition(".")[0] for p in pattern.where.paths] if pattern.where else []
    common = next((n for n in named if n in world.fields), pattern.entity)
    return common, asked


def _matched(tree: Tree, pattern: Pattern) -> list[Spread | None]:
    """Records that the conditions of each node find; at the first of them as typed, where it was."""
    world = tree.world
    found = [found_by(t.entity, t.where, t.any_of, world) if t.where or t.any_of else None for t in tree.twigs]
    given = pattern.matches.spread if pattern.matches else None
    first = next((i for i, m in enumerate(found) if m is not None), 0)
    if given is not None:
        found[first] = given
    return found


# ---------------------------------------------------------------- what is needed


def _needs(tree: Tree, pattern: Pattern, entities: tuple[str, ...]) -> None:
    for name in entities:
        if (node := tree.entity(name)) >= 0:
            tree.twigs[node].attrs |= tree.whole(tree.twigs[node].entity)
    for need in pattern.needs:
        _need(tree, need, pattern)
    if pattern.action in ("aggregate", "count") or pattern.group_by:
        for path in (*paths_in(pattern.compute), *paths_in(pattern.group_by)):
            _want(tree, path)
        return
    if not pattern.needs and not entities:
        tree.twigs[0].attrs |= tree.whole(tree.root)


def _need(tree: Tree, need: Need, pattern: Pattern) -> None:
    if "." in need.what:
        _want(tree, need.what)
        return
    node = tree.entity(need.what)
    if node < 0:
        return
    twig = tree.twigs[node]
    twig.attrs |= tree.whole(twig.entity)
    if need.where is not None:
        _conditions(tree, node, need.where, pattern)
    if need.order_by is not None:
        twig.order = _order(tree, need.order_by)
    twig.first = _number(need.limit)


def _want(tree: Tree, path: str) -> None:
    node, attr = tree.spot(path)
    if attr:
        tree.twigs[node].attrs.add(_field(tree.world, attr))


def _field(world: World, attr: str) -> str:
    """The stored field that a nested path (`user.address.city`) lies in."""
    if attr in world.stats or attr.count(".") < 2:
        return attr
    entity, field, _ = attr.split(".", 2)
    return f"{entity}.{field}"


def _order(tree: Tree, order: Order | None) -> tuple[tuple[str, int], ...]:
    found = []
    for item in order.items if order else ():
        if item.path in WORDS:
            continue
        _, attr = tree.spot(item.path)
        if attr:
            found.append((attr, -1 if item.desc else 1))
    return tuple(found)


def _number(amount: Amount | None) -> float:
    return amount.value or 0.0 if amount is not None and amount.known else 0.0


def _pages(pattern: Pattern, limit: float) -> tuple[float, float]:
    """Records skipped on an average page and on the last: offset paging reads and throws away."""
    if pattern.paging != "offset" or pattern.pages is None or not limit:
        return 0.0, 0.0
    pages = pattern.pages.spread
    if pages is None:
        return 0.0, 0.0
    most = pages.max if pages.max < float("inf") else pages.high
    return max(0.0, pages.avg - 1) * limit, max(0.0, most - 1) * limit


# ---------------------------------------------------------------- what finds it


def _conditions(tree: Tree, node: int, where: Conditions | None, pattern: Pattern) -> None:
    """Each condition on the node of what it names. `node` is where alternatives belong by default."""
    for term in where.terms if where else ():
        if isinstance(term, AnyOf):
            _either(tree, node, term, pattern)
        elif isinstance(term, Has):
            for inner in term.terms:
                _place(tree, inner, pattern)
        else:
            _place(tree, term, pattern)


def _place(tree: Tree, term: Term, pattern: Pattern) -> None:
    for at, found in _judged(tree, term, pattern):
        twig = tree.twigs[at]
        if found not in twig.where:
            twig.where.append(found)


def _judged(tree: Tree, term: Term, pattern: Pattern) -> Iterable[tuple[int, Cond]]:
    """Node and condition of one term that is no alternative; nothing where it names nothing known."""
    if isinstance(term, Opaque):
        spots = [tree.spot(p) for p in term.paths[:1]]
        return [(at, Cond(attr, JUDGED)) for at, attr in spots if attr]
    if not isinstance(term, Comparison):
        return []
    at, attr = tree.spot(term.path)
    if not attr:
        return []
    for path in term.more:
        tree.spot(path)
    if any(isinstance(o, Ref) for o in term.operands):
        return [(at, Cond(attr, JUDGED, source=term))]
    span = pattern.span.get(term.path) if pattern.span else None
    width = _number(span)
    found = cond(term, attr, tree.world, width)
    if term.op in UNTOLD and found.share is None and pattern.matches is None:
        tree.ask(_width(term, attr, width, tree.world))
    return [(at, found)]


def _width(term: Comparison, attr: str, width: float, world: World) -> str:
    path, stat = term.path, world.stats.get(attr)
    if term.op not in RANGES:
        return f"how many records does the search on {path} find? (matches: 500)"
    if width:
        entity = attr.lstrip("=").partition(".")[0]
        return f"how many {entity} records are added? (growth, or a rate of the insert)"
    if stat is not None and stat.type in ("datetime", "date", "timeuuid"):
        return f"how wide is the range of {path}? (span: {{{path}: 24 h}})"
    return f"how many records does the range of {path} find? (matches: 500)"


def _either(tree: Tree, node: int, term: AnyOf, pattern: Pattern) -> None:
    """`or`: each branch a list of conditions on one and the same record."""
    branches: list[tuple[Cond, ...]] = []
    for branch in term.branches:
        conds: list[Cond] = []
        for inner in branch:
            found = list(_judged(tree, inner, pattern))
            if not found or any(at != node for at, _ in found):
                tree.ask("an `or` over several entities or inside another `or` is planned without it")
                return
            conds += [c for _, c in found]
        branches.append(halves(conds, tree.world.stats))
    twig = tree.twigs[node]
    if twig.any_of:
        tree.ask("only one `or` is planned; the other is left out")
        return
    twig.any_of = tuple(branches)


def _not_deleted(tree: Tree) -> None:
    """Reads leave out what is marked as deleted, unless they say what they want of it."""
    for twig in tree.twigs:
        mark = tree.world.soft_delete.get(twig.entity)
        if mark and mark in tree.world.stats and not any(c.attr == mark for c in twig.where):
            gone = tree.world.stats[mark].present
            twig.where.append(Cond(mark, "null", share=1.0 - gone, source=Comparison(mark, "null")))


# ---------------------------------------------------------------- how fresh it must be


def _freshness(tree: Tree, pattern: Pattern) -> None:
    levels = pattern.consistency
    if not levels:
        for twig in tree.twigs:
            twig.age = ANY_AGE
        return
    for twig in tree.twigs:
        said = {levels[k] for k in _keys(twig, levels)}
        _apply(twig, said or ({levels["*"]} if "*" in levels else set()))


def _keys(twig: Twig, levels: object) -> list[str]:
    """What the levels are given for that concerns a node: its attributes, its role, its entity; the nearest first."""
    names = {twig.entity} | ({twig.edge.rel.role} if twig.edge and not twig.edge.down else set())
    attrs = {a.lstrip("=").partition(".")[2] for a in twig.attrs}
    known: list[str] = [k for k in levels if isinstance(k, str)]  # type: ignore[attr-defined]
    exact = [k for k in known if k.partition(".")[0] in names and k.partition(".")[2] in attrs]
    covered = {k.partition(".")[2] for k in exact}
    if exact and attrs <= covered:
        return exact
    return exact + [k for k in known if k in names]


def _apply(twig: Twig, said: set[str]) -> None:
    """The strictest of the levels that concern a node."""
    if not said:
        twig.age = ANY_AGE
        return
    levels = [read_consistency(text) for text in sorted(said)]
    twig.historical = all(c.level == "historical" for c in levels)
    twig.strong = any(c.level in ("strong", "read your writes") for c in levels)
    ages = [ANY_AGE if c.age is None else min(c.age, ANY_AGE) for c in levels]
    twig.age = min(ages)
