"""A database in a folder of its own, and a small shop to keep in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.model.edit import PartEdit
from app.model.plain import to_plain
from app.model.project import Project
from app.model.text import read_yaml
from app.storage.engine import Database
from app.storage.migrate import open_database

SHOP = """
keywright: 1
name: Shop
stores: [mongodb, redis]
entities:
  - name: user
    count: 1M
    fields: [id uuid key, name string avg 18]
  - name: order
    count: 10M
    fields: [id uuid key, user_id uuid, status string, created_at datetime]
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 120}}
patterns:
  - operation: Load order
    get: order
    where: order.id = :order
    needs: [order]
    rate: {avg: 500/s, peak: 900/s}
    latency: 30 ms
  - operation: Orders of a user
    list: order
    where: order.user_id = :user
    order by: order.created_at desc
    limit: 20
    rate: 80/s
  - operation: Place order
    insert: order
    rate: 20/s
models:
  - name: Documents
    store: mongodb
    structures:
      - {collection: orders, of: order, _id: order.id}
      - {collection: users, of: user, _id: user.id}
"""


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(f"sqlite:///{tmp_path / 'kw.db'}")
    yield opened
    opened.close()


@pytest.fixture
def shop() -> Project:
    return read_yaml(SHOP)


LOAD = "Load order"


def cells(project: Project, row: str = LOAD, /, **new: object) -> tuple[PartEdit, ...]:
    """The edit that gives a pattern new cells; None empties one; `order_by` is `order by`."""
    pattern = project.pattern(row)
    before = to_plain(pattern)
    after = {**before, **{name.replace("_", " "): value for name, value in new.items()}}
    after = {name: value for name, value in after.items() if value is not None}
    return (PartEdit("access_pattern", row, before, after),)
