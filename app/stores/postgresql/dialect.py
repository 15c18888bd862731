"""What PostgreSQL accepts and who does the rest."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.types import Combine, Costs, Dialect, Expand, Joins, Kind, Match, Miss, Op, Use, Writing
from app.stores.postgresql.encoding import ENCODING

WORDING = {
    "scan": "No index can be entered by {attr}: PostgreSQL reads the whole table.",
    "gap": "A B-tree is entered from the left: {blocker} comes before {attr} and is not bound by equality.",
    "filter": "{attr} is not in the index: every row found must be read to judge {op}.",
    "order": "A B-tree gives its order only where all columns before it are bound to one value and all directions"
    " agree or are all reversed; {attr} is sorted in memory instead.",
    "points": "A list of values on {blocker} loses the order of {path}.",
    "partial": "The index holds only some rows: the query must repeat its condition on {attr}.",
    "partition": "The partition key is not bound: every partition is asked.",
    "fields": "{attr} is not in {path}: the row must be read as well.",
    "stale": "A standby lags behind: read from the primary.",
    "or": "Every branch of OR needs an index of its own, or the table is scanned.",
    "hashed": "A hash index or GIN answers equality only: no range and no order on {attr}.",
    "fix new": "Create an index on ({parts})",
    "fix extend": "Add {parts} at the end of the index {path}",
    "fix flip": "Declare {parts} in {path}",
    "fix reorder": "Order the index {path} as ({parts}): equality, sort, range",
    "fix hold": "INCLUDE {parts} in {path}, or keep it in the row",
    "join": "A join needs an index on the column it follows, or it reads the whole table.",
}


def veto(match: Match) -> Iterator[Miss]:
    """Hash and GIN indexes have no entry for what is absent."""
    if not match.path.hashed:
        return
    for step in match.order:
        for cond in step.conds:
            if cond.op == "null":
                yield Miss("type", f"{match.path.name} holds no nulls", match.path.name, cond.attr)


DIALECT = Dialect(
    store="postgresql",
    title="PostgreSQL",
    ops={
        "=": Op(Kind.POINT),
        "contains": Op(Kind.POINT),
        "in": Op(Kind.POINTS),
        "null": Op(Kind.POINT, fixes=False),
        "not null": Op(Kind.SPAN),
        **dict.fromkeys(("<", "<=", ">", ">=", "between", "prefix"), Op(Kind.SPAN)),
    },
    encoding=ENCODING,
    joins=Joins(server=True, list_max=10_000),
    writing=Writing(across="transaction", condition="transaction", by_condition=True, all_indexes=True),
    partition_points=Use.SERVER,
    later=Use.SERVER,
    lead=Use.SERVER,
    skips=True,
    skip_run=400,
    residual=Use.SERVER,
    sort=Use.SERVER,
    fetch=Use.SERVER,
    union=Use.SERVER,
    partial_sort=True,
    heap=True,
    strict=True,
    absent_last=True,
    entry_filters=True,
    combine=Combine(most=16, fetch=200),  # random_page_cost 4 against 0.02 for an entry with its part of a leaf page
    bitmaps=frozenset({"gin", "text"}),
    ranked=frozenset({"text", "scan"}),  # the query sorts by ts_rank
    costs=Costs(page=8192, fill=0.9, random=4, record=0.01, entry=0.005, operator=0.0025),
    expand=Expand(server=True, visited="row"),
    veto=veto,
    wording=WORDING,
)
