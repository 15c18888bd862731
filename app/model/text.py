"""The project as text: canonical YAML, the same as JSON, and parts as plain data.

`read_yaml(write_yaml(p)) == p` and `read_json(write_json(p)) == p`. Whatever is wrong with a text is
raised as `BadProject`, with the exact line and column of every problem.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from app.model.candidate import Candidate
from app.model.emit import write
from app.model.explain import bad_project, place_of
from app.model.part import Part
from app.model.plain import LISTS, to_plain
from app.model.problem import BadProject, Problem, Unreadable
from app.model.project import SCHEMA_VERSION, Decision, Project
from app.model.short import FILE
from app.model.tree import Mark, Path, Tree, read_json_tree, read_yaml_tree, texts
from app.model.upgrade import upgrade, upgrade_part, version_of
from app.model.workload import Entity, Pattern, Relationship

KINDS: dict[str, type[Part]] = {
    "project": Project,
    "entity": Entity,
    "relationship": Relationship,
    "access_pattern": Pattern,
    "candidate_model": Candidate,
    "decision": Decision,
}
"""Kinds of part, as storage names them; `project` is the header without the lists."""


def read_yaml(text: str) -> Project:
    """Raises `BadProject`."""
    return _project(read_yaml_tree(text))


def read_json(text: str) -> Project:
    """Raises `BadProject`."""
    return _project(read_json_tree(text))


def write_yaml(project: Project) -> str:
    """The canonical text: stable, in the short forms."""
    return write(to_plain(project))


def write_json(project: Project) -> str:
    """The same data as JSON."""
    return json.dumps(to_plain(project), indent=2, ensure_ascii=False) + "\n"


def project_from_plain(data: Any) -> Project:
    """A project from plain data, such as a JSON body. Raises `BadProject` with places and no lines."""
    return _project(Tree(texts(data)))


def _project(tree: Tree) -> Project:
    data = tree.data
    if not isinstance(data, dict):
        found = "nothing" if data is None else f"a list or text ({str(data)[:30]!r})"
        raise BadProject([Problem(1, 1, "", f"{found} where a project should be", "Begin with keywright: 1")])
    missing = [key for key in ("keywright", "name") if key not in data]
    if "keywright" in missing:
        raise BadProject([Problem(1, 1, "", f"{' and '.join(missing)} missing", "Begin with keywright: 1")])
    try:
        version = version_of(data["keywright"])
        if version < SCHEMA_VERSION:
            data = upgrade(data, version)
    except Unreadable as wrong:
        mark = tree.marks.get(("keywright",), Mark(-1, -1, -1, -1))
        raise BadProject([Problem(mark.line + 1, mark.column + 1, "keywright", wrong.what, wrong.fix)]) from None
    project: Project = _validated(Project, data, tree.marks)
    return project


def _validated(kind: type[Any], data: Any, marks: dict[Path, Mark], place: str = "") -> Any:
    try:
        return kind.model_validate(data, by_alias=True, by_name=False, context=FILE)
    except ValidationError as wrong:
        raise bad_project(wrong, data, marks, kind, place) from None
    except RecursionError:
        raise BadProject([Problem(0, 0, place, "more than 50 levels", "Write it flatter")]) from None


def header_plain(project: Project) -> dict[str, Any]:
    """The project without its lists."""
    plain: dict[str, Any] = to_plain(project)
    return {k: v for k, v in plain.items() if k not in LISTS}


def part_from_plain(kind: str, data: Any, version: int = SCHEMA_VERSION) -> Any:
    """The part that storage keeps as plain data, upgraded from the version it was stored under.

    `kind` is a key of `KINDS`. Raises `BadProject` with the place and no line.
    """
    part = KINDS[kind]
    try:
        data = upgrade_part(kind, texts(data), version)
    except Unreadable as wrong:
        raise BadProject([Problem(0, 0, kind, wrong.what, wrong.fix)]) from None
    return _validated(part, data, {})


__all__ = [
    "KINDS", "BadProject", "Problem", "header_plain", "part_from_plain", "place_of", "project_from_plain",
    "read_json", "read_yaml", "to_plain", "write_json", "write_yaml",
]  # fmt: skip
