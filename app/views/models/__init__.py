"""Candidate models: one page each.

`page` puts it together; `structures`, `keys`, `holds`, `words` make its tables, `heat`, `calendar`, `breakeven` its
forecasts; `actions` adds, copies, chooses and deletes whole models; `preview` judges a key while it is typed.
"""

from fastapi import APIRouter

from app.views.models import actions, page, preview

router = APIRouter()
for module in (preview, page, actions):
    router.include_router(module.router)

__all__ = ["router"]
