"""The stores: every fact with its unit, its source and the day it was read, and how a store words what it refuses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from fastapi import APIRouter
from starlette.responses import Response

from app.errors import NotFound
from app.stores import STORES
from app.stores.store import Capabilities, Fact, Store
from app.templating import number, render, size
from app.views.page import StudioPage

router = APIRouter()
LARGE = 1 << 20
"""Bytes from which a figure is read as MB, GB or TB; below it every byte of a limit counts."""
KINDS = {"hard": "refused beyond", "soft": "hurts beyond", "price": "price"}
FAMILIES = {
    "embeds": "Records can hold lists of others", "indexes": "Secondary indexes are a normal way in",
    "single_table": "Several kinds of record share one structure", "table_per_query": "Each list wants a structure",
    "relational": "Entities have tables of their own, joined by keys",
    "by_key_only": "Keys are the only way in", "durable": "Keeps what it acknowledged",
    "expires": "Removes records by age", "range_sharded": "Neighbouring keys live together unless hashed",
}  # fmt: skip
NEEDS = ("strong", "read your writes", "causal", "eventual", "historical")


@dataclass(frozen=True, slots=True)
class FactLine:
    """One fact, ready to show. `href` empty: the source is no web address."""

    slug: str
    label: str
    value: str
    fact: Fact
    kind: str
    href: str


@dataclass(frozen=True, kw_only=True)
class List(StudioPage):
    """All stores."""

    template: ClassVar[str] = "stores/list.html"
    here: ClassVar[str] = "stores"
    title: ClassVar[str] = "Stores"

    @property
    def stores(self) -> Sequence[Store]:
        return tuple(STORES.values())

    def facts(self, store: Store) -> tuple[FactLine, ...]:
        """The facts of one store; findings link to them."""
        return tuple(_line(slug, fact) for slug, fact in store.facts.items())


@dataclass(frozen=True, kw_only=True)
class Show(StudioPage):
    """One store."""

    template: ClassVar[str] = "stores/show.html"
    here: ClassVar[str] = "stores"
    store: Store

    @property
    def title(self) -> str:  # type: ignore[override]
        return self.store.title

    @property
    def facts(self) -> tuple[FactLine, ...]:
        return tuple(_line(slug, fact) for slug, fact in self.store.facts.items())

    @property
    def assumed(self) -> int:
        return sum(f.assumed for f in self.store.facts.values())

    @property
    def can(self) -> Sequence[tuple[str, bool]]:
        flags = {f.name for f in fields(Capabilities)}
        return [(words, bool(getattr(self.store.can, name))) for name, words in FAMILIES.items() if name in flags]

    @property
    def consistency(self) -> Sequence[tuple[str, str]]:
        """Every need with the setting that gives it; an empty one is impossible."""
        return [(need, self.store.can.consistency.get(need, "")) for need in NEEDS]

    @property
    def refusals(self) -> Sequence[tuple[str, str]]:
        return [(code, said(text)) for code, text in self.store.dialect.wording.items() if not code.startswith("fix ")]

    @property
    def remedies(self) -> Sequence[tuple[str, str]]:
        wording = self.store.dialect.wording.items()
        return [(code.removeprefix("fix "), said(text)) for code, text in wording if code.startswith("fix ")]


def said(text: str) -> str:
    """A wording with its places named in words: `{attr}` is `…attr…`."""
    names = {"attr": "the field", "path": "the path", "blocker": "the field before it", "op": "the comparison",
             "parts": "fields", "partition": "fields", "order": "fields"}  # fmt: skip
    return re.sub(r"\{+(\w+)\}+", lambda m: f"‹{names.get(m[1], m[1])}›", text)


def _line(slug: str, fact: Fact) -> FactLine:
    label = slug.replace("_", " ")
    unit, _, of = fact.unit.partition(" ")
    large = unit == "bytes" and (not of or fact.value >= LARGE)
    words = f"{size(fact.value)} {of}".rstrip() if large else f"{number(fact.value, 6)} {fact.unit}"
    words = f"version {fact.value:g}" if unit == "version" else words
    href = fact.source if fact.source.startswith("https://") else ""
    kind = "from then on" if unit == "version" else KINDS.get(fact.kind, fact.kind)
    return FactLine(slug, label, words, fact, kind, href)


@router.get("/stores", name="stores:list")
def list_stores() -> Response:
    """Every store."""
    return render(List())


@router.get("/stores/{name}", name="stores:show")
def show(name: str) -> Response:
    """One store."""
    if name not in STORES:
        raise NotFound(f"There is no store called {name}.", fix="The list of stores has them all.")
    return render(Show(store=STORES[name]))


__all__ = ["List", "Show", "router"]
