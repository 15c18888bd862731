"""One change of a write as a statement of one table: what is known, what is set, which rows are meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.model.candidate import Candidate
from app.model.conditions import Comparison, Operand, Ref, Term
from app.model.workload import Pattern
from app.plan import lay
from app.plan.types import Plan, World
from app.plan.ways import place
from app.stores.common_query import equal_to, last
from app.stores.common_write import Asked, asked, of_taken, value_of
from app.stores.postgresql.names import quoted
from app.stores.postgresql.tables import Table, table_of, type_of
from app.stores.postgresql.where import Find, Spot, finder, literal, texts, value


@dataclass(frozen=True, slots=True)
class Statement:
    """`sets`: column → value of an UPDATE. `later`: seconds it may wait (0: now). `note`: what to know before it."""

    verb: str
    table: str
    text: str = ""
    sets: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    where: tuple[str, ...] = ()
    later: float = 0
    note: str = ""

    def lines(self) -> Iterator[str]:
        if self.note:
            yield f"-- {self.note}"
        yield from self.body().splitlines()

    def body(self) -> str:
        where = "\nWHERE " + "\n  AND ".join(self.where) if self.where else ""
        if self.verb == "update":
            sets = ", ".join(f"{c} = {v}" for c, v in self.sets.items())
            return f"UPDATE {self.table}\nSET {sets}{self.source}{where};"
        if self.verb == "delete":
            return f"DELETE FROM {self.table}{self.source}{where};"
        return f"{self.text};"

    def joins(self, other: Statement) -> bool:
        """Do both update the same rows?"""
        mine = (self.verb, self.table, self.source, self.where, self.later)
        return self.verb == "update" and mine == (other.verb, other.table, other.source, other.where, other.later)


def merged(found: Sequence[Statement]) -> list[Statement]:
    """Updates of the same rows become one, in the order in which they were met."""
    out: list[Statement] = []
    for one in found:
        at = next((i for i, old in enumerate(out) if old.joins(one)), None)
        if at is None:
            if one not in out:
                out.append(one)
        else:
            out[at] = replace(out[at], sets={**out[at].sets, **one.sets}, note=out[at].note or one.note)
    return out


@dataclass(frozen=True)
class Write:
    """A write pattern with the tables of its model."""

    pattern: Pattern
    plan: Plan
    model: Candidate
    world: World
    tables: tuple[Table, ...]
    changes: tuple[Asked, ...]

    def home(self, entity: str) -> Table | None:
        """The table that has the truth of an entity."""
        mine = [t for t in self.tables if t.record.of == entity]
        return next((t for t in mine if t.record.truth), None)

    def born(self, entity: str) -> bool:
        return any(c.entity == entity and c.kind == "insert" for c in self.changes)


def write_of(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> Write:
    tables = (table_of(s, model, world) for s in model.structures if model.store_of(s) == "postgresql")
    # what is deleted for good is deleted by the statement that reads it
    kept = [c for c in asked(pattern) if not (c.taken and c.kind == "delete") or c.entity in world.soft_delete]
    changes = tuple(of_taken(c, world) for c in kept)
    return Write(pattern, plan, model, world, tuple(t for t in tables if t is not None), changes)


# ---------------------------------------------------------------- values


def listed(change: Asked) -> str:
    """The entity of which the caller brings a list: the change is made for each of it; empty: once."""
    return change.loop or (change.entity if change.part else "")


def rows(change: Asked, columns: Mapping[str, str]) -> str:
    """The list that the caller brings, as rows with these columns."""
    name = listed(change)
    inner = ", ".join(f"{quoted(c)} {t}" for c, t in columns.items())
    return f"jsonb_to_recordset(CAST(:{name}_list AS jsonb)) AS {quoted(name)} ({inner})"


def parameter(attr: str, change: Asked, write: Write) -> str:
    """The name under which the caller gives an attribute: its field's; of a further record, with the entity before."""
    name = last(attr).replace(" ", "_")
    if listed(change) and attr.partition(".")[0] in (listed(change), change.entity):
        return f"{quoted(listed(change))}.{quoted(name)}"
    entity = attr.removeprefix("=").partition(".")[0]
    return f":{name}" if entity == write.pattern.entity else f":{entity}_{name}"


def known(attr: str, change: Asked, write: Write) -> str:
    """The value of an attribute: what the operation says, or a parameter of its name."""
    found = equal_to(change.where, write.world, change.entity).get(attr)
    if found is not None:
        return given(found, change, write)
    for path, said in change.set.items():
        if lay.column(change.entity, path, write.world) == attr:
            kind, what = value_of(said, write.world.stats.get(attr))
            if kind in ("set", "param", "now"):
                return spoken(kind, what, attr, change, write)
            if kind in ("add", "less"):
                return amount(what, change, write) if kind == "add" else f"-{amount(what, change, write)}"
    if change.part:  # born with its parent: what points to it is the parent's own key
        for rel in write.world.rels:
            if rel.child == change.entity and attr in rel.via and write.born(rel.parent):
                return known(rel.key[rel.via.index(attr)], parent_of(rel.parent, write), write)
    return parameter(attr, change, write)


def parent_of(entity: str, write: Write) -> Asked:
    return next(c for c in write.changes if c.entity == entity and c.kind == "insert")


def given(operand: Operand, change: Asked, write: Write) -> str:
    """An operand of a condition; another attribute is one of the list at hand, or a parameter."""
    if isinstance(operand, Ref):
        return parameter(lay.column(change.entity, operand.path, write.world), change, write)
    return value(operand)


