"""Data flows one way, and the contracts in pyproject.toml would notice if it did not."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text())
LAYERS = CONFIG["tool"]["importlinter"]["contracts"][0]["layers"]


@pytest.fixture
def skeleton(tmp_path: Path) -> Path:
    """An empty package for every layer, under the project's own contracts."""
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    for name in re.findall(r"\w+", " ".join(LAYERS)):
        (tmp_path / "app" / name).mkdir(parents=True)
        (tmp_path / "app" / name / "__init__.py").touch()
    (tmp_path / "app" / "__init__.py").touch()
    (tmp_path / "app" / "stores" / "redis.py").touch()
    return tmp_path


def judge(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout


def test_imports_along_the_arrow_are_kept(skeleton: Path) -> None:
    (skeleton / "app/analysis/report.py").write_text("import app.rules\nfrom app import model\n")
    (skeleton / "app/rules/unbounded_array.py").write_text("import app.model\nimport app.stores\n")
    (skeleton / "app/views/projects.py").write_text("import app.storage\nimport fastapi\n")
    code, said = judge(skeleton)
    assert code == 0, said


@pytest.mark.parametrize(
    ("importer", "line", "broken"),
    [
        ("model", "import app.rules", "app.model is not allowed to import app.rules"),
        ("plan", "import app.stores", "app.plan is not allowed to import app.stores"),
        ("rules", "import app.analysis", "app.rules is not allowed to import app.analysis"),
        ("exporters", "import app.importers", "not allowed to import app.importers"),
        ("importers", "import app.storage", "not allowed to import app.storage"),
        ("views", "import app.api", "app.views is not allowed to import app.api"),
        ("analysis", "import sqlmodel", "app.analysis is not allowed to import sqlmodel"),
        ("rules", "from app.stores import redis", "not allowed to import app.stores.redis"),
    ],
)
def test_an_import_against_the_arrow_is_refused(skeleton: Path, importer: str, line: str, broken: str) -> None:
    (skeleton / "app" / importer / "back.py").write_text(f"{line}\n")
    code, said = judge(skeleton)
    assert code == 1, said
    assert broken in said


def test_a_module_without_a_place_in_the_layers_is_refused(skeleton: Path) -> None:
    (skeleton / "app/helpers.py").touch()
    code, said = judge(skeleton)
    assert code == 1, said
    assert "app.helpers" in said


NAMES_A_STORE = re.compile(
    r"(\.slug|\b(store|dialect)\.(name|id|slug))\s*(==|!=|in\b|not in\b)"
    r"|(==|!=)\s*(\w+\.)*(store|dialect)\.(name|id|slug)\b"
    r"|\bmatch\s+(\w+\.)*(store|dialect)\.(name|id|slug)\b"
)


@pytest.mark.parametrize("path", sorted((ROOT / "app/rules").rglob("*.py")), ids=lambda path: path.stem)
def test_rules_ask_a_store_for_facts_and_never_for_its_name(path: Path) -> None:
    named = [line for line in path.read_text().splitlines() if NAMES_A_STORE.search(line)]
    assert not named


@pytest.mark.parametrize(
    "line",
    [
        'if store.name == "redis":',
        'if model.store.slug != "redis":',
        'if "redis" == store.name:',
        'if store.name in ("redis", "valkey"):',
        "match store.name:",
    ],
)
def test_asking_for_the_name_would_be_noticed(line: str) -> None:
    assert NAMES_A_STORE.search(line)
