"""What holds of every format, whatever it is given."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.analysis import Report, analyse
from app.errors import BadInput
from app.examples import EXAMPLES
from app.exporters import EXPORTERS, NoSuchModel, export
from app.exporters.format import slug
from app.memory import Memory
from app.model.text import read_json, read_yaml
from tests.conftest import SHARED, needs_shared
from tests.exporters.samples import empty, example, hostile

FORMATS = ["html", "json", "keys-csv", "keys-json", "keys-markdown", "markdown", "queries", "report", "script", "yaml"]
PROJECTS = sorted(SHARED.glob("projects/*.yaml")) if SHARED.is_dir() else []


def test_the_formats_that_are_promised_exist() -> None:
    assert set(FORMATS) <= set(EXPORTERS)


@pytest.mark.parametrize("name", EXPORTERS)
class TestEveryFormat:
    @pytest.fixture(params=[*EXAMPLES, "empty", "hostile"])
    def report(self, request: pytest.FixtureRequest) -> Report:
        made = {"empty": empty, "hostile": hostile}.get(request.param)
        return made() if made else example(request.param)

    def test_writes_something_that_can_be_saved(self, name: str, report: Report) -> None:
        out = export(report, EXPORTERS[name])
        assert out.text.strip()
        assert out.filename == out.filename.encode("ascii", "ignore").decode()
        assert "/" not in out.filename
        assert len(out.filename) < 200
        _read(name, out.text, report)

    def test_each_model_alone(self, name: str, report: Report) -> None:
        for model in report.models:
            if not EXPORTERS[name].per_model:
                with pytest.raises(BadInput, match="whole project"):
                    export(report, EXPORTERS[name], model.model.name)
                continue
            _read(name, export(report, EXPORTERS[name], model.model.name).text, report)

    def test_equal_projects_give_equal_text(self, name: str, report: Report) -> None:
        again = analyse(report.project.model_copy(), Memory())
        assert export(again, EXPORTERS[name]) == export(report, EXPORTERS[name])

    @needs_shared
    @pytest.mark.parametrize("path", PROJECTS, ids=lambda p: p.stem)
    def test_worked_projects(self, name: str, path: Path) -> None:
        report = _shared(path)
        _read(name, export(report, EXPORTERS[name]).text, report)


_reports: dict[Path, Report] = {}


def _shared(path: Path) -> Report:
    if path not in _reports:
        _reports[path] = analyse(read_yaml(path.read_text(encoding="utf-8")))
    return _reports[path]


def _read(name: str, text: str, report: Report) -> None:
    """Read it the way its consumer does."""
    media = EXPORTERS[name].media_type
    if name == "yaml":
        assert read_yaml(text) == report.project
    elif name == "json":
        assert read_json(text) == report.project
    elif media == "application/json":
        json.loads(text, parse_constant=_no_constant)
    elif media == "text/csv":
        rows = list(csv.reader(io.StringIO(text)))
        assert {len(row) for row in rows} == {len(rows[0])}
        assert not [cell for cell in _cells(rows) if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def _cells(rows: list[list[str]]) -> Iterator[str]:
    return (cell for row in rows for cell in row)


def _no_constant(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


class TestNames:
    def test_a_model_that_is_not_there(self) -> None:
        with pytest.raises(NoSuchModel, match="Single table"):
            export(example("order-page"), EXPORTERS["markdown"], "Graph")

    def test_the_chosen_model_stands_for_all(self) -> None:
        out = export(example("order-page"), EXPORTERS["queries"])
        assert "Lines inside the order" in out.text
        assert "Single table" not in out.text

    def test_without_a_choice_all_models(self) -> None:
        out = export(hostile(), EXPORTERS["queries"])
        assert all(model.store.title in out.text for model in hostile().models)

    def test_file_names(self) -> None:
        report = example("order-page")
        assert export(report, EXPORTERS["markdown"]).filename == "order-page-with-line-items-markdown.md"
        named = export(report, EXPORTERS["queries"], "Single table")
        assert named.filename == "order-page-with-line-items-single-table-queries.md"
        assert slug("¿Qué?") == "que"
        assert slug("注文") == "project"
