"""`keywright check`: judge a project file or a pasted table, for terminals and CI."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from typing import Any

from app.analysis import ModelReport, Report, analyse
from app.cli import files
from app.cli.paper import columns, wrapped
from app.exporters.format import chosen
from app.exporters.markdown_text import code, plain, table
from app.exporters.report_json import report_plain
from app.exporters.words import SEVERAL, findings_of, not_judged, plural, tally
from app.model.project import Project
from app.rules.rule import SEVERITIES, Finding
from app.starters import starter
from app.stores import STORES


def add(commands: Any) -> None:
    p = commands.add_parser("check", help="judge a project file or a pasted table")
    p.add_argument("file", help="a project (.yaml, .json) or a table (.md, .csv); - for standard input")
    p.add_argument(
        "--store",
        action="append",
        default=[],
        choices=sorted(STORES),
        help="judge models on this store, a starter model where there is none; may be repeated",
    )
    p.add_argument("--format", default="text", choices=("text", "json", "markdown"))
    p.add_argument("--model", default="", help="judge this model (default: the chosen one, else all)")
    p.add_argument(
        "--fail-on",
        default="error",
        choices=("error", "warning"),
        help="lowest severity that exits with 1 (default: error)",
    )
    p.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    report = analyse(with_starters(files.read(given.file).project, given.store))
    models = chosen(report, given.model)
    if given.store and not given.model:
        models = tuple(m for m in report.models if m.model.store in given.store)
    write = {"text": as_text, "json": as_json, "markdown": as_markdown}[given.format]
    files.write(write(report, models), "")
    bar = SEVERITIES.index(given.fail_on)
    return int(any(SEVERITIES.index(f.severity) <= bar for f in _open(report, models)))


def with_starters(project: Project, stores: Iterable[str]) -> Project:
    """The project with a starter model for each named store it has no model of.

    Without names, a project without models gets one for each store it compares, or for every store.
    """
    known = [s for s in project.stores if s in STORES]
    wanted = list(stores) or ([] if project.models else known or list(STORES))
    for store in wanted:
        if not any(m.store == store for m in project.models):
            project = project.model_copy(update={"models": (*project.models, starter(project, store))})
    return project


def _open(report: Report, models: tuple[ModelReport, ...]) -> tuple[Finding, ...]:
    return tuple(f for f in findings_of(report, models) if not f.accepted)


def summary(report: Report, models: tuple[ModelReport, ...]) -> str:
    """`1 error, 3 warnings; 2 accepted`."""
    found = findings_of(report, models)
    accepted = sum(f.accepted for f in found)
    text = tally(found)
    return ("No findings" if text == "none" else text) + (f"; {accepted} accepted" if accepted else "")


# ---------------------------------------------------------------- text


def as_text(report: Report, models: tuple[ModelReport, ...]) -> str:
    lines = [wrapped(report.project.name)]
    for made in models:
        lines += ["", wrapped(f"{_title(made)}: {served(made)}"), *_plans(report, made)]
    lines += [line for name in not_judged(report) for line in ("", wrapped(f"{name}: not judged"))]
    lines.append("")
    for finding in _open(report, models):
        lines += [*_finding(finding), ""]
    lines.append(summary(report, models))
    return "\n".join(lines)


def served(made: ModelReport) -> str:
    """`5 of 6 patterns served by one key or index`."""
    return f"{made.served} of {plural(len(made.plans), 'pattern')} served by one key or index"


def _title(made: ModelReport) -> str:
    """The name, and the store where the name does not say it."""
    name, store = made.model.name, made.store.title
    return name if store.lower() in name.lower() else f"{name} ({store})"


def _plans(report: Report, made: ModelReport) -> list[str]:
    rows = []
    for n, pattern in enumerate(report.project.patterns, 1):
        plan = made.plans[pattern.operation]
        rows.append((str(n), "" if plan.served else "!", pattern.operation, plan.level.words, plan.where or "-"))
    return columns(rows, widest=(4, 1, 36, 22))


def _finding(finding: Finding) -> Iterator[str]:
    yield wrapped(f"{finding.severity}: {finding.message}", more="    ")
    yield wrapped(f"at {finding.at}  [{finding.rule}]", "    ")
    if finding.evidence:
        yield wrapped("; ".join(f"{e.label}: {'≈' if e.assumed else ''}{e.value}" for e in finding.evidence), "    ")
    yield from (wrapped(f"fix: {fix.label}", "    ", "         ") for fix in finding.fixes)
    yield from (wrapped(f"give: {a.label}{f', such as {a.hint}' if a.hint else ''}", "    ") for a in finding.asks)


# ---------------------------------------------------------------- JSON and Markdown


def as_json(report: Report, models: tuple[ModelReport, ...]) -> str:
    return json.dumps(report_plain(report, models), ensure_ascii=False, indent=2)


def as_markdown(report: Report, models: tuple[ModelReport, ...]) -> str:
    """As a comment on a change: the verdict first, then a table per severity."""
    lines = [f"## {plain(report.project.name)}: {summary(report, models)}\n"]
    rows = [
        (plain(m.model.name), m.store.title, f"{m.served} of {len(m.plans)}", tally(_of(report, m))) for m in models
    ]
    stores = {m.name: m.store for m in report.project.models}
    rows += [(plain(n), plain(stores[n]), "not judged", "") for n in not_judged(report)]
    if rows:
        lines.append(table(("Model", "Store", "Served by one key or index", "Findings"), rows, keep_empty=True))
    for severity in SEVERITIES:
        mine = [f for f in _open(report, models) if f.severity == severity]
        if mine:
            lines.append(f"### {SEVERAL[severity].capitalize()}\n")
            lines.append(table(("Model", "Finding", "Numbers", "Rule"), [_line(f) for f in mine]))
    return "\n".join(lines)


def _of(report: Report, made: ModelReport) -> Iterator[Finding]:
    return (f for f in report.findings if f.model == made.model.name)


def _line(finding: Finding) -> tuple[str, ...]:
    numbers = "; ".join(f"{e.label}: {'≈' if e.assumed else ''}{e.value}" for e in finding.evidence)
    return plain(finding.model), plain(finding.message), plain(numbers), code(finding.rule)
