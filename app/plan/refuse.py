"""Every reason why an engine will not serve a read over a path, and the sentence for each.

Reasons are small values; sentences are made only for the path that is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from app.plan.bind import ENDLESS
from app.plan.match import narrowing, uncovered
from app.plan.order import Arranged, follows
from app.plan.types import Cond, Dialect, Kind, Match, Miss, Use, Walked

MOST_LISTED = 1000
"""More partitions than this are not tried one by one."""

WEIGHT: Mapping[str, float] = {
    "structure": 20, "partition": 10, "way": 10, "scan": 9, "type": 8, "slot": 6, "points": 6, "or": 6, "gap": 5,
    "filter": 5, "order": 4, "partial": 4, "stale": 3, "age": 3, "limit": 3, "subset": 2, "fields": 2,
}  # fmt: skip

ORDER_WORDS: Mapping[str, str] = {
    "before": "`{blocker}` comes before `{attr}` in the stored order and is not bound to one value",
    "array": "`{attr}` is an array bounded by a condition: one record has several places in the order",
    "lost": "the key holds `{attr}` in a form that does not keep its order",
    "direction": "`{attr}` runs against the direction of the parts before it; only the full inverse can be read",
    "backwards": "the engine does not read this path backwards",
    "hashed": "this kind of structure keeps no order",
    "absent": "`{attr}` is not part of the stored order",
    "intersected": "what several indexes find together comes in no order",
}

GENERIC: Mapping[str, str] = {
    "partition": "`{attr}` is part of the partition of {path} and must be bound by equality, not by `{op}`",
    "unbound": "`{attr}` is part of the partition of {path} and no condition binds it",
    "endless": "`{attr}` picks the partition of {path}, and nothing says how many buckets a read would meet",
    "points": "{path} takes no list of values for `{attr}`",
    "gap": "`{attr} {op}` cannot be used on {path}: `{blocker}` before it is not bound by equality",
    "filter": "`{attr} {op}` is not part of the key of {path}, and nothing filters there",
    "nothing": "no key or index serves `{attr} {op}`",
    "buckets": "`{attr}` picks the partition of {path}, which takes equality only: one request per bucket",
    "scattered": "`{attr}` decides on which node a record of {path} lies and is not bound: every node is asked",
    "scan": "{path} can only be read as a whole",
    "partial": "{path} holds only records where `{attr} {op}`, and the read does not say so",
    "stale": "{path} lags behind the record, and this read must see the latest write",
    "order": "{path} does not give the order: {why}",
    "fields": "{path} does not hold every field needed",
    "limit": "{path} offers no paging by offset",
    "or": "a branch of the `or` has no way in: {attr}",
    "structure": "no structure holds `{attr}`",
    "age": "`{attr}` in {path} may be older than this read allows",
    "subset": "{path} holds only some of `{attr}`",
    "join": "{path} cannot be joined",
    "way": "{path} holds `{attr}`, and nothing this read knows leads there",
    "slot": "the keys of {path} do not lie in one slot",
    "type": "the type of {path} does not answer `{attr} {op}`",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason, without its sentence. `word`: the sentence's name where it is not the code."""

    code: str
    attr: str = ""
    op: str = ""
    blocker: str = ""
    word: str = ""
    what: str = ""
    fix: str = ""

    @property
    def weight(self) -> float:
        return WEIGHT.get(self.code, 5)


def refusals(match: Match, arranged: Arranged, dialect: Dialect, has_all: bool) -> Iterator[Refusal]:
    """Every reason, the engine's own rules last."""
    yield from _partition(match, arranged, dialect)
    if dialect.order_points is Use.REFUSED:
        for step in match.order:
            if step.tight and step.kind is Kind.POINTS:
                yield Refusal("points", step.part.attr, "in")
    if dialect.residual is Use.REFUSED and match.residual:
        yield from _left_over(match)
    path = match.path
    lacking = uncovered(path.only, match.single.where, dialect.strict) if path.only else ()
    for cond in lacking:
        yield Refusal("partial", cond.attr, cond.op)
    if path.sparse and not lacking and match.order[0].kind in (None, Kind.RECORD):
        yield Refusal("partial", match.order[0].part.attr, "not null")
    single = match.single
    if (single.strong and not path.strong) or 0 < single.age < path.lag:
        yield Refusal("stale", blocker=path.name)
    if not arranged.kind:
        yield Refusal("order", arranged.attr, "order by", arranged.blocker, arranged.why)
    if single.offset and dialect.offset is Use.REFUSED:
        yield Refusal("limit", op="offset")
    if not has_all and dialect.fetch is Use.REFUSED and not path.fetches:
        yield Refusal("fields")
    for miss in dialect.veto(match):
        yield Refusal(miss.code, miss.attr, what=miss.what, fix=miss.fix)


