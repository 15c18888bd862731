"""Scripts and queries of MongoDB models, run in the real shell: every statement is accepted.

One document per collection is made from the collection's own validator, so that joins have something to find.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.engines.conftest import absent
from tests.engines.models import Statements, names, statements
from tests.engines.server import Missing, node, node_package, once

SPACE = "keywright_test_statements"
PARAMETERS = re.compile(r"^const p = \{(.*)\};.*$", re.MULTILINE)
NAME = re.compile(r"\"?([\w.$-]+)\"?: null")
HEAD = r"""
const VALUE = {
  string: "x", int: Int32(1), long: Long("1"), double: 1.5, decimal: Decimal128("1"), bool: true, date: new Date(),
  binData: UUID("00000000-0000-4000-8000-000000000001"), objectId: ObjectId("000000000000000000000001"),
  object: {}, number: 1, point: { type: "Point", coordinates: [1, 1] }
};
// Part of a collection's name: no name may hold bytes. Scripts name it so where nothing is given.
VALUE.binData.toString = () => "undefined";
const make = s => s.enum ? s.enum[0]
  : s.bsonType === "array" ? [make(s.items ?? {})]
  : s.properties ? Object.fromEntries(Object.entries(s.properties).map(([k, v]) => [k, make(v)]))
  : VALUE[s.bsonType ?? "string"];
globalThis.seeds = {};
const seed = () => {
  globalThis.seeds = {};
  for (const c of db.getCollectionInfos()) {
    const schema = c.options.validator?.$jsonSchema;
    const series = c.options.timeseries;
    if (c.name.startsWith("system.")) continue;
    if (schema || series) {
      seeds[c.name] = schema ? make(schema) : { [series.timeField]: VALUE.date, [series.metaField]: "x" };
      db.getCollection(c.name).insertOne({ ...seeds[c.name] });
    }
  }
  return Object.assign({}, ...Object.values(seeds));
};
// What a document has under a name: at the top, else anywhere inside.
const inside = (held, name) => {
  if (held === null || typeof held !== "object" || held._bsontype) return undefined;
  if (!Array.isArray(held) && name in held) return held[name];
  return Object.values(held).map(v => inside(v, name)).find(v => v !== undefined);
};
// All documents, also inside others.
const parts = held => held === null || typeof held !== "object" || held._bsontype || held instanceof Date ? []
  : Array.isArray(held) ? held.flatMap(parts) : [held, ...Object.values(held).flatMap(parts)];
// Where it is not in its own collection, any other one that knows the name.
const at = (collection, name, other) => inside(seeds[collection], name)
  ?? (other === "x" ? inside(Object.values(seeds), name) : other) ?? other;
const say = (model, what, error) => print("@" + JSON.stringify({ model, what, error }));
// A text index and a unique value met twice say nothing about the statement.
const refused = e => e.code === 11000 ? "" : (e.codeName ?? e.name) + ": " + e.message
  + (e.errInfo ? JSON.stringify(e.errInfo.details.schemaRulesNotSatisfied) : "");
