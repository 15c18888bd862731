"""The WHERE of a statement: the table it goes to, and each key column bound by what the read knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.model.candidate import Structure
from app.model.conditions import Literal, Now, Operand, Param
from app.model.keys import KeyPart
from app.plan import lay
from app.plan.types import Cond, Record, Step, World
from app.stores.cassandra.records import records, views_of
from app.stores.cassandra.types import key_column, quoted, static_names
from app.stores.common_query import Names, field_of, names_of
from app.stores.common_steps import Context

PLAIN = KeyPart()
SPANS = (">", ">=", "<", "<=", "between", "prefix")


@dataclass(frozen=True, slots=True)
class Spot:
    """The table or view a step reads, with its key as typed."""

    structure: Structure
    table: Structure
    """The view itself where a view is read, else the structure."""
    record: Record
    index: bool = False

    def names(self, world: World) -> Names:
        found = names_of(self.structure, self.record, world)
        if not self.structure.static:
            return found
        own = self._own_keys(world) if self.record.static else {}
        return replace(found, paths={**found.paths, **own, **static_names(self.structure, world)})

    def _own_keys(self, world: World) -> dict[str, str]:
        """The parent's key under the names of the columns that hold it."""
        of = self.record.of
        return {lay.column(of, p.attr, world): key_column(p, self.table.of, world).name for p in self.partition}

    @property
    def partition(self) -> tuple[KeyPart, ...]:
        return tuple(self.table.partition_key or ())

    @property
    def order(self) -> tuple[KeyPart, ...]:
        return tuple(self.table.clustering_key or ())


def spot_of(step: Step, here: Context) -> Spot | None:
    """The table a step reads; rows rather than static columns where both are asked for."""
    structure = here.model.structure(step.structure)
    if structure is None:
        return None
    found = [r for r in records(structure, here.model, here.world) if not step.records_of or r.name in step.records_of]
    if not found:
        return None
    record = next((r for r in found if not r.static), found[0])
    view = next((v for v in views_of(structure, here.model) if v.name == step.path), None)
    index = step.match is not None and step.match.path.kind in ("index", "sai")
    return Spot(structure, view or structure, record, index)


def value_text(operand: Operand) -> str:
    """`:user`, a literal, or the time of the call as a parameter."""
    if isinstance(operand, Param):
        return f":{operand.name}"
    if isinstance(operand, Literal):
        value = operand.value
        if isinstance(value, bool) or value is None:
            return {True: "true", False: "false", None: "null"}[value]
        return f"{value:g}" if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"
    if isinstance(operand, Now):
        return (
            ":now"
            if not operand.offset
            else f":now_{'minus' if operand.offset < 0 else 'plus'}_{abs(operand.offset):g}s"
        )
    return operand.path