def _partition(match: Match, arranged: Arranged, dialect: Dialect) -> Iterator[Refusal]:
    for step in match.partition:
        kind, attr = step.kind, step.part.attr
        if kind is None:
            word = "endless" if step.count >= ENDLESS else "unbound"
            yield Refusal("partition", attr, "", attr, word)
        elif kind > Kind.POINTS:
            word = "endless" if step.count >= ENDLESS else f"partition {match.path.kind}"
            yield Refusal("partition", attr, step.conds[0].op if step.conds else "", attr, word)
        elif step.count > MOST_LISTED and not _walked(step, match, arranged):
            yield Refusal("partition", attr, "in", attr, "endless")
        elif step.count > 1 and dialect.partition_points is Use.REFUSED and _listed(step):
            yield Refusal("points", attr, "in")


def _walked(step: Walked, match: Match, arranged: Arranged) -> bool:
    """Buckets that are read one after the other, in the order asked for, until a limit is filled."""
    ordered = arranged.ask and arranged.kind in ("stored", "reversed") and follows(step, arranged.ask)
    return bool(ordered and match.single.limit and step.count < ENDLESS)


def _listed(step: Walked) -> bool:
    """A list the read brings, not values that the key's own filter multiplies."""
    kept = step.part.kept
    return not (kept.chosen or kept.bucket or kept.fan or kept.chunk)


def _left_over(match: Match) -> Iterator[Refusal]:
    """Conditions nobody filters; what narrows the read already is merely trimmed by the client."""
    used = narrowing(match)
    late = {w.part.attr for w in match.order}
    refused = {w.part.attr for w in match.partition if w.kind is None or w.kind > Kind.POINTS}
    for cond in match.residual:
        if id(cond) in used or cond.attr in refused - late:
            continue
        if cond.attr in late:
            yield Refusal("gap", cond.attr, cond.op, _blocker(match, cond))
        else:
            inside = bool(match.partition) and match.path.primary and not refused
            yield Refusal("filter", cond.attr, cond.op, word="inside" if inside else "")


def _blocker(match: Match, cond: Cond) -> str:
    """The part before this condition that ends the run of equalities."""
    for step in match.order:
        if step.part.attr == cond.attr:
            break
        if step.part.attr and (not step.tight or (step.kind or 0) >= Kind.SPAN):
            return step.part.attr
    return cond.attr


ITS_OWN = frozenset({"buckets", "nothing", "endless", "scattered"})
"""Sentences that say something else than the rule behind their code."""


def _sentence(refusal: Refusal, dialect: Dialect) -> str:
    """The store's own sentence, for the word before the code; else a plain one."""
    own = dialect.wording
    if refusal.word in own:
        return own[refusal.word]
    if refusal.word in ITS_OWN or refusal.code not in own:
        return GENERIC.get(refusal.word) or GENERIC.get(refusal.code, "{path}: {attr} {op}")
    return own[refusal.code]


def by_weight(found: Iterable[Miss]) -> tuple[Miss, ...]:
    """The heaviest reason first: a partition that is not bound before an order that is not kept."""
    return tuple(sorted(dict.fromkeys(found), key=lambda m: -WEIGHT.get(m.code, 5)))


def say(refusal: Refusal, path: str, dialect: Dialect) -> Miss:
    """The reason as a sentence: the store's rule where it words one, else a plain one."""
    what = refusal.what
    if not what:
        names = {"attr": refusal.attr, "op": refusal.op, "blocker": refusal.blocker, "path": path}
        why = ORDER_WORDS.get(refusal.word, "").format(**names)
        text = _sentence(refusal, dialect)
        what = text.format(**names, why=why)
        if why and "{why}" not in text:
            what = f"{what.rstrip('.')}: {why}"
    return Miss(refusal.code, what, path, refusal.attr, refusal.fix)
