"""Older forms are brought up to date; newer ones are refused."""

from typing import Any

import pytest

from app.model.problem import Unreadable
from app.model.text import project_from_plain
from app.model.tree import read_yaml_tree
from app.model.upgrade import STEPS, upgrade, upgrade_part, version_of
from tests.model.samples import FIXTURES


def renamed(old: str, new: str) -> Any:
    return lambda data: {(new if k == old else k): v for k, v in data.items()}


STEP = {0: {"entity": renamed("records", "count"), "access_pattern": renamed("frequency", "rate")}}


def test_a_made_up_older_file_is_upgraded() -> None:
    old = read_yaml_tree((FIXTURES / "version-0.yaml").read_text(encoding="utf-8")).data
    project = project_from_plain(upgrade(old, version_of(old["keywright"]), STEP))
    assert project.entities[0].count is not None
    assert project.entities[0].count.text == "10M"
    assert project.patterns[0].rate is not None
    assert old["entities"][0] == {"name": "order", "records": "10M"}  # the input is left alone


def test_stored_parts_go_through_the_same_steps() -> None:
    assert upgrade_part("entity", {"name": "a", "records": "1"}, 0, STEP) == {"name": "a", "count": "1"}
    assert upgrade_part("decision", {"at": "x"}, 0, STEP) == {"at": "x"}


def test_versions() -> None:
    assert version_of("1") == 1
    with pytest.raises(Unreadable, match="newer Keywright"):
        version_of("2")
    with pytest.raises(Unreadable, match="not a version"):
        version_of("1.0")
    with pytest.raises(Unreadable, match="older than any"):
        upgrade_part("entity", {}, 0, STEPS)
