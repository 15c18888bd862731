"""The model document: workload, models, plans, forecasts, findings and decisions on one page."""

from __future__ import annotations

from collections.abc import Iterator

from app.analysis import ModelReport, Report
from app.exporters.format import Exporter
from app.exporters.markdown_text import block, code, plain, table
from app.exporters.queries import query
from app.exporters.scripts import files
from app.exporters.words import asked, children, consistency, frequency, held, key_words, plan_numbers, spread_text
from app.rules.words import count, duration, size


def write(report: Report, models: tuple[ModelReport, ...]) -> str:
    parts = [f"# {plain(report.project.name)}\n", *_summary(report, models), *_workload(report)]
    for made in models:
        parts += _model(report, made)
    parts += [*_findings(report, models), *_decisions(report)]
    return "\n".join(parts)


def _summary(report: Report, models: tuple[ModelReport, ...]) -> Iterator[str]:
    if report.project.note:
        yield plain(report.project.note) + "\n"
    counts = report.counts()
    found = ", ".join(
        f"{n} {word}{'s' if n != 1 and word in ('error', 'warning', 'question') else ''}"
        for word, n in counts.items()
        if n
    )
    yield f"{len(report.project.patterns)} access patterns, {len(report.project.entities)} entities. Findings: {found or 'none'}.\n"
    if models:
        head = ("Model", "Store", "Served by one key or index", "Storage")
        yield table(
            head,
            [
                (
                    plain(m.model.name),
                    m.store.title,
                    f"{m.served} of {len(m.plans)}",
                    size(sum(x.storage for x in m.loads.values())),
                )
                for m in models
            ],
            right=(2, 3),
        )
    yield "Numbers marked ≈ are assumed. Verdicts are modelled from the stores' documented rules unless a store says what checked them.\n"


def _workload(report: Report) -> Iterator[str]:
    project = report.project
    yield "## Workload\n"
    if project.patterns:
        head = ("#", "Operation", "Kind", "Asks for", "Per second", "Consistency")
        yield table(
            head,
            [
                (
                    str(n),
                    plain(p.operation),
                    plain(f"{p.action} {p.entity}".strip() or "not understood yet"),
                    plain(asked(p)),
                    plain(frequency(*report.rates[p.operation])),
                    plain(consistency(p)),
                )
                for n, p in enumerate(project.patterns, 1)
            ],
            right=(0, 4),
        )
    if project.entities:
        yield "### Entities\n"
        yield table(
            ("Entity", "Count", "Fields"),
            [
                (
                    plain(e.name),
                    ("≈" if e.name in report.world.counts_assumed else "")
                    + count(report.world.counts.get(e.name, 0.0)),
                    plain(", ".join(f"{f.name} {f.type}{' (key)' if f.key else ''}" for f in e.fields)),
                )
                for e in project.entities
            ],
            right=(1,),
        )
    if project.relationships:
        yield "### Relationships\n"
        yield table(
            ("From", "To", "Role", "Children per parent"),
            [
                (plain(r.parent or r.from_), plain(r.child or r.to), plain(r.role), plain(children(r)))
                for r in project.relationships
            ],
        )


