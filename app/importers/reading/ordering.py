"""The order, limit and paging that the words of a read ask for."""

from __future__ import annotations

from app.importers.reading.asides import Asides
from app.importers.reading.attributes import TOTALS
from app.importers.reading.nouns import SERIES
from app.importers.reading.reader import Reading

_RANKED = ("points", "score", "rank", "rating", "votes", "count")


def read_order(r: Reading) -> None:
    """The order and limit that the words ask for; a list without one is a question."""
    asides = r.phrase.asides
    if asides.limit:
        r.plain["limit"] = str(asides.limit)
        r.why("limit", "the operation names the number")
    elif asides.latest and (r.phrase.head is None or not r.phrase.head.plural):
        r.plain["limit"] = "1"
        r.why("limit", f"“{asides.order_said}” of one: the first in that order")
    if asides.paging:
        r.plain["paging"] = asides.paging
        r.why("paging", "paging is asked for; a cursor is assumed until you say")
    if "order by" in r.plain or r.action not in ("list", "search"):
        return
    if asides.order in ("newest", "oldest"):
        order_by_time(r, asides.order, asides.order_said)
    elif asides.order in ("asc", "desc"):
        _ordered_by(r, asides)
    elif asides.top or asides.order == "popular":
        _ranked(r, asides.order_said or "top")
    elif r.action == "search" and asides.text:
        r.plain["order by"] = "relevance"
        r.why("order by", "a text search gives the best match first")


def _ordered_by(r: Reading, asides: Asides) -> None:
    name = asides.order_field.split("_and_")[0]
    if name in ("date", "time", "creation_date", "fecha", "recency"):
        order_by_time(r, "newest" if asides.order == "desc" else "oldest", asides.order_said)
    else:
        order_by_field(r, name, asides.order, asides.order_said)


def order_by_time(r: Reading, way: str, said: str) -> None:
    """Newest or oldest first, with the key as the end that makes the order unique."""
    path = r.draft.time(r.entity, f"“{said}” asks for a time that only rises")
    down = " desc" if way == "newest" else ""
    ends = "" if r.entity in SERIES else _tie(r, down, path)
    r.plain["order by"] = f"{path}{down}{ends}"
    r.why("order by", f"“{said}”: {'newest' if down else 'oldest'} first")


def _tie(r: Reading, down: str, *used: str) -> str:
    paths = [f"{r.entity}.{key}" for key in r.draft.key(r.entity)]
    bound = " ".join(r.terms)
    return "".join(f", {p}{down}" for p in paths if p not in used and f"{p} =" not in bound)


def order_by_field(r: Reading, name: str, way: str, said: str) -> None:
    """By a field, `asc` or `desc`, with the key as its end."""
    path = r.draft.field(r.entity, name, f"“{said}” sorts by it")
    down = " desc" if way == "desc" else ""
    r.plain["order by"] = f"{path}{down}{_tie(r, down, path)}"
    r.why("order by", f"“{said}”")


def _ranked(r: Reading, said: str) -> None:
    """The top of a ranking: by points for a score, by its own figure where it has one, else a question."""
    by = next((n.name for n in r.phrase.linked("by") if n.name in _RANKED or n.name.endswith("count")), "")
    made = r.draft.entities[r.entity]
    needed = [n.split(".")[1] for n in r.needs if isinstance(n, str) and n.startswith(f"{r.entity}.")]
    counted = next(
        (n for n in needed if n in TOTALS or n == "units" or n.startswith("total") or n.endswith("count")), ""
    )
    held = by or next((name for name in _RANKED if made.held(name)), counted)
    if not held and r.entity in ("score", "player", "leaderboard"):
        held = "points" if r.entity == "score" else "score"
    if not held:
        r.ask("order by", f"“{said}” by which figure?", f"{r.entity}.points desc")
        return
    path = r.draft.field(r.entity, held, f"“{said}” ranks by it", "" if held in TOTALS else "int64")
    r.plain["order by"] = f"{path} desc"
    r.why("order by", f"“{said}”: the highest {held} first")
