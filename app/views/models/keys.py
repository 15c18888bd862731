"""Keys and indexes of one structure: as typed, as they will look, how many values they have, how hot the busiest is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from app.analysis import ModelReport, Report
from app.exporters.words import key_text
from app.forecast.load import StructureLoad
from app.forecast.structure import entry_size
from app.model.candidate import Index, Structure
from app.model.key_values import example_value, part_example, text_bytes
from app.model.keys import KeyPart, Template, parse_template
from app.model.workload import Field
from app.plan.lay import column
from app.plan.types import AccessPath, Record, World
from app.rules.rule import Finding
from app.views.editing.fields import shown
from app.views.models.structures import findings_of, records_of

KEYS = (
    ("_id", "id_"), ("key", "key"), ("path", "path"), ("row key", "row_key"), ("pk", "pk"), ("sk", "sk"),
    ("shard key", "shard_key"), ("partition key", "partition_key"), ("clustering key", "clustering_key"),
    ("primary key", "primary_key"), ("partition by", "partition_by"), ("member", "member"),
)  # fmt: skip
PLACING = frozenset({"pk", "partition key", "shard key", "partition by", "name", "key", "path", "row key"})
"""Keys that decide where a record lies."""


@dataclass(frozen=True, slots=True)
class KeyLine:
    """One key. `distinct` None: not known. `share`: of the busiest partition at peak, `why` it is so."""

    label: str
    place: str
    field: str
    text: str
    example: str
    distinct: float | None
    bytes: float
    share: float | None = None
    why: str = ""
    of: str = ""
    assumed: bool = False
    """The number of records is not given, so that a default stands in for `distinct`."""

    @property
    def is_template(self) -> bool:
        return "{" in self.text or "#" in self.text


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One index. `entries`: per record; `bytes` of all of them; `findings` about it."""

    name: str
    place: str
    fields: tuple[tuple[str, str, str], ...]
    """Field, label, text of what can be typed."""
    flags: tuple[str, ...]
    serves: tuple[int, ...]
    bytes: float
    entries: float
    findings: tuple[Finding, ...]


def key_lines(report: Report, made: ModelReport, s: Structure) -> tuple[KeyLine, ...]:
    """Every key of a structure, those of its kinds of record included."""
    return tuple(_keys(report, made, s))


def _keys(report: Report, made: ModelReport, s: Structure) -> Iterator[KeyLine]:
    place, load = f"models/{made.model.name}/{s.name}", made.loads.get(s.name)
    if s.kind == "keys" or "{" in s.name:
        yield _line(report, "name", place, "name", parse_template(s.name), s.of, load)
    for label, name in KEYS:
        value = getattr(s, name)
        if value is not None:
            yield _line(report, label, place, label, value, s.of or _first(s), load)
    for i, shape in enumerate(s.records):
        for label in ("pk", "sk"):
            value = getattr(shape, label)
            if value is not None:
                record = _record(made, s, i)
                yield _line(report, label, place, f"records.{i}.{label}", value, shape.of, load, record)


def _first(s: Structure) -> str:
    return s.records[0].of if s.records else ""


def _record(made: ModelReport, s: Structure, at: int) -> Record | None:
    kinds = records_of(made, s.name)
    return kinds[at] if at < len(kinds) else None


def _line(
    report: Report, label: str, place: str, field: str, value: object, of: str,
    load: StructureLoad | None, record: Record | None = None,
) -> KeyLine:  # fmt: skip
    parts = key_parts(value)
    share, why = _hottest(load, record) if label in PLACING else (None, "")
    return KeyLine(
        label, place, field, key_text(value), example(value, of, report), distinct(parts, of, report.world),
        _bytes(value, of, report), share, why, record.of if record else "", of in report.world.unknown_counts,
    )  # fmt: skip


def key_parts(value: object) -> tuple[KeyPart, ...]:
    """The parts of a template or of a key list."""
    if isinstance(value, Template):
        return value.parts
    return tuple(p for p in value if isinstance(p, KeyPart)) if isinstance(value, tuple) else ()


def example(value: object, of: str, report: Report) -> str:
    """A key as it will be stored."""
    joined = "" if isinstance(value, Template) else ", "
    return joined.join(_one(p, of, report) for p in key_parts(value))


def _one(part: KeyPart, of: str, report: Report) -> str:
    if part.kept.chosen:
        return part_example(part, "42")
    found = field_of(part.attr, of, report)
    return part_example(part, example_value(found, part.attr.rpartition(".")[2]))


def field_of(attr: str, of: str, report: Report) -> Field | None:
    """The field of the workload that a key names."""
    entity, _, name = column(of, attr, report.world).lstrip("=").partition(".")
    held = report.project.entity(entity)
    return held.field(name) if held else None


