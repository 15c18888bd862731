"""One proof from beginning to end on an engine that is a dictionary: verdicts, namespaces, cancelling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.model.project import Project
from app.model.text import read_yaml
from app.proof import run
from app.proof.engines import ENGINES
from app.proof.engines.engine import Question, Refusal
from app.proof.prove import PREFIX
from app.proof.run import Cancelled, Progress, ProofError
from app.proof.types import Card, Proof
from tests.proof.memory import MemoryEngine, values

DESK = """
keywright: 1
name: Desk
entities:
  - {name: user, count: 2k, fields: [id uuid key, name string avg 12]}
  - name: order
    count: 20k
    growth: 100/day
    fields: [id string key avg 10, user_id uuid, status string, created_at datetime monotonic]
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 60, max: 500}}
patterns:
  - {operation: Open, get: order, where: "order.id = :order", needs: [order, user.name], rate: 5/s}
  - operation: Newest
    list: order
    where: order.user_id = :user
    order by: order.created_at desc, order.id desc
    limit: 5
    needs: [order.id, order.status]
    rate: 5/s
  - {operation: How many, count: order, where: "order.user_id = :user", rate: 1/s}
  - {operation: Place, insert: order, set: {order.created_at: now}, rate: 1/s}
  - {operation: Rename, update: user, where: "user.id = :user", set: {user.name: ":name"}, rate: 1/s}
models:
  - name: Documents
    store: mongodb
    structures:
      - {collection: users, of: user, _id: user.id}
      - collection: orders
        of: order
        _id: order.id
        copy: [{what: user.name, refresh: same write}]
        indexes: [{keys: [order.user_id, order.created_at desc, order.id desc]}]
