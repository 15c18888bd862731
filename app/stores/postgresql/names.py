"""Names in SQL: quoted where they have to be, and what indexes are called."""

from __future__ import annotations

import re

from app.model.candidate import Index, Structure

RESERVED = frozenset(
    [
        "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization",
        "binary", "both", "case", "cast", "check", "collate", "collation", "column", "concurrently",
        "constraint", "create", "cross", "current_catalog", "current_date", "current_role", "current_schema",
        "current_time", "current_timestamp", "current_user", "default", "deferrable", "desc", "distinct", "do",
        "else", "end", "except", "false", "fetch", "for", "foreign", "freeze", "from", "full", "grant", "group",
        "having", "ilike", "in", "initially", "inner", "intersect", "into", "is", "isnull", "join", "lateral",
        "leading", "left", "like", "limit", "localtime", "localtimestamp", "natural", "not", "notnull", "null",
        "offset", "on", "only", "or", "order", "outer", "overlaps", "placing", "primary", "references",
        "returning", "right", "select", "session_user", "similar", "some", "symmetric", "system_user", "table",
        "tablesample", "then", "to", "trailing", "true", "union", "unique", "user", "using", "variadic",
        "verbose", "when", "where", "window", "with",
    ]
)  # fmt: skip
"""What `pg_get_keywords()` of PostgreSQL 18 calls reserved, also where it may be a function or a type."""
PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")


def quoted(name: str) -> str:
    """A name as SQL takes it: as it stands, or in double quotes."""
    if PLAIN.match(name) and name not in RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text literal."""
    return "'" + value.replace("'", "''") + "'"


def index_names(structure: Structure) -> tuple[str, ...]:
    """The name of each index as the model shows it: its own, or what it is over; a second alike gets a number."""
    found: list[str] = []
    for index in structure.indexes:
        base = index.name or _made(index)
        name, number = base, 1
        while name in found:
            number += 1
            name = f"{base}{number}"
        found.append(name)
    return tuple(found)


def _made(index: Index) -> str:
    words = [p.attr.rpartition(".")[2] or p.name or "part" for p in index.keys]
    if not words and index.expression:
        words = re.findall(r"[a-z]+", index.expression.lower())[:3]
    return "_".join((*words, index.type if index.type in ("gin", "gist", "hash", "text") else "idx"))


def sql_index(structure: Structure, at: int) -> str:
    """The name an index has in the schema, where all names differ: the table's name stands before it."""
    index, name = structure.indexes[at], index_names(structure)[at]
    return name if index.name else f"{structure.name}_{name}"
