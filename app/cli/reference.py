"""`keywright rules` and `keywright stores`: the catalogue and the facts."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from inspect import cleandoc
from typing import Any

from app.cli import files
from app.cli.paper import columns, wrapped
from app.errors import BadInput
from app.model.problem import did_you_mean
from app.rules import RULES
from app.rules.rule import Rule
from app.rules.words import size
from app.stores import STORES
from app.stores.store import Fact, Store


def add(commands: Any) -> None:
    for name, thing, run, help_ in (
        ("rules", "ID", run_rules, "list the rules, or explain one"),
        ("stores", "NAME", run_stores, "list the stores, or show one with its facts and their sources"),
    ):
        p = commands.add_parser(name, help=help_)
        p.add_argument("one", nargs="?", default="", metavar=thing)
        p.add_argument("--format", default="text", choices=("text", "json"))
        p.set_defaults(run=run)


def run_rules(given: argparse.Namespace) -> int:
    if given.one and given.one not in RULES:
        raise BadInput(f"There is no rule {given.one!r}.", fix=f"{did_you_mean(given.one, RULES)}.".replace("?.", "?"))
    found = [RULES[given.one]] if given.one else list(RULES.values())
    if given.format == "json":
        files.write(json.dumps([rule_plain(r) for r in found], ensure_ascii=False, indent=2), "")
    elif given.one:
        files.write(f"{found[0].id} ({found[0].severity})\n\n{cleandoc(found[0].doc)}", "")
    else:
        files.write("\n".join(columns([(r.severity, r.id, r.title) for r in found], widest=(9, 32))), "")
    return 0


def rule_plain(rule: Rule) -> dict[str, str]:
    return {
        "id": rule.id,
        "severity": rule.severity,
        "scope": rule.scope,
        "since": rule.since,
        "title": rule.title,
        "doc": cleandoc(rule.doc),
    }


def run_stores(given: argparse.Namespace) -> int:
    if given.one and given.one not in STORES:
        raise BadInput(f"There is no store {given.one!r}.", fix=f"Stores: {', '.join(STORES)}.")
    found = [STORES[given.one]] if given.one else list(STORES.values())
    if given.format == "json":
        files.write(json.dumps([store_plain(s) for s in found], ensure_ascii=False, indent=2), "")
    elif given.one:
        files.write("\n".join(_store(found[0])), "")
    else:
        files.write("\n".join(columns([(s.name, s.family, s.about) for s in found], widest=(12, 12))), "")
    return 0


def store_plain(store: Store) -> dict[str, Any]:
    facts = {
        slug: {
            "value": f.value,
            "unit": f.unit,
            "source": f.source,
            "read": f.read,
            "note": f.note,
            "assumed": f.assumed,
            "kind": f.kind,
        }
        for slug, f in store.facts.items()
    }
    return {
        "name": store.name,
        "title": store.title,
        "family": store.family,
        "about": store.about,
        "evidence": store.evidence,
        "facts": facts,
    }


def _store(store: Store) -> Iterator[str]:
    yield f"{store.title} ({store.family})"
    yield ""
    yield wrapped(store.about)
    yield ""
    yield wrapped(f"Verdicts: {store.evidence}.")
    for slug, fact in store.facts.items():
        kind = {"hard": "the store refuses more", "soft": "more hurts"}.get(fact.kind, fact.kind)
        yield ""
        yield f"{slug}: {_number(fact)}, {kind}{' (assumed)' if fact.assumed else ''}"
        if fact.note:
            yield wrapped(fact.note, "    ")
        yield wrapped(f"{fact.source}, read {fact.read}", "    ")


def _number(fact: Fact) -> str:
    value = f"{fact.value:,.0f}" if fact.value == int(fact.value) else f"{fact.value:,.10g}"
    short = f" ({size(fact.value)})" if fact.unit == "bytes" and fact.value >= 1024 else ""
    return f"{value} {fact.unit}{short}"
