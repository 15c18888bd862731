"""How long is a key? Key values that are stored beside the fields they are made of, as text."""

from __future__ import annotations

from collections.abc import Iterable

from app.plan.types import Held, Part, World

TEXT = {
    "int32": 6, "int64": 10, "float": 8, "double": 10, "decimal": 8, "bool": 5, "date": 10, "datetime": 24,
    "uuid": 36, "timeuuid": 36, "objectid": 24, "point": 24,
}  # fmt: skip
"""Characters of a value as text in a key."""
BUCKET_TEXT = ((60, 16), (3600, 13), (86_400, 10), (604_800, 8), (2_592_000, 7))
"""Characters of a time bucket, by its seconds; a year has 4."""


def packed_keys(parts: Iterable[Part], root: Held, world: World) -> dict[str, float]:
    """Key values that are stored beside the fields they are made of: name → bytes as text.

    A column made of one own field as it stands is that field and costs nothing more.
    """
    columns: dict[int, list[Part]] = {}
    for p in parts:
        columns.setdefault(p.column, []).append(p)
    found: dict[str, float] = {}
    for at, made in columns.items():
        if len(made) == 1 and is_field(made[0], root, world):
            continue
        name = next((p.name for p in made if p.name), ("pk", "sk")[at] if at < 2 else f"key{at}")
        found[name] = sum(key_text(p, world) for p in made)
    return found


def key_text(part: Part, world: World) -> float:
    """Average characters of one key part."""
    if part.literal or not part.attr:
        fan = part.kept.fan
        return float(len(part.literal.encode()) or (len(str(max(1, fan - 1))) if fan else 0))
    if part.kept.fan:
        return float(len(str(part.kept.fan - 1)))
    if part.kept.bucket:
        return float(next((width for seconds, width in BUCKET_TEXT if part.kept.bucket <= seconds), 4))
    stat = world.stats.get(part.attr)
    if stat is None:
        return 16.0
    return max(float(part.kept.width), float(TEXT.get(stat.type.removesuffix("[]"), stat.bytes.avg)))


def is_field(part: Part, root: Held, world: World) -> bool:
    """Whether a column made of this part alone is an own field as it stands."""
    kept = part.kept
    plain = kept.exact and kept.order != -1 and not (kept.bucket or kept.chosen or kept.fan or kept.chunk or kept.width)
    own = part.attr in world.fields.get(root.entity, ())
    return plain and own and (root.attrs is None or part.attr in root.attrs or bool(part.attr))
