"""A pasted catalog of key families becomes a project with a Redis model; nothing of it is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from app.errors import BadInput
from app.importers import import_text, read_patterns
from app.importers.key_catalog import read_catalog
from app.model.text import read_yaml, write_yaml

GROUPS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "catalogs.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("group", GROUPS, ids=[g["name"] for g in GROUPS])
def test_families_are_read_as_expected(group: dict[str, Any]) -> None:
    read = import_text(group["text"])
    [model] = read.project.models
    assert model.store == "redis"
    for structure, expected in zip(model.structures, group["families"], strict=True):
        said = {"keys": structure.name}
        for word in ("type", "format", "of", "counts", "score", "ttl", "purpose", "owner", "note"):
            said |= {word: getattr(structure, word)} if getattr(structure, word) else {}
        said |= {"on change": structure.on_change} if structure.on_change else {}
        said |= {"member": structure.member.text} if structure.member else {}
        assert said == expected
    assert [e.name for e in read.project.entities] == group["entities"]
    assert set(group["asked"]) <= {q.place for q in read.questions}
    assert read_yaml(write_yaml(read.project)) == read.project


@pytest.mark.parametrize("group", GROUPS, ids=[g["name"] for g in GROUPS])
def test_every_cell_can_be_found_again(group: dict[str, Any]) -> None:
    read = import_text(group["text"])
    kept = write_yaml(read.project) + " ".join(r.text for r in read.rows)
    lines = [line for line in group["text"].splitlines() if not set(line) <= set("|- ")]
    for line in lines[1:]:
        cells = [c.strip() for c in line.strip("|").replace(";", "|").split("|")]
        assert any(r.text == cells[0] for r in read.rows)
        assert all(c in kept for c in (cells[3], cells[-1])), line


def test_entities_say_why_they_were_inferred() -> None:
    project = import_text(GROUPS[0]["text"]).project
    for entity in project.entities:
        assert entity.inferred["name"]
        assert all(entity.inferred[f"fields.{f.name}"] for f in entity.fields)


def test_a_catalog_is_added_to_a_project_and_the_text_around_it_is_kept() -> None:
    into = read_patterns("| Operation | Fields |\n|---|---|\n| Get user by email | user |\n").project
    read = read_catalog(f"Our keys\n\n{GROUPS[0]['text']}", into)
    assert read.project.patterns == into.patterns
    assert read.project.entities[0].name == "user"
    assert [u.text for u in read.unread] == ["Our keys"]
    again = read_catalog(GROUPS[0]["text"], read.project)
    assert [m.name for m in again.project.models] == ["Redis keys", "Redis keys 2"]
    assert read_catalog(f"Our keys\n\n{GROUPS[0]['text']}").project.note == "Our keys"


def test_a_table_of_operations_is_no_catalog() -> None:
    table = "| Operation | Type | Fields |\n|---|---|---|\n| Get user by email | read | user |\n"
    assert [p.operation for p in import_text(table).project.patterns] == ["Get user by email"]
    with pytest.raises(BadInput):
        read_catalog(table)
