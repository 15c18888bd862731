"""What can be said of a structure in a word or a line, beside its keys and what it holds of others."""

from __future__ import annotations

from collections.abc import Sequence

from app.model.project import Project
from app.starters.words import plural
from app.stores.store import Store
from app.views.editing.fields import text_of

WORDS = (
    "of", "purpose", "truth", "type", "format", "fields", "ttl", "score", "value", "counts", "max", "bucket",
    "for each", "where", "on change", "refresh", "writes", "static", "counters", "foreign keys", "capacity",
    "schema version", "owner", "options", "note",
)  # fmt: skip
COMMON = frozenset({"purpose", "fields", "ttl", "bucket", "truth", "where", "note", "options", "capacity"})
LISTS = frozenset({"records", "indexes", "gsi", "lsi"})


def said(project: Project, place: str) -> Sequence[tuple[str, str]]:
    """Field and text of what is said."""
    found = ((word, text_of(project, place, word)) for word in WORDS)
    return tuple((word, text) for word, text in found if text)


def unsaid(project: Project, place: str, store: Store) -> Sequence[str]:
    """Fields that could be said: those the store knows, and the common ones."""
    known = {key.rstrip("_").replace("_", " ") for key in store.structure_keys} - LISTS
    known = {"_id" if key == "id" else key for key in known}
    return tuple(sorted(word for word in known | COMMON if not text_of(project, place, word)))


def ways(of: str, store: Store) -> Sequence[tuple[str, str, str]]:
    """Lists of ways into a structure that the store has: field, button, example."""
    every = (
        ("indexes", "Index", f"{{keys: [{of}.created_at desc]}}"),
        ("gsi", "GSI", f'{{name: GSI1, pk: "{{{of}.id}}", of: [{of}]}}'),
        ("lsi", "LSI", f'{{name: LSI1, sk: "{{{of}.id}}", of: [{of}]}}'),
    )
    return tuple(entry for entry in every if entry[0] in store.structure_keys)


def example(store: Store | None, of: str) -> str:
    """A structure of an entity, as this store would take it."""
    hint = store.hints.get("structure", "") if store else ""
    return hint.replace("ENTITIES", plural(of)).replace("ENTITY", of)


__all__ = ["example", "said", "unsaid", "ways"]
