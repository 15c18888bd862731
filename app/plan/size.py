"""How many bytes does a stored record have? Own fields, embeds, copies and figures, encoded as the store encodes.

Averages, p99 and bounds are carried along: a record with 40 articles on average and 900 at p99 is
judged by both. Children may be given as they will be at another time; everything else stays.

An unknown p99 counts as the average. The unknown size of a value has its p99 for a bound; an unknown
number of children has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isinf

from app.model.spread import ONE, ZERO, Spread, exactly
from app.plan.keysize import is_field, packed_keys
from app.plan.types import Encoding, Held, Part, Record, Rel, World

FIGURE = 8.0
"""Bytes of a maintained figure."""
Children = Mapping[Rel, Spread]


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a record's bytes: where (`items[].sku`), what it is, how many bytes in one stored record.

    `kind`: key, own, embed, reference, copy, computed, overhead. `each`: bytes of one element, of an embed or a
    reference; `count`: how many there are.
    """

    path: str
    kind: str
    bytes: Spread
    type: str = ""
    each: Spread = ZERO
    count: Spread = ONE
    depth: int = 0


def size_of(record: Record, world: World, children: Children | None = None) -> Spread:
    """Bytes of one stored record; `children` as they are at another time, for those relationships that changed."""
    return sum_of(sample(record, world, children))


def sum_of(items: Iterable[Item]) -> Spread:
    """Bytes of the record that these lines are of."""
    found = ZERO
    for item in items:
        if item.depth == 0:
            found = found + item.bytes
    return found


def sample(record: Record, world: World, children: Children | None = None) -> tuple[Item, ...]:
    """What the bytes of one stored record are made of, in the order of the shape, deepest level last."""
    path, encoding = record.primary, record.dialect.encoding
    parts = path.partition + path.order
    shape = _with_keys(record.shape, parts, world)
    if record.group > 1:
        same = frozenset(p.attr for p in parts if p.kept.exact)
        keys = packed_keys(parts, shape[0], world)
        return breakdown(shape, world, encoding, keys, record.group, children, same)
    if encoding.key is None:
        made = breakdown(shape, world, encoding, packed_keys(parts, shape[0], world), record.group, children)
        return (*made, *_beside(record, world))
    # one partition key for all of its records; without sort keys there is one record
    inside = path.order or path.partition
    once = frozenset(p.attr for p in parts if p.kept.exact) - frozenset(p.attr for p in inside)
    sort = frozenset(p.attr for p in inside if p.kept.exact)
    keys = packed_keys(inside, shape[0], world)
    return breakdown(shape, world, encoding, keys, record.group, children, once, sort)


def _beside(record: Record, world: World) -> Iterable[Item]:
    """Fields that the record has for its indexes; a size that was given has them in it."""
    if record.shape[0].attrs is None and record.shape[0].entity in world.sizes:
        return
    field = record.dialect.encoding.field
    for name, size, share in dict.fromkeys(b for p in record.paths for b in p.beside):
        line = field(name, "string", size)
        yield Item(name, "key", Spread(line * share, line, line), "string")


def _with_keys(shape: Sequence[Held], parts: Sequence[Part], world: World) -> Sequence[Held]:
    """The shape with the key's own columns among its fields: a list of fields may leave them out, a record cannot."""
    root = shape[0]
    if root.attrs is None:
        return shape
    columns: dict[int, list[Part]] = {}
    for p in parts:
        columns.setdefault(p.column, []).append(p)
    alone = frozenset(c[0].attr for c in columns.values() if len(c) == 1 and is_field(c[0], root, world))
    return (replace(root, attrs=root.attrs | alone), *shape[1:]) if alone - root.attrs else shape