def _model(report: Report, made: ModelReport) -> Iterator[str]:
    model = made.model
    yield f"## Model: {plain(model.name)} ({made.store.title}{f' {plain(model.version)}' if model.version else ''})\n"
    yield f"{made.served} of {len(made.plans)} patterns are served by one key or index. Evidence: {plain(made.store.evidence)}.\n"
    if model.note:
        yield plain(model.note) + "\n"
    yield "### Structures\n"
    yield table(
        ("Structure", "Holds", "Keys and indexes", "Record avg / p99 / max", "Note"),
        [
            (code(s.name), plain(held(s)), plain(key_words(s)), _sizes(made, s.name), plain(s.note))
            for s in model.structures
        ],
    )
    yield "### How each pattern is served\n"
    yield table(
        ("#", "Operation", "Service level", "By", "Requests", "Records", "Bytes"),
        [
            (
                str(n),
                plain(p.operation),
                made.plans[p.operation].level.words,
                code(made.plans[p.operation].where),
                *plan_numbers(made.plans[p.operation]),
            )
            for n, p in enumerate(report.project.patterns, 1)
        ],
        right=(0, 4, 5, 6),
    )
    for pattern in report.project.patterns:
        plan = made.plans[pattern.operation]
        if plan.misses or plan.missing:
            yield f"**{plain(pattern.operation)}**\n\n" + "\n".join(_why(made, pattern.operation)) + "\n"
    yield from _copies(made)
    yield from _forecast(made)
    yield "### Queries\n"
    for pattern in report.project.patterns:
        text = query(report, made, pattern.operation)
        if text:
            yield f"{plain(pattern.operation)}:\n\n{block(text, made.store.script_language)}"
    yield "### Script\n"
    for name, text in files(report, made).items():
        yield f"{code(name)}\n\n{block(text, made.store.script_language)}"


def _sizes(made: ModelReport, structure: str) -> str:
    load = made.loads.get(structure)
    return "; ".join(spread_text(s, size) for s in load.record_now.values()) if load is not None else ""


def _why(made: ModelReport, operation: str) -> Iterator[str]:
    plan = made.plans[operation]
    for miss in plan.misses:
        yield f"- {plain(miss.what)}" + (f" Fix: {plain(miss.fix)}." if miss.fix else "")
    if plan.missing:
        yield f"- Not held anywhere it can be read: {plain(', '.join(plan.missing))}."


def _copies(made: ModelReport) -> Iterator[str]:
    rows = [
        (code(s.name), plain(c.what), plain(c.refresh or "not said"), plain(c.because))
        for s in made.model.structures
        for thing in (s, *s.records)
        for c in (*thing.copied, *thing.computed)
    ]
    if rows:
        yield "### Copies and maintained figures\n"
        yield table(("Structure", "Of", "Refreshed", "Because"), rows)


def _forecast(made: ModelReport) -> Iterator[str]:
    rows = []
    for name, load in made.loads.items():
        for record, (p99, most) in load.record_crosses.items():
            if p99 is not None or most is not None:
                rows.append((code(name), plain(record), _when(p99), _when(most)))
    if rows:
        yield "### When records outgrow the store's limit\n"
        yield table(("Structure", "Record", "p99 passes in", "Maximum passes in"), rows)


def _when(seconds: float | None) -> str:
    return "never" if seconds is None else "already passed" if seconds == 0 else duration(seconds)


def _findings(report: Report, models: tuple[ModelReport, ...]) -> Iterator[str]:
    names = {m.model.name for m in models}
    shown = [f for f in report.findings if (not f.model or f.model in names) and not f.accepted]
    yield "## Findings\n"
    if not shown:
        yield "None.\n"
        return
    for finding in shown:
        where = f"{finding.model}: " if finding.model else ""
        yield f"- **{finding.severity}** {plain(where)}{plain(finding.message)} ({plain(finding.rule)})"
        yield from (f"    - {plain(e.label)}: {plain(e.value)}{' ≈' if e.assumed else ''}" for e in finding.evidence)
        yield from (f"    - Fix: {plain(f.label)}" for f in finding.fixes)
    yield ""


def _decisions(report: Report) -> Iterator[str]:
    if report.project.decisions:
        yield "## Decisions\n"
        yield table(
            ("Finding", "Where", "Accepted because", "By", "Date"),
            [
                (plain(d.finding), plain(d.at), plain(d.reason), plain(d.by), plain(d.date))
                for d in report.project.decisions
            ],
        )


FORMAT = Exporter(
    "markdown",
    "Model document (Markdown)",
    "Workload, models, plans, forecasts, findings and decisions.",
    "text/markdown",
    "md",
    write,
)
