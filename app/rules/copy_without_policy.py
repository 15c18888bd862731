"""A copy does not say how it follows its truth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf

from app.model.candidate import Copy, Embed, Structure
from app.model.growth import consistency_of
from app.plan import lay
from app.rules.cache_without_ttl import span
from app.rules.ground import Thing, change, each_thing, finding, of_thing, things
from app.rules.rule import Evidence, Finding, StructureCase, rule
from app.rules.words import duration


@rule(severity="warning", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """A copy does not say how it follows its truth.

    ## What it flags

    A copied attribute that may change, without `refresh`: neither on the copy nor on the structure that holds it.

    ## Why it hurts

    The plan has to take the strictest reading, a refresh in the same write, and whoever builds it guesses. A year later
    nobody knows whether the old value is right (an order shows the name of its day) or a fault.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Blog
    entities:
      - {name: author, count: 1k, fields: [id objectid key, name string avg 18]}
      - {name: post, count: 20k, fields: [id objectid key, author_id objectid, body text]}
    relationships:
      - {parent: author, child: post, via: author_id, children: {avg: 20, p99: 400, max: 9k}}
    patterns:
      - operation: Read post
        get: post
        where: "post.id = :p"
        needs: [post, author.name]
        rate: 80/s
        consistency: {post: strong, author.name: eventual 10 min}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: authors, of: author, _id: author.id}
          - {collection: posts, of: post, _id: post.id, copy: [{what: author.name, as: author_name}]}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Blog
    entities:
      - {name: author, count: 1k, fields: [id objectid key, name string avg 18]}
      - {name: post, count: 20k, fields: [id objectid key, author_id objectid, body text]}
    relationships:
      - {parent: author, child: post, via: author_id, children: {avg: 20, p99: 400, max: 9k}}
    patterns:
      - operation: Read post
        get: post
        where: "post.id = :p"
        needs: [post, author.name]
        rate: 80/s
        consistency: {post: strong, author.name: eventual 10 min}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: authors, of: author, _id: author.id}
          - collection: posts
            of: post
            _id: post.id
            copy: [{what: author.name, as: author_name, refresh: async within 10 min}]
    ```

    ## When to allow it

    Where the value never changes: mark the field `immutable`.

    ## Sources

    The project format: copies, refresh, consistency.
    """
    structure = case.structure
    if structure.purpose == "cache" or structure.refresh:
        return
    for thing in things(structure):
        of = of_thing(thing, structure)
        if thing.purpose == "cache" or thing.refresh:
            continue
        for copy, here in _copies(thing, of):
            if copy.refresh or copy.because or _fixed(copy, here, case):
                continue
            yield _finding(case, copy)


def _copies(thing: Thing | Embed, of: str) -> Iterator[tuple[Copy, str]]:
    """Every copy with the entity it is copied to."""
    for copy in thing.copied:
        yield copy, of
    for embed in thing.embed:
        yield from _copies(embed, embed.what)


def _fixed(copy: Copy, of: str, case: StructureCase) -> bool:
    """A value that cannot change, or that the record has of its own anyway."""
    attr = lay.column(of, copy.what, case.world)
    if attr.startswith("=") or attr.partition(".")[0] == of:
        return True
    return attr in case.world.immutable


def _finding(case: StructureCase, copy: Copy) -> Finding:
    entity, readers, youngest = copy.what, [], inf
    attr = lay.column(case.structure.of, copy.what, case.world)
    for pattern, *_ in case.users:
        if pattern.is_read and _wants(pattern.needs, copy.what, attr):
            age = consistency_of(pattern, copy.what).age
            readers.append(pattern.operation)
            youngest = min(youngest, inf if age is None else age)
    policy = _policy(youngest, bool(readers))
    accepts = f"; the strictest reader accepts {duration(youngest)}" if 0 < youngest < inf else ""
    evidence = (Evidence("age the strictest reader accepts", duration(youngest), youngest),) if youngest < inf else ()

    def said(copies: tuple[Copy, ...]) -> tuple[Copy, ...]:
        return tuple(c.model_copy(update={"refresh": policy}) if c == copy else c for c in copies)

    def deep(embeds: tuple[Embed, ...]) -> tuple[Embed, ...]:
        return tuple(e.model_copy(update={"copied": said(e.copied), "embed": deep(e.embed)}) for e in embeds)

    def how(s: Structure) -> Structure:
        return each_thing(s, lambda t: t.model_copy(update={"copied": said(t.copied), "embed": deep(t.embed)}))

    return finding(
        case,
        "copy-without-policy",
        "warning",
        f"{case.structure.name} copies {entity} and does not say how it follows its truth{accepts}",
        *evidence,
        part=copy.as_ or copy.what,
        fixes=(change(case, f"Refresh: {policy}", how),),
        patterns=readers,
    )


def _wants(needs: Iterable[object], path: str, attr: str) -> bool:
    wanted = {getattr(n, "what", "") for n in needs}
    return bool({path, attr, path.partition(".")[0], attr.partition(".")[0]} & wanted)


def _policy(youngest: float, read: bool) -> str:
    """The laziest refresh that every reader accepts."""
    if youngest == inf:
        return "never" if read else "same write"
    return f"async within {span(youngest)}" if youngest > 0 else "same write"