"""
Made = Callable[..., Proof]


@pytest.fixture
def project() -> Project:
    return read_yaml(DESK)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> MemoryEngine:
    made = MemoryEngine()
    monkeypatch.setattr(run, "ENGINES", {**ENGINES, "mongodb": made})
    return made


@pytest.fixture
def prove(project: Project, memory: MemoryEngine) -> Made:
    def make(**more: Any) -> Proof:
        given = {"scale": 0.02, "seed": 3, "date": "2026-12-01", "runs": 5, **more}
        return run.prove(project, "Documents", "memory://u:hidden@here", **given)

    return make


def card(proof: Proof, operation: str) -> Card:
    return next(c for c in proof.cards if c.operation == operation)


def test_right_rows_as_cheap_as_planned_agree(prove: Made, memory: MemoryEngine) -> None:
    proof = prove(change=7)
    assert [(c.operation, c.verdict, c.rows, c.why) for c in proof.cards] == [
        (name, "agrees", "right", "") for name in ("Open", "Newest", "How many", "Place", "Rename")
    ]
    assert (proof.engine, proof.version, proof.scale, proof.seed, proof.change) == ("Memory", "1.0", 0.02, 3, 7)
    assert proof.records == {"users": 40, "orders": 400}
    newest = card(proof, "Newest")
    assert newest.runs == 5
    assert newest.requests[0].plan == "a plan"
    assert newest.planned_examined == pytest.approx(5)
    assert newest.median_ms == 1.0
    assert memory.log[-2:] == ["drop", "close"]


def test_a_missing_row_fails(prove: Made, memory: MemoryEngine) -> None:
    memory.answer = lambda _, found: found[1:]
    found = card(prove(), "Newest")
    assert (found.verdict, found.rows) == ("failed", "wrong")
    assert "records came back" in found.why


def test_a_row_of_another_fails(prove: Made, memory: MemoryEngine) -> None:
    memory.answer = lambda _, found: [values(s, **{"order.status": "no such thing"}) for s in found]
    assert "order.status is no such thing instead of" in card(prove(), "Newest").why


def test_a_wrong_order_fails(prove: Made, memory: MemoryEngine) -> None:
    memory.answer = lambda _, found: found[::-1]
    assert "wrong place of the order" in card(prove(), "Newest").why


def test_what_is_needed_must_come_back(prove: Made, memory: MemoryEngine) -> None:
    def bare(_: Question, found: list[Any]) -> list[Any]:
        return [type(s)(s.kind, type(s.root)(0, s.root.values)) for s in found]

    memory.answer = bare
    assert "user.name" in card(prove(), "Open").why


def test_more_work_than_planned_differs(prove: Made, memory: MemoryEngine) -> None:
    memory.examined = 100
    found = card(prove(), "Newest")
    assert found.verdict == "differs"
    assert "would still agree" in found.why


@pytest.mark.parametrize(
    ("did", "why"),
    [
        ({"examined": 4.0}, ""),
        ({"examined": 5.0}, "and 20.0 would still agree"),
        ({"scan": True}, "went through a whole structure"),
        ({"sort": True}, "sorted in memory; the plan says that the order is stored"),
        ({"requests": 4}, "4 requests were sent on average"),
    ],
)
def test_the_rule_of_what_agrees(did: dict[str, Any], why: str, prove: Made, memory: MemoryEngine) -> None:
    """5 rows are planned and come back: at most 2 x 5 + 10 may be read, in order, without a scan."""
    for name, value in did.items():
        setattr(memory, name, value)
    found = card(prove(), "Newest")
    assert found.rows == "right"
    assert (found.verdict, bool(found.why)) == (("differs", True) if why else ("agrees", False))
    assert why in found.why


def test_a_write_that_changes_too_much_differs(prove: Made, memory: MemoryEngine) -> None:
    memory.changed = 90
    found = card(prove(), "Place")
    assert (found.verdict, "90 records were modified" in found.why) == ("differs", True)


def test_a_write_that_does_nothing_fails(prove: Made, memory: MemoryEngine) -> None:
    memory.write = False
    proof = prove()
    assert card(proof, "Place").why == "Run 1: in orders, a record is missing."
    assert "user.name is" in card(proof, "Rename").why


def test_a_statement_that_is_refused_is_told(prove: Made, memory: MemoryEngine) -> None:
    def no(_: Question, __: list[Any]) -> list[Any]:
        raise Refusal("sorting is not allowed")

    memory.answer = no
    found = card(prove(), "Newest")
    assert (found.verdict, found.why) == ("refused", "The engine does not take it: sorting is not allowed.")


def test_the_same_seed_makes_the_same_evidence(prove: Made) -> None:
    one, other = prove(), prove()
    assert [(c.examined, c.returned) for c in one.cards] == [(c.examined, c.returned) for c in other.cards]


ERRORS = [
    RuntimeError("no such thing"), KeyError("x"), ValueError("year 292278994"), RecursionError("too deep"),
    UnicodeDecodeError("utf-8", b"a", 0, 1, "?"), ConnectionResetError(104, "reset"),
    type("OfTheDriver", (Exception,), {})(),
]  # fmt: skip


@pytest.mark.parametrize("step", ["open", "create", "build", "load", "ready"])
@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_whatever_a_driver_raises_is_a_sentence_and_leaves_nothing(
    step: str, error: Exception, prove: Made, memory: MemoryEngine
) -> None:
    memory.there.add("other")
    memory.fails_at, memory.error = step, error
    with pytest.raises(ProofError, match=rf"It broke at the step “.+”: {type(error).__name__}: .+\. What it had made"):
        prove()
    assert memory.there == {"other"}
    assert "create" not in memory.log or step == "create" or memory.log[-2:] == ["drop", "close"]


@pytest.mark.parametrize("step", ["run", "look", "restore"])
@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_whatever_a_driver_raises_in_a_pattern_is_on_its_card(
    step: str, error: Exception, prove: Made, memory: MemoryEngine
) -> None:
    memory.fails_at, memory.error = step, error
    found = card(prove(), "Rename")
    assert found.verdict == "refused"
    assert found.why.startswith(f"It could not be run: {type(error).__name__}: ")
    assert not memory.there
    assert memory.log[-2:] == ["drop", "close"]


def test_a_broken_driver_does_not_tell_the_password(prove: Made, memory: MemoryEngine) -> None:
    memory.fails_at, memory.error = "load", RuntimeError("cannot reach memory://u:hidden@here")
    with pytest.raises(ProofError) as no:
        prove()
    assert "hidden" not in str(no.value)


def test_a_cancelled_proof_is_dropped(prove: Made, memory: MemoryEngine) -> None:
    steps: list[Progress] = []
    with pytest.raises(Cancelled):
        prove(progress=steps.append, cancelled=lambda: "run" in memory.log)
    assert not memory.there
    assert memory.log[-2:] == ["drop", "close"]
    assert all(0 <= s.done <= s.total for s in steps)


def test_a_namespace_that_exists_is_refused(prove: Made, memory: MemoryEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.there.add(f"{PREFIX}abc")
    monkeypatch.setattr("app.proof.prove.secrets.token_hex", lambda _: "abc")
    with pytest.raises(ProofError, match="exists"):
        prove()
    assert memory.there == {f"{PREFIX}abc"}


def test_what_cannot_be_proved_is_said(project: Project, memory: MemoryEngine) -> None:
    with pytest.raises(ProofError, match=r"no model called 'Rows'.*Documents"):
        run.prove(project, "Rows", "memory://here", date="2026-12-01")
    with pytest.raises(ProofError, match="above 0, up to 1"):
        run.prove(project, "Documents", "memory://here", date="2026-12-01", scale=2)
    memory.modules = ("no_such_driver",)
    with pytest.raises(ProofError, match=r"no_such_driver is not installed.*requirements/prove\.txt"):
        run.prove(project, "Documents", "memory://here", date="2026-12-01")
    assert not run.engines()["mongodb"].ready


def test_a_read_that_also_changes_records_is_skipped(memory: MemoryEngine) -> None:
    """Its change is neither compared nor undone, so a run would spoil the next one."""
    line = (
        '  - {operation: Take, list: order, where: "order.user_id = :user", limit: 1, also: [{delete: order}]}\nmodels:'
    )
    found = run.prove(
        read_yaml(DESK.replace("models:", line)), "Documents", "memory://u@here",
        scale=0.02, seed=3, date="2026-12-01", runs=2,
    )  # fmt: skip
    taken = card(found, "Take")
    assert (taken.verdict, taken.runs) == ("skipped", 0)
    assert "changes records while it reads" in taken.why
    assert card(found, "Newest").verdict == "agrees"
