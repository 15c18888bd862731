"""Whole models: add one from a starter, duplicate, choose, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.errors import BadInput, NotFound
from app.model.project import Project
from app.starters import starter
from app.stores import STORES
from app.views.editing import parts, store
from app.views.models.page import title_of
from app.views.opened import open_project
from app.views.page import model_page

router = APIRouter()


@router.post("/p/{project_id}/models", name="models:act")
def act(
    request: Request, project_id: int, verb: Annotated[str, Form()],
    name: Annotated[str, Form()] = "", on: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """`verb`: add (a starter `on` a store), duplicate, choose or delete the model `name`."""
    before = open_project(request, project_id)
    after, shown, label = changed(before.project, verb, name, on)
    store(request, before, after, label, f"models/{shown}" if shown else "")
    target = model_page(project_id, shown) if shown else f"/p/{project_id}/models"
    return RedirectResponse(target, 303)


def changed(project: Project, verb: str, name: str, on: str) -> tuple[Project, str, str]:
    """The project after it, the model to show then, and what was done in words."""
    if verb == "add":
        if on not in STORES:
            raise BadInput(f"There is no store called {on}.", place="models")
        made = starter(project, on)
        return project.model_copy(update={"models": (*project.models, made)}), made.name, f"{made.name} added"
    if project.model(name) is None:
        raise NotFound(f"There is no model called {name}.", place=f"models/{name}")
    if verb == "duplicate":
        after, place = parts.duplicate(project, f"models/{name}")
        return after, place.removeprefix("models/"), f"{name} duplicated"
    if verb == "delete":
        return parts.delete(project, f"models/{name}"), "", f"{name} deleted"
    if verb == "choose":
        # At most one model is chosen; choosing it again takes the choice back.
        models = tuple(m.model_copy(update={"chosen": m.name == name and not m.chosen}) for m in project.models)
        return project.model_copy(update={"models": models}), name, f"{name} chosen on {title_of_model(project, name)}"
    raise NotFound(f"A model cannot be {verb}d.")


def title_of_model(project: Project, name: str) -> str:
    """The store of a model, as people call it."""
    model = project.model(name)
    return title_of(model.store) if model else ""


__all__ = ["act", "changed", "router"]
