"""A relationship that matters does not say how many children a parent has."""

from __future__ import annotations

from collections.abc import Iterator

from app.memory import PerPart
from app.model.alter import relationship_place
from app.model.candidate import Embed, RecordShape, Structure
from app.model.project import Project
from app.model.spreads import GivenSpread
from app.model.workload import Pattern, Relationship
from app.rules.rule import Ask, Evidence, Finding, ProjectCase, rule
from app.rules.words import count

_NAMES = PerPart()
HINT = "{avg: 10, p99: 80, max: none}"


@rule(severity="question", scope="project")
def check(case: ProjectCase) -> Iterator[Finding]:
    """A relationship that matters does not say how many children a parent has.

    ## What it flags

    A relationship that a pattern reads or writes through, or that a model embeds, without an average, a p99 or a
    maximum of children per parent. For a many-to-many relationship, without the numbers of both directions.

    ## Why it hurts

    Embedding, fan-out, partition size and record size follow from the number of children. The average hides what
    fails: the post with the most comments is the one that passes the limit.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Blog
    entities:
      - {name: post, count: 1k, fields: [id uuid key, title string]}
      - {name: comment, fields: [post_id uuid, body text]}
    relationships:
      - {parent: post, child: comment, via: post_id, children: 10}
    patterns:
      - {operation: Read post, get: post, where: "post.id = :p", needs: [post, comment], rate: 5/s}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Blog
    entities:
      - {name: post, count: 1k, fields: [id uuid key, title string]}
      - {name: comment, fields: [post_id uuid, body text]}
    relationships:
      - {parent: post, child: comment, via: post_id, children: {avg: 10, p99: 80, max: none}}
    patterns:
      - {operation: Read post, get: post, where: "post.id = :p", needs: [post, comment], rate: 5/s}
    ```

    ## When to allow it

    Where the number has no bound, say so: `max: none`. Where every parent has the same number, say `exactly 1`.

    ## Sources

    The project format: relationships, spreads.
    """
    lacking = [(r, gaps) for r in case.project.relationships if (gaps := tuple(_gaps(r)))]
    if not lacking:
        return
    together = _NAMES.each(case.project.patterns, _named)
    embedded = set(_embedded(case.project))
    for r, gaps in lacking:
        ends = {r.from_, r.to} if r.many_to_many else {r.parent, r.child}
        names = {r.role, *ends}
        if {r.to, r.child} & embedded or any(_through(t, r, names) for t in together):
            yield _finding(r, gaps)


def _gaps(r: Relationship) -> Iterator[tuple[str, str, GivenSpread | None]]:
    """Field, what it counts and what is given, where it is not enough."""
    if r.many_to_many:
        fields = (("out", f"{r.to} per {r.from_}", r.out), ("in", f"{r.from_} per {r.to}", r.in_))
        # one average follows from the other, so one side given is enough to go on
        if all(_lacks(given) for _, _, given in fields):
            yield from fields
    elif _lacks(r.children):
        yield "children", f"{r.child} per {r.role}", r.children


def _lacks(given: GivenSpread | None) -> bool:
    return given is None or not (_said(given, "avg") and _said(given, "p99") and _said(given, "max"))


def _said(given: GivenSpread, name: str) -> bool:
    """A number, or `none` for a maximum without bound; a p99 needs no saying where the maximum is near."""
    amount = getattr(given, name)
    if amount is not None and amount.value is not None:
        return True
    most, usual = given.max, given.avg
    near = most is not None and most.known and usual is not None and usual.known
    return name == "p99" and near and (most.value or 0) <= 10 * (usual.value or 0)  # type: ignore[union-attr]


def _finding(r: Relationship, gaps: tuple[tuple[str, str, GivenSpread | None], ...]) -> Finding:
    place = f"relationships/{relationship_place(r)}"
    missing = [_missing(given) for _, _, given in gaps]
    whats = " and ".join(what for _, what, _ in gaps)
    needs = " and ".join(dict.fromkeys(missing))
    evidence = tuple(
        Evidence(f"{what}, average", count(given.avg.value), given.avg.value, assumed=given.avg.assumed)
        for _, what, given in gaps
        if given is not None and given.avg is not None and given.avg.value is not None
    )
    asks = tuple(Ask(f"{place}/{field}", what.capitalize(), HINT) for field, what, _ in gaps)
    message = f"cannot judge the largest number of {whats}: needs {needs}"
    return Finding("missing-children", "question", place, message, evidence, asks=asks)


def _missing(given: GivenSpread | None) -> str:
    words = {"avg": "an average", "p99": "a p99", "max": "a maximum"}
    lacking = [word for name, word in words.items() if given is None or not _said(given, name)]
    return ", ".join(lacking[:-1]) + (" and " if len(lacking) > 1 else "") + lacking[-1]


def _through(named: frozenset[str], r: Relationship, names: set[str]) -> bool:
    """Does a pattern name both ends, or the relationship itself?"""
    if r.many_to_many:
        return r.name in named or {r.from_, r.to} <= named
    parent = {r.parent, r.role, *r.via}
    return r.child in named and bool(parent & named) and bool(names & named)


def _named(pattern: Pattern) -> frozenset[str]:
    """Entities and roles that a pattern names, and the last part of what its conditions name."""
    out = {pattern.entity, *pattern.more, *pattern.with_, *(also.entity for also in pattern.also)}
    paths = [need.what for need in pattern.needs]
    if pattern.where:
        paths += pattern.where.paths
    for path in paths:
        out.update(path.split("."))
    return frozenset(out)


def _embedded(project: Project) -> Iterator[str]:
    for model in project.models:
        for structure in model.structures:
            yield from _embeds(structure)
            for shape in structure.records:
                yield from _embeds(shape)


def _embeds(thing: Structure | RecordShape | Embed) -> Iterator[str]:
    for embed in thing.embed:
        yield embed.what
        yield from _embeds(embed)
    yield from (ref.what for ref in thing.reference)
