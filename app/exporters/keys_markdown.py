"""The key catalog as Markdown: one table, then the commands of each family."""

from __future__ import annotations

from app.analysis import ModelReport, Report
from app.exporters.format import Exporter
from app.exporters.keys import Family, families
from app.exporters.markdown_text import block, code, plain, table
from app.rules.words import count, size

HEAD = ("Key pattern", "Type", "TTL", "Owner", "Invalidated by", "Notes")


def write(report: Report, models: tuple[ModelReport, ...]) -> str:
    found = list(families(report, models))
    out = [f"# {plain(report.project.name)}: key catalog\n"]
    if not found:
        out.append("No model has key families. Add one on a key-value store to fill this catalog.\n")
        return "\n".join(out)
    out.append("Every key family in one table. A cache key without a TTL is an error until someone says why.\n")
    for model in dict.fromkeys(f.model for f in found):
        mine = [f for f in found if f.model == model]
        out.append(f"## {plain(model)}\n")
        out.append(table(HEAD, [_row(f) for f in mine], keep_empty=True))
        out += [_details(f) for f in mine]
    return "\n".join(out)


def _row(family: Family) -> tuple[str, ...]:
    e = family.entry
    notes = [*e.notes, *([f"truth: {e.truth}"] if e.truth else [])]
    return (
        code(e.pattern),
        plain(e.type),
        plain(e.ttl),
        plain(e.owner),
        plain("; ".join(e.invalidated_by)),
        plain("; ".join(notes)),
    )


def _details(family: Family) -> str:
    e = family.entry
    out = [f"### {code(e.pattern)}\n", f"For example {code(e.example)}."]
    if e.keys and e.bytes:
        out.append(f"About {count(e.keys)} keys of {size(e.bytes)}: {size(e.keys * e.bytes)}.")
    out = [" ".join(out[1:]) if len(out) > 1 else "", *([block("\n".join(e.commands))] if e.commands else [])]
    marks = [f"- {f.severity}: {plain(f.message)}" for f in family.findings if not f.accepted]
    return (
        f"### {code(e.pattern)}\n\n"
        + "\n\n".join(x for x in out if x)
        + ("\n" + "\n".join(marks) + "\n" if marks else "")
    )


FORMAT = Exporter(
    "keys-markdown",
    "Key catalog (Markdown)",
    "Pattern, type, TTL, owner, invalidation and commands of every key family.",
    "text/markdown",
    "md",
    write,
)
