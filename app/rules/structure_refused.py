"""The store refuses a structure as it is written down, or quietly does something else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.model.candidate import Index, Structure
from app.rules.ground import change, finding, index_of, without_index
from app.rules.rule import Finding, Fix, Severity, StructureCase, rule

SOFT = re.compile(
    r"shards lie in different slots|make ids that cannot repeat|goes when its oldest|would remove these items"
    r"|a retry may open|are advised|every entry repeats|does not watch|write it USING|the tag is the same"
    r"|takes the first|hashes the first braces|use a hash of it|must be written|holds every document"
)
"""What works, but not as one might think."""
ELSEWHERE = re.compile(
    r"the tag is the same in every key|shards lie in different slots|how many records may one bucket"
)
"""What a rule of its own says, or what is no fault."""


@rule(severity="error", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """The store refuses a structure as it is written down, or quietly does something else.

    ## What it flags

    Everything a store knows to be wrong with a structure by itself: names that lead nowhere, missing keys, two arrays
    in one index, an attribute that cannot be a key. What works differently from what it looks like is a warning.

    ## Why it hurts

    The script fails when it is run; or, worse, it runs and the records are not what the plan says.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Games
    entities:
      - {name: game, count: 50k, fields: [id objectid key, "tags string[] items avg 5", "players uuid[] items avg 8"]}
    models:
      - name: A
        store: mongodb
        structures: [{collection: games, of: game, _id: game.id, indexes: [{keys: [game.tags, game.players]}]}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Games
    entities:
      - {name: game, count: 50k, fields: [id objectid key, "tags string[] items avg 5", "players uuid[] items avg 8"]}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: games, of: game, _id: game.id, indexes: [{keys: [game.tags]}, {keys: [game.players]}]}
    ```

    ## When to allow it

    An error, never. A warning, where the team knows the store does it this way and means it.

    ## Sources

    The stores' manuals; engines that were asked.
    """
    told = [t for t in case.store.problems(case.structure, case.model, case.world) if not ELSEWHERE.search(t)]
    if _random_ids(case):
        told = [t for t in told if "make ids that cannot repeat" not in t]
    hard = [t for t in told if not SOFT.search(t)]
    soft = [t for t in told if SOFT.search(t)]
    severity: Severity
    for severity, part, sentences in (("error", "", hard), ("warning", "note", soft)):
        if sentences:
            yield finding(
                case,
                "structure-refused",
                severity,
                " ".join(sentences).rstrip("."),
                part=part,
                fixes=_fixes(case, sentences),
            )


def _random_ids(case: StructureCase) -> bool:
    """Are the keys of all kinds made so that they never repeat?"""
    keys = [a for r in case.records for a in case.world.keys.get(r.of, ())]
    made = ("uuid", "timeuuid", "objectid")
    return bool(keys) and all(case.world.stats[a].type in made for a in keys if a in case.world.stats)


def _fixes(case: StructureCase, sentences: list[str]) -> tuple[Fix, ...]:
    """An index with two arrays becomes one for each; other faults need a person."""
    if len(sentences) != 1 or "several arrays" not in sentences[0]:
        return ()
    for record in case.records:
        for path in record.paths:
            many = [p for p in path.order if p.many]
            found = index_of(case.structure, path, case.world) if len(many) > 1 else None
            if found is None:
                continue
            word, index = found
            arrays = {p.attr for p in many}
            own = case.world.own
            parts = [
                tuple(k for k in index.keys if k is kept or own(record.of, k.attr) not in arrays)
                for kept in index.keys
                if own(record.of, kept.attr) in arrays
            ]
            new = tuple(index.model_copy(update={"keys": keys, "name": ""}) for keys in parts)
            return (_swap(case, word, index, new),)
    return ()


def _swap(case: StructureCase, word: str, index: Index, new: tuple[Index, ...]) -> Fix:
    drop = without_index(word, index)

    def how(s: Structure) -> Structure:
        rest = drop(s)
        return rest.model_copy(update={word: (*getattr(rest, word), *new)})

    return change(case, f"Make {len(new)} indexes of it, one for each array", how)
