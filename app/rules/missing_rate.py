"""A pattern does not say how often it runs."""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.rule import Ask, Finding, PatternCase, rule
from app.rules.weigh import ask_row, row


@rule(severity="question", scope="pattern")
def check(case: PatternCase) -> Iterator[Finding]:
    """A pattern does not say how often it runs.

    ## What it flags

    A row without a rate, or with a share of a total that is not given (`90% of reads` without `traffic`).

    ## Why it hurts

    Load, heat, cost and most warnings are a rate times something. Without a rate a scan once a day and a scan a
    thousand times a second look alike.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 10M, fields: [id uuid key, total int64]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :order"}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 10M, fields: [id uuid key, total int64]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :order", rate: {avg: 500/s, peak: 1500/s}}
    ```

    ## When to allow it

    A rough guess is better than nothing: write `~10/s`, and it is shown as an assumption.

    ## Sources

    The project format: rates, traffic.
    """
    if case.rate is not None or case.peak is not None:
        return
    pattern = case.pattern
    given = pattern.rate
    if pattern.for_each and given is None:
        return  # it runs as often as the other pattern returns records
    shares = [a.of for a in (given.avg, given.peak) if a is not None and a.of] if given else []
    if shares:
        word = shares[0]
        need = f"how many {word} there are in all, since it is typed as a share of them"
        ask = Ask("project/traffic", f"All {word} together", f"{{{word}: 800/s}}")
    else:
        need = "a rate"
        ask = ask_row(pattern, "rate", "Rate", "500/s, peak 1500/s")
    message = f"cannot judge the load of {pattern.operation}: needs {need}"
    yield Finding("missing-rate", "question", row(pattern), message, asks=(ask,), patterns=(pattern.operation,))
