"""mongosh text in V8: taken apart where V8 sees statements end, run with answers that come from outside."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from app.proof.engines.engine import Refusal

pytest.importorskip("py_mini_racer", reason="the drivers of the extra `prove` are not installed")

from app.proof.engines.mongo_shell import Shell

TEXT = """\
// Orders of a user: join
const p = { user: null, skip: null };  // fill in
const orders = db.orders.find(
  { user: p.user, at: { $gte: new Date(Date.now() - 1000) } }
).sort({ at: -1 }).limit(2).toArray();
// next page: last is the last document of the page before
const orders = db.orders.find({ user: p.user, at: { $lt: last.at } }).limit(2).toArray();
db.users.find({ _id: { $in: orders.map(d => d.buyer) } }, { name: 1 });
"""
Answer = Callable[[Mapping[str, Any]], str]


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    made = Shell()
    yield made
    made.close()


def carried(answers: dict[str, Any]) -> tuple[list[Mapping[str, Any]], Answer]:
    met: list[Mapping[str, Any]] = []

    def carry_out(command: Mapping[str, Any]) -> str:
        met.append(command)
        return json.dumps(answers.get(command.get("on", ""), {}))

    return met, carry_out


def test_a_text_is_taken_apart(shell: Shell) -> None:
    program = shell.program(TEXT)
    assert program.names == ("user", "skip")
    assert "last.at" in program.following
    assert "last.at" not in program.main
    assert program.main.count("db.") == 2


def test_a_later_step_sees_what_an_earlier_one_found(shell: Shell) -> None:
    buyers = [{"_id": 1, "buyer": {"$uuid": "00000000-0000-4000-8000-000000000001"}}, {"_id": 2, "buyer": 7}]
    met, carry_out = carried({"orders": buyers, "users": []})
    shell.run(shell.program(TEXT).main, '{"user": "ana"}', "{}", 61_000, carry_out)
    assert [c["on"] for c in met] == ["orders", "users"]
    first, second = met
    assert first["args"] == [{"user": "ana", "at": {"$gte": {"$date": "1970-01-01T00:01:00.000Z"}}}]
    assert (first["sort"], first["limit"]) == ({"at": -1}, 2)
    assert second["args"][0] == {"_id": {"$in": [{"$uuid": "00000000-0000-4000-8000-000000000001"}, 7]}}


def test_the_page_behind_the_last_document(shell: Shell) -> None:
    met, carry_out = carried({"orders": []})
    last = '{"at": {"$date": "2026-12-01T00:00:00Z"}}'
    shell.run(shell.program(TEXT).following, '{"user": "ana"}', last, 0, carry_out)
    assert met[0]["args"][0]["at"] == {"$lt": {"$date": "2026-12-01T00:00:00.000Z"}}


@pytest.mark.parametrize(("matched", "sent"), [(1, 1), (0, 2)])
def test_a_statement_for_when_nothing_matched(shell: Shell, matched: int, sent: int) -> None:
    text = (
        'db.carts.updateOne({ _id: 1, "items.sku": 2 }, { $inc: { "items.$.qty": 1 } });\n'
        "// if nothing matched: the element is new\n"
        "db.carts.updateOne({ _id: 1 }, { $push: { items: { sku: 2 } } }, { upsert: true });\n"
    )
    met, carry_out = carried({"carts": {"matchedCount": matched}})
    shell.run(shell.program(text).main, "{}", "{}", 0, carry_out)
    assert len(met) == sent


def test_a_transaction_is_begun_and_committed(shell: Shell) -> None:
    text = (
        "const session = db.getMongo().startSession();\n"
        "const tx = session.getDatabase(db.getName());\n"
        "session.withTransaction(() => {\n"
        "  tx.a.insertOne({ n: 1 });\n"
        "}, { writeConcern: { w: 'majority' } });\n"
    )
    met, carry_out = carried({})
    shell.run(shell.program(text).main, "{}", "{}", 0, carry_out)
    assert [c["verb"] for c in met] == ["begin", "insertOne", "commit"]
    assert met[1]["tx"] is True


def test_a_text_that_does_not_run_is_refused(shell: Shell) -> None:
    _, carry_out = carried({})
    with pytest.raises(Refusal, match="does not run: ReferenceError: orders"):
        shell.run(shell.program("db.a.find({ x: orders.y });\n").main, "{}", "{}", 0, carry_out)
