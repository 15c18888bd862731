"""The stores. One module each, found by name: adding a file is enough.

Every module (or package) beside this one that defines `STORE` is a store; its file name is the store's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from app.stores.store import Capabilities, Fact, Store


def _find() -> Mapping[str, Store]:
    found: dict[str, Store] = {}
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        store = getattr(import_module(f"{__name__}.{module.name}"), "STORE", None)
        if store is not None:
            if store.name != module.name:
                raise RuntimeError(f"app/stores/{module.name}.py defines a store called {store.name!r}")
            found[store.name] = store
    return MappingProxyType(found)


STORES: Mapping[str, Store] = _find()
"""Every store by name, in alphabetical order."""

__all__ = ["STORES", "Capabilities", "Fact", "Store"]
