"""The published JSON Schema is current and describes what files hold."""

import json
from pathlib import Path

import jsonschema
import pytest

from app.model.schema import json_schema, json_schema_text
from app.model.text import to_plain, write_json
from app.model.tree import read_yaml_tree
from tests.model.samples import FIXTURES, library

PUBLISHED = Path(__file__).parents[2] / "static" / "schema" / "keywright-1.json"
CHECK = jsonschema.Draft202012Validator(json_schema())


def test_the_published_schema_is_current() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == json_schema_text(), (
        "write app.model.schema.json_schema_text() to static/schema/keywright-1.json"
    )


def test_it_is_a_schema() -> None:
    CHECK.check_schema(json_schema())


def test_the_fixture_fits_typed_and_canonical() -> None:
    CHECK.validate(read_yaml_tree((FIXTURES / "library.yaml").read_text(encoding="utf-8")).data)
    CHECK.validate(json.loads(write_json(library())))
    CHECK.validate(to_plain(library()))


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "x"},
        {"keywright": 2, "name": "x"},
        {"keywright": 1, "name": "x", "entitys": []},
        {"keywright": 1, "name": "x", "patterns": [{"operation": "a", "gett": "x"}]},
        {"keywright": 1, "name": "x", "patterns": [{"get": "x"}]},
        {"keywright": 1, "name": "x", "models": [{"name": "m", "store": "s", "structures": [{"of": "a"}]}]},
        {"keywright": 1, "name": "x", "entities": [{"name": "a", "fields": [["x"]]}]},
    ],
)
def test_mistakes_do_not_fit(wrong: object) -> None:
    assert list(CHECK.iter_errors(wrong))


def test_numbers_and_booleans_of_json_and_yaml_fit() -> None:
    CHECK.validate(
        {"keywright": 1, "name": "x", "entities": [{"name": "a", "count": 5, "fields": [{"name": "b", "key": True}]}],
         "models": [{"name": "m", "store": "s", "version": 8.0}]}
    )  # fmt: skip


def test_shared_projects_fit(shared) -> None:  # type: ignore[no-untyped-def]
    files = [*(shared / "projects").glob("*.yaml"), *(shared / "cases").glob("*.yaml")]
    for file in files:
        CHECK.validate(read_yaml_tree(file.read_text(encoding="utf-8")).data)
