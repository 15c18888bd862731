"""A read does not say how old its answer may be."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.growth import read_consistency
from app.rules.rule import Finding, PatternCase, rule
from app.rules.weigh import ask_row, row

LEVELS = "strong, read your writes, eventual 5 min or historical"


@rule(severity="question", scope="pattern")
def check(case: PatternCase) -> Iterator[Finding]:
    """A read does not say how old its answer may be.

    ## What it flags

    A read without a consistency, and `eventual` without a greatest age.

    ## Why it hurts

    An index that lags, a copy and a cache are good or bad answers depending on the age a reader accepts. Without it
    any of them is taken for good enough, and the plan looks better than it is.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 10M, fields: [id uuid key, total int64]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :order", rate: 500/s, consistency: eventual}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: order, count: 10M, fields: [id uuid key, total int64]}
    patterns:
      - {operation: Load order, get: order, where: "order.id = :order", rate: 500/s, consistency: eventual 5 min}
    ```

    ## When to allow it

    Where nothing is copied and every path follows the record at once, the answer changes nothing. It still tells the
    next reader what was meant.

    ## Sources

    The project format: consistency by entity or attribute.
    """
    pattern = case.pattern
    if not pattern.is_read:
        return
    said = pattern.consistency
    if not said:
        need, hint = f"a consistency ({LEVELS})", "read your writes"
    else:
        ageless = [path for path, text in said.items() if read_consistency(text).age is None]
        if not ageless:
            return
        of = "" if ageless == ["*"] else f" of {', '.join(ageless)}"
        need, hint = f"the greatest age{of} that `eventual` allows", "eventual 5 min"
    yield Finding(
        "missing-consistency",
        "question",
        row(pattern),
        f"cannot judge whether {pattern.operation} may read a copy, a replica or a lagging index: needs {need}",
        asks=(ask_row(pattern, "consistency", "Consistency", hint),),
        patterns=(pattern.operation,),
    )
