"""Whole documents: what people really paste."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import BadInput
from app.importers import import_text, read_patterns
from app.importers.table import read_tables
from tests.conftest import SHARED, needs_shared

CORPUS = sorted(p for p in (SHARED / "corpus").rglob("*") if p.suffix in (".md", ".csv", ".tsv"))

# Patterns in a document, and how many of them must be understood.
EXPECTED = {
    "modernizer-api-patterns.md": (46, 41),
    "modernizer-data-model.md": (34, 26),
    "modernizer-mysql-log.md": (4, 4),
    "modernizer-patterns-rps.md": (48, 42),
    "modernizer-requirement.md": (48, 42),
    "onlineshop-readme.md": (18, 18),
    "recurring-payments-readme.md": (8, 8),
    "session-readme.md": (8, 8),
    "social-network-readme.md": (7, 7),
}


@needs_shared
@pytest.mark.parametrize("path", CORPUS, ids=[p.name for p in CORPUS])
def test_real_files_are_read_or_refused_in_words(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    rows, understood = EXPECTED.get(path.name, (0, 0))
    if not rows:
        with pytest.raises(BadInput):
            read_patterns(text)
        return
    read = read_patterns(text)
    assert len(read.rows) == rows
    assert sum(r.understood for r in read.rows) >= understood


@needs_shared
def test_the_five_column_table_is_found_in_its_document(shared: Path) -> None:
    text = (shared / "seeds" / "nosql-data-modeling-patterns.md").read_text(encoding="utf-8")
    read = import_text(text, "notes.md")
    assert [r.pattern for r in read.rows] == ["Load order page", "Add item to cart", "Seller sales list"]
    assert all(r.understood for r in read.rows)
    assert sum(len(u.text) for u in read.unread) > 3_000


@needs_shared
def test_the_list_of_a_spanish_document_is_found_with_its_counts(shared: Path) -> None:
    text = (shared / "seeds" / "patrones-de-modelado-nosql.md").read_text(encoding="utf-8")
    read = import_text(text)
    assert [(p.action, p.entity) for p in read.project.patterns] == [
        ("get", "post"),
        ("list", "post"),
        ("list", "post"),
        ("search", "post"),
    ]
    counts = {e.name: e.count and e.count.text for e in read.project.entities}
    assert counts == {"post": "1M", "author": None, "comment": "10M", "tag": None}
    assert read.project.name == "Plataforma de blog"


@needs_shared
def test_a_list_of_queries_is_found_where_there_is_no_table(shared: Path) -> None:
    text = (shared / "seeds" / "nosql-patterns.md").read_text(encoding="utf-8")
    read = import_text(text)
    assert [(p.action, p.entity) for p in read.project.patterns] == [
        ("get", "user"),
        ("list", "order"),
        ("list", "order"),
    ]
    assert "PK = USER#123" in read.project.patterns[0].note


def test_nothing_of_a_row_is_lost() -> None:
    head = "| # | Operation | Fields | Freq | Owner | Status |\n|---|---|---|---|---|---|\n"
    text = f"{head}| 7 | Load zork page | zork {{ x }} | soon | Ana | ✅ |\n"
    read = read_patterns(text)
    [pattern] = read.project.patterns
    everything = f"{pattern.operation} {pattern.text} {pattern.note}"
    for piece in ("Load zork page", "zork { x }", "soon", "Ana", "✅"):
        assert piece in everything


def test_fifty_rows_are_read_quickly_and_alike() -> None:
    rows = "\n".join(f"| Load thing{n} page | name, items | {n + 1}/s |" for n in range(50))
    text = f"| Operation | Fields | Freq |\n|---|---|---|\n{rows}\n"
    assert read_tables(text) == read_tables(text)
    assert read_patterns(text) == read_patterns(text)
