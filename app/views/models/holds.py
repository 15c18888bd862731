"""What the records of a structure hold of other entities, and what one record is made of, byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.analysis import ModelReport, Report
from app.model.candidate import Computed, Copy, Embed, RecordShape, Reference, Structure
from app.model.spread import Spread
from app.plan.size import Item, sample
from app.plan.types import Record
from app.views.editing.fields import shown
from app.views.models.structures import records_of

LISTS = (("embed", "embed"), ("reference", "reference"), ("copy", "copied"), ("computed", "computed"))
AGES = {"never": "the value at writing time", "same write": "none", "same transaction": "none"}


@dataclass(frozen=True, slots=True)
class Held:
    """One embed, reference, copy or computed figure. `line`: all of it as one line. `age` empty: not said."""

    name: str
    how: str
    place: str
    field: str
    line: str
    truth: str
    refresh: str
    age: str
    count: Spread | None
    because: str

    @property
    def refreshes(self) -> bool:
        return self.how in {"copy", "computed"}


@dataclass(frozen=True, slots=True)
class Byte:
    """One line of a sample record: `name` without the path of what it is inside, `depth` of that."""

    name: str
    kind: str
    type: str
    bytes: Spread
    count: Spread | None
    depth: int
    pct: float


def held_lines(report: Report, made: ModelReport, s: Structure) -> tuple[Held, ...]:
    """Everything of other entities in the records of a structure."""
    kinds = records_of(made, s.name)
    if not s.records:
        return tuple(_held(report, made, s, s, "", kinds[:1]))
    out: list[Held] = []
    for i, shape in enumerate(s.records):
        out += _held(report, made, s, shape, f"records.{i}.", kinds[i : i + 1])
    return tuple(out)


def _held(
    report: Report, made: ModelReport, s: Structure, shape: Structure | RecordShape, prefix: str,
    kinds: tuple[Record, ...],
) -> Iterator[Held]:  # fmt: skip
    items = {i.path: i for r in kinds for i in sample(r, report.world)}
    for how, name in LISTS:
        entries: tuple[Embed | Reference | Copy | Computed, ...] = getattr(shape, name)
        for i, entry in enumerate(entries):
            stored = entry.as_ or entry.what.replace(".", "_")
            item = items.get(f"{entry.as_ or entry.what}[]") or items.get(f"{stored}[]")
            refresh = getattr(entry, "refresh", "")
            truth = {"embed": "here", "computed": _formula(report, entry.what)}.get(how, entry.what)
            yield Held(
                f"{shape.of}.{stored}", how, f"models/{made.model.name}/{s.name}", f"{prefix}{how}.{i}", shown(entry),
                truth, refresh, _age(refresh) if how in {"copy", "computed"} else "", item.count if item else None,
                getattr(entry, "because", "") or entry.note,
            )  # fmt: skip


def _formula(report: Report, what: str) -> str:
    entity, _, name = what.partition(".")
    held = report.project.entity(entity)
    found = held.field(name) if held else None
    return found.computed if found and found.computed else what


def _age(refresh: str) -> str:
    """The maximum age that follows from how a copy is refreshed."""
    if refresh in AGES:
        return AGES[refresh]
    _, within, age = refresh.partition("within ")
    return age if within else "its time to live" if refresh == "on expiry" else ""


# ---------------------------------------------------------------- a sample record


def sample_lines(report: Report, record: Record) -> tuple[Byte, ...]:
    """One stored record, line by line; the shares are of its average bytes."""
    items = sample(record, report.world)
    total = sum(i.bytes.avg for i in items if i.depth == 0) or 1.0
    return tuple(_byte(i, total) for i in _nested(items))


def _nested(items: tuple[Item, ...]) -> list[Item]:
    """Fields before the record's overhead."""
    return sorted(items, key=lambda i: i.kind == "overhead")


def _byte(item: Item, total: float) -> Byte:
    name = item.path
    if item.depth:
        name = name.removesuffix("[]").rpartition(".")[2] + ("[]" if name.endswith("[]") else "")
    if item.kind == "overhead":
        name = "header and end of the record"
    many = item.count if item.count.avg != 1 or item.count.max != 1 else None
    return Byte(name, item.kind, item.type, item.bytes, many, item.depth, 100 * min(1.0, item.bytes.avg / total))


__all__ = ["Byte", "Held", "held_lines", "sample_lines"]
