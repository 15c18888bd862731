"""The first candidate model for a store, built by rule from the workload.

Good enough to start from, and every choice carries its reason: embed what is bounded and read together, copy what the
lists need, one index, table or key family per way of asking. A store says what it can do (`Store.can`); no store is
known here by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.model.candidate import Candidate
from app.model.project import Project
from app.model.text import part_from_plain
from app.plan.world import build_world
from app.starters.document import documents
from app.starters.key_families import key_families
from app.starters.plan import Design, read_design
from app.starters.single_table import single_table
from app.starters.table_per_query import tables
from app.stores import STORES
from app.stores.store import Capabilities

Structures = list[dict[str, Any]]
Builder = Callable[[Design], Structures]

NAMES: Mapping[str, str] = {
    "single_table": "Single table",
    "table_per_query": "Table per query",
    "by_key_only": "Key families",
    "embeds": "Documents",
}
BUILDERS: tuple[tuple[str, Builder], ...] = (
    ("single_table", single_table),
    ("table_per_query", tables),
    ("by_key_only", key_families),
    ("embeds", documents),
)


def starter(project: Project, store_name: str) -> Candidate:
    """A first model of this workload for a store.

    Raises KeyError for a store that does not exist. A workload without entities gives a model without structures.
    """
    store = STORES[store_name]
    kind, build = _builder(store.can)
    limit = store.facts["max_record_bytes"].value if "max_record_bytes" in store.facts else 0.0
    design = read_design(project, build_world(project), limit, store.can)
    data = {
        "name": _free_name(f"{store.title}: {NAMES[kind].lower()}", project),
        "store": store_name,
        "note": "A starter: built by rule from the access patterns. Each structure says why it is there.",
        "structures": build(design),
    }
    candidate: Candidate = part_from_plain("candidate_model", data)
    return candidate


def _builder(can: Capabilities) -> tuple[str, Builder]:
    return next(((flag, build) for flag, build in BUILDERS if getattr(can, flag)), BUILDERS[-1])


def _free_name(name: str, project: Project) -> str:
    taken = {m.name for m in project.models}
    if name not in taken:
        return name
    return next(f"{name} {n}" for n in range(2, len(taken) + 3) if f"{name} {n}" not in taken)


__all__ = ["starter"]
