"""Every page family's routes, in one router."""

from __future__ import annotations

from fastapi import APIRouter

from app.views import edit, entities, entries, new, projects, workbench

router = APIRouter()
for family in (projects, new, workbench, edit, entities, entries):
    router.include_router(family.router)

__all__ = ["router"]
