"""Conditions as SQL: columns, values inside documents, elements of lists, words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import cos, radians

from app.model.candidate import Index
from app.model.conditions import AnyOf, Comparison, Literal, Now, Operand, Param, Term
from app.model.terms import Has, Opaque
from app.plan import lay
from app.plan.types import World
from app.stores.postgresql.expressions import qualified
from app.stores.postgresql.names import quoted, text
from app.stores.postgresql.tables import Ref, Table

COMPARE = {"=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "!=": "<>"}
EARTH = 6371.0
"""Radius in km."""
DEGREE = 111.32
"""Kilometres of one degree of latitude."""
LANGUAGE = "simple"
"""Text search without stems or stop words, where an index names no language."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a statement finds an attribute: the table's alias (empty: the only table) and the place in it."""

    alias: str
    ref: Ref
    table: Table | None = None

    @property
    def sql(self) -> str:
        return self.ref.sql(self.alias)

    @property
    def column(self) -> str:
        return f"{self.alias}.{quoted(self.ref.column)}" if self.alias else quoted(self.ref.column)


Find = Callable[[str], Spot]
"""Attribute, as typed → where it is."""


def value(operand: Operand, find: Find | None = None) -> str:
    """`:user`, a literal, the time of the call, another attribute."""
    if isinstance(operand, Param):
        return f":{operand.name}"
    if isinstance(operand, Literal):
        return literal(operand.value)
    if isinstance(operand, Now):
        if not operand.offset:
            return "now()"
        sign = "-" if operand.offset < 0 else "+"
        return f"now() {sign} interval '{abs(operand.offset):g} seconds'"
    return find(operand.path).sql if find is not None else operand.path


def literal(given: object) -> str:
    if given is None:
        return "NULL"
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, int | float):
        return f"{given:.15g}"
    return text(str(given))


def texts(terms: Iterable[Term], find: Find) -> list[str]:
    """One SQL condition for each term; conditions on one list together, because one element must meet them."""
    found: list[str] = []
    lists: dict[str, list[tuple[Comparison, Spot]]] = {}
    for term in terms:
        if isinstance(term, Comparison):
            spot = find(term.path)
            if spot.ref.each:
                mine = lists.setdefault(spot.column, [])
                if not mine:
                    found.append(spot.column)  # its place among the conditions
                mine.append((term, spot))
            else:
                found.append(comparison(term, spot, find))
        elif isinstance(term, AnyOf):
            branches = [" AND ".join(texts(b, find)) or "true" for b in term.branches]
            found.append("(" + " OR ".join(f"({b})" if " AND " in b else b for b in branches) + ")")
        elif isinstance(term, Has):
            found += texts(term.terms, find)
        elif isinstance(term, Opaque):
            found.append(opaque(term, find))
    return [in_list(column, lists[column], find) if (column := c) in lists else c for c in found]


def opaque(term: Opaque, find: Find) -> str:
    """What is only readable by people, with the names of columns in place of attributes."""
    said = term.text
    for path in sorted(term.paths, key=len, reverse=True):
        said = said.replace(path, find(path).sql)
    return f"({said})"


def comparison(term: Comparison, spot: Spot, find: Find) -> str:
    """One comparison of a column, or of a value inside one."""
    if term.op == "match":
        return f"{words_of(term, find)} @@ {asked(term, find)}"
    here, first = spot.sql, value(term.operands[0], find) if term.operands else "NULL"
    kind = spot.ref.type
    if spot.ref.stored.endswith("[]"):
        listed = in_array(term, here, spot.ref.stored, find)
        if listed:
            return listed
    match term.op:
        case "null":
            return f"{here} IS NULL"
        case "not null":
            return f"{here} IS NOT NULL"
        case "between" if len(term.operands) > 1:
            return f"{here} BETWEEN {first} AND {value(term.operands[1], find)}"
        case "in" | "not in":
            return _listed(term, here, kind, find)
        case "prefix":
            return f"{here} ^@ {first}"
        case "near":
            return near(term, here, find)
        case "contains":
            return f"{here} @> {first}"
        case _:
            return f"{here} {COMPARE.get(term.op, '=')} {first}"


def in_array(term: Comparison, here: str, stored: str, find: Find) -> str:
    """A condition on an element of an array column; empty where the whole array is meant."""
    values = [value(o, find) for o in term.operands]
    if term.op == "contains" or (term.op == "=" and not stored.startswith("=")):
        return f"{here} @> CAST(ARRAY[{values[0] if values else 'NULL'}] AS {stored})"
    if term.op == "in":
        given = values[0] if _param(term) else f"ARRAY[{', '.join(values)}]"
        return f"{here} && CAST({given} AS {stored})"
    return ""


def _param(term: Comparison) -> bool:
    return len(term.operands) == 1 and isinstance(term.operands[0], Param)


def _listed(term: Comparison, here: str, kind: str, find: Find) -> str:
    values = [value(o, find) for o in term.operands]
    if _param(term):
        compared = "= ANY" if term.op == "in" else "<> ALL"
        return f"{here} {compared} (CAST({values[0]} AS {kind}[]))"
    return f"{here} {'IN' if term.op == 'in' else 'NOT IN'} ({', '.join(values)})"


# ---------------------------------------------------------------- lists of documents


