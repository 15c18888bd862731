"""The key family of a Redis case, as a project file would say it and as the store reads it.

`partition` is the key, `type` the type of its value, `member` what a member is made of, `score` what orders a sorted
set. `version: cluster` spreads the keys over slots; `{region|tag}` picks one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app.model.candidate import Candidate, Structure
from app.plan.types import AccessPath, Cond, World
from app.stores.redis.records import paths, type_of
from tests.plan.items import PLACEHOLDER

RISING = frozenset({"order.created_at"})
"""What lists and streams are in the order of."""


def structure(body: Mapping[str, Any]) -> Structure:
    key = PLACEHOLDER.sub(r"{order.\1", body["partition"][0])
    said: dict[str, Any] = {"keys": key, "type": body.get("type", "string")}
    said |= {"counts": "order"} if body.get("type") == "counter" else {"of": "order"}
    said |= {k: f"{{order.{body[k]}}}" for k in ("member", "score") if k in body}
    return Structure.model_validate(said | {k: body[k] for k in ("purpose",) if k in body})


def model(body: Mapping[str, Any]) -> Candidate:
    options = {"cluster": "yes"} if body.get("version") == "cluster" else {}
    return Candidate.model_validate({"name": "M", "store": "redis", "options": options})


def ways(body: Mapping[str, Any], world: World, _: Callable[[str], Cond]) -> tuple[AccessPath, ...]:
    """Every way in."""
    made = structure(body)
    return paths(made, "order", type_of(made), model(body), replace(world, monotonic=RISING))
