"""Settings for redis.conf and the commands of every key family, commented."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from app.model.candidate import Candidate, Structure
from app.model.project import Project
from app.plan.spell import ttl
from app.plan.types import World
from app.stores.redis.catalog import catalog_entry

SIZES = {"b": "", "kb": "kb", "mb": "mb", "gb": "gb", "tb": "gb"}
FSYNC = ("always", "everysec", "no")


def script(model: Candidate, project: Project, world: World) -> Mapping[str, str]:
    """`NAME.redis.conf` and `NAME.redis`."""
    slug = re.sub(r"[^a-z0-9]+", "-", model.name.lower()).strip("-") or "model"
    return {
        f"{slug}.redis.conf": "\n".join(_settings(model, project)) + "\n",
        f"{slug}.redis": "\n".join(_families(model, project, world)) + "\n",
    }


def _settings(model: Candidate, project: Project) -> Iterable[str]:
    yield f"# {project.name}: {model.name}" + (f" (Redis {model.version})" if model.version else "")
    for name, value in sorted(model.options.items()):
        yield from _setting(name, str(value))
    if "maxmemory" not in model.options:
        yield "# maxmemory is not set: the server takes all memory there is."
    policy = str(model.options.get("maxmemory-policy", ""))
    if not policy:
        yield "maxmemory-policy noeviction"
        yield "# noeviction (the default): writes fail when memory is full."
    if policy.startswith("volatile"):
        kept = [s.name for s in _own(model) if not ttl(s.ttl).expires]
        if kept:
            yield f"# {policy} never evicts what has no time to live: {', '.join(kept)}"


def _setting(name: str, value: str) -> Iterable[str]:
    """One option as redis.conf spells it."""
    if name == "cluster":
        yield f"cluster-enabled {'yes' if value.lower() in ('yes', 'true', 'on') else 'no'}"
    elif name == "appendonly" and value in FSYNC:
        yield "appendonly yes"
        yield f"appendfsync {value}"
    elif size := re.fullmatch(r"([\d.]+)\s*([kmgt]?b)", value.strip(), re.IGNORECASE):
        number = float(size[1]) * (1024 if size[2].lower() == "tb" else 1)
        yield f"{name} {number:g}{SIZES[size[2].lower()]}"
    elif re.fullmatch(r"[a-z][a-z0-9-]*", name):
        yield f"{name} {value}"
    else:
        yield f"# {name}: {value}"


def _own(model: Candidate) -> list[Structure]:
    return [s for s in model.structures if model.store_of(s) == "redis"]


def _families(model: Candidate, project: Project, world: World) -> Iterable[str]:
    yield f"# {project.name}: {model.name}"
    yield "# Commands for redis-cli; $name is a parameter. Never KEYS in production: SCAN walks in steps."
    for structure in _own(model):
        entry = catalog_entry(structure, model, project, world)
        yield ""
        yield f"# {entry.pattern}"
        yield f"#   e.g. {entry.example}"
        about = [entry.type, entry.purpose, f"ttl {entry.ttl}", entry.owner and f"owner {entry.owner}"]
        yield f"#   {' · '.join(a for a in about if a)}"
        if entry.truth:
            yield f"#   truth: {entry.truth}"
        yield from (f"#   changed by {line}" for line in entry.invalidated_by)
        yield from (f"#   {line}" for line in entry.notes)
        yield from entry.commands