def breakdown(
    shape: Sequence[Held],
    world: World,
    encoding: Encoding,
    keys: Mapping[str, float] | None = None,
    group: float = 1,
    children: Children | None = None,
    once: frozenset[str] = frozenset(),
    sort: frozenset[str] = frozenset(),
) -> tuple[Item, ...]:
    """What the bytes of one stored record with this shape are made of. Raises ValueError for an empty shape.

    Lines of depth 0 add up to the record; deeper ones say what is inside them. `keys`: attributes that exist only to
    be a key, with their bytes (`packed_keys`). `group`: entity records per stored record. `once`: own attributes
    stored once per partition (of a bucket: once per record), `sort`: those that are sort keys, where `encoding.key`
    says so.
    """
    if not shape:
        raise ValueError("a record without a shape has no size")
    walk = _Walk(shape, world, encoding, children or {}, once, sort)
    if shape[0].attrs is None and shape[0].entity in world.sizes:
        keys = None  # a size that was given has the key in it
    items = [
        Item(name, "key", exactly(_key_bytes(encoding, name, size)), "string") for name, size in (keys or {}).items()
    ]
    if group > 1:
        items += walk.bucket(group)
    else:
        items += walk.inside(0, "", 0)
    items.append(Item("record", "overhead", exactly(encoding.record)))
    return tuple(items)


