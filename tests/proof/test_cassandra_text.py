"""CQL texts taken apart by their own lines."""

from __future__ import annotations

from app.proof.engines.cassandra_text import as_known, statements

READ = """\
-- 1. orders_by_user
-- one request for each month in which there are rows, newest before oldest
SELECT *
  FROM orders_by_user
 WHERE user_id = :user
   AND month = :month
 LIMIT 20;
-- next page: last_… are the values of the last row of the page before
SELECT *
  FROM orders_by_user
 WHERE (at) < (:last_at);

-- 2. "Users", once for each row of step 1
SELECT * FROM "Users" WHERE id = :id;
"""
WRITE = """\
BEGIN BATCH
  INSERT INTO a (id, note)
  VALUES (:id, 'x;');
  UPDATE b SET n = 1 WHERE id = :id;
APPLY BATCH;
UPDATE c
   SET n = :new_n
 WHERE id = :id
    IF n = :old_n;
-- where there is no row yet
INSERT INTO c (id, n)
VALUES (:id, :new_n) IF NOT EXISTS;
DELETE FROM d WHERE id = :id;
"""


def test_steps_pages_and_loops() -> None:
    first, following, second = statements(READ)
    assert (first.step, first.several, first.following, first.table) == (1, True, False, "orders_by_user")
    assert (following.step, following.following) == (1, True)
    assert (second.step, second.origin, second.several, second.table) == (2, 1, False, "Users")
    assert first.cql.endswith("LIMIT 20")


def test_batches_and_first_rows() -> None:
    found = statements(WRITE)
    assert [(s.verb, s.table, s.batch) for s in found] == [
        ("INSERT", "a", True), ("UPDATE", "b", True), ("UPDATE", "c", False), ("INSERT", "c", False),
        ("DELETE", "d", False),
    ]  # fmt: skip
    assert [s.first for s in found] == [False, False, False, True, False]
    assert [s.second for s in found] == [False, False, True, False, False]


def test_an_old_server_gets_what_it_knows() -> None:
    text = "CREATE TABLE t (\n  d date,\n  l frozen<list<frozen<x>>>\n)"
    assert as_known(text, (5, 0, 0)) == text
    assert as_known(text, (2, 1, 0)) == "CREATE TABLE t (\n  d timestamp,\n  l list<frozen<x>>\n)"
