"""Entities and relationships: what the application stores, before any store is chosen.

`page` is the page, `diagram` the picture of it, `layers` where the boxes of the picture go.
"""

from app.views.entities.page import router

__all__ = ["router"]
