"""The store refuses a structure as it is written down, or quietly does something else."""

from __future__ import annotations

from collections.abc import Iterator

from app.memory import Memory
from app.model.candidate import Index, Structure
from app.rules.ground import change, finding, index_of, without_index
from app.rules.rule import Finding, Fix, Severity, StructureCase, rule
from app.stores.store import Fault

FAULTS = Memory(5_000)
"""Of a structure of a model, in a world whatever its inflow."""


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
    faults = _faults(case)
    severity: Severity
    for severity, part, kind in (("error", "", "refused"), ("warning", "note", "surprise")):
        found = [f for f in faults if f.kind == kind]
        if found:
            yield finding(
                case,
                "structure-refused",
                severity,
                " ".join(f.what for f in found).rstrip("."),
                part=part,
                fixes=_fixes(case, found),
            )


def _faults(case: StructureCase) -> tuple[Fault, ...]:
    """What no other rule says. It depends neither on patterns nor on inflow, so an edit of a pattern finds it again."""
    structure, model, world = case.structure, case.model, case.world

    def make() -> tuple[Fault, ...]:
        return tuple(f for f in case.store.problems(structure, model, world) if not f.own_rule)

    return FAULTS.of("faults", (structure, model, world.base or world), make)


def _fixes(case: StructureCase, faults: list[Fault]) -> tuple[Fix, ...]:
    """An index with two arrays becomes one for each; other faults need a person."""
    if [f.code for f in faults] != ["parallel-arrays"]:
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
