"""What a note beside a row says that has a place of its own: the size of a page, how long records are kept."""

from __future__ import annotations

import re

from app.importers.reading.reader import Reading
from app.importers.reading.text import flat, quoted

_PAGE = re.compile(
    r"\b(?:pages? of|page size(?: of)?|per page|paginas? de|in pages of)\s*:?\s*(\d{1,6})\b|"
    r"\b(\d{1,6}) (?:per page|por pagina|a page)\b"
)
_KEEP = re.compile(
    r"\b(?:keep|kept|retain|retained|retention|conservar|retencion)\b(?: (?:for|of|de|only|data|the last))*\s*:?\s*"
    r"(\d{1,5}) (day|week|month|year|hour|dia|semana|mes|ano)(?:e?s)?\b"
)
_UNITS = {"dia": "day", "semana": "week", "mes": "month", "ano": "year"}


def read_remark(r: Reading, note: str) -> None:
    """`page of 50` is a limit, `keep 1 year` the age at which records go; the note itself stays with the row."""
    said = flat(note)
    page = _PAGE.search(said)
    if page and r.action in ("list", "search") and "limit" not in r.plain:
        r.plain["limit"] = page[1] or page[2]
        r.plain.setdefault("paging", "cursor")
        r.why("limit", f"{quoted(page[0])} in the notes")
        r.why("paging", "a page is named; a cursor is assumed until you say")
        r.questions[:] = [q for q in r.questions if q.place != f"patterns/{r.name}/limit"]
        r.ask("paging", "Is the next page reached by a cursor, or by its number (offset)?", "cursor")
    keep = _KEEP.search(said)
    if keep and r.entity in r.draft.entities:
        made = r.draft.entities[r.entity]
        unit = _UNITS.get(keep[2], keep[2])
        made.keep = made.keep or f"{keep[1]} {unit}{'' if keep[1] == '1' else 's'}"
        made.inferred.setdefault("keep", f"{quoted(keep[0])} in the notes of “{r.name}”")
