"""The gallery's starters proved on PostgreSQL; a proof touches nothing but its own schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.examples import EXAMPLES
from app.model.project import Project
from app.model.text import read_yaml
from app.proof.engines import ENGINES
from app.proof.engines.postgresql_explain import explained
from app.proof.engines.postgresql_text import statements
from app.proof.run import Cancelled, ProofError, prove
from app.proof.types import Proof
from app.starters import starter
from tests.engines.proofs import DATE, PREFIX, SCALES, SMALLER, told
from tests.engines.server import WORKER
from tests.stores.test_postgresql import SHOP


def with_starter(example: str) -> tuple[Project, str]:
    project = EXAMPLES[example].project()
    model = starter(project, "postgresql")
    return project.model_copy(update={"models": (model,)}), model.name


def proved(project: Project, model: str, url: str, scale: float) -> Proof:
    return prove(project, model, url, scale=scale, seed=5, date=DATE, runs=6)


def schemas(postgresql: Any) -> set[str]:
    return {n for (n,) in postgresql.execute("SELECT nspname FROM pg_namespace").fetchall() if n.startswith(PREFIX)}


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_pattern_of_a_starter_agrees(example: str, postgresql: Any, postgresql_url: str) -> None:
    project, model = with_starter(example)
    proof = proved(project, model, postgresql_url, SCALES[example] / SMALLER)
    assert told(proof) == []
    assert len(proof.cards) == len(project.patterns)
    assert all(c.rows == "right" and c.runs == 6 for c in proof.cards)
    assert (proof.engine, proof.store) == ("PostgreSQL", "postgresql")
    assert all(r.plan for c in proof.cards for r in c.requests if r.text.startswith(("SELECT", "UPDATE", "DELETE")))
    assert not schemas(postgresql)


@pytest.fixture
def bystander(postgresql: Any) -> Iterator[str]:
    """A schema that looks like a proof's, with something in it."""
    name = f"{PREFIX}bystander_{WORKER}"
    postgresql.execute(
        f"CREATE SCHEMA {name}; CREATE TABLE {name}.orders (id int); INSERT INTO {name}.orders VALUES (1)"
    )
    yield name
    postgresql.execute(f"DROP SCHEMA {name} CASCADE")


def kept(postgresql: Any, bystander: str) -> bool:
    return bool(postgresql.execute(f"SELECT count(*) FROM {bystander}.orders").fetchone() == (1,))


def test_nothing_else_is_touched_also_when_cancelled(postgresql: Any, postgresql_url: str, bystander: str) -> None:
    project, model = with_starter("order-page")
    met: set[str] = set()

    def made() -> bool:
        met.update(schemas(postgresql) - {bystander})
        return bool(met)

    with pytest.raises(Cancelled):
        prove(project, model, postgresql_url, scale=1e-5, date=DATE, cancelled=made)
    assert met
    assert schemas(postgresql) == {bystander}
    assert kept(postgresql, bystander)


def test_a_schema_that_exists_is_refused(postgresql: Any, postgresql_url: str, bystander: str) -> None:
    server = ENGINES["postgresql"].open(postgresql_url)
    with pytest.raises(ProofError, match="exists"):
        server.create(bystander)
    server.close()
    assert kept(postgresql, bystander)


@pytest.mark.parametrize("place", ["127.0.0.1:1/postgres", "127.0.0.1:1/postgres?sslmode=nonsense"])
def test_a_password_is_never_told(place: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(ProofError) as no:
        ENGINES["postgresql"].open(f"postgresql://ana:hunter22@{place}")
    assert "hunter22" not in str(no.value)
    assert "127.0.0.1:1" in str(no.value)


def test_a_wrong_scheme_is_told_with_an_example() -> None:
    with pytest.raises(ProofError, match="no address of PostgreSQL"):
        ENGINES["postgresql"].open("mysql://ana:hunter22@localhost/shop")


# ---------------------------------------------------------------- texts and plans


def test_names_are_bound_outside_strings_comments_and_casts() -> None:
    text = """-- note :a
BEGIN;
SELECT a::text, ':b', "x:y" FROM t -- said :c
WHERE a = :d AND b LIKE '%e' AND c = CAST(ARRAY[:f] AS text[]) AND d = :d;
-- next page: behind it
SELECT 1 FROM t WHERE (a, b) < (:last_a, :last_b);
"""
    begin, first, following = statements(text)
    assert begin.around
    assert first.names == ("d", "f")
    assert first.bound.count("%(d)s") == 2
    assert "LIKE '%%e'" in first.bound
    assert "a::text" in first.bound
    assert "':b'" in first.bound
    assert (first.following, following.following) == (False, True)
    assert following.names == ("last_a", "last_b")


def test_what_a_plan_read_is_told_of_every_loop() -> None:
    inner = {
        "Node Type": "Index Scan", "Relation Name": "lines", "Index Name": "lines_idx", "Index Cond": "x",
        "Actual Rows": 3.0, "Actual Loops": 4, "Rows Removed by Filter": 1.0,
    }  # fmt: skip
    outer = {"Node Type": "Seq Scan", "Relation Name": "orders", "Actual Rows": 4.0, "Actual Loops": 1,
             "Rows Removed by Filter": 396.0}  # fmt: skip
    never = {"Node Type": "Seq Scan", "Relation Name": "users", "Actual Rows": 0.0, "Actual Loops": 0}
    top = {"Node Type": "Nested Loop", "Actual Rows": 12.0, "Actual Loops": 1, "Plans": [outer, inner, never]}
    said = explained({"Plan": top}, {"orders": 400.0, "lines": 4_000.0, "users": 1_000.0})
    assert (said.examined, said.returned, said.sequential) == (416.0, 12.0, 400.0)
    assert (said.scan, said.path, said.sort) == (True, "orders", False)
    assert not explained({"Plan": inner}, {"lines": 4_000.0}).scan


@pytest.mark.parametrize("model", ["Tables", "Documents"])
def test_joins_documents_lists_and_figures(model: str, postgresql_url: str) -> None:
    proof = proved(read_yaml(SHOP), model, postgresql_url, 0.0002)
    assert [t for t in told(proof) if t[1] != "skipped"] == []


def test_a_table_that_is_small_is_judged_by_what_a_larger_one_would_have(postgresql_url: str) -> None:
    """A server reads five rows from end to end; the card says so, and what it does where there are many."""
    project, model = with_starter("redis-catalog")
    card = next(c for c in proved(project, model, postgresql_url, 1e-5).cards if c.operation == "Product page")
    first, second = card.requests[0].plan.splitlines()
    assert first.startswith("Seq Scan")
    assert second.startswith("with enable_seqscan = off: Index Scan products_pkey")
    assert card.verdict == "agrees"
