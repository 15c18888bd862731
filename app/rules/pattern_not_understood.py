"""An operation, or a part of it, could not be read as something that can be planned."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.model.workload import Pattern
from app.rules.rule import Ask, Finding, PatternCase, rule
from app.rules.weigh import ask_row, row

FIELD = re.compile(r"\((span|matches|inserts): (.+)\)")
SETS = re.compile(r"what does the update set")
GROWS = re.compile(r"how many (\w+) records are added")


@rule(severity="question", scope="pattern")
def check(case: PatternCase) -> Iterator[Finding]:
    """An operation, or a part of it, could not be read as something that can be planned.

    ## What it flags

    A row without an action or an entity, and every name, condition or number in a row that the planner had to leave
    out: an attribute no entity has, a range of unknown width, an update that does not say what it sets.

    ## Why it hurts

    What is left out is not planned. A range without a width has no number of records; a name without a meaning has no
    column. The plan beside such a row is the plan of something smaller.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Readings
    entities:
      - {name: reading, count: 1M, fields: [id uuid key, sensor_id string, at datetime]}
    patterns:
      - {operation: Recent readings, list: reading, where: "reading.sensor_id = :s and reading.at >= :since", rate: 5/s}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Readings
    entities:
      - {name: reading, count: 1M, growth: 10k/day, fields: [id uuid key, sensor_id string, at datetime]}
    patterns:
      - operation: Recent readings
        list: reading
        where: reading.sensor_id = :s and reading.at >= :since
        span: {reading.at: 24 h}
        rate: 5/s
    ```

    ## When to allow it

    Never for long: it is a question, and the answer goes into the row.

    ## Sources

    The project format: patterns, attribute paths, `span` and `matches`.
    """
    pattern = case.pattern
    lowered = case.query or case.intent
    if lowered is not None and not lowered.questions:
        return
    if lowered is None:
        lacks = "what it does (get, list, insert …)" if not pattern.action else "which entity it is about"
        asks: tuple[Ask, ...] = (
            ask_row(pattern, "action" if not pattern.action else "entity", "Action and entity", "list: order"),
        )
        yield _finding(pattern, f"cannot plan this row: needs {lacks}", asks)
        return
    asks = tuple(dict.fromkeys(_ask(pattern, q) for q in lowered.questions))
    yield _finding(pattern, "cannot plan all of this row: " + "; ".join(lowered.questions), asks)


def _finding(pattern: Pattern, message: str, asks: tuple[Ask, ...]) -> Finding:
    return Finding(
        "pattern-not-understood", "question", row(pattern), message, asks=asks, patterns=(pattern.operation,)
    )


def _ask(pattern: Pattern, question: str) -> Ask:
    """The place where the answer belongs."""
    if hit := FIELD.search(question):
        return ask_row(pattern, hit[1], hit[1].capitalize(), hit[2])
    if hit := GROWS.search(question):
        return Ask(f"entities/{hit[1]}/growth", f"Growth of {hit[1]}", "2k/day")
    if SETS.search(question):
        return ask_row(pattern, "set", "What it sets", "{order.status: paid}")
    return ask_row(pattern, "where", "Condition", "order.id = :order")
