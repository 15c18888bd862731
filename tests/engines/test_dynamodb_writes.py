"""Write units as planned against those an emulator bills, table and indexes apart: written cases, then random ones.

What is unknown counts with its average: the write is made on an item with the optional attribute and on one without.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from tests.engines import ministack
from tests.engines.dynalite import Client
from tests.engines.dynamodb_writes import NEW, OLD, SMALL, average, report
from tests.engines.server import WORKER

FOLDER = Path(__file__).parents[1] / "plan" / "cases" / "dynamodb" / "writes"
BESIDE_V = sum(len(k) + (6 if isinstance(v, int) else len(v)) for k, v in OLD.items() if k != "o") + 1
"""Bytes of an item without `o` and without the content of `v`."""
HALF_O = 0.5 * 7
pytestmark = pytest.mark.skipif(not ministack.bills(), reason="ministack before 1.5 bills every write alike")
WRITES = int(os.environ.get("KEYWRIGHT_RANDOM", "100"))
FIRST = int(os.environ.get("KEYWRIGHT_RANDOM_SEED", "0"))


def cases() -> Iterator[Any]:
    for file in sorted(FOLDER.glob("*.yaml")):
        found = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
        for name, body in found.items():
            yield pytest.param(body, id=f"{file.stem}/{name}")


def held(
    table: Mapping[str, Any], write: Mapping[str, Any], filler: int, name: str, client: Client
) -> tuple[float, dict[str, float]]:
    """(planned units, billed units by table and index)."""
    made = report(table, write, filler, name)
    plan = made.models[0].plans["W"]
    olds = [{**OLD, "v": "v" * filler}, {**OLD, "v": "v" * filler, "o": None}]
    if "thing.o" not in repr((table, write)):
        olds = [{k: v for k, v in olds[0].items() if k != "o"}]
    values = {f"new_{k}": v for k, v in NEW.items()} | {"new_v": "w" * filler, "box": "bbbb"}
    if write.get("insert") and "thing.o" not in write.get("set", {}):
        olds = olds[-1:]
        values.pop("new_o")
    elif write.get("insert"):
        olds = olds[:1]
    return plan.units, average(client, made, name, olds, values)


@pytest.mark.parametrize("body", list(cases()))
def test_case(body: Mapping[str, Any], dynamodb_units: Client, request: pytest.FixtureRequest) -> None:
    number = next(n for n, p in enumerate(cases()) if p.id == request.node.callspec.id)
    filler = int(body["size"]) - BESIDE_V if "size" in body else SMALL
    planned, billed = held(body["table"], body["write"], filler, f"write-{number}-{WORKER}", dynamodb_units)
    expected = {k: float(v) for k, v in body["units"].items()}
    assert billed == expected
    assert planned == pytest.approx(sum(expected.values()))


def random_table(rng: Random) -> dict[str, Any]:
    base = rng.choice([{"pk": "{thing.id}"}, {"pk": "T#{thing.id}"}, {"pk": "{thing.s}", "sk": "{thing.id}"}])
    out: dict[str, Any] = dict(base)
    out["gsi"] = [_index(rng, f"GSI{n}") for n in range(1, rng.choice([1, 2, 3]) + 1)]
    return out


def _index(rng: Random, name: str) -> dict[str, Any]:
    attrs = rng.sample(["s", "t", "o"], rng.choice([1, 2]))
    projection = rng.choice(["all", "keys", ["thing.t"], ["thing.v"], ["thing.n", "thing.s"]])
    words = ["{thing." + a + "}" for a in attrs]
    if rng.random() < 0.3 and "o" not in attrs:
        return {"name": name, "pk": "X#" + "#".join(words), "projection": projection}
    return {"name": name, "pk": words[0], "projection": projection} | ({"sk": words[1]} if words[1:] else {})


def random_write(rng: Random, table: Mapping[str, Any]) -> dict[str, Any]:
    kind = rng.choice(["insert", "update", "update", "update", "delete"])
    where = "thing.id = :id" + (" and thing.s = :s" if "sk" in table else "")
    out: dict[str, Any] = {kind: "thing"}
    if kind != "insert":
        out["where"] = where
    if kind == "insert":
        out["set"] = {"thing.o": ":new_o"} if rng.random() < 0.5 else {}
    if kind == "update":
        free = ["t", "o", "v", "n"] + ([] if "sk" in table else ["s"])
        chosen = rng.sample(free, rng.choice([1, 1, 2]))
        out["set"] = {f"thing.{a}": "+1" if a == "n" else f":new_{a}" for a in chosen}
        if "t" in chosen and rng.random() < 0.3:
            out["set"]["thing.t"] = "tttttt"
            out["where"] += " and thing.t = 'tttttt'"
    if rng.random() < 0.4:
        out |= {"also": [{"update": "box", "where": "box.id = :box", "set": {"box.n": "+1"}}], "atomic": "yes"}
    return out


@pytest.mark.parametrize("seed", range(FIRST, FIRST + WRITES))
def test_random_writes(seed: int, dynamodb_units: Client) -> None:
    rng = Random(seed)
    table = random_table(rng)
    write = random_write(rng, table)
    filler = rng.choice([SMALL, 300, 1500, 2500])
    planned, billed = held(table, write, filler, f"random-{seed}-{WORKER}", dynamodb_units)
    assert planned == pytest.approx(sum(billed.values())), (table, write, filler, billed)
