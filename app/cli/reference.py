"""`keywright rules` and `keywright stores`: the catalogue and the facts."""

from __future__ import annotations

import argparse
import json
from typing import Any

from app.cli import files
from app.errors import BadInput
from app.rules import RULES
from app.rules.rule import Rule
from app.stores import STORES
from app.stores.store import Store


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
        raise BadInput(f"There is no rule {given.one!r}.", fix="`keywright rules` lists them.")
    found = [RULES[given.one]] if given.one else list(RULES.values())
    if given.format == "json":
        files.write(json.dumps([rule_plain(r) for r in found], ensure_ascii=False, indent=2), "")
    elif given.one:
        files.write(f"{found[0].id} ({found[0].severity})\n\n{found[0].doc}", "")
    else:
        files.write("\n".join(f"{r.severity:9} {r.id:28} {r.title}" for r in found), "")
    return 0


def rule_plain(rule: Rule) -> dict[str, str]:
    return {
        "id": rule.id,
        "severity": rule.severity,
        "scope": rule.scope,
        "since": rule.since,
        "title": rule.title,
        "doc": rule.doc,
    }


def run_stores(given: argparse.Namespace) -> int:
    if given.one and given.one not in STORES:
        raise BadInput(f"There is no store {given.one!r}.", fix=f"Stores: {', '.join(STORES)}.")
    found = [STORES[given.one]] if given.one else list(STORES.values())
    if given.format == "json":
        files.write(json.dumps([store_plain(s) for s in found], ensure_ascii=False, indent=2), "")
    elif given.one:
        files.write("\n".join([f"{found[0].title} ({found[0].family})", "", found[0].about, "", *_facts(found[0])]), "")
    else:
        files.write("\n".join(f"{s.name:12} {s.family:12} {s.about}" for s in found), "")
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


def _facts(store: Store) -> list[str]:
    return [
        f"{slug:32} {fact.value:>16,.10g} {fact.unit}{' (assumed)' if fact.assumed else ''}\n    {fact.source}, read {fact.read}"
        for slug, fact in store.facts.items()
    ]
