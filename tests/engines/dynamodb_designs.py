"""Random tables of DynamoDB with items that have every combination of values, so that selectivities are exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any

from app.model.candidate import Candidate, Structure
from app.model.keys import KeyPart
from app.model.project import Project
from app.model.text import read_yaml
from app.plan.types import World
from app.plan.world import build_world
from app.stores.dynamodb.keys import (
    KeyAttribute,
    Way,
    base_way,
    index_key,
    index_way,
    local_key,
    local_way,
    table_key,
    things,
)
from app.stores.dynamodb.script import create
from tests.engines.dynalite import Client

VALUES: Mapping[str, tuple[Any, ...]] = {
    "a": ("a0", "a1", "a2"),
    "b": ("b0", "b1", "c0", "c1"),
    "c": ("d0", "d1", "d2", "e0", "e1"),
    "n": (1111111111, 1111111112, 1111111113, 1111111114),  # as many bytes as the type may take
    "o": ("o0", None),  # every second item has none
}
"""Field → its values; texts of one length, so that packed keys sort as their parts do."""
FIELDS = (
    "id string key avg 4",
    "a string avg 2 distinct 3",
    "b string avg 2 distinct 4",
    "c string avg 2 distinct 5",
    "n int32 distinct 4",
    "o string avg 2 distinct 1 present 50%",
    "x string avg 30",
)
Record = Mapping[str, Any]
SPANS: Mapping[str, Callable[[Any, list[Any]], bool]] = {
    "=": lambda v, w: bool(v == w[0]),
    "!=": lambda v, w: bool(v != w[0]),
    "<": lambda v, w: v is not None and v < w[0],
    "<=": lambda v, w: v is not None and v <= w[0],
    ">": lambda v, w: v is not None and v > w[0],
    ">=": lambda v, w: v is not None and v >= w[0],
    "between": lambda v, w: v is not None and w[0] <= v <= w[1],
    "in": lambda v, w: v in w,
    "prefix": lambda v, w: isinstance(v, str) and v.startswith(w[0]),
}


def records() -> tuple[dict[str, Any], ...]:
    rows = product(*VALUES.values())
    return tuple({"id": f"{n:04}", **dict(zip(VALUES, row, strict=True)), "x": "x" * 30} for n, row in enumerate(rows))


RECORDS = records()


@dataclass(frozen=True)
class Asked:
    """A condition with its values as they are."""

    attr: str
    op: str
    values: tuple[Any, ...]

    def __call__(self, record: Record) -> bool:
        return SPANS[self.op](record[self.attr], list(self.values))

    @property
    def share(self) -> float:
        return sum(map(self, RECORDS)) / len(RECORDS)

    @property
    def text(self) -> str:
        words = [str(v) if isinstance(v, int) else f"'{v}'" for v in self.values]
        path = f"thing.{self.attr}"
        if self.op == "prefix":
            return f"starts_with({path}, {words[0]})"
        if self.op == "between":
            return f"{path} between {words[0]} and {words[1]}"
        return f"{path} in ({', '.join(words)})" if self.op == "in" else f"{path} {self.op} {words[0]}"


def asked(rng: Random, attr: str, *, equal: float = 0.5) -> Asked:
    """A condition that some items meet."""
    while not (found := _asked(rng, attr, equal)).share:
        pass
    return found


def _asked(rng: Random, attr: str, equal: float) -> Asked:
    values = [v for v in VALUES[attr] if v is not None]
    if rng.random() < equal or len(values) < 2:
        return Asked(attr, "=", (rng.choice(values),))
    op = rng.choice(["<", "<=", ">", ">=", "between", "in", "!=", *(["prefix"] if attr != "n" else [])])
    if op == "between":
        return Asked(attr, op, tuple(sorted(rng.sample(values, 2))))
    if op == "in":
        return Asked(attr, op, tuple(rng.sample(values, 2)))
    return Asked(attr, op, (rng.choice(values)[0],) if op == "prefix" else (rng.choice(values),))


@dataclass(frozen=True)
class Read:
    """One read: its conditions, the order asked for, how many."""

    where: tuple[Asked, ...]
    order: tuple[tuple[str, int], ...] = ()
    limit: int = 0
    strong: bool = False

    @property
    def inclusive(self) -> Read:
        """The same with the ends of ranges included."""
        return replace(self, where=tuple(replace(c, op=f"{c.op}=") if c.op in "<>" else c for c in self.where))

    def yaml(self, name: str) -> dict[str, Any]:
        out: dict[str, Any] = {"operation": name, "list": "thing", "needs": ["thing.id"]}
        if self.where:
            out["where"] = " and ".join(c.text for c in self.where)
        if self.order:
            out["order by"] = ", ".join(f"thing.{a}{' desc' if way < 0 else ''}" for a, way in self.order)
        if self.limit:
            out["limit"] = str(self.limit)
        return out | ({"consistency": "strong"} if self.strong else {})

    def rows(self) -> list[dict[str, Any]]:
        return [r for r in RECORDS if all(c(r) for c in self.where)]


def read(rng: Random, keys: Sequence[tuple[list[str], list[str]]]) -> Read:
    """A read that mostly names the partition of one of the keys (partition, sort), and what comes after it."""
    attrs = rng.sample(list(VALUES), rng.choice([1, 1, 2, 2, 3, 4]))
    where = [asked(rng, a) for a in attrs]
    if keys and rng.random() < 0.8:
        first, rest = rng.choice(keys)
        more = [*rest[: rng.randint(0, len(rest))], *rng.sample(list(VALUES), rng.choice([0, 0, 1, 2]))]
        where = [asked(rng, a, equal=0.9) for a in first]
        where += [asked(rng, a) for a in dict.fromkeys(more) if a not in first and a != "id"]
    order: tuple[tuple[str, int], ...] = ()
    if rng.random() < 0.35:
        order = tuple((a, rng.choice([1, -1])) for a in rng.sample(["a", "b", "c", "n", "id"], rng.choice([1, 1, 2])))
    limit = rng.choice([0, 0, 0, 3, 7])
    return Read(tuple(where), order, limit, rng.random() < 0.15)


def template(rng: Random, attrs: list[str], *, plain: float = 0.4) -> str:
    """A key of these attributes, as it is typed; one may be the attribute itself."""
    words = ["{thing." + a + ("|pad 10}" if a == "n" else "}") for a in attrs]
    if len(attrs) == 1 and attrs[0] != "n" and rng.random() < plain:
        return words[0]
    return rng.choice(["", "T#"]) + "#".join(words) if len(words) > 1 else "T#" + words[0]


def table(rng: Random) -> dict[str, Any]:
    """A table with two GSIs and perhaps an LSI."""
    attrs = ["a", "b", "c", "n"]
    rng.shuffle(attrs)
    first, rest = rng.choice([1, 1, 1, 2]), rng.choice([0, 0, 1, 1, 2])
    found: dict[str, Any] = {"table": "things", "of": "thing"}
    if rng.random() < 0.15:
        found["pk"] = "{thing.id}"
    else:
        found["pk"] = template(rng, attrs[:first])
        found["sk"] = template(rng, [*attrs[first : first + rest], "id"])
        if rng.random() < 0.5:
            sort = rng.choice(["a", "b", "c", "n", "o"])
            found["lsi"] = [{"name": "LSI1", "sk": template(rng, [sort]), "projection": projection(rng)}]
    found["gsi"] = [index(rng, f"GSI{n}") for n in (1, 2)]
    return found


def index(rng: Random, name: str) -> dict[str, Any]:
    attrs = rng.sample(["a", "b", "c", "n", "o"], rng.choice([1, 2, 2, 3]))
    first = rng.choice([1, 1, 1, min(2, len(attrs))])
    out = {"name": name, "pk": template(rng, attrs[:first]), "projection": projection(rng)}
    return out | ({"sk": template(rng, attrs[first:])} if attrs[first:] else {})


def projection(rng: Random) -> Any:
    return rng.choice(["all", "all", "keys", ["thing.x"], ["thing.c", "thing.b"]])


def project(table_: Mapping[str, Any], patterns: list[dict[str, Any]]) -> Project:
    import yaml  # noqa: PLC0415

    body = {
        "keywright": 1,
        "name": "Random",
        "entities": [{"name": "thing", "count": len(RECORDS), "fields": list(FIELDS)}],
        "patterns": patterns,
        "models": [{"name": "M", "store": "dynamodb", "structures": [table_]}],
    }
    return read_yaml(yaml.safe_dump(body, sort_keys=False))


@dataclass(frozen=True)
class Design:
    """A table as the engine has it."""

    project: Project
    structure: Structure
    world: World
    name: str

    @property
    def model(self) -> Candidate:
        return self.project.models[0]

    def ways(self) -> Iterator[tuple[str, tuple[KeyAttribute, ...], Way]]:
        """(name of the index or "", key schema, templates)."""
        structure, world = self.structure, self.world
        thing = things(structure)[0]
        base = base_way(thing, structure)
        assert base is not None
        yield "", table_key(structure, world), base
        for i in structure.gsi:
            if (way := index_way(i, thing, structure)) is not None:
                yield i.name, index_key(i, structure, world), way
        for i in structure.lsi:
            if (way := local_way(i, thing, structure)) is not None:
                yield i.name, local_key(i, structure, world), way

    @property
    def keys(self) -> list[tuple[list[str], list[str]]]:
        """Attributes of the partition and of the sort key of each way."""

        def named(columns_: Iterable[tuple[KeyPart, ...]]) -> list[str]:
            return [p.attr.rpartition(".")[2] for parts in columns_ for p in parts if p.attr]

        found = [(named(way.pk), named(way.sk)) for _, _, way in self.ways()]
        return [k for k in found if "id" not in k[0]]

    def item(self, record: Record) -> dict[str, dict[str, str]]:
        """A record as it is stored; a key with an absent part is left out."""
        out = {k: typed(v) for k, v in record.items() if v is not None}
        for _, keys, way in self.ways():
            for key, parts in columns(keys, way):
                text = key_text(parts, record)
                if text is not None:
                    out[key.name] = {key.type: text}
        return out


def typed(value: Any) -> dict[str, str]:
    return {"N": str(value)} if isinstance(value, int) else {"S": str(value)}


def columns(keys: tuple[KeyAttribute, ...], way: Way) -> Iterator[tuple[KeyAttribute, tuple[KeyPart, ...]]]:
    yield from zip(keys, (*way.pk, *way.sk), strict=True)


def key_text(parts: tuple[KeyPart, ...], record: Record) -> str | None:
    words = []
    for p in parts:
        if p.is_literal:
            words.append(p.literal)
            continue
        value = record[p.attr.rpartition(".")[2]]
        if value is None:
            return None
        words.append(f"{value:010}" if p.filters and isinstance(value, int) else str(value))
    return "".join(words)


def design(project_: Project, name: str) -> Design:
    return Design(project_, project_.models[0].structures[0], build_world(project_), name)


def make(client: Client, made: Design) -> None:
    """The table with all items."""
    client("CreateTable", create(made.structure, made.world) | {"TableName": made.name})
    while client("DescribeTable", {"TableName": made.name})["Table"]["TableStatus"] != "ACTIVE":
        pass
    items = [{"PutRequest": {"Item": made.item(r)}} for r in RECORDS]
    for start in range(0, len(items), 25):
        client("BatchWriteItem", {"RequestItems": {made.name: items[start : start + 25]}})
