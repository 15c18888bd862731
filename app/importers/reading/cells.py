"""The cells beside the operation: frequency, consistency, and whether the row reads or writes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from app.importers.format import Question
from app.importers.reading.consistency import looks_like_consistency, read_consistency
from app.importers.reading.rates import RateReading, looks_like_rate, read_rate
from app.importers.reading.reader import Reading
from app.importers.reading.text import flat
from app.importers.reading.verbs import READ_CALLS, WRITE_CALLS
from app.model.workload import READS, WRITES


@dataclass(slots=True)
class Row:
    """A row of a table by role, with the cells no role was found for and the units that headers give."""

    line: int
    cells: dict[str, str] = field(default_factory=dict)
    others: list[tuple[str, str]] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)

    @property
    def operation(self) -> str:
        return self.cells.get("operation", "")

    @property
    def text(self) -> str:
        """The row as it was pasted, beside its operation."""
        kept = [cell for role, cell in self.cells.items() if cell and role not in ("operation", "id")]
        return " | ".join([*kept, *(cell for _, cell in self.others if cell)])


def kind_of(row: Row, rate: RateReading) -> str:
    """Whether the row says by itself that it reads, writes or does neither: its type, unit or call to the store."""
    said = set(re.findall(r"[a-z]+", flat(row.cells.get("kind", ""))))
    reads = said & {"read", "reads", "r", "lectura", "lecturas", "leitura", "get", "query"} or "読" in row.cells.get(
        "kind", ""
    )
    writes = said & {
        "write",
        "writes",
        "w",
        "escritura",
        "escrituras",
        "escrita",
        "insert",
        "update",
        "delete",
    } or "書" in row.cells.get("kind", "")
    if bool(reads) != bool(writes):
        return "read" if reads else "write"
    if said & {"none", "ninguna", "ninguno"} or re.search(
        r"\bno (database|db|data) (operation|access)", flat(row.operation)
    ):
        return "none"
    if rate.kind:
        return rate.kind
    calls = set(re.findall(r"[a-z]+", row.cells.get("store", "").lower()))
    read, write = calls & READ_CALLS, calls & WRITE_CALLS
    return "read" if read and not write else "write" if write and not read else ""


def check_kind(r: Reading, kind: str) -> None:
    wrong = (kind == "read" and r.action in WRITES) or (kind == "write" and r.action in READS)
    if wrong:
        r.ask(
            "action",
            f"The words say {r.action}, the row says it is a {kind}: which is right?",
            "get, list, insert, update …",
        )


def read_rates(r: Reading, row: Row, *, spanish: bool) -> RateReading:
    """Frequency from its column, from columns for average and peak, or from a remark in parentheses."""
    found = RateReading()
    for role in ("rate", "avg", "peak"):
        cell = row.cells.get(role, "")
        if not cell:
            continue
        one = read_rate(cell, row.units.get(role, ""), spanish=spanish)
        r.note(one.note if one.found else f"{role}: {one.note}" if one.note else "")
        if one.question:
            r.ask("rate", one.question, "500/s")
        if one.why:
            r.why("rate", one.why)
        peak = one.peak or (one.avg if role == "peak" else "")
        avg = "" if role == "peak" and not one.peak else one.avg
        found = RateReading(found.avg or avg, found.peak or peak, found.kind or one.kind, found.within or one.within)
    if found.found:
        for remark in r.phrase.asides.remarks:
            if looks_like_rate(remark):
                r.note(remark)
    else:
        for remark in r.phrase.asides.remarks:
            if looks_like_rate(remark):
                found = read_rate(remark, spanish=spanish)
                r.note(found.note)
    return found


def write_rates(r: Reading, rate: RateReading) -> None:
    """Writes the rate into the pattern; a bare share is one of the reads or of the writes, by the action."""
    of = "writes" if r.action in WRITES else "reads" if r.action in READS else ""
    plain: dict[str, str] = {}
    for name, value in (("avg", rate.avg), ("peak", rate.peak)):
        if value.endswith("%"):
            if of:
                plain[name] = f"{value} of {of}"
            else:
                r.note(f"rate: {value}")
        elif value:
            plain[name] = value
    if plain:
        r.plain["rate"] = plain
    if any("% of" in v for v in plain.values()):
        total = next(v for v in plain.values() if "% of" in v).split(" of ")[1]
        asked = f"How many {total} are there in all? A share of them is given."
        r.questions.append(Question(f"traffic/{total}", asked, "2k/s"))
    if rate.within:
        r.plain["within"] = rate.within


def read_freshness(r: Reading, row: Row) -> None:
    cell = row.cells.get("consistency", "")
    cells = [cell] if cell else [c for c in r.phrase.asides.remarks if looks_like_consistency(c)][:1]
    for said in cells:
        found = read_consistency(said)
        if found.level:
            r.plain["consistency"] = found.level
        if found.why:
            r.why("consistency", found.why)
        if found.note:
            r.plain["consistency note"] = found.note
        if found.question:
            r.ask("consistency", found.question, found.hint)
