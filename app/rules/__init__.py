"""The rules, one file each, found by name: adding a file is enough.

A module that defines `check` is a rule; the others hold what several rules say or do in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from app.rules.rule import Finding, Rule, rule


def _find() -> Mapping[str, Rule]:
    found: dict[str, Rule] = {}
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        loaded = getattr(import_module(f"{__name__}.{module.name}"), "check", None)
        if loaded is None:
            continue
        if not isinstance(loaded, Rule):
            raise RuntimeError(f"app/rules/{module.name}.py: `check` is not decorated with @rule")
        found[loaded.id] = loaded
    return MappingProxyType(found)


RULES: Mapping[str, Rule] = _find()
"""Every rule by id, in alphabetical order."""

__all__ = ["RULES", "Finding", "Rule", "rule"]
