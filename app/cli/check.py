"""`keywright check`: judge a project file or a pasted table, for terminals and CI."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from typing import Any

from app.analysis import ModelReport, Report, analyse
from app.cli import files
from app.errors import BadInput
from app.exporters.format import NoSuchModel, chosen
from app.exporters.markdown_text import plain
from app.exporters.report_json import report_plain
from app.model.project import Project
from app.rules.rule import SEVERITIES, Finding
from app.starters import starter
from app.stores import STORES

LEVELS = ("error", "warning", "advice", "question")


def add(commands: Any) -> None:
    p = commands.add_parser("check", help="judge a project file or a pasted table")
    p.add_argument("file", help="a project (.yaml, .json) or a table (.md, .csv); - for standard input")
    p.add_argument(
        "--store",
        action="append",
        default=[],
        choices=sorted(STORES),
        help="build a starter model for this store; may be repeated",
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
    project = with_starters(files.read(given.file).project, given.store)
    report = analyse(project)
    try:
        models = chosen(report, given.model)
    except NoSuchModel as missing:
        raise BadInput(str(missing)) from None
    if given.store and not given.model:
        models = tuple(m for m in report.models if m.model.store in given.store)
    shown = findings_of(report, models)
    write = {"text": as_text, "json": as_json, "markdown": as_markdown}[given.format]
    files.write(write(report, models, shown), "")
    bar = SEVERITIES.index(given.fail_on)
    return 1 if any(SEVERITIES.index(f.severity) <= bar and not f.accepted for f in shown) else 0


def with_starters(project: Project, stores: Iterable[str]) -> Project:
    """The project with a starter model for each named store it has no model of; for a bare table, of every store."""
    wanted = list(stores) or ([] if project.models else list(STORES))
    for store in wanted:
        if not any(m.store == store for m in project.models):
            project = project.model_copy(update={"models": (*project.models, starter(project, store))})
    return project


def findings_of(report: Report, models: tuple[ModelReport, ...]) -> tuple[Finding, ...]:
    """Findings of the workload and of these models."""
    names = {m.model.name for m in models}
    return tuple(f for f in report.findings if not f.model or f.model in names)


def as_json(report: Report, models: tuple[ModelReport, ...], shown: tuple[Finding, ...]) -> str:
    return json.dumps(report_plain(report, models), ensure_ascii=False, indent=2)


def as_text(report: Report, models: tuple[ModelReport, ...], shown: tuple[Finding, ...]) -> str:
    lines = [report.project.name]
    for made in models:
        lines.append(f"\n{made.model.name} ({made.store.title}): {made.served} of {len(made.plans)} patterns served")
        lines += [
            f"  {made.plans[p.operation].level.words:24} {p.operation}  [{made.plans[p.operation].where or '-'}]"
            for p in report.project.patterns
        ]
    lines.append("")
    for finding in shown:
        if finding.accepted:
            continue
        lines.append(f"{finding.severity}: {finding.at}: {finding.message} ({finding.rule})")
        lines += [f"    {e.label}: {e.value}{' (assumed)' if e.assumed else ''}" for e in finding.evidence]
        lines += [f"    fix: {f.label}" for f in finding.fixes]
    lines.append(summary(shown))
    return "\n".join(lines)


def as_markdown(report: Report, models: tuple[ModelReport, ...], shown: tuple[Finding, ...]) -> str:
    lines = [f"## {plain(report.project.name)}", ""]
    lines += [
        f"- {plain(m.model.name)} ({m.store.title}): {m.served} of {len(m.plans)} patterns served" for m in models
    ]
    lines += ["", f"### {summary(shown)}", ""]
    lines += [
        f"- **{f.severity}** {plain(f.at)}: {plain(f.message)} ({plain(f.rule)})" for f in shown if not f.accepted
    ]
    return "\n".join(lines)


def summary(shown: tuple[Finding, ...]) -> str:
    """`1 error, 3 warnings, 2 accepted`."""
    counts = {level: sum(f.severity == level and not f.accepted for f in shown) for level in LEVELS}
    accepted = sum(f.accepted for f in shown)
    parts = [f"{n} {level}{'s' if n != 1 and level != 'advice' else ''}" for level, n in counts.items() if n]
    return ", ".join([*parts, *([f"{accepted} accepted"] if accepted else [])]) or "No findings"
