"""The nearest miss in words: every reason, and the smallest change that would serve the read.

The ideal path is built from the read (equality, then sort, then one range); it is compared with the nearest path,
and a change is offered only if planning with it works.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.plan.bind import ENDLESS
from app.plan.choose import Choice
from app.plan.refuse import Refusal, by_weight, say
from app.plan.serve import Missed, Task
from app.plan.types import MERGED, AccessPath, Dialect, Kind, Match, Miss, Part

EQUAL = (Kind.POINT, Kind.POINTS)
COARSER = ((3600, "hour"), (86_400, "day"), (2_592_000, "month"), (31_536_000, "year"))
FEW_BUCKETS = 12
"""So many requests are not worth another table."""
FAR = (True, 1e9, 0)

WORDS = {
    "new partition": "Add a way in with partition ({partition}) and order ({order})",
    "new key": "Add a way in with the key ({partition})",
    "new": "Add an index on ({parts})",
    "extend": "Add {parts} at the end of {path}",
    "flip": "Store {parts} in {path}",
    "reorder": "Order {path} as ({parts})",
    "hold": "Let {path} hold {parts}",
    "strong": "Read this by a path that follows the record at once: put ({parts}) in a primary key",
    "range": "Ask for each value of {attr} by itself, or put a coarser bucket of {attr} in the partition and {attr}"
    " itself first in the stored order",
    "endless": "Say how wide the range of {attr} is (span), how long records are kept (keep) or, for the first few in"
    " order, how many come (growth): then one request per bucket serves it",
    "coarser": "Ask for each of the {count:,.0f} buckets by itself, or partition by the {word} of {attr} and put {attr}"
    " itself in the stored order",
    "each bucket": "Ask for each of the {count:,.0f} buckets by itself",
    "shard": "Bind {attr} in the read, or place records by what it binds ({parts})",
    "implied": "Repeat the condition of {path} on {attr} in the read, or index every record",
}


@dataclass(frozen=True, slots=True)
class Ideal:
    """What the read would like to find: attributes bound by equality, the sort, one range."""

    equal: tuple[Part, ...]
    sort: tuple[tuple[str, int], ...]
    order: tuple[Part, ...]

    @property
    def equal_text(self) -> str:
        return ", ".join(p.attr for p in self.equal)


def ideal(task: Task) -> Ideal:
    """Equality, then sort, then one range."""
    kinds = {attr: found[0][0].kind for attr, found in task.named.items()}
    equal = [a for a, kind in kinds.items() if kind in EQUAL]
    span = [a for a, kind in kinds.items() if kind is Kind.SPAN and a not in dict(task.ask)]
    order = [_part(task, a, way) for a, way in task.ask if a not in equal]
    order += [_part(task, a) for a in span[:1]]
    return Ideal(tuple(_part(task, a) for a in equal), task.ask, _columns(tuple(order)))


def _part(task: Task, attr: str, way: int = 1) -> Part:
    stat = task.world.stats.get(attr)
    return Part(attr, way, many=stat is not None and stat.elements > 1)


def nearest(choices: Sequence[Choice]) -> tuple[Choice, Missed | None]:
    """The choice with the path that comes closest, and that path with its reasons."""
    found = [(c, c.nearest) for c in choices]
    return min(found, key=lambda f: f[1].distance if f[1] else FAR)


def misses(choices: Sequence[Choice]) -> tuple[Miss, ...]:
    """Why the nearest path does not serve the read, the fix beside the first reason."""
    choice, near = nearest(choices)
    task = choice.task
    blocked = [say(r, "", task.dialect) for r in choice.blocked]
    if near is None:
        return (*blocked, *_nothing(choice))
    path = near.match.path.name
    found = list(by_weight(say(r, path, task.dialect) for r in near.reasons))
    buckets = tuple(bucketed(near.match, task.dialect))
    if found and not any(m.fix for m in found):
        found[0] = replace(found[0], fix=fix(task, near))
    return by_weight((*blocked, *found, *buckets))


def bucketed(match: Match, dialect: Dialect) -> Iterator[Miss]:
    """A range over a bucket of the partition: the server takes equality only, so the read must be written otherwise."""
    for w in match.partition:
        if w.part.kept.bucket and 1 < w.count < ENDLESS:
            op = w.conds[0].op if w.conds else ""
            miss = say(Refusal("partition", w.part.attr, op, w.part.attr, "buckets"), match.path.name, dialect)
            sorted_by = any(p.attr == w.part.attr and p.kept.exact for p in match.path.order)
            few = sorted_by and w.count <= FEW_BUCKETS
            word = "" if few else next((name for seconds, name in COARSER if seconds > w.part.kept.bucket), "")
            text = WORDS["coarser"] if word else WORDS["each bucket"]
            yield replace(miss, fix=text.format(attr=w.part.attr, word=word, count=w.count))


def _nothing(choice: Choice) -> tuple[Miss, ...]:
    """No path but the scan: say what would be a way in."""
    task = choice.task
    if not task.single.where and not task.ask:
        return ()
    attr = task.single.where[0].attr if task.single.where else task.ask[0][0]
    op = task.single.where[0].op if task.single.where else "order by"
    name = choice.paths[0].name if choice.paths else task.single.of
    refusal = Refusal("filter" if task.single.where else "order", attr, op, attr, "nothing")
    return (replace(say(refusal, name, task.dialect), fix=new_path(task, bool(task.single.where))),)


def fix(task: Task, near: Missed) -> str:
    """The smallest change that would serve the read, in words; empty where none is known."""
    for words, path in _changes(task, near):
        if path is None or task.works(path, near.match):
            return words
    return new_path(task, bool(near.match.path.partition))


def _changes(task: Task, near: Missed) -> Iterator[tuple[str, AccessPath | None]]:
    """Changes from small to large, each with the path it would make (None: nothing to plan again)."""
    path, codes = near.match.path, {r.code for r in near.reasons}
    want = ideal(task)
    if codes == {"stale"}:
        yield _say(task, "strong", path, parts=want.equal_text), None
    if codes == {"fields"}:
        needs = sorted((task.single.needs or frozenset()) - (path.holds or frozenset()))
        yield _say(task, "hold", path, parts=", ".join(needs) or "every field"), None
    if codes == {"partial"}:
        yield _say(task, "implied", path, attr=near.reasons[0].attr), None
    if codes & {"partition", "range"}:
        ranged = [r for r in near.reasons if r.code in ("partition", "range") and r.op not in ("", "=")]
        if any(r.word == "endless" for r in near.reasons):
            yield _say(task, "endless", path, attr=near.reasons[0].attr), None
        elif ranged and path.primary:
            yield _say(task, "range", path, attr=ranged[0].attr), None
        return
    if path.hashed or path.kind == MERGED or (path.primary and not path.partition):
        return
    yield from _rearranged(task, path, want)


def _rearranged(task: Task, path: AccessPath, want: Ideal) -> Iterator[tuple[str, AccessPath]]:
    """The nearest path with its directions, its end or its sequence changed."""
    bound = {p.attr for p in path.partition}
    lead = tuple(p for p in want.equal if p.attr not in bound)
    target = (*lead, *want.order)
    have = tuple(p for p in path.order if p.attr)
    names = [p.attr for p in target]
    if {p.attr for p in have} >= set(names) and [p.attr for p in have][: len(names)] == names:
        wanted = dict(want.sort)
        flipped = tuple(replace(p, dir=wanted.get(p.attr, p.dir)) for p in have)
        turned = [_word(p) for p, o in zip(flipped, have, strict=True) if p.dir != o.dir]
        yield _say(task, "flip", path, parts=", ".join(turned)), replace(path, order=flipped)
    added = tuple(p for p in target if p.attr not in {h.attr for h in have})
    if added:
        longer = _columns((*have, *added))
        words = _say(task, "extend", path, parts=", ".join(map(_word, added)))
        yield words, replace(path, order=longer)
    rest = tuple(p for p in have if p.attr not in names)
    words = _say(task, "reorder", path, parts=", ".join(_word(p) for p in (*target, *rest)))
    yield words, replace(path, order=_columns((*target, *rest)))


def _columns(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple([Part(p.attr, p.dir, p.kept, i, p.many, p.literal, p.name) for i, p in enumerate(parts)])


def new_path(task: Task, partitioned: bool) -> str:
    """A path of its own, as the store would key it."""
    want = ideal(task)
    partitioned = partitioned and not task.dialect.prefers_index
    split = AccessPath("new", task.single.of, want.equal, want.order)
    flat = replace(split, partition=(), order=_columns((*split.partition, *want.order)))
    path = split if partitioned else flat
    if not (path.partition or path.order) or (partitioned and not path.partition):
        return ""
    if not task.works(path):
        return ""
    word = "new" if not partitioned else "new partition" if path.order else "new key"
    order = ", ".join(map(_word, path.order))
    return _say(task, word, path, parts=order, partition=want.equal_text, order=order)


def placed(task: Task, path: AccessPath, attr: str) -> str:
    """How a read would come to ask one node only."""
    want = ideal(task)
    return _say(task, "shard", path, attr=attr, parts=want.equal_text) if want.equal else ""


def _word(part: Part) -> str:
    return f"{part.attr} desc" if part.dir < 0 else part.attr


def _say(task: Task, word: str, path: AccessPath, **names: str) -> str:
    text = task.dialect.wording.get(f"fix {word}") or WORDS[word]
    return text.format(**{"attr": "", "parts": "", "partition": "", "order": "", **names, "path": path.name})
