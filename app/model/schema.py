"""The JSON Schema of the project file, published as `static/schema/keywright-1.json`.

It describes what files hold: short forms, the action as a key, the kind of a structure as a key. Editors
complete and check project files with it; what only reading can tell (conditions, key templates) it leaves open.
"""

from __future__ import annotations

import json
from typing import Any

from app.model.candidate import STRUCTURE_WORDS
from app.model.project import SCHEMA_VERSION, Project
from app.model.workload import ACTIONS

ADDRESS = f"https://keywright.dev/schema/keywright-{SCHEMA_VERSION}.json"
TEXT: dict[str, Any] = {"type": ["string", "number", "boolean"]}
"""Files are read as text, so that `version: 8.0` and `country: NO` need no quotes."""
BRIEF = ("Field", "Need", "Embed", "Reference", "Copy", "Computed", "PatternRate")
"""Parts that may also be one text."""


def json_schema() -> dict[str, Any]:
    """The schema as data; the same every time."""
    schema = Project.model_json_schema(by_alias=True, ref_template="#/$defs/{model}")
    defs: dict[str, Any] = schema.pop("$defs")
    _by_key(defs["Pattern"], ACTIONS, "action", "entity", several=True)
    defs["Pattern"]["properties"].pop("more")
    defs["Pattern"]["properties"]["entity"] = TEXT
    levels = defs["Pattern"]["properties"]["consistency"]
    defs["Pattern"]["properties"]["consistency"] = {"anyOf": [TEXT, levels]}
    needs = defs["Pattern"]["properties"]["needs"]
    defs["Pattern"]["properties"]["needs"] = {"anyOf": [{"$ref": "#/$defs/Need"}, needs]}
    _by_key(defs["Structure"], STRUCTURE_WORDS, "kind", "name")
    defs["Structure"]["oneOf"] = [{"required": [word]} for word in STRUCTURE_WORDS]
    for name in BRIEF:
        defs[name] = {"anyOf": [TEXT, defs[name]]}
    if "type" in schema["properties"]["keywright"] or "const" in schema["properties"]["keywright"]:
        schema["properties"]["keywright"] = {"enum": [SCHEMA_VERSION, str(SCHEMA_VERSION)]}
    schema["required"] = ["keywright", "name"]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": ADDRESS}
    whole: dict[str, Any] = _tidy({**head, **schema, "$defs": defs})
    whole["title"] = "Keywright project"
    return whole


def json_schema_text() -> str:
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _by_key(part: dict[str, Any], words: tuple[str, ...], kind: str, value: str, several: bool = False) -> None:
    """`{get: order}`: one of the words is the key, and the name its value."""
    properties: dict[str, Any] = part["properties"]
    for name in (kind, value):
        properties.pop(name, None)
    form = {"anyOf": [TEXT, {"type": "array", "items": TEXT}]} if several else TEXT
    part["properties"] = {**dict.fromkeys(words, form), **properties}
    part["required"] = [n for n in part.get("required", []) if n not in (kind, value)]


def _tidy(node: Any) -> Any:
    """Without defaults, generated titles and `null`: a key that says nothing is left out of a file."""
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    if not isinstance(node, dict):
        return node
    options = node.get("anyOf")
    if isinstance(options, list) and {"type": "null"} in options:
        rest = [o for o in options if o != {"type": "null"}]
        node = {k: v for k, v in node.items() if k != "anyOf"}
        node = {**node, **rest[0]} if len(rest) == 1 else {**node, "anyOf": rest}
    if node.get("type") == "string":
        node = {**node, **TEXT}
    named = node.get("properties")
    out = {}
    for key, value in node.items():
        if key == "default" or (key == "title" and isinstance(value, str)) or (key == "required" and not value):
            continue
        out[key] = {k: _tidy(v) for k, v in value.items()} if value is named and named is not None else _tidy(value)
    return out