"""


def filled(text: str) -> str:
    """The same text with a value for every parameter."""
    found = PARAMETERS.search(text)
    if not found:
        return text
    given = {n: parameter(n, text) for n in NAME.findall(found[1])}
    line = "const p = { " + ", ".join(f"{json.dumps(k)}: {v}" for k, v in given.items()) + " };"
    return text[: found.start()] + line + text[found.end() :]


def parameter(name: str, text: str) -> str:
    """A value that fits: what the document made for its collection has in the place where the parameter stands."""
    here = rf"p\.{re.escape(name)}\b"
    if re.search(rf"(skip|limit)\({here}|\$inc: \{{[^}}]*{here}", text):
        return "1"
    if re.search(rf"\$(search|regex): {here}|RegExp\({here}", text):
        return '"x"'
    if re.search(rf"coordinates: {here}", text):
        return "[1, 1]"
    if re.search(rf" of {here}", text):
        return "[Object.assign({}, ...parts(Object.values(seeds)))]"
    if whole := re.search(rf"{here}\.\w", text):  # a whole record is handed in
        seed = f"seeds[{json.dumps(_collection(text[: whole.start()]))}]"
        return f"{{ ...{seed}, id: {seed}._id }}"
    value = '"x"'
    for held in re.finditer(rf'([\w.]+)"?: (?:\[|\{{ ?\$\w+: )?{here}', text):
        place = f"{json.dumps(_collection(text[: held.start()]))}, {json.dumps(held[1].rpartition('.')[2])}"
        value = f"at({place}, {value})"
    return f"[{value}].flat()" if re.search(rf"\$n?in: {here}", text) else value


def _collection(before: str) -> str:
    """The collection whose command is being written where a text ends."""
    return ["", *re.findall(r"(?:db|tx)\.(\w+)\.\w+\(", before)][-1]


def executed(text: str) -> str:
    """The same text with every read carried out: a cursor alone asks nothing."""
    out: list[str] = []
    whole = ""
    for line in text.splitlines():
        whole = f"{whole}\n{line}" if whole else line
        if line.lstrip().startswith("//") or (line.endswith(";") and _closed(whole)):
            reads = re.match(r"\s*(db\.|db$)", whole) and re.search(r"\.(find|aggregate)\(", whole)
            if reads and not re.search(r"\.(toArray|explain)\(\);$", whole):
                whole = whole.removesuffix(";") + ".toArray();"
            out.append(whole)
            whole = ""
    return "\n".join([*out, whole])


def _closed(text: str) -> bool:
    bare = re.sub(r'"[^"]*"|`[^`]*`|//.*', "", text)
    return sum(bare.count(c) for c in "([{") == sum(bare.count(c) for c in ")]}")


def program(model: Statements, number: int) -> Iterator[str]:
    yield f"db = db.getSiblingDB('{SPACE}_{number}'); db.dropDatabase(); globalThis.last = {{}};"
    for file, text in model.scripts.items():
        alone = re.sub(r"^sh\..*;$", "", text, flags=re.MULTILINE)  # one server is no cluster
        yield _tried(model.name, file, alone)
    yield f"try {{ globalThis.last = seed(); }} catch (e) {{ say({json.dumps(model.name)}, 'seed', refused(e)); }}"
    for operation, text in model.queries.items():
        yield _tried(model.name, operation, executed(filled(text)))
    yield "db.dropDatabase();"


def _tried(model: str, what: str, text: str) -> str:
    here = f"{json.dumps(model)}, {json.dumps(what)}"
    return f"try {{\n{text}\nsay({here}, ''); }} catch (e) {{ say({here}, refused(e)); }}"


@pytest.fixture(scope="session")
def outcome(mongodb_url: str, engine_folder: Path) -> Mapping[str, Mapping[str, str]]:
    """By model: what was run, and why it was refused ("" where it was not)."""
    try:
        shell = [node(), str(node_package("mongosh") / "bin" / "mongosh.js")]
    except Missing as missing:
        absent(f"no MongoDB shell: {missing}. Run `make engines`.")
    return once(engine_folder / "mongosh", "outcome", lambda: tried([*shell, mongodb_url], engine_folder / "mongosh"))


def tried(shell: list[str], home: Path) -> dict[str, dict[str, str]]:
    file = home / "all.js"
    file.write_text(HEAD + "\n".join(line for n, m in enumerate(statements("mongodb")) for line in program(m, n)))
    done = subprocess.run(
        [*shell, "--quiet", "--norc", str(file)],
        env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    found: dict[str, dict[str, str]] = {}
    for line in done.stdout.splitlines():
        if line.startswith("@"):
            said = json.loads(line[1:])
            found.setdefault(said["model"], {})[said["what"]] = said["error"]
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    return found


@pytest.mark.parametrize("model", names("mongodb"))
def test_every_statement_is_accepted(model: str, outcome: Mapping[str, Mapping[str, str]]) -> None:
    mine = next(s for s in statements("mongodb") if s.name == model)
    found = outcome[model]
    assert {k: v for k, v in found.items() if v} == {}
    assert found.keys() >= {*mine.scripts, *mine.queries}
