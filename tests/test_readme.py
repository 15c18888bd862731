"""What the README says exists: commands, formats, settings, addresses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.api import router
from app.cli import parser
from app.exporters import EXPORTERS
from app.rules import RULES
from app.settings import SHORTEST_TOKEN, Settings
from app.stores import STORES

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    \.venv/bin/keywright (.+)$", README, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_parse(command: str) -> None:
    given = parser().parse_args(command.split())
    words = command.split()
    if given.command == "rules":
        assert set(words[1:]) <= set(RULES)
    if given.command == "stores":
        assert set(words[1:]) <= set(STORES)


def test_there_are_commands() -> None:
    assert len(COMMANDS) >= 6


def test_settings_are_those_that_exist() -> None:
    named = set(re.findall(r"KEYWRIGHT_([A-Z_]+)", README))
    engines = {name.removeprefix("PROVE_").lower() for name in named if name.startswith("PROVE_")}
    assert engines
    assert engines <= set(STORES)
    plain = {name for name in named if not name.startswith("PROVE_")}
    assert plain == {name.upper() for name in Settings.model_fields} - {"PROVE"}
    assert f"at least {SHORTEST_TOKEN} characters" in README


def test_addresses_exist() -> None:
    paths = {getattr(route, "path", "") for route in router.routes}
    for address in re.findall(r"127\.0\.0\.1:8000(/[^\s`]+)", README):
        pattern = re.sub(r"/\d+", "/{project_id}", address)
        pattern = re.sub(r"/export/[a-z-]+", "/export/{format_name}", pattern)
        assert pattern in paths, address
    for name in re.findall(r"/export/([a-z-]+)", README):
        assert name in EXPORTERS


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make ([a-z]+)`|^    make ([a-z]+)", README, re.MULTILINE)):
        name = next(t for t in target if t)
        assert re.search(rf"^{name}:", makefile, re.MULTILINE), name


def test_files_it_links_exist() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / link).exists(), link
