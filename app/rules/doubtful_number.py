"""Two numbers of the workload contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.checks import Doubt, number_doubts
from app.rules.rule import Ask, Evidence, Finding, ProjectCase, rule
from app.rules.words import count


@rule(severity="question", scope="project")
def check(case: ProjectCase) -> Iterator[Finding]:
    """Two numbers of the workload contradict each other.

    ## What it flags

    A p99 more than a hundred times the average, a maximum below the p99, a peak below the average, parents times
    children that do not make the number of children, more children than there are records, growth that does not fit
    the inserts.

    ## Why it hurts

    Every figure that rests on both numbers is wrong by as much as they differ, and nobody can say in which direction.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Blog
    entities:
      - {name: post, count: 1k, fields: [id uuid key]}
      - {name: comment, count: 50k, fields: [id uuid key, post_id uuid]}
    relationships:
      - {parent: post, child: comment, via: post_id, children: {avg: 10, p99: 80, max: 500}}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Blog
    entities:
      - {name: post, count: 1k, fields: [id uuid key]}
      - {name: comment, count: 10k, fields: [id uuid key, post_id uuid]}
    relationships:
      - {parent: post, child: comment, via: post_id, children: {avg: 10, p99: 80, max: 500}}
    ```

    ## When to allow it

    Numbers measured at different times differ a little; a factor of 1.25 is let pass. More than that is worth a look.

    ## Sources

    The project format: spreads, relationships, growth. A mean is at least a hundredth of its p99.
    """
    places: dict[str, list[Doubt]] = {}
    for doubt in number_doubts(case.project):
        places.setdefault(doubt.at, []).append(doubt)
    for at, found in places.items():
        kind, name, *_ = at.split("/")
        evidence = tuple(Evidence(label, count(n), n) for doubt in found for label, n in doubt.figures)
        yield Finding(
            "doubtful-number",
            "question",
            at,
            "cannot be: " + "; ".join(d.what for d in found),
            evidence,
            asks=(Ask(at, _label(at), ""),),
            patterns=(name,) if kind == "patterns" else (),
        )


def _label(at: str) -> str:
    """`Children of post-comment`, `Rate of Load order`."""
    _, name, *rest = at.split("/")
    return f"{(rest[0] if rest else 'part').capitalize()} of {name}"
