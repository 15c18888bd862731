"""`kill -9` in the middle of a burst of edits: what was acknowledged is there afterwards."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.model.plain import to_plain
from app.model.project import Project
from app.storage.engine import Database
from app.storage.history import changes, undo
from app.storage.migrate import open_database
from app.storage.parts import load
from app.storage.projects import create_project

ROOT = Path(__file__).resolve().parents[2]
BURST = """
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from app.model.edit import PartEdit
from app.model.plain import to_plain
from app.storage.edits import apply_edits
from app.storage.engine import Database
from app.storage.parts import load

db, number = Database(sys.argv[1]), int(sys.argv[2])
names = [p.operation for p in load(db, number).project.patterns]

def burst(name):
    for i in range(1, 100_000):
        before = to_plain(load(db, number).project.pattern(name))
        edit = PartEdit("access_pattern", name, before, {**before, "limit": str(i)})
        done = apply_edits(db, number, (edit,), author="burst", label=f"{name}: {i}")
        # One call per line: threads that print share a buffer, and their lines run together.
        os.write(1, f"{done.number}\\t{name}\\t{i}\\n".encode())

with ThreadPoolExecutor(len(names)) as pool:
    list(pool.map(burst, names))
"""


@pytest.mark.parametrize("acknowledged", [5, 60, 150])
def test_no_acknowledged_edit_is_lost(db: Database, shop: Project, acknowledged: int) -> None:
    made = create_project(db, shop, "ada")
    process = subprocess.Popen(
        [sys.executable, "-c", BURST, db.url, str(made.id)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(acknowledged)]
    process.send_signal(signal.SIGKILL)
    lines += process.stdout.read().splitlines(keepends=True)
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()
    whole = [line.rstrip("\n").split("\t") for line in lines if line.endswith("\n")]
    assert len(whole) >= acknowledged

    reopened = open_database(db.url)
    kept = {c.number: c.label for c in changes(reopened, made.id, limit=10**6)}
    assert {int(number): f"{name}: {i}" for number, name, i in whole}.items() <= kept.items()
    assert sorted(kept) == list(range(1, len(kept) + 1))
    end = load(reopened, made.id)
    assert end.change == len(kept)
    for pattern in end.project.patterns:
        last = max((int(i) for _, name, i in whole if name == pattern.operation), default=0)
        # At most one more was written and not yet acknowledged.
        first = 20 if pattern.operation == "Orders of a user" else 0
        assert int(to_plain(pattern).get("limit", 0)) in {last or first, last + 1}
    undo(reopened, made.id, "ada")
    reopened.close()
