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
from app.starters.design import Design, apart, read_design, refreshing
from app.starters.document import documents
from app.starters.key_families import key_families
from app.starters.nests import nested
from app.starters.prune import pruned
from app.starters.relational import relational, settled
from app.starters.single_table import single_table
from app.starters.table_per_query import tables
from app.starters.words import listed
from app.stores import STORES
from app.stores.store import Capabilities

Builder = Callable[[Design], list[dict[str, Any]]]

BUILDERS: Mapping[str, tuple[str, str, Builder]] = {
    "single_table": ("single_table", "single table", single_table),
    "table_per_query": ("table_per_query", "table per query", tables),
    "by_key_only": ("key_families", "key families", key_families),
    "relational": ("relational", "tables", relational),
    "embeds": ("documents", "documents", documents),
}
"""By capability, the most telling first: kind of starter, its title, what builds it."""


def starter(project: Project, store_name: str) -> Candidate:
    """A first model of this workload for a store.

    Raises KeyError for a store that does not exist. A workload without entities gives a model without structures.
    """
    store = STORES[store_name]
    kind, title, build = _builder(store.can)
    read = read_design(project, build_world(project), store, kind)
    design = apart(read) if kind == "relational" else refreshing(apart(nested(read)))
    data = {
        "name": _free_name(f"{store.title}: {title}", project),
        "store": store_name,
        "note": _note(design),
        "structures": [s for s in build(design) if s],
    }
    candidate: Candidate = part_from_plain("candidate_model", data)
    slim = pruned(candidate, design)
    return settled(slim, design) if kind == "relational" else slim


def _builder(can: Capabilities) -> tuple[str, str, Builder]:
    return next((made for flag, made in BUILDERS.items() if getattr(can, flag)), BUILDERS["embeds"])


def _note(design: Design) -> str:
    """What the model is, and what it leaves to something else."""
    note = "A starter: built by rule from the access patterns. Each structure says why it is there."
    searched = [a.pattern for a in design.asks if a.words]
    walked = [a.pattern for a in design.asks if a.action == "traverse"]
    if searched and "match" not in design.store.dialect.ops:
        note += f" {listed(searched)}: words inside a text need a search index beside {design.store.title}."
    if walked and not design.store.dialect.expand.server:
        note += f" {listed(walked)}: a walk takes a request per step here; a graph store takes one."
    return note


def _free_name(name: str, project: Project) -> str:
    taken = {m.name for m in project.models}
    if name not in taken:
        return name
    return next(f"{name} {n}" for n in range(2, len(taken) + 3) if f"{name} {n}" not in taken)


__all__ = ["starter"]
