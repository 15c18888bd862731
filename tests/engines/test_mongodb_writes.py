"""The write cases of MongoDB, run as their exported statements: the server's profiler counts what the plan says."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.exporters import queries, scripts
from app.plan.types import Held, Record, World
from app.stores.common_query import field_of, things_of
from app.stores.mongodb.filters import Fields, fields_of
from app.stores.mongodb.records import records
from app.stores.mongodb.statement import nest
from tests.engines.conftest import absent
from tests.engines.server import Missing, node, node_package, once
from tests.engines.test_mongodb_statements import PARAMETERS
from tests.plan.writes import OPERATION, WriteCase, write_cases

SPACE = "keywright_test_writes"
CASES = write_cases("mongodb")
KNOWN: Mapping[str, str] = {
    "delete, not in a partial index": "6.0 counts the attempt to remove an entry that is not there",
    "a field of a wildcard index": "6.0 writes once more the key that says which fields are arrays",
}
"""Where this server differs from what a case says, and why."""
Row = Mapping[str, Any]
HEAD = """
const seen = () => db.system.profile.find({ op: { $in: ["insert", "update", "remove"] } }).toArray().map(o => ({
  structure: o.ns.slice(o.ns.indexOf(".") + 1),
  documents: (o.ninserted ?? 0) + (o.nModified ?? 0) + (o.ndeleted ?? 0) + (o.nUpserted ?? 0),
  added: o.keysInserted ?? 0,
  removed: o.keysDeleted ?? 0 }));
const say = (name, found, error) => print("@" + JSON.stringify({ name, found, error }));
"""


def rows() -> Mapping[str, list[Row]]:
    """Fifty users with ten orders each, two of them open; an order has three lines and four tags."""
    orders = [
        {
            "order.id": n, "order.user_id": n % 50, "order.status": "open" if n // 50 % 5 == 0 else "paid",
            "order.day": n, "order.total": n * 7 % 500, "order.tags": [f"t{(n * 4 + i) % 30}" for i in range(4)],
            "order.memo": f"memo {n}", **({"order.coupon": f"c{n}"} if n % 4 == 0 else {}),
        }
        for n in range(500)
    ]  # fmt: skip
    lines = [
        {"line_item.order_id": n // 3, "line_item.sku": f"sku{n}", "line_item.qty": 1 + n % 5} for n in range(1500)
    ]
    users = [{"user.id": n, "user.name": f"name {n}", "user.city": f"city {n % 5}"} for n in range(50)]
    return {"user": users, "order": orders, "line_item": lines}


def documents(record: Record, fields: Fields, world: World, given: Mapping[str, list[Row]]) -> Iterator[dict[str, Any]]:
    """The documents of one collection: own fields, lists inside, copies, figures."""
    for row in given[record.of]:
        made: dict[str, Any] = {}
        for attr in world.fields[record.of]:
            if attr in row:
                nest(made, fields(attr), row[attr])
        for held in record.shape[1:]:
            _hold(made, held, row, fields, given)
        for figure in world.figures:
            if figure.name in record.shape[0].computed:
                own = [r for r in given[figure.rel.child] if _linked(r, figure.rel.via, row, figure.rel.key)]
                read = next(iter(figure.reads), "")
                made[fields(figure.name)] = sum(r[read] for r in own) if read else len(own)
        yield made


def _hold(made: dict[str, Any], held: Held, row: Row, fields: Fields, given: Mapping[str, list[Row]]) -> None:
    edge = held.edge
    assert edge is not None
    found = [r for r in given[held.entity] if _linked(r, edge.far, row, edge.near)]
    if held.how == "copy":
        for attr in held.attrs or ():
            nest(made, dict(held.names).get(attr) or fields(attr), found[0][attr])
        return
    stored = fields.names.paths[held.entity]
    made[stored] = [{field_of(a): v for a, v in r.items() if a not in edge.far} for r in found]


def _linked(row: Row, far: Iterable[str], other: Row, near: Iterable[str]) -> bool:
    return all(row[f] == other[n] for f, n in zip(far, near, strict=True))


def program(case: WriteCase, number: int, folder: Path) -> Iterator[str]:
    report, model = case.report()
    name = json.dumps(case.name)
    yield f"db = db.getSiblingDB('{SPACE}_{number}'); db.dropDatabase(); try {{"
    yield from scripts.files(report, model).values()
    for structure in model.model.structures:
        kind = records(structure, model.model, report.world)[0]
        fields = fields_of(structure, things_of(structure)[0], kind, report.world)
        file = folder / f"{number}-{structure.name}.json"
        file.write_text(json.dumps(list(documents(kind, fields, report.world, rows()))))
        read = f'JSON.parse(require("fs").readFileSync({json.dumps(str(file))}, "utf8"))'
        yield f"db.getCollection({json.dumps(structure.name)}).insertMany({read});"
    yield "db.setProfilingLevel(2);"
    text = queries.query(report, model, OPERATION)
    yield "{" + PARAMETERS.sub(f"const p = {json.dumps(case.given)};", text) + "}"
    yield f"db.setProfilingLevel(0); say({name}, seen(), '');"
    yield f"}} catch (e) {{ say({name}, [], e.message + JSON.stringify(e.errInfo ?? '')); }}"
    yield "db.setProfilingLevel(0); db.dropDatabase();"


@pytest.fixture(scope="session")
def outcome(mongodb_url: str, engine_folder: Path) -> Mapping[str, Any]:
    """By case: each write that the server saw."""
    try:
        shell = [node(), str(node_package("mongosh") / "bin" / "mongosh.js")]
    except Missing as missing:
        absent(f"no MongoDB shell: {missing}. Run `make engines`.")
    folder = engine_folder / "mongosh-writes"
    return once(folder, "outcome", lambda: tried([*shell, mongodb_url], folder))


def tried(shell: list[str], home: Path) -> dict[str, Any]:
    file = home / "all.js"
    file.write_text(HEAD + "\n".join(line for n, c in enumerate(CASES) for line in program(c, n, home)))
    done = subprocess.run(
        [*shell, "--quiet", "--norc", str(file)],
        env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    said = [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("@")]
    assert said, done.stdout[-2000:] + done.stderr[-2000:]
    return {s["name"]: s for s in said}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_the_server_writes_as_much(case: WriteCase, outcome: Mapping[str, Any]) -> None:
    """Documents changed, index entries added and removed, in each collection."""
    answer = outcome[case.name]
    assert not answer["error"], answer["error"]
    found: dict[str, dict[str, float]] = {}
    for one in answer["found"]:
        sums = found.setdefault(one["structure"], dict.fromkeys(("documents", "added", "removed"), 0.0))
        for what in sums:
            sums[what] += one[what]
    agrees = found == {s: dict(f) for s, f in case.expect.items()}
    assert agrees != bool(KNOWN.get(case.name)), (found, case.expect)
