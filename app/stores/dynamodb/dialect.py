"""What DynamoDB accepts: one partition value by equality, one interval of the sort key, nothing else for free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from app.plan.types import Dialect, Joins, Kind, Match, Miss, Op, Part, Use, Writing
from app.stores.dynamodb.encoding import ENCODING
from app.stores.dynamodb.facts import FACTS

WORDING = {
    "partition": ("a Query names exactly one partition key value with =, and {attr} is not bound by = in {path}"),
    "unbound": ("a Query names exactly one partition key value with =, and no condition binds {attr} in {path}"),
    "buckets": "a Query reads one partition key value: {path} takes one for each bucket of {attr}",
    "endless": "{attr} picks the partition of {path}, and nothing says how many values a read would try",
    "nothing": "{attr} is in no key of {path}: only a Scan finds it",
    "scan": "without the partition key only a Scan is left, and it is billed for every item read",
    "points": "a key condition takes no IN: each value of {attr} is a Query of its own",
    "or": "a key condition takes no OR, and one of the branches has no key or index",
    "gap": (
        "a sort key is compared from its start: {attr} comes after {blocker}, which is not fixed,"
        " so it can only be filtered after the read"
    ),
    "filter": "{attr} {op} is no key condition of {path}: a filter runs after the read is billed",
    "order": ("items come in the order of the sort key or its reverse; {attr} cannot be sorted by in {path}"),
    "partial": "{path} holds only items that have its key attributes: {attr} decides that",
    "stale": "a GSI is eventually consistent only: ConsistentRead is refused on {path}",
    "fields": "{path} does not project {attr}: it takes a further read by the table's key",
    "structure": "no item of this table holds {attr}",
    "age": "{attr} in {path} may be older than the pattern allows",
    "join": "a request reads one item collection: there are no joins",
    "type": "a {op} on {attr} is not what this key can answer",
    "fix new": "Add a GSI with the sort key ({parts})",
    "fix new key": "Add a GSI with the partition key ({partition})",
    "fix new partition": "Add a GSI with the partition key ({partition}) and the sort key ({order})",
    "fix extend": "End the sort key of {path} with ({parts})",
    "fix reorder": "Pack the sort key of {path} as ({parts})",
    "fix hold": "Project {parts} into {path}",
    "fix strong": "Put ({parts}) into the table's own key: only the table and its LSIs are read strongly",
    "limit": "Limit counts items before the filter, and a page ends at 1 MB",
}


def alone(parts: Iterable[Part]) -> frozenset[str]:
    """Attributes that are a key value by themselves, neither packed nor shortened.

    The key attribute then is the attribute; a key packed from several is stored beside them.
    """
    parts = tuple(parts)
    shared = Counter(p.column for p in parts)
    return frozenset(p.attr for p in parts if p.attr and _whole(p) and shared[p.column] == 1)


def _whole(part: Part) -> bool:
    return part.kept.exact and part.kept.order == 1 and not part.kept.width


def veto(match: Match) -> Iterable[Miss]:
    """A filter may not name a key attribute of the table or index that is read."""
    keys = alone(match.path.partition) | alone(match.path.order)
    for cond in match.residual:
        if cond.attr in keys and not match.path.scan:
            yield Miss(
                "filter",
                f"a filter may not name {cond.attr}, a key attribute of {match.path.name}, and"
                f" {cond.op} is no key condition",
                match.path.name,
                cond.attr,
                "filter in the application, or store the value a second time under another name",
            )


SPANS = ("<", "<=", ">", ">=", "between", "prefix")

DIALECT = Dialect(
    store="dynamodb",
    title="DynamoDB",
    ops={
        "=": Op(Kind.POINT),
        "contains": Op(Kind.POINT),  # where the table keeps an item for each element
        "in": Op(Kind.POINTS),
        **dict.fromkeys(SPANS, Op(Kind.SPAN)),
    },
    encoding=ENCODING,
    joins=Joins(
        list_max=int(FACTS["batch_get_items"].value),
        list_bytes=FACTS["batch_bytes"].value,
        by_key_only=True,
        whole_partition=True,
    ),
    writing=Writing(
        across="transaction",
        items=int(FACTS["transaction_items"].value),
        twice=False,
        factor=FACTS["transaction_factor"].value,
        token=True,
        condition="transaction",
        unit=int(FACTS["write_unit_bytes"].value),
        read_unit=int(FACTS["read_unit_bytes"].value),
    ),
    order_points=Use.EACH,
    residual=Use.BILLED,
    sort=Use.CLIENT,
    fetch=Use.EACH,
    offset=Use.CLIENT,
    page_bytes=FACTS["page_bytes"].value,
    veto=veto,
    wording=WORDING,
)
