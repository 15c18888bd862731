"""One candidate model: its structures and keys, how it serves each pattern, what each write changes, its copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.analysis import ModelReport, Report
from app.exporters.document.proof import proof, standing_words
from app.exporters.markdown_text import code, plain, table
from app.exporters.words import held, key_words, plan_numbers
from app.model.candidate import Computed, Copy, RecordShape, Structure
from app.plan.types import Plan, Touch
from app.proof.standing import Standing
from app.rules.words import count, duration
from app.stores import STORES


def model(report: Report, made: ModelReport, proofs: Sequence[Standing] = ()) -> Iterator[str]:
    design = made.model
    version = f" {plain(design.version)}" if design.version else ""
    yield f"## Model: {plain(design.name)} ({made.store.title}{version})\n"
    text = "The chosen model. " if design.chosen else ""
    text += f"{made.served} of {len(made.plans)} patterns are served by one key or index. "
    text += standing_words(made, proofs)
    options = [f"{k} {v}" for k, v in design.options.items()]
    options += [f"{design.nodes.text} nodes"] if design.nodes is not None else []
    if options:
        text += f" Settings: {plain('; '.join(options))}."
    yield text + "\n"
    if design.note:
        yield plain(design.note) + "\n"
    yield from _structures(made)
    yield from _reads_and_writes(report, made)
    yield from proof(report, proofs)
    yield from _touches(report, made)
    yield from _copies(made)


def _structures(made: ModelReport) -> Iterator[str]:
    yield "### Structures\n"
    if not made.model.structures:
        yield "None yet.\n"
        return
    head = (made.store.word.get("structure", "structure").capitalize(), "Holds", "Keys and indexes", "Settings", "Note")
    rows = [
        (code(s.name), plain(held(s)), plain(key_words(s)), plain(_settings(made, s)), plain(s.note))
        for s in made.model.structures
    ]
    yield table(head, rows)


def _settings(made: ModelReport, structure: Structure) -> str:
    store = made.model.store_of(structure)
    other = STORES[store].title if store in STORES else store
    named = (
        ("in", other if store != made.model.store else ""),
        ("", structure.type),
        ("", structure.purpose),
        ("ttl", structure.ttl),
        ("truth", structure.truth),
        ("refreshed", structure.refresh),
        ("owner", structure.owner),
        ("at most", structure.max.text if structure.max is not None else ""),
        ("schema version", structure.schema_version),
        ("capacity", structure.capacity if isinstance(structure.capacity, str) else ""),
    )
    return "; ".join(f"{word} {value}".strip() for word, value in named if value)


def _reads_and_writes(report: Report, made: ModelReport) -> Iterator[str]:
    yield "### How each pattern is served\n"
    if not report.project.patterns:
        yield "There are no access patterns yet.\n"
        return
    billed = any(p.units for p in made.plans.values())
    head = ("#", "Operation", "Service level", "By", "Requests", "Records", "Bytes", *(("Units",) if billed else ()))
    rows = []
    for n, pattern in enumerate(report.project.patterns, 1):
        plan = made.plans[pattern.operation]
        units = (count(plan.units) if plan.units else "–",) if billed else ()
        level = plan.level.words if plan.served else f"**{plan.level.words}**"
        rows.append((str(n), plain(pattern.operation), level, code(plan.where), *plan_numbers(plan), *units))
    yield table(head, rows, right=(0, 4, 5, 6, 7))
    yield "Figures of one operation on average.\n"
    for pattern in report.project.patterns:
        why = list(_why(made.plans[pattern.operation]))
        if why:
            yield f"**{plain(pattern.operation)}**\n\n" + "\n".join(why) + "\n"


def _why(plan: Plan) -> Iterator[str]:
    """Why it is not served better, what the engine may do instead, what is worth knowing."""
    for miss in plan.misses:
        yield f"- {_sentence(miss.what)}" + (f" To serve it: {_sentence(miss.fix)}" if miss.fix else "")
    if plan.missing:
        yield f"- Not held anywhere it can be read: {plain(', '.join(plan.missing))}."
    yield from (f"- {_sentence(note)}" for note in (*plan.notes, *plan.questions))


def _sentence(text: str) -> str:
    return plain(text) + ("" if text.rstrip().endswith((".", "?", "!", ":")) else ".")


def _touches(report: Report, made: ModelReport) -> Iterator[str]:
    """What a write changes, place by place: the price of copies and indexes."""
    rows = []
    for n, pattern in enumerate(report.project.patterns, 1):
        plan = made.plans[pattern.operation]
        for i, touch in enumerate(plan.touches):
            first = (str(n), plain(pattern.operation)) if i == 0 else ("", "")
            last = (plain(plan.scope), plain(plan.retry)) if i == 0 else ("", "")
            rows.append((*first, *_touch(touch), *last))
    if rows:
        yield "### What each write changes\n"
        head = ("#", "Operation", "Place", "Change", "Records", "Index entries", "When", "Written as one", "A repeat")
        yield table(head, rows, right=(0, 4, 5))


def _touch(touch: Touch) -> tuple[str, ...]:
    entries = touch.added + touch.removed + touch.rewritten
    when = "in the same operation" if touch.when == "same" else touch.when
    within = f" within {duration(touch.within)}" if touch.within else ""
    why = f" ({touch.why.replace('+', ' and ')})" if touch.why and touch.why != "truth" else ""
    records = count(touch.count.avg)
    return code(touch.record), plain(f"{touch.op}{why}"), records, count(entries) if entries else "–", when + within


def _copies(made: ModelReport) -> Iterator[str]:
    rows = []
    for structure in made.model.structures:
        shapes: tuple[Structure | RecordShape, ...] = (structure, *structure.records)
        copies: list[Copy | Computed] = []
        for shape in shapes:
            copies += [*shape.copied, *shape.computed]
        for copy in copies:
            refreshed = copy.refresh or "not said"
            rows.append((code(structure.name), plain(copy.what), plain(refreshed), plain(copy.because or copy.note)))
    if rows:
        yield "### Copies and maintained figures\n"
        yield table(("Structure", "Of", "Refreshed", "Because"), rows)