def distinct(parts: tuple[KeyPart, ...], of: str, world: World) -> float | None:
    """How many values a key has; None where a part is not known."""
    total, most = 1.0, world.counts.get(of) or inf
    for part in parts:
        if part.is_literal:
            continue
        if part.kept.fan:
            total *= part.kept.fan
            continue
        stat = world.stats.get(column(of, part.attr, world))
        if stat is None or stat.assumed or part.kept.bucket or part.kept.chunk:
            return None
        total *= max(1.0, stat.distinct)
    return min(total, most)


def _bytes(value: object, of: str, report: Report) -> float:
    total = 0.0
    for part in key_parts(value):
        if part.is_literal or part.kept.chosen or part.kept.bucket:
            total += len(_one(part, of, report))
        elif isinstance(value, Template):
            total += text_bytes(field_of(part.attr, of, report)).avg
        else:
            stat = report.world.stats.get(column(of, part.attr, report.world))
            total += stat.bytes.avg if stat else 8
    return total


def _hottest(load: StructureLoad | None, record: Record | None) -> tuple[float | None, str]:
    """The largest share that one partition takes of any pattern's load, weighed by that load."""
    heats = [h for p in load.paths for h in p.heats] if load else []
    if record is not None:
        names = {p.name for p in record.paths if p.primary}
        heats = [h for p in (load.paths if load else ()) if p.path in names for h in p.heats]
    if not heats:
        return None, ""
    worst = max(heats, key=lambda h: (h.load, h.share))
    return worst.share, f"{worst.pattern}: {worst.why}"


# ---------------------------------------------------------------- indexes


def index_lines(report: Report, made: ModelReport, s: Structure) -> tuple[IndexLine, ...]:
    """Every index of a structure."""
    numbers = {p.operation: i for i, p in enumerate(report.project.patterns, 1)}
    found = findings_of(report, made, s.name)
    return tuple(
        _index(report, made, s, listed, i, index, numbers, found)
        for listed in ("indexes", "gsi", "lsi")
        for i, index in enumerate(getattr(s, listed))
    )


def _index(
    report: Report, made: ModelReport, s: Structure, listed: str, at: int, index: Index, numbers: dict[str, int],
    found: tuple[Finding, ...],
) -> IndexLine:  # fmt: skip
    place = f"models/{made.model.name}/{s.name}"
    paths = [(r, p) for r in records_of(made, s.name) for p in r.paths if _is(p, index, s, report.world)]
    names = {p.name for _, p in paths}
    served = [
        numbers[name] for name, plan in made.plans.items()
        if name in numbers and any(step.path in names for step in plan.every_step)
    ]  # fmt: skip
    size = sum(r.count * share(p) * entry_size(r, p, report.world).avg for r, p in paths)
    total = sum(r.count for r in records_of(made, s.name))
    words = ("keys", "pk", "sk", "where", "projection", "type", "include", "ttl")
    fields = [(f"{listed}.{at}.{w}", w, shown(getattr(index, w))) for w in words if getattr(index, w, None)]
    names_of = {index.name, f"{listed}.{at}", *(n.removeprefix(f"{s.name}.") for n in names)} - {""}
    mine = tuple(f for f in found if f.at.removeprefix(f"{place}/") in names_of)
    flags = [w for w in ("unique", "sparse", "array") if getattr(index, w)] + ([listed] if listed != "indexes" else [])
    entries = sum(r.count * share(p) for r, p in paths) / total if total else 0.0
    name = index.name or key_text(index.keys) or f"{listed} {at + 1}"
    return IndexLine(name, f"{place}/{listed}.{at}", tuple(fields), tuple(flags), tuple(served), size, entries, mine)


def _is(path: AccessPath, index: Index, s: Structure, world: World) -> bool:
    """Whether an access path was made of this index."""
    if path.primary or path.scan:
        return False
    if index.name:
        return path.name in {index.name, f"{s.name}.{index.name}"}
    wanted = [column(path.of, p.attr, world) for p in index.keys if p.attr]
    found = [p.attr for p in (*path.partition, *path.order) if p.attr]
    return bool(wanted) and path.kind != "shard key" and found[-len(wanted) :] == wanted


def share(path: AccessPath) -> float:
    """Entries per record: less than one in a partial index."""
    kept = 1.0
    for cond in path.only:
        kept *= cond.share if cond.share is not None else 1.0
    return kept


__all__ = ["IndexLine", "KeyLine", "distinct", "example", "index_lines", "key_lines", "key_parts"]
