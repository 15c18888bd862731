"""Every page family's routes, in one router."""

from __future__ import annotations

from fastapi import APIRouter

from app.views import (
    decisions,
    edit,
    entities,
    entries,
    exports,
    history,
    keys,
    models,
    new,
    projects,
    proofs,
    review,
    rules,
    share,
    stores,
    workbench,
)

router = APIRouter()
inside = (workbench, edit, entities, entries, models, proofs, keys, decisions, history, exports, share)
for family in (projects, new, *inside, review, rules, stores):
    router.include_router(family.router)

__all__ = ["router"]
