"""What Cassandra accepts: the whole partition key by = or IN, a clustering prefix, one range last.

Nothing is filtered, sorted or joined by the server. Rules read in apache/cassandra:
cql3/restrictions/StatementRestrictions.java (5.0) and the CQL documentation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.plan.types import Cond, Dialect, Joins, Kind, Match, Miss, Op, Use, Writing
from app.stores.cassandra.encoding import ENCODING
from app.stores.cassandra.facts import FILTERING

WORDING = {
    "partition": (
        "the partition key is hashed as a whole and has no order, so {attr} takes = or IN in {path}, not {op}; the"
        f" server answers “{FILTERING}”"
    ),
    "partition index": "a secondary index answers = only: {path} finds nothing by {attr} {op}",
    "unbound": (
        "the partition key is hashed as a whole, so each of its columns takes = or IN, and nothing binds {attr} in"
        f" {{path}}; the server answers “{FILTERING}”"
    ),
    "buckets": (
        "the partition key takes no range, so {path} is read with one request for each bucket of {attr} that the"
        " answer can lie in"
    ),
    "endless": ("{path} is partitioned by a bucket of {attr}, and nothing says in how many of them the answer can lie"),
    "nothing": "{attr} is in no key of {path}, and nothing else finds its rows",
    "scan": "without the partition key the whole ring is read",
    "points": "IN on {attr} is not accepted here",
    "or": "CQL has no OR, and one of the branches has no key or index",
    "gap": (
        "clustering columns are restricted from the first on, without a gap and with the range"
        " last: {blocker} comes before {attr} in {path} and is not fixed by ="
    ),
    "filter": (
        "{attr} is no key column of {path}: {op} on it needs ALLOW FILTERING, which reads the whole"
        " ring; never on a path that users wait for"
    ),
    "inside": (
        "{attr} is no key column of {path}: {op} on it needs ALLOW FILTERING, which reads the whole partition to give"
        " a part of it"
    ),
    "order": ("ORDER BY takes the clustering order of {path} as declared or its full reverse: {attr} does not follow"),
    "partial": "{path} does not hold every row: {attr} decides that",
    "stale": "a materialized view follows its table asynchronously: {path} may lag behind",
    "fields": "{path} does not hold {attr}: it takes a further read",
    "structure": "no table holds {attr}",
    "age": "{attr} in {path} may be older than the pattern allows",
    "join": "one SELECT reads one table: there are no joins",
    "type": "{op} on {attr} is not what {path} can answer",
    "limit": "LIMIT counts rows after they are read",
    "fix new": "Add a table of its own, in the order ({parts})",
    "fix new key": "Add a table with the partition key ({partition}), written together with this one",
    "fix new partition": (
        "Add a table with the partition key ({partition}) and the clustering key ({order}), written together with"
        " this one"
    ),
    "fix extend": "Add {parts} at the end of the clustering key of {path}",
    "fix flip": "Declare {parts} in the clustering order of {path}",
    "fix reorder": "Make the clustering key of {path} ({parts})",
    "fix hold": "Keep {parts} in {path} too",
    "fix range": (
        "Ask for each {attr} by itself, with IN or with one request each in parallel; or partition by a month bucket"
        " and make {attr} the first clustering column"
    ),
    "fix strong": "Read it from a table instead of a view: one with ({parts}) in its key",
}


def veto(match: Match) -> Iterable[Miss]:
    """Sorts over an index or without the partition key, CONTAINS without an index."""
    path, name = match.path, match.path.name
    if match.single.order and path.scan:
        yield Miss(
            "order",
            "ORDER BY is only supported when the partition key is restricted by an EQ or an IN",
            name,
            match.single.order[0][0],
        )
    elif match.single.order and path.kind in INDEXES:
        yield Miss(
            "order",
            "ORDER BY with secondary indexes is not supported",
            name,
            match.single.order[0][0],
            "a table of its own, with the sort in the clustering key",
        )
    if path.kind in INDEXES:
        yield from _beside(match)
    elif not path.scan:
        yield from _behind_a_list(match)
        for step in (*match.partition, *match.order):
            if any(c.op == "contains" for c in step.conds) and not step.part.many:
                yield Miss("type", "CONTAINS needs an index on the collection", name, step.part.attr)


def _behind_a_list(match: Match) -> Iterable[Miss]:
    """The server merges partitions, but not the pieces that IN on a clustering column makes of one."""
    asked = [a for a, _ in match.single.order]
    listed = ""
    for step in match.order:
        if listed and step.part.attr in asked:
            what = f"ORDER BY {step.part.attr} does not reach behind IN on {listed}"
            yield Miss("order", what, match.path.name, step.part.attr)
            return
        if step.kind is Kind.POINTS and step.tight and step.part.attr not in asked:
            listed = step.part.attr


def _beside(match: Match) -> Iterable[Miss]:
    """An index takes one value, and beside it the whole partition key by = or nothing: the rest would be filtered."""
    path, single = match.path, match.single
    own = _indexed(match)
    key = {p.attr for p in path.placed_by if p.attr} - own
    for cond in single.where:
        if cond.attr in own and cond.op == "in":
            yield Miss("points", f"IN is not supported on {cond.attr}: an index takes one value", path.name, cond.attr)
    if path.kind == "index" and own & {w.part.attr for w in match.order}:  # the index stands in for the key's order
        order = {w.part.attr for w in match.order} - {p.attr for p in path.placed_by} - own
        yield from (_filtered(path.name, c) for c in single.where if c.attr in order)
    named = [c for c in single.where if c.attr in key]
    if {c.attr for c in named if c.op == "="} == key and len(named) == len(key):
        return
    for cond in named:
        if cond.op == "in":
            what = "Select on indexed columns and with IN clause for the PRIMARY KEY are not supported"
            yield Miss("partition", what, path.name, cond.attr)
        else:
            yield _filtered(path.name, cond)


def _indexed(match: Match) -> set[str]:
    """The column of the index."""
    if match.path.kind == "index":
        return {w.part.attr for w in match.partition}
    return {(match.order[-1] if match.partition else match.order[0]).part.attr}


def _filtered(path: str, cond: Cond) -> Miss:
    what = f"beside an index the partition key is bound as a whole by =, or no part of the key is: {FILTERING}"
    return Miss("filter", what, path, cond.attr)


def veto_2(match: Match) -> Iterable[Miss]:
    """What 2.x refused besides: a list anywhere but last in the partition or the clustering key."""
    yield from veto(match)
    for steps in (match.partition, match.order):
        for step in steps[:-1]:
            if step.kind is Kind.POINTS and any(c.op == "in" for c in step.conds):
                yield Miss(
                    "points",
                    f"IN on {step.part.attr} is accepted on the last column only, before 3.0",
                    match.path.name,
                    step.part.attr,
                )


INDEXES = ("index", "sai")
SPANS = ("<", "<=", ">", ">=", "between", "prefix")
STREAMS = 1000
"""Partitions merged for IN with ORDER BY before it is called too many."""

DIALECT = Dialect(
    store="cassandra",
    title="Cassandra",
    ops={
        "=": Op(Kind.POINT),
        "contains": Op(Kind.POINT),
        "in": Op(Kind.POINTS),
        **dict.fromkeys(SPANS, Op(Kind.SPAN)),
    },
    encoding=ENCODING,
    joins=Joins(whole_partition=True),
    writing=Writing(across="batch", condition="partition", by_prefix=True),
    partition_points=Use.SERVER,
    merge=STREAMS,
    offset=Use.CLIENT,
    veto=veto,
    wording=WORDING,
)
UNFILTERED = (
    "{attr} is no key column of {path} and has no index: {op} on it is refused, with ALLOW FILTERING too before 3.6"
)
CASSANDRA_3 = replace(DIALECT, wording={**WORDING, "filter": UNFILTERED, "inside": UNFILTERED})
"""Up to 3.5. CASSANDRA-6377 and CASSANDRA-11310 made columns without an index open to filtering."""
CASSANDRA_2 = replace(CASSANDRA_3, veto=veto_2)


def dialect_of(version: str) -> Dialect:
    """The rules of a version (`4.1`); an empty or unreadable one means the newest."""
    major, _, minor = version.strip().partition(".")
    minor = minor.partition(".")[0]
    if not major.isdigit() or int(major) > 3:
        return DIALECT
    if int(major) < 3:
        return CASSANDRA_2
    return CASSANDRA_3 if minor.isdigit() and int(minor) < FILTERS_FROM else DIALECT


def tuples_behind_equality(version: str) -> bool:
    """May `(b, c) > (…)` follow `a = …`? Before 3.0 a comparison of tuples starts at the first clustering column."""
    return dialect_of(version) is not CASSANDRA_2


FILTERS_FROM = 6
"""Minor of version 3."""