@dataclass(frozen=True, slots=True)
class _Walk:
    shape: Sequence[Held]
    world: World
    encoding: Encoding
    children: Children
    once: frozenset[str] = frozenset()
    sort: frozenset[str] = frozenset()

    def inside(self, at: int, path: str, depth: int) -> list[Item]:
        """Lines of one node: its fields, its figures, and the nodes below it."""
        held = self.shape[at]
        items = [*self._fields(held, path, depth), *self._figures(held, path, depth)]
        for i, below in enumerate(self.shape):
            if below.up == at and below.edge is not None:
                items += self._below(i, below, path, depth)
        return items

    def bucket(self, group: float) -> list[Item]:
        """Lines of a bucket: what all its entity records share, its figures, and one element for each of them."""
        held = self.shape[0]
        name = held.name or "items"
        stored = [a for a in self.world.fields.get(held.entity, ()) if a in self.once]
        shared = [Item(n := a.partition(".")[2], "own", self._field(a, n), self._type(a)) for a in stored]
        element = self._fields(held, f"{name}[].", 1)
        for i, below in enumerate(self.shape):
            if below.up == 0 and below.edge is not None:
                element += self._below(i, below, f"{name}[].", 1)
        each = self._embedded(held, element, 1, single=False)
        line = _array(self.encoding, name, exactly(group), each)
        array = Item(f"{name}[]", "own", line, held.entity, each, exactly(group))
        return [*shared, *self._figures(held, "", 0), array, *element]

    def _below(self, at: int, held: Held, path: str, depth: int) -> list[Item]:
        edge = held.edge
        if edge is None or held.how == "for each":
            return []
        name = held.name or held.entity
        single = not edge.down or self._count(held).max <= 1
        if single and held.how == "copy":
            return self.inside(at, path, depth)  # copied fields stand beside the record's own
        if held.how == "reference" and not edge.down:
            return self.inside(at, path, depth)
        inner = self.inside(at, f"{path}{name}." if single else f"{path}{name}[].", depth + 1)
        each = self._embedded(held, inner, depth + 1, single)
        if single:
            share = edge.rel.up if not edge.down else self._count(held)
            line = _through(lambda s: self.encoding.nested(name, s), each).times(min(1.0, share.avg))
            return [Item(f"{path}{name}", held.how, line, held.entity, each, share, depth), *inner]
        count = self._count(held)
        if held.how == "reference" and len(inner) == 1:
            attr = next(iter(held.attrs or ()), "")
            inner, each = [], self._bare(self._type(attr), self._value(attr))
        line = _array(self.encoding, name, count, each)
        return [Item(f"{path}{name}[]", held.how, line, held.entity, each, count, depth), *inner]

    def _embedded(self, held: Held, lines: Sequence[Item], depth: int, single: bool) -> Spread:
        """Bytes of one embedded record: its fields, and what they and it cost for being inside another.

        A size that was given has all of that in it.
        """
        mine = [i.bytes for i in lines if i.depth == depth]
        given = held.attrs is None and held.entity in self.world.sizes
        extra = self.encoding.pair * len(mine) + (0.0 if single else self.encoding.inner)
        total = ZERO if given else exactly(extra)
        for line in mine:
            total = total + line
        return total

    def _count(self, held: Held) -> Spread:
        """Children held per parent: those there are, at most the bound of the embed."""
        if held.edge is None:
            return ONE
        count = self.children.get(held.edge.rel, held.edge.count) if held.edge.down else ONE
        count = Spread(count.avg, count.high, count.max)
        bound = min(held.limit or inf, held.first or inf)
        return count.at_most(bound) if not isinf(bound) else count

    def _fields(self, held: Held, path: str, depth: int) -> list[Item]:
        entity, world = held.entity, self.world
        kind = held.how
        whole = world.sizes.get(entity)
        if whole is not None and held.attrs is None:
            size = Spread(whole.avg, whole.high, whole.max if not isinf(whole.max) else whole.high)
            return [Item(f"{path}{entity}", kind, size, "record", depth=depth)]
        attrs = world.fields.get(entity, ()) if held.attrs is None else sorted(held.attrs)
        names = dict(held.names)
        items = []
        for attr in attrs:
            if held.attrs is None and held.edge is not None and held.edge.down and attr in held.edge.far:
                continue  # a child inside its parent does not repeat the parent's key
            if held is self.shape[0] and attr in self.once:
                continue
            name = names.get(attr) or attr.partition(".")[2]
            sort = held is self.shape[0] and attr in self.sort
            line = self._sort_key(attr) if sort else self._field(attr, name)
            items.append(Item(f"{path}{name}", kind, line, self._type(attr), depth=depth))
        return items

    def _figures(self, held: Held, path: str, depth: int) -> list[Item]:
        names = dict(held.names)
        items = []
        for attr in sorted(held.computed):
            name = names.get(attr) or attr.partition(".")[2]
            stat = self.world.stats.get(attr)
            size = stat.bytes if stat else exactly(FIGURE)
            line = self._encoded(name, self._type(attr), size)
            items.append(Item(f"{path}{name}", "computed", line, self._type(attr), depth=depth))
        return items

    def _type(self, attr: str) -> str:
        stat = self.world.stats.get(attr)
        return stat.type if stat else "int64" if attr.startswith("=") else "string"

    def _value(self, attr: str) -> Spread:
        stat = self.world.stats.get(attr)
        return stat.bytes if stat else Spread(16, 16, 16)

    def _encoded(self, name: str, kind: str, size: Spread) -> Spread:
        return _through(lambda s: self.encoding.field(name, kind, s), size)

    def _bare(self, kind: str, size: Spread) -> Spread:
        """A value inside an array: without what a field costs, which the element brings along."""
        field = self.encoding.field
        return _through(lambda s: field("", kind, s) - field("", "string", 0.0), size)

    def _sort_key(self, attr: str) -> Spread:
        key = self.encoding.key
        return _through(lambda s: key(self._type(attr), s) if key else s, self._value(attr))

    def _field(self, attr: str, name: str) -> Spread:
        """Bytes of one field of one record, its name included, on the average of those with and without it."""
        stat = self.world.stats.get(attr)
        kind = self._type(attr)
        base = kind.removesuffix("[]")
        if base != kind and stat is not None:
            line = _array(self.encoding, name, stat.items, self._bare(base, stat.bytes))
        else:
            line = self._encoded(name, base, self._value(attr))
        present = stat.present if stat else 1.0
        if present >= 1:
            return line
        return Spread(line.avg * present, line.high if present > 0.01 else line.avg * present, line.max)


def _key_bytes(encoding: Encoding, name: str, size: float) -> float:
    return encoding.key("string", size) if encoding.key else encoding.field(name, "string", size)


def _through(encode: Callable[[float], float], size: Spread) -> Spread:
    """A size as encoded, at average, p99 and bound."""
    return Spread(encode(size.avg), encode(size.high), encode(size.max) if not isinf(size.max) else inf)


def _array(encoding: Encoding, name: str, count: Spread, each: Spread) -> Spread:
    """Bytes of an array field with so many elements of this size, their positions included."""
    body = count.of(each)

    def encoded(n: float, size: float) -> float:
        return inf if isinf(n) or isinf(size) else encoding.array(name, size + _positions(encoding, n, each.avg))

    return Spread(encoded(count.avg, body.avg), encoded(count.high, body.high), encoded(count.max, body.max))


def _positions(encoding: Encoding, n: float, size: float) -> float:
    """What elements cost beside their content; a position may be stored as its digits."""
    total, first, digits = 0.0, 0.0, 10.0
    while first < n:
        last = min(n, digits)
        total += (last - first) * (encoding.element(first, size) - size)
        first, digits = digits, digits * 10
    return total
