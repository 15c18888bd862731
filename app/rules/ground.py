"""What rules about structures and models share: places, findings, fixes of one structure, indexes as typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from app.model import alter
from app.model.candidate import Embed, Index, RecordShape, Structure
from app.model.project import Project
from app.plan import lay
from app.plan.types import AccessPath, World
from app.rules.rule import Ask, Evidence, Finding, Fix, ModelCase, Severity, StructureCase
from app.rules.words import duration, size

SHOWN = 5
"""Patterns named with a finding, worst first."""
Thing = Structure | RecordShape


def finding(  # noqa: PLR0913 - one call for all that a finding says
    case: StructureCase | ModelCase,
    rule: str,
    severity: Severity,
    message: str,
    *evidence: Evidence,
    part: str = "",
    structure: str = "",
    fixes: Iterable[Fix] = (),
    asks: Iterable[Ask] = (),
    patterns: Iterable[str] = (),
) -> Finding:
    """A finding at a structure (of a model: the one named, or the model itself), or at one `part` of it."""
    name = case.structure.name if isinstance(case, StructureCase) else structure
    at = "/".join(x for x in ("models", case.model.name, name, part) if x)
    rows = tuple(dict.fromkeys(patterns))[:SHOWN]
    return Finding(rule, severity, at, message, evidence, tuple(fixes), tuple(asks), case.model.name, name, rows)


def change(
    case: StructureCase | ModelCase,
    label: str,
    how: Callable[[Structure], Structure | tuple[Structure, ...]],
    structure: str = "",
) -> Fix:
    """A fix that changes one structure of the case's model."""
    model = case.model.name
    name = case.structure.name if isinstance(case, StructureCase) else structure
    return Fix(label, lambda project: alter.change_structure(project, model, name, how))


def add(case: StructureCase | ModelCase, label: str, structure: Structure) -> Fix:
    model = case.model.name

    def apply(project: Project) -> Project:
        return alter.add_structure(project, model, structure)

    return Fix(label, apply)


def things(structure: Structure) -> tuple[Thing, ...]:
    """Kinds of record as typed: those listed, else the structure itself."""
    return structure.records or (structure,)


def of_thing(thing: Thing, structure: Structure) -> str:
    return thing.of or structure.of


def each_thing(structure: Structure, how: Callable[[Thing], Thing]) -> Structure:
    """The structure with every kind of record changed."""
    if not structure.records:
        changed = how(structure)
        return changed if isinstance(changed, Structure) else structure
    return structure.model_copy(update={"records": tuple(how(r) for r in structure.records)})


def embeds(thing: Thing | Embed) -> Iterator[Embed]:
    """Every embed, the nested ones behind their parent."""
    for embed in thing.embed:
        yield embed
        yield from embeds(embed)


def embed_called(structure: Structure, name: str) -> Embed | None:
    """The embed that stores its children under this name."""
    found = (e for thing in things(structure) for e in embeds(thing))
    return next((e for e in found if (e.as_ or e.what) == name), None)


def with_embed(thing: Thing, name: str, how: Callable[[Embed], Embed | None]) -> Thing:
    """The same kind of record with one embed changed, or (None) left out."""

    def inside(found: tuple[Embed, ...]) -> tuple[Embed, ...]:
        out = []
        for embed in found:
            new = how(embed) if (embed.as_ or embed.what) == name else embed
            if new is not None:
                out.append(new.model_copy(update={"embed": inside(new.embed)}) if new.embed else new)
        return tuple(out)

    return thing.model_copy(update={"embed": inside(thing.embed)})


def index_of(structure: Structure, path: AccessPath, world: World) -> tuple[str, Index] | None:
    """The index as typed behind an access path, with the list it stands in; None for what nobody typed."""
    if path.primary or path.scan:
        return None
    for word in ("gsi", "lsi", "indexes"):
        for index in getattr(structure, word):
            if index.name and path.name == f"{structure.name}.{index.name}":
                return word, index
    for index in structure.indexes:
        if not index.name and index.keys and _columns(index, path, world) and _gate(index, path):
            return "indexes", index
    return None


def _columns(index: Index, path: AccessPath, world: World) -> bool:
    typed = [(lay.column(path.of, k.attr.removesuffix("[]"), world), k.desc) for k in index.keys]
    laid = [(p.attr, p.dir < 0) for p in (*path.partition, *path.order) if p.attr and p.name != "_id"]
    return typed == laid[: len(typed)] or typed == [(p.attr, p.dir < 0) for p in path.order if p.attr][: len(typed)]


def _gate(index: Index, path: AccessPath) -> bool:
    return bool(index.where or index.sparse) == bool(path.only) or index.sparse


def without_index(word: str, index: Index) -> Callable[[Structure], Structure]:
    def drop(structure: Structure) -> Structure:
        return structure.model_copy(update={word: tuple(i for i in getattr(structure, word) if i != index)})

    return drop


def short(path: AccessPath, structure: Structure) -> str:
    """The name of an index without that of its structure."""
    return path.name.removeprefix(f"{structure.name}.") or path.name


def when(seconds: float) -> str:
    """`now`, `in 82 days`."""
    return "now" if seconds <= 0 else f"in {duration(seconds)}"


def size_evidence(label: str, bytes_: float, *, assumed: bool = False) -> Evidence:
    return Evidence(label, size(bytes_), bytes_, assumed=assumed)
