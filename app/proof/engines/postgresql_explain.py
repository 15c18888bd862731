"""What PostgreSQL's explain says, in short: nodes, index, rows read and dropped, whether it scanned or sorted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SMALL = 100.0
"""Rows up to which going through a whole table tells nothing."""
MOST = 0.5
"""Share of a table's rows from which on a read went through the whole of it."""
DROPPED = ("Rows Removed by Filter", "Rows Removed by Index Recheck", "Rows Removed by Join Filter")


@dataclass(frozen=True, slots=True)
class Explained:
    """`examined`: rows read from tables, those that a filter dropped included. `sequential`: rows met where a table
    was read from one end to the other, however small; None: none was."""

    text: str
    examined: float
    returned: float
    scan: bool
    sort: bool
    path: str
    sequential: float | None = None


def explained(said: Mapping[str, Any], sizes: Mapping[str, float]) -> Explained:
    """One `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)`. `sizes`: rows by table and partition."""
    top = said["Plan"]
    nodes = list(_nodes(top))
    examined = sum(_met(n) for n in nodes if _reads_rows(n))
    dropped = sum(_times(n, name) for n in nodes for name in DROPPED)
    buffers = float(top.get("Shared Hit Blocks", 0)) + float(top.get("Shared Read Blocks", 0))
    whole = next((n for n in nodes if _whole(n, sizes)), None)
    index = next((n["Index Name"] for n in nodes if "Index Name" in n), "")
    wrote = top if top["Node Type"] == "ModifyTable" else None
    returned = _read(top) if wrote is None else 0.0
    shape = " ← ".join(_name(n) for n in nodes)
    return Explained(
        text=f"{shape} · rows read {examined:g}, dropped {dropped:g}, returned {returned:g}, pages {buffers:g}",
        examined=examined,
        returned=returned,
        scan=whole is not None,
        sort=any(n["Node Type"] == "Sort" for n in nodes),
        path=str(whole.get("Relation Name", "")) if whole is not None else index,
        sequential=max((_met(n) for n in nodes if n["Node Type"] == "Seq Scan"), default=None),
    )


def _nodes(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """All nodes that ran, from the last to the first."""
    if node.get("Actual Loops", 0):
        yield node
        for inner in node.get("Plans", ()):
            yield from _nodes(inner)


def _times(node: Mapping[str, Any], name: str) -> float:
    return float(node.get(name, 0)) * float(node["Actual Loops"])


def _read(node: Mapping[str, Any]) -> float:
    return _times(node, "Actual Rows")


def _met(node: Mapping[str, Any]) -> float:
    return _read(node) + sum(_times(node, name) for name in DROPPED[:2])


def _reads_rows(node: Mapping[str, Any]) -> bool:
    """Does it fetch rows of a table, or answer them from an index?"""
    return "Relation Name" in node and node["Node Type"] != "ModifyTable"


def _whole(node: Mapping[str, Any], sizes: Mapping[str, float]) -> bool:
    """Did it go through a table, or an index, from one end to the other?"""
    if not _reads_rows(node) or node["Node Type"] == "Bitmap Heap Scan" or "Index Cond" in node:
        return False
    size = sizes.get(str(node["Relation Name"]), 0.0)
    met = float(node["Actual Rows"]) + float(node.get("Rows Removed by Filter", 0))
    return size > SMALL and met > MOST * size


def _name(node: Mapping[str, Any]) -> str:
    kind = str(node["Node Type"])
    if kind == "ModifyTable":
        kind = str(node.get("Operation", kind))
    on = node.get("Index Name") or node.get("Relation Name")
    return f"{kind} {on}" if on else kind


__all__ = ["Explained", "explained"]
