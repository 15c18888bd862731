"""Random tables of a Cassandra and random reads of them: as a project, as CQL typed by hand, and their right answer.

Every key column is a number below `VALUES`; a table holds most of the combinations, so that the right rows of a read
can be worked out here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from operator import ge, gt, le, lt

from hypothesis import strategies as st

VALUES = 3
PARTITION, CLUSTERING = ("p", "q"), ("a", "b", "c")
PLAIN = ("v", "w")
COMPARE = {">=": ge, "<=": le, ">": gt, "<": lt}
Row = Mapping[str, int]
Condition = tuple[str, str, tuple[int, ...]]
"""Column, operator, values."""
LISTS = ((0, 1), (2, 0), (1, 2), (2, 1, 0))


@dataclass(frozen=True)
class Table:
    """`order`: clustering columns, descending where True. `index`: an indexed column, "" for none."""

    partition: tuple[str, ...]
    order: tuple[tuple[str, bool], ...]
    index: str = ""
    static: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        return (*self.partition, *(a for a, _ in self.order))

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.keys, *PLAIN, *(("s",) if self.static else ()))

    def create(self, name: str) -> Iterator[str]:
        columns = ", ".join(f"{c} int{' STATIC' if c == 's' else ''}" for c in self.columns)
        key = ", ".join([f"({', '.join(self.partition)})", *(a for a, _ in self.order)])
        ways = ", ".join(f"{a} {'DESC' if desc else 'ASC'}" for a, desc in self.order)
        order = f" WITH CLUSTERING ORDER BY ({ways})" if ways else ""
        yield f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({key})){order}"
        if self.index:
            yield f"CREATE INDEX ON {name} ({self.index})"

    def rows(self) -> list[Row]:
        found = []
        for n, values in enumerate(product(range(VALUES), repeat=len(self.keys))):
            row = dict(zip(self.keys, values, strict=True))
            if n * 7 % 10 >= 2 or len(self.keys) == 1:
                row |= {"v": n * 5 % 3, "w": n * 3 % 4}
                found.append(row | ({"s": sum(row[k] for k in self.partition)} if self.static else {}))
        return found


@dataclass(frozen=True)
class Asked:
    """`order`: (column, descending)."""

    where: tuple[Condition, ...]
    order: tuple[tuple[str, bool], ...] = ()
    limit: int = 0

    def typed(self, name: str) -> str:
        """In CQL, word for word."""
        where = " AND ".join(text for c in self.where for text in _typed(*c))
        order = ", ".join(f"{a} {'DESC' if desc else 'ASC'}" for a, desc in self.order)
        return " ".join([
            f"SELECT * FROM {name}",
            *([f"WHERE {where}"] if where else []),
            *([f"ORDER BY {order}"] if order else []),
            *([f"LIMIT {self.limit}"] if self.limit else []),
        ])  # fmt: skip

    def pattern(self, operation: str) -> str:
        """As a pattern of a project."""
        where = " and ".join(_said(*c) for c in self.where)
        order = ", ".join(f"row.{a}{' desc' if desc else ''}" for a, desc in self.order)
        return "".join([
            f"  - operation: {operation}\n    list: row\n    needs: row\n",
            f"    where: {where}\n" if where else "",
            f"    order by: {order}\n" if order else "",
            f"    limit: {self.limit}\n" if self.limit else "",
            "    paging: cursor\n" if self.limit and self.order else "",
        ])  # fmt: skip

    def met(self, row: Row) -> bool:
        return all(_met(row[attr], op, values) for attr, op, values in self.where)

    def place(self, row: Row) -> tuple[int, ...]:
        """Where a row stands in the order asked for."""
        return tuple(-row[a] if desc else row[a] for a, desc in self.order)


def _typed(attr: str, op: str, values: tuple[int, ...]) -> Iterator[str]:
    if op == "in":
        yield f"{attr} IN ({', '.join(map(str, values))})"
    elif op == "between":
        yield f"{attr} >= {values[0]}"
        yield f"{attr} <= {values[1]}"
    else:
        yield f"{attr} {op} {values[0]}"


def _said(attr: str, op: str, values: tuple[int, ...]) -> str:
    if op == "in":
        return f"row.{attr} in ({', '.join(map(str, values))})"
    if op == "between":
        return f"row.{attr} between {values[0]} and {values[1]}"
    return f"row.{attr} {op} {values[0]}"


def _met(value: int, op: str, values: tuple[int, ...]) -> bool:
    if op in ("=", "in"):
        return value in values
    if op == "between":
        return values[0] <= value <= values[1]
    return bool(COMPARE[op](value, values[0]))


def project(name: str, table: Table, reads: Iterable[Asked]) -> str:
    """A workload of one entity and a model of one table, for the rules of 2.1."""
    fields = "".join(
        f"      - {c} int32{' key' if c in table.keys else f' distinct {VALUES}'}\n" for c in table.columns
    )
    order = ", ".join(f"row.{a}{' desc' if desc else ''}" for a, desc in table.order)
    partition = ", ".join(f"row.{a}" for a in table.partition)
    more = f", clustering key: [{order}]" if order else ""
    more += f", indexes: [{{keys: [row.{table.index}]}}]" if table.index else ""
    more += ", static: [row.s]" if table.static else ""
    patterns = "".join(asked.pattern(f"Q{n}") for n, asked in enumerate(reads))
    return (
        "keywright: 1\nname: Random\nentities:\n"
        f"  - name: row\n    count: {len(table.rows())}\n    fields:\n{fields}"
        f"patterns:\n{patterns}"
        "models:\n  - name: One table\n    store: cassandra\n    version: \"2.1\"\n    structures:\n"
        f"      - {{table: {name}, of: row, partition key: [{partition}]{more}}}\n"
    )  # fmt: skip


# ---------------------------------------------------------------- strategies


def _every() -> Iterator[Table]:
    """Every table there can be, as different from its neighbours as they come."""
    for size, many in product((1, 2), range(len(CLUSTERING) + 1)):
        for ways in product((False, True), repeat=many):
            plain = Table(PARTITION[:size], tuple(zip(CLUSTERING, ways, strict=False)))
            indexed = [k for k in plain.keys if size > 1 or k != PARTITION[0]]
            for index, static in product(("", "", "v", *indexed), (False, True)[: 1 + bool(many)]):
                yield Table(plain.partition, plain.order, index, static)


TABLES = tuple(_every())


def _number(draw: st.DrawFn) -> int:
    return draw(st.integers(0, VALUES - 1))


@st.composite
def conditions(draw: st.DrawFn, attr: str) -> Condition:
    op = draw(st.sampled_from(["=", "=", "=", "in", ">=", "<", "<=", ">", "between"]))
    if op == "in":
        return attr, op, draw(st.sampled_from(LISTS))
    if op == "between":
        return attr, op, tuple(sorted((_number(draw), _number(draw))))
    return attr, op, (_number(draw),)


@st.composite
def bound(draw: st.DrawFn, attr: str) -> Condition:
    """A column of the partition key: mostly one value, sometimes a list."""
    how = draw(st.integers(0, 9))
    if how == 9:
        return draw(conditions(attr))
    return (attr, "in", draw(st.sampled_from(LISTS))) if how > 6 else (attr, "=", (_number(draw),))


@st.composite
def reads(draw: st.DrawFn, table: Table) -> Asked:
    """Most name the whole partition key and the beginning of the clustering key; the others name anything."""
    where = []
    if draw(st.integers(0, 9)) < 7:
        where = [draw(bound(a)) for a in table.partition]
        first = [a for a, _ in table.order][: draw(st.integers(0, 3))]
    else:
        first = list(table.columns)
    named = {a for a, _, _ in where}
    where += [draw(conditions(a)) for a in first if a not in named and draw(st.integers(0, 3)) > 0]
    named = {a for a, _, _ in where}
    others = [a for a in (*PLAIN, *table.columns) if a not in named]
    if table.index in others and draw(st.integers(0, 2)):
        where.append(draw(bound(table.index)))
    elif others and draw(st.integers(0, 3)) == 0:
        where.append(draw(conditions(draw(st.sampled_from(others)))))
    order: tuple[tuple[str, bool], ...] = ()
    if draw(st.booleans()):
        turned = draw(st.booleans())
        far = draw(st.integers(0, len(table.order)))
        order = tuple((a, desc is not turned) for a, desc in table.order[:far])
        if draw(st.integers(0, 3)) == 0:
            mixed = draw(st.permutations(table.columns))[: draw(st.integers(1, 2))]
            order = tuple((a, draw(st.booleans())) for a in mixed)
    return Asked(tuple(where), order, draw(st.sampled_from([0, 0, 1, 2, 5])))


@st.composite
def trials(draw: st.DrawFn, size: int) -> tuple[Table, tuple[Asked, ...]]:
    """A table and reads of it, no two alike."""
    table = draw(st.sampled_from(TABLES))
    return table, tuple(draw(st.lists(reads(table), min_size=size // 2, max_size=size, unique=True)))
