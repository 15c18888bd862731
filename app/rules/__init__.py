"""The rules, one file each, found by name: adding a file is enough."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from app.rules.rule import Finding, Rule, rule

NOT_RULES = {"rule", "words", "ground", "apart", "spread_key", "memory_limit", "slots", "weigh", "remedy", "remedies", "remedy_hold", "remedy_ways"}


def _find() -> Mapping[str, Rule]:
    found: dict[str, Rule] = {}
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        if module.name in NOT_RULES:
            continue
        loaded = getattr(import_module(f"{__name__}.{module.name}"), "check", None)
        if not isinstance(loaded, Rule):
            raise RuntimeError(f"app/rules/{module.name}.py defines no rule called `check`")
        found[loaded.id] = loaded
    return MappingProxyType(found)


RULES: Mapping[str, Rule] = _find()
"""Every rule by id, in alphabetical order."""

__all__ = ["RULES", "Finding", "Rule", "rule"]