def amount(what: Any, change: Asked, write: Write) -> str:
    """What a number is stepped by: a number, a parameter, an attribute of the list at hand."""
    if isinstance(what, str):
        return parameter(what, change, write) if "." in what else f":{what}"
    return literal(what)


def spoken(kind: str, what: Any, attr: str, change: Asked, write: Write) -> str:
    """A value that is set, as SQL."""
    if kind == "now":
        return "CURRENT_DATE" if type_of(attr, write.world) == "date" else "now()"
    if kind == "param":
        return f":{what}"
    if isinstance(what, Mapping | list | tuple):
        return parameter(attr, change, write)
    text = str(what) if what is not None else ""
    if "." in text and text.partition(".")[0] in write.world.fields and kind == "set":
        return parameter(text, change, write)
    return literal(what)


def sets_of(change: Asked, table: Table, write: Write) -> dict[str, str]:
    """Column → new value of what the change sets and this table has as columns of its own."""
    out: dict[str, str] = {}
    for path, said in change.set.items():
        attr = lay.column(change.entity, path, write.world)
        ref = table.refs.get(attr)
        if ref is None or ref.each or attr.removeprefix("=").partition(".")[0] != table.record.of:
            continue
        out[quoted(ref.column)] = changed(said, attr, table, change, write)
    return out


def changed(said: Any, attr: str, table: Table, change: Asked, write: Write) -> str:
    """The new value of one column."""
    ref = table.ref(attr)
    column = f"{table.name}.{quoted(ref.column)}"
    kind, what = value_of(said, write.world.stats.get(attr))
    if kind == "push":
        inner, pushed = what
        new = spoken(inner, pushed, attr, change, write)
        if ref.stored == "jsonb":
            return f"coalesce({column}, '[]') || jsonb_build_array(CAST({new} AS jsonb))"
        return f"array_append({column}, CAST({new} AS {ref.stored.removesuffix('[]')}))"
    if kind in ("add", "less"):
        step = amount(what, change, write)
        if isinstance(what, int | float) and what < 0:
            return f"{column} - {literal(-what)}"
        return f"{column} {'+' if kind == 'add' else '-'} {step}"
    new = spoken(kind, what, attr, change, write)
    if ref.path:
        steps = "{" + ",".join(ref.path) + "}"
        return f"jsonb_set(coalesce({column}, '{{}}'), '{steps}', to_jsonb(CAST({new} AS {ref.type})))"
    return f"CAST({new} AS jsonb)" if ref.stored == "jsonb" and kind != "now" else new


# ---------------------------------------------------------------- which rows


def condition(change: Asked, table: Table, write: Write, *, guard: bool = True) -> tuple[str, ...]:
    """The rows a change means, and what must be true of them. What names a parent is looked up there."""
    terms = list(change.where.terms if change.where is not None else ())
    out = _conditions(terms, change, table, write)
    if change.loop and not terms and change.entity == table.record.of:
        keys = write.world.keys.get(change.entity, ())
        out += [f"{table.name}.{quoted(table.ref(a).column)} = {parameter(a, change, write)}" for a in keys]
    if guard and change.only_if is not None:
        out += _conditions(list(change.only_if.terms), change, table, write)
    return tuple(dict.fromkeys(out))


def _conditions(terms: Sequence[Term], change: Asked, table: Table, write: Write) -> list[str]:
    out: list[str] = []
    for term in terms:
        if change.beside and isinstance(term, Comparison) and _inside(term, table, write):
            continue  # says which element, and the row is meant
        if not isinstance(term, Comparison) or _there(term, table, write):
            out += texts([term], _find(change, table, write))
        elif change.beside:
            continue  # said of the record it is changed with
        else:
            out += _looked_up(term, table, write)
    return out


def _there(term: Comparison, table: Table, write: Write) -> bool:
    return table.refs.get(lay.column(table.record.of, term.path, write.world)) is not None


def _inside(term: Comparison, table: Table, write: Write) -> bool:
    return table.ref(lay.column(table.record.of, term.path, write.world)).each


def _find(change: Asked, table: Table, write: Write) -> Find:
    plain = finder(table, write.world, table.name if listed(change) else "")

    def find(path: str) -> Spot:
        attr = lay.column(table.record.of, path, write.world)
        if listed(change) and table.refs.get(attr) is None:
            return Spot(quoted(listed(change)), replace(table.ref(attr), column=last(path)))
        return plain(path)

    return find


def _looked_up(term: Comparison, table: Table, write: Write) -> list[str]:
    """A condition on a parent or child, as the keys of those that meet it."""
    spot = place(write.world, table.record.of, term.path)
    if len(spot.edges) != 1:
        return []
    edge = spot.edges[0]
    other = write.home(edge.to)
    if other is None or other.refs.get(spot.attr) is None:
        return []
    inner = texts([replace(term, path=spot.attr)], finder(other, write.world))
    near, far = table.ref(edge.near[0]).column, other.ref(edge.far[0]).column
    return [f"{quoted(near)} IN (SELECT {quoted(far)} FROM {other.name} WHERE {' AND '.join(inner)})"]


def list_source(change: Asked, write: Write, word: str) -> str:
    """` FROM` (or `USING`) the list a change is made for, with the columns it is asked for."""
    name = listed(change)
    if not name:
        return ""
    own = {last(a): type_of(a, write.world) for a in write.world.fields.get(name, ())}
    return f"\n{word} {rows(change, own)}"


def by_key(change: Asked, table: Table, write: Write) -> bool:
    """Does the condition name one row: the primary key, or all of a unique index?"""
    equal = set(equal_to(change.where, write.world, change.entity))
    return any(p.order and {x.attr for x in p.order} <= equal for p in table.record.paths if p.unique)
