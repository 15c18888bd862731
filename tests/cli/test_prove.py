"""`keywright prove` as a person or a CI job runs it; the engine is a dictionary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli import main
from app.proof import run
from app.proof.engines import ENGINES
from tests.proof.memory import MemoryEngine
from tests.proof.test_prove import DESK

URL = "memory://ana:hunter22@here/?token=hunter22"


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> MemoryEngine:
    made = MemoryEngine()
    monkeypatch.setattr(run, "ENGINES", {**ENGINES, "mongodb": made})
    return made


@pytest.fixture
def desk(tmp_path: Path) -> str:
    file = tmp_path / "desk.yaml"
    file.write_text(DESK, encoding="utf-8")
    return str(file)


def prove(file: str, *more: str) -> int:
    return main(["prove", file, "--store", "mongodb", "--url", URL, "--scale", "0.01", "--runs", "3", *more])


def test_a_table_of_cards(desk: str, memory: MemoryEngine, capsys: pytest.CaptureFixture[str]) -> None:
    assert prove(desk) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Documents on Memory 1.0, 0.01 of the counts: 20 in users, 200 in orders\n")
    assert out.rstrip().endswith("5 agrees")
    assert "agrees  Newest" in out
    assert "Documents: 1 of 9: connecting to Memory\n" in err
    assert "Documents: 9 of 9: Rename\n" in err
    assert "hunter22" not in out + err


def test_what_differs_is_said_and_exits_with_1(
    desk: str, memory: MemoryEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    memory.answer = lambda _, found: found[1:]
    assert prove(desk) == 1
    out = capsys.readouterr().out
    assert "failed: Newest\n    Run 1: " in out
    assert "3 failed" in out


def test_the_evidence_as_json(desk: str, memory: MemoryEngine, capsys: pytest.CaptureFixture[str]) -> None:
    assert prove(desk, "--json", "--model", "Documents") == 0
    (proof,) = json.loads(capsys.readouterr().out)
    assert (proof["model"], proof["scale"], proof["seed"]) == ("Documents", 0.01, 1)
    assert [c["verdict"] for c in proof["cards"]] == ["agrees"] * 5
    assert "hunter22" not in json.dumps(proof)


def test_a_store_without_a_model_gets_a_starter(
    tmp_path: Path, memory: MemoryEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bare.yaml"
    file.write_text(DESK.partition("models:")[0], encoding="utf-8")
    assert prove(str(file)) in (0, 1)
    assert " on Memory 1.0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--model", "Rows"), "There is no model called 'Rows' on mongodb. Models of mongodb: Documents."),
        (("--scale", "3"), "A scale of 3 is no share of the project's counts. Give one above 0, up to 1."),
        (("--runs", "0"), "0 runs prove nothing. Give 1 or more."),
    ],
)
def test_bad_input_exits_with_2(
    more: tuple[str, ...], said: str, desk: str, memory: MemoryEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert prove(desk, *more) == 2
    assert capsys.readouterr().err == f"keywright: {said}\n"


def test_a_missing_driver_is_told_with_its_command(
    desk: str, memory: MemoryEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    memory.modules = ("no_such_driver",)
    assert prove(desk) == 2
    said = capsys.readouterr().err
    assert "The driver no_such_driver is not installed. Run: " in said
    assert "pip install --require-hashes -r requirements/prove.txt" in said