class Where:
    """The WHERE of one statement, key column by key column."""

    def __init__(self, spot: Spot, conds: Sequence[Cond], world: World, *, turned: bool = False) -> None:
        self.spot, self.conds, self.world = spot, conds, world
        self.turned = turned
        """Rows are read in the reverse of their order."""
        self.listed = False
        """IN on the partition key."""
        self.several: list[str] = []
        """Which values are asked for one request at a time."""
        self.span: list[tuple[str, str, str]] = []
        """(column, operator, value) of the range on the last clustering column."""

    def texts(self) -> list[str]:
        found: list[str] = []
        for part in self.spot.partition if not self.spot.index else ():
            text = self._partition(part)
            if text:
                found.append(text)
        found += self._indexed() if self.spot.index else []
        rows = found and not self.spot.index and not self.spot.record.static
        for part in self.spot.order if rows else ():
            mine = self._clustering(part)
            found += mine
            if self.span or not mine:
                break
        return found

    def attr(self, part: KeyPart) -> str:
        return lay.column(self.spot.record.of, part.attr, self.world)

    def _of(self, attr: str) -> list[Cond]:
        return [
            c for c in self.conds if c.attr == attr or (self.spot.record.static and field_of(c.attr) == field_of(attr))
        ]

    def _value(self, cond: Cond, at: int = 0) -> str:
        operands = cond.source.operands if cond.source is not None else ()
        if at < len(operands):
            return value_text(operands[at])
        return f":{field_of(cond.attr)}"

    def _partition(self, part: KeyPart) -> str:
        """Equality, IN, or one request for each bucket or shard; empty where nothing binds the column."""
        attr = self.attr(part)
        name = key_column(part, self.spot.table.of, self.world).name
        column = quoted(name)
        for cond in self._of(attr):
            if cond.op in ("=", "in") and not part.filters:
                self.listed |= cond.op == "in"
                return f"{column} = {self._value(cond)}" if cond.op == "=" else self._in(column, cond)
            if cond.op in ("=", "contains"):
                return f"{column} = {_filtered(self._value(cond), part)}"
        if part.kept.chosen or part.kept.fan:
            self.several.append(f"one request for each {name} from 0 to {part.kept.fan - 1}, merged by the application")
            return f"{column} = :{name}"
        if part.kept.bucket:
            self.several.append(self._buckets(name, attr))
            return f"{column} = :{name}"
        return ""

    def _buckets(self, name: str, attr: str) -> str:
        spans = [c for c in self._of(attr) if c.op in SPANS]
        newest = any(p.desc for p in self.spot.order if self.attr(p) == attr) is not self.turned
        first, then = ("newest", "oldest") if newest else ("oldest", "newest")
        limits = " and ".join(f"{c.op} {self._value(c)}" for c in spans)
        if limits:
            return f"one request for each {name} that {field_of(attr)} {limits} meets, {first} before {then}"
        return f"one request for each {name} in which there are rows, {first} before {then}"

    def _in(self, column: str, cond: Cond) -> str:
        operands = cond.source.operands if cond.source is not None else ()
        if len(operands) == 1 and isinstance(operands[0], Param):
            return f"{column} IN :{operands[0].name}"
        return f"{column} IN ({', '.join(value_text(o) for o in operands)})"

    def _indexed(self) -> list[str]:
        """Any column the index or the key answers, in the order of the conditions."""
        names = self.spot.names(self.world)
        found = []
        for cond in self.conds:
            column = quoted(names(cond.attr))
            op = "CONTAINS" if cond.op == "contains" or names(cond.attr) in names.lists else cond.op
            if op == "in":
                found.append(self._in(column, cond))
            elif op in SPANS:
                found += [f"{c} {sign} {value}" for c, sign, value in self._spans(column, cond, PLAIN)]
            else:
                found.append(f"{column} {op} {self._value(cond)}")
        return found

    def _clustering(self, part: KeyPart) -> list[str]:
        attr = self.attr(part)
        column = quoted(key_column(part, self.spot.table.of, self.world).name)
        found = []
        for cond in self._of(attr):
            if cond.op == "=":
                return [f"{column} = {_filtered(self._value(cond), part)}"]
            if cond.op == "in" and not part.filters:
                return [self._in(column, cond)]
            found += self._spans(column, cond, part)
        self.span = found
        return [f"{c} {op} {value}" for c, op, value in found]

    def _spans(self, column: str, cond: Cond, part: KeyPart) -> list[tuple[str, str, str]]:
        if cond.op == "between":
            low, high = self._value(cond), self._value(cond, 1)
            return [(column, ">=", _filtered(low, part)), (column, "<=", _filtered(high, part))]
        if cond.op == "prefix":
            value = self._value(cond)
            return [(column, ">=", value), (column, "<", f"{value}_end")]
        if cond.op not in SPANS:
            return []
        op = {">": ">=", "<": "<="}.get(cond.op, cond.op) if part.filters else cond.op
        return [(column, op, _filtered(self._value(cond), part))]


def _filtered(value: str, part: KeyPart) -> str:
    """`:at` under `|hour` is `:at_hour`: the application derives it as it does on writing."""
    return "_".join([value, *(f.name for f in part.filters)]) if value.startswith(":") else value
