"""A model, or a structure of one, names a store this studio does not know."""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.rule import Evidence, Finding, ProjectCase, rule
from app.stores import STORES


@rule(severity="error", scope="project")
def check(case: ProjectCase) -> Iterator[Finding]:
    """A model names a store this studio does not know.

    ## What it flags
    A candidate model whose `store`, or a structure whose own `store`, is none of the stores that can be judged.

    ## Why it hurts
    Nothing can be said of how such a model serves the patterns, what it costs or when it breaks. It stays in the
    project file and is left out of every comparison.

    ## Example
    ```yaml flagged
    keywright: 1
    name: Typo
    entities: [{name: user, count: 10, fields: [id uuid key]}]
    models: [{name: First, store: mongobd, structures: [{collection: users, of: user, _id: user.id}]}]
    ```

    ## Instead
    Use a name that the list of stores shows.
    ```yaml clean
    keywright: 1
    name: Spelled
    entities: [{name: user, count: 10, fields: [id uuid key]}]
    models: [{name: First, store: mongodb, structures: [{collection: users, of: user, _id: user.id}]}]
    ```

    ## When to allow it
    The model is a note about a store that is not planned here.

    ## Sources
    The list of stores of this studio.
    """
    known = Evidence("known stores", ", ".join(STORES))
    for model in case.project.models:
        for structure in (None, *model.structures):
            name = model.store if structure is None else structure.store
            if name and name not in STORES:
                at = f"models/{model.name}" + (f"/{structure.name}" if structure is not None else "")
                inside = structure.name if structure is not None else ""
                message = f"{inside or model.name} is on {name}, which this studio does not know; it is not judged."
                yield Finding("unknown-store", "error", at, message, (known,), model=model.name, structure=inside)
