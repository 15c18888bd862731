"""Telling a plan: the reads chosen become steps with their figures, notes and level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from app.model.spread import ZERO, Spread
from app.plan.charge import by_cost
from app.plan.independent import independent
from app.plan.match import unseen
from app.plan.serve import Served
from app.plan.steps import Read
from app.plan.types import Kind, Level, Match, Miss, Plan, Query, Record, Step

KIND_WORDS = {
    Kind.POINT: "one value",
    Kind.POINTS: "a list of values",
    Kind.SPAN: "a range",
    Kind.SPANS: "all but some values",
}
BUCKET_WORDS = {60: "minute", 3600: "hour", 86_400: "day", 604_800: "week", 2_592_000: "month"}
DAY = 86_400


def tell(query: Query, reads: Sequence[Read]) -> Plan:
    """The plan made of these reads, in the order in which they are made."""
    if len(reads) == 1:
        return tell_one(query, reads[0])
    steps = tuple(step(query, r) for r in reads)
    late = _sorted_late(query, reads)
    if late is not None:
        steps = (*steps[:late], replace(steps[late], note=_sorting(query, reads)), *steps[late + 1 :])
    requests = records = size = ZERO
    for s in steps:
        requests, records, size = requests + s.requests, records + s.records, size + s.bytes
    return Plan(
        query.name,
        level(reads),
        steps,
        (),
        requests,
        records,
        size,
        rounds(reads)[0],
        sum(s.partitions for s in steps),
        sum(s.units for s in steps),
        likely=_likely(query, reads[0]),
        notes=notes(query, reads),
        questions=query.questions,
    )


def tell_one(query: Query, read: Read, misses: tuple[Miss, ...] = ()) -> Plan:
    """The plan made of one read."""
    only = step(query, read)
    return Plan(
        query.name,
        read.level,
        (only,),
        (),
        only.requests,
        only.records,
        only.bytes,
        1,
        only.partitions,
        only.units,
        (),
        misses,
        _likely(query, read),
        notes=notes(query, (read,)),
        questions=query.questions,
    )


def rounds(reads: Sequence[Read]) -> tuple[int, list[int]]:
    """The longest chain of dependent requests, and the depth of each read."""
    depth: list[int] = []
    for i, r in enumerate(reads):
        after = [depth[j] for j in range(i) if reads[j].gives & r.asks]
        depth.append((max(after, default=0) if r.asks else 0) + (r.how != "server"))
    return max(depth, default=0), depth


def level(reads: Sequence[Read]) -> Level:
    """That of the worst step; requests that grow with the answer are a fan-out, a dependent round a join."""
    worst = max(r.level for r in reads)
    if any(r.how == "each" and r.inputs.high > 1 for r in reads):
        return max(worst, Level.FAN_OUT)
    if any(r.how == "server" for r in reads) or (len(reads) > 1 and rounds(reads)[0] > 1):
        return max(worst, Level.JOIN)
    return worst


def step(query: Query, read: Read) -> Step:
    """One read with its bounds, checks, residual, order and figures."""
    served = read.served
    if served is None:
        raise ValueError("a read without a path")
    if read.how != "collection":
        inner = tuple([_branch(query, read, b) for b in served.branches])
        path = served.path.name
    else:
        inner, path = tuple([step(query, p) for p in read.parts]), read.record.structure
    names = tuple([r.name for r in read.records])
    partitions = served.cost.partitions * read.inputs.avg
    figures = (read.keys, read.requests, read.read, read.bytes, partitions, units(query, read))
    return _step(query, read, served, names, path, read.level, figures, inner)


Figures = tuple[float, Spread, Spread, Spread, float, float]
"""Keys, requests, records, bytes, partitions, units."""


def _step(
    query: Query,
    read: Read,
    served: Served,
    names: tuple[str, ...],
    path: str,
    level: Level,
    figures: Figures,
    inner: tuple[Step, ...] = (),
) -> Step:
    match, arranged, record = served.match, served.arranged, read.record
    keys, requests, records, size, partitions, billed = figures
    return Step(
        names,
        record.structure,
        record.dialect.store,
        path,
        read.how,
        read.by,
        level,
        bounds(match),
        tuple([f"{c.attr} {c.op}" for c in match.checks]) if match.checks else (),
        residual(served),
        arranged.kind or "none",
        arranged.ask,
        served.covered,
        keys,
        requests,
        records,
        size,
        partitions,
        billed,
        match.single.where,
        match.single.limit,
        query.needs[read.need].entity,
        match,
        inner,
        "",
        query.needs[read.need].required and read.need > 0,
        tuple([_branch(query, read, m) for m in served.merged]) if served.merged else (),
    )


def _branch(query: Query, read: Read, served: Served) -> Step:
    """Another path for the same read: one branch of an `or`, or what the engine will probably run."""
    cost = served.cost
    figures = (cost.keys, cost.requests, cost.records, cost.bytes, cost.partitions, 0.0)
    return _step(query, read, served, (read.record.name,), served.path.name, served.level, figures)


def _likely(query: Query, read: Read) -> Step | None:
    likely = (read.choice.likely or by_cost(read.choice)) if read.choice else None
    return _branch(query, read, likely) if likely else None


def bounds(match: Match) -> tuple[str, ...]:
    """Parts that narrow the read, each with what binds it."""
    return tuple(
        [
            f"{w.part.attr} {KIND_WORDS[w.kind]}"
            for w in (*match.partition, *match.order)
            if w.tight and w.part.attr and w.kind in KIND_WORDS and (w.conds or w.count > 1)
        ]
    )


def residual(served: Served) -> tuple[str, ...]:
    """Conditions judged on the record; an `or` that no union serves is one of them."""
    if served.branches:
        return tuple(dict.fromkeys(text for branch in served.branches for text in residual(branch)))
    left = served.match.residual
    if not (left or served.unfolded):
        return ()
    out = [f"{c.attr} {c.op}" for c in left]
    return (*out, "or") if served.unfolded else tuple(out)


def units(query: Query, read: Read) -> float:
    """Billed read units; halved for eventual reads."""
    need = query.needs[read.need]
    strong = need.strong and (read.served is None or read.served.path.strong)
    return read.units if strong else read.units / 2


def notes(query: Query, reads: Sequence[Read]) -> tuple[str, ...]:
    """What figures alone do not say."""
    out: list[str] = []
    for read in reads:
        if read.served is not None and read.how != "collection":
            out += _notes(read.served, read.record)
            if read.choice is not None and (apart := independent(read.choice.task)):
                out.append(apart)
    if len(reads) > 1 and (dropped := _dropped(query, reads)):
        out.append(dropped)
    late = _sorted_late(query, reads) if len(reads) > 1 else None
    if late is not None and (path := reads[late].served) is not None:
        first = f" before it takes the first {query.limit:,.0f}" if query.limit else ""
        out.append(f"What {path.path.name} brings is {_sorting(query, reads)}{first}")
    return tuple(dict.fromkeys(out)) if out else ()


def _sorted_late(query: Query, reads: Sequence[Read]) -> int | None:
    """The read that brings the records asked for, where it is not the first: no path orders what several bring."""
    if not query.root.order or reads[0].root == 0:
        return None
    return next((i for i, r in enumerate(reads) if r.root == 0 or r.need == 0), len(reads) - 1)


def _sorting(query: Query, reads: Sequence[Read]) -> str:
    """By whom and by what the records of several reads are sorted."""
    who = "the engine" if all(r.how in ("first", "server") for r in reads) else "the application"
    shown = ", ".join(f"{a} desc" if way < 0 else a for a, way in query.root.order)
    return f"sorted by {who} ({shown})"


def _dropped(query: Query, reads: Sequence[Read]) -> str:
    """What a limit means where later steps drop some of the records found."""
    found = next((r.served for r in reads if r.served is not None and r.served.match.single.fill < 1), None)
    if found is None:
        return ""
    single = found.match.single
    asked = " and ".join(dict.fromkeys(n.entity for n in query.needs if n.required and n.entity != single.of))
    return (
        f"{single.fill:.2g} of the {single.of} found are kept by what is asked of {asked}: about"
        f" {found.cost.records.avg:,.0f} are read to fill the limit of {single.limit:,.0f}"
    )


def _notes(served: Served, record: Record) -> list[str]:
    cost, single, out = served.cost, served.match.single, []
    if served.merged:
        out.append(_merged_note(served, record))
    bucket = next((w for w in served.match.partition if w.part.kept.bucket and w.count > 1), None)
    if bucket is not None:
        out.append(_bucket_note(served, bucket.part.kept.bucket, single.limit))
    dialect = record.dialect
    if dialect.residual.value == "billed" and served.match.residual:
        out.append("The filter runs after the read: every record in the bounds is billed")
        if single.limit:
            out.append("Limit counts records before the filter: several pages may be needed")
    if cost.fetched and not served.path.fetches and (left := unseen(served.match)):
        named = ", ".join(dict.fromkeys(c.attr for c in left))
        out.append(f"{served.path.name} does not have {named}: each record is read by its key before it is filtered")
    if dialect.page_bytes and cost.bytes.avg > dialect.page_bytes:
        out.append(f"The answer fills {ceil(cost.bytes.avg / dialect.page_bytes):,} pages")
    if served.arranged.kind == "merged" and cost.streams > 1:
        out.append(f"The application merges {cost.streams:,.0f} lists")
    if served.arranged.precision:
        word = BUCKET_WORDS.get(int(served.arranged.precision), "bucket")
        out.append(f"The order is that of the {word}")
    if served.arranged.kind == "client":
        out.append("The application sorts the answer")
    if single.offset:
        out.append(f"{single.offset:,.0f} records are passed over on average before the page")
    if record.purpose == "cache":
        out.append("On a miss the truth is read and the key set again")
    return out


def _merged_note(served: Served, record: Record) -> str:
    """What reading several indexes for one conjunction amounts to."""
    names = [m.path.name for m in served.merged]
    told = f"{', '.join(names[:-1])} and {names[-1]} are {'both' if len(names) == 2 else 'all'} read and intersected"
    lost = "" if record.dialect.combine.alike else ", in no order"
    cost = served.cost
    return f"{told}: {cost.keys:,.0f} entries for {cost.records.avg:,.0f} records{lost}"


def _bucket_note(served: Served, bucket: float, limit: float) -> str:
    cost = served.cost
    word = BUCKET_WORDS.get(int(bucket), f"{bucket / DAY:g} days")
    text = f"One request per {word}"
    if limit and cost.visited < cost.buckets:
        ask = served.arranged.ask
        way = ("newest first: " if ask[0][1] < 0 else "oldest first: ") if ask else ""
        return f"{text}, {way}{cost.visited:,.0f} of {cost.buckets:,.0f} suffice on average"
    return f"{text}: {cost.buckets:,.0f} in all"
