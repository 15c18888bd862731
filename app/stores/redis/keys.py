"""What a key family's name says: its parts, its hash tag, an example, the key of one operation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from app.model.candidate import Candidate, Structure
from app.model.keys import KeyPart, Template, parse_template
from app.plan import lay
from app.plan.types import Part, World

KEY = "(key)"
"""Name of the key itself among a record's stored names; its bytes are those of the key."""
MEMBER = "(member)"
BUCKET_EXAMPLE = (
    (60, "2026-08-05T13:05"),
    (3600, "2026-08-05T13"),
    (86_400, "2026-08-05"),
    (604_800, "2026-W32"),
    (2_592_000, "2026-08"),
)
"""How a time bucket looks, by its seconds."""
BUCKET_DATE = (
    (60, "%Y-%m-%dT%H:%M"),
    (3600, "%Y-%m-%dT%H"),
    (86_400, "%Y-%m-%d"),
    (604_800, "%G-W%V"),
    (2_592_000, "%Y-%m"),
)
EXAMPLE = {
    "uuid": "7f1c9a52-0d3e-4b8a-9c41-5e2f6a7b8c90",
    "timeuuid": "7f1c9a52-0d3e-11f1-9c41-5e2f6a7b8c90",
    "objectid": "66b0f1e2a9c4d87b3e5f0a12",
    "int32": "4711",
    "int64": "4711",
    "date": "2026-08-05",
    "datetime": "2026-08-05T13:05:09.120Z",
    "bool": "true",
    "enum": "open",
}


@lru_cache(maxsize=1024)
def template(name: str) -> Template:
    """The family's name as a template; one that cannot be read is a literal."""
    try:
        return parse_template(name)
    except ValueError:
        return Template(name, (KeyPart(literal=name),))


def tagged(part: KeyPart) -> bool:
    return any(f.name == "tag" for f in part.filters)


def parts(structure: Structure, of: str, world: World) -> tuple[Part, ...]:
    """The key as one stored value, without parts that the workload does not know."""
    found = lay.parts(template(structure.name), of, world)
    return tuple(
        Part(p.attr, p.dir, p.kept, 0, p.many, p.literal, KEY) for p in found if not p.attr or p.attr in world.stats
    )


@dataclass(frozen=True, slots=True)
class Tag:
    """What a cluster hashes of a key: everything, or what stands in its first braces."""

    parts: tuple[KeyPart, ...]
    whole: bool
    several: bool = False


def tag(structure: Structure) -> Tag:
    """The part that decides the slot: the first `{…}` of the key as it is stored, if anything is in it."""
    every = template(structure.name).parts
    marked = [p for p in every if tagged(p)]
    literal = _literal_tag(every)
    if marked:
        return Tag((marked[0],), False, len(marked) + (literal is not None) > 1)
    if literal:
        return Tag((KeyPart(literal=literal),), False)
    return Tag(every, True)


def _literal_tag(every: Iterable[KeyPart]) -> str | None:
    """Text between braces that the template has as literal braces: `{{jobs}}:ready`."""
    for part in every:
        start = part.literal.find("{")
        end = part.literal.find("}", start + 1)
        if start >= 0 and end > start + 1:
            return part.literal[start + 1 : end]
    return None


def clustered(structure: Structure, model: Candidate) -> bool:
    """Does the family live in a cluster? `options: {cluster: yes}` of the structure or the model."""
    for options in (structure.options, model.options):
        said = options.get("cluster", options.get("cluster-enabled"))
        if said is not None:
            return str(said).strip().lower() in ("yes", "true", "on", "1")
    return False


def placed_by(structure: Structure, of: str, model: Candidate, world: World) -> tuple[Part, ...]:
    """What decides the slot; nothing where there is only one node."""
    if not clustered(structure, model):
        return ()
    found = tag(structure)
    if found.whole:
        return parts(structure, of, world)
    laid = (lay.part(p, of, world) for p in found.parts)
    return tuple(
        Part(p.attr, p.dir, p.kept, 0, False, p.literal, KEY) for p in laid if not p.attr or p.attr in world.stats
    )


# ---------------------------------------------------------------- as text


def spell(name: str, value: Callable[[KeyPart], str]) -> str:
    """A key with a text for each placeholder; a tag keeps its braces."""
    words = []
    for part in template(name).parts:
        if part.is_literal:
            words.append(part.literal)
        else:
            text = value(part)
            words.append("{" + text + "}" if tagged(part) else text)
    return "".join(words)


def example(structure: Structure, of: str, world: World) -> str:
    """A key as it will look."""

    def one(part: KeyPart) -> str:
        kept = part.kept
        if kept.fan:
            return "7" if kept.fan > 7 else "0"
        if kept.bucket:
            text = next((t for s, t in BUCKET_EXAMPLE if kept.bucket <= s), "2026")
            compact = any(f.name == "compact" for f in part.filters)
            return text.replace("-", "").replace(":", "") if compact else text
        return sample(part.attr, of, world)

    return spell(structure.name, one)


def sample(attr: str, of: str, world: World) -> str:
    """A value as it might be, by its type."""
    own = lay.column(of, attr, world) if of else attr
    stat = world.stats.get(own)
    if stat is None:
        return attr.rpartition(".")[2]
    kind = stat.type.removesuffix("[]")
    if stat.shares:
        return next(iter(sorted(stat.shares)))
    if kind in EXAMPLE:
        return EXAMPLE[kind]
    entity, _, field = own.partition(".")
    word = entity if field == "id" else field.removesuffix("_id")
    return f"{word[:1]}1001"


def variable(attr: str) -> str:
    """The name of an attribute's value, the same wherever it stands: `$order_id`, `$author_id` of a post too."""
    entity, _, field = attr.removeprefix("=").partition(".")
    plain = re.sub(r"\W+", "_", field).strip("_")
    return f"${plain}" if plain.endswith("_id") or plain.startswith(f"{entity}_") else f"${entity}_{plain}".rstrip("_")


def spoken(structure: Structure, of: str, values: Mapping[str, str], world: World) -> str:
    """The key of one operation: parameters as `$name`, time buckets as a date, shards as `$shard`."""

    def one(part: KeyPart) -> str:
        kept = part.kept
        if kept.chosen:
            return "$shard"
        own = lay.column(of, part.attr, world)
        given = values.get(own) or values.get(part.attr)
        name = variable(own or part.attr)
        if kept.bucket:
            form = next((t for s, t in BUCKET_DATE if kept.bucket <= s), "%Y")
            if any(f.name == "compact" for f in part.filters):
                form = form.replace("-", "").replace(":", "")
            return f"$(date -u +{form})" if given in (None, "now") else f"{name}_bucket"
        if kept.fan:
            return f"{name}_hash"
        return given or name

    return spell(structure.name, one)
