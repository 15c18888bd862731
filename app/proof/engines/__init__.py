"""The engines a model can be proved on. One module each, found by name: adding a file is enough.

Every module beside this one that defines `ENGINE` is an adapter; its name is that of the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from app.proof.engines.engine import Engine


def _find() -> Mapping[str, Engine]:
    found: dict[str, Engine] = {}
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        engine = getattr(import_module(f"{__name__}.{module.name}"), "ENGINE", None)
        if engine is not None:
            if engine.store != module.name:
                raise RuntimeError(f"app/proof/engines/{module.name}.py defines an engine of {engine.store!r}")
            found[engine.store] = engine
    return MappingProxyType(found)


ENGINES: Mapping[str, Engine] = _find()
"""Every adapter by the name of its store."""