def in_list(column: str, found: list[tuple[Comparison, Spot]], find: Find) -> str:
    """An element of the list that meets every condition: by containment where all are equalities, which GIN answers."""
    if all(t.op in ("=", "contains") and t.operands for t, _ in found):
        return f"{column} @> jsonb_build_array({containing([(s.ref, value(t.operands[0], find)) for t, s in found])})"
    inner = [comparison(t, Spot("", _element(s.ref)), find) for t, s in found]
    return f"EXISTS (SELECT FROM jsonb_array_elements({column}) AS item WHERE {' AND '.join(inner)})"


def _element(ref: Ref) -> Ref:
    return Ref("item", ref.type, ref.path, stored="")


def containing(pairs: Iterable[tuple[Ref, str]]) -> str:
    """A document with these values, to be found inside an element."""
    tree: dict[str, object] = {}
    whole = ""
    for ref, given in pairs:
        typed = f"CAST({given} AS {ref.type})"
        if not ref.path:
            whole = f"to_jsonb({typed})"
            continue
        at = tree
        for step in ref.path[:-1]:
            at = at.setdefault(step, {})  # type: ignore[assignment]
        at[ref.path[-1]] = typed
    return whole or _object(tree)


def _object(tree: Mapping[str, object]) -> str:
    each = (f"{text(k)}, {_object(v) if isinstance(v, Mapping) else v}" for k, v in tree.items())
    return f"jsonb_build_object({', '.join(each)})"


# ---------------------------------------------------------------- words and places


def words_of(term: Comparison, find: Find) -> str:
    """The vector searched: the expression of the index over these columns, so that the index serves it."""
    spots = [find(p) for p in (term.path, *term.more)]
    table = spots[0].table
    index = words_index(table, [term.path, *term.more]) if table is not None else None
    alias = spots[0].alias
    if index is not None and index.expression:
        return index.expression if not alias else qualified(index.expression, alias)
    language = index.options.get("language", LANGUAGE) if index is not None else LANGUAGE
    if index is not None and table is not None:
        world_columns = [quoted(table.ref(a).column) for a in _searched(index, table)]
        return vector([f"{alias}.{c}" if alias else c for c in world_columns], str(language))
    return vector([s.sql for s in spots], str(language))


def _searched(index: Index, table: Table) -> list[str]:
    found = [p.attr.removesuffix("[]") for p in index.keys]
    return [f"{table.record.of}.{a.rpartition('.')[2]}" for a in found]


def words_index(table: Table, paths: Iterable[str]) -> Index | None:
    """The index that searches these columns for words."""
    wanted = {p.rpartition(".")[2] for p in paths}
    for index in table.structure.indexes:
        mine = next((p for p in table.record.paths if p.kind == "text" and _is(index, p.order, table)), None)
        if mine is not None and wanted <= {p.attr.rpartition(".")[2] for p in mine.order}:
            return index
    return None


def _is(index: Index, order: Iterable[object], table: Table) -> bool:
    attrs = {getattr(p, "attr", "") for p in order}
    if index.expression:
        return all(a.rpartition(".")[2] in index.expression for a in attrs)
    return attrs == set(_searched(index, table)) or attrs <= set(_searched(index, table))


def vector(columns: Iterable[str], language: str) -> str:
    """The text search vector of several columns, empty ones left out."""
    joined = " || ' ' || ".join(f"coalesce({c}, '')" for c in columns)
    return f"to_tsvector({text(language)}, {joined})"


def asked(term: Comparison, find: Find) -> str:
    """What is searched for, as people type it: words, \"phrases\", -without."""
    table = find(term.path).table
    index = words_index(table, [term.path, *term.more]) if table is not None else None
    language = LANGUAGE
    if index is not None:
        language = str(index.options.get("language", "")) or _language(index.expression) or LANGUAGE
    given = value(term.operands[0], find) if term.operands else "''"
    return f"websearch_to_tsquery({text(language)}, {given})"


def _language(expression: str) -> str:
    """The language of a vector: `to_tsvector('spanish', …)`."""
    _, _, rest = expression.partition("(")
    quoted_, _, _ = rest.strip().removeprefix("'").partition("'")
    return quoted_ if rest.strip().startswith("'") and quoted_.replace("_", "").isalnum() else ""


def near(term: Comparison, here: str, find: Find) -> str:
    """Within so many kilometres: a box that an index can judge, then the distance over the sphere.

    Points are longitude, latitude. The box is as wide as at 60 degrees of latitude; farther north or south it is less.
    """
    centre = value(term.operands[0], find)
    reach = value(term.operands[1], find) if len(term.operands) > 1 else "1"
    point = f"(CAST({centre} AS point))"
    wide = DEGREE * cos(radians(60))
    box = (
        f"box(point({point}[0] - {reach} / {wide:.2f}, {point}[1] - {reach} / {DEGREE}),"
        f" point({point}[0] + {reach} / {wide:.2f}, {point}[1] + {reach} / {DEGREE}))"
    )
    return f"{here} <@ {box} AND {distance(here, point)} <= {reach}"


def distance(here: str, point: str) -> str:
    """Kilometres between two points over the sphere."""
    return (
        f"2 * {EARTH:g} * asin(sqrt(power(sind(({here}[1] - {point}[1]) / 2), 2)"
        f" + cosd({here}[1]) * cosd({point}[1]) * power(sind(({here}[0] - {point}[0]) / 2), 2)))"
    )


def finder(table: Table, world: World, alias: str = "") -> Find:
    """How one table's statement finds attributes."""

    def find(path: str) -> Spot:
        attr = lay.column(table.record.of, path, world) if "." in path else f"{table.record.of}.{path}"
        found = table.refs.get(path) or table.ref(attr)
        return Spot(alias, found, table)

    return find
