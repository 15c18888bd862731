"""What to run so that the model's tables exist."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.model.candidate import Candidate
from app.model.project import Project
from app.plan.types import World
from app.stores.postgresql.names import quoted


def script(model: Candidate, project: Project, world: World) -> Mapping[str, str]:
    """One SQL file for all tables of the model."""
    lines = [f"-- {project.name}: {model.name}", ""]
    lines += [f"-- {quoted(s.name)}" for s in model.structures if model.store_of(s) == "postgresql"]
    return {file_name(model): "\n".join(lines).rstrip() + "\n"}


def file_name(model: Candidate) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", model.name.lower()).strip("-")
    return f"{slug or 'model'}.sql"
