"""A cache does not say what it repeats."""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.ground import change, finding
from app.rules.rule import Ask, Finding, StructureCase, rule

OUTSIDE = frozenset({"elsewhere", "outside", "computed"})


@rule(severity="warning", scope="structure")
def check(case: StructureCase) -> Iterator[Finding]:
    """A cache does not say what it repeats.

    ## What it flags

    A structure with the purpose `cache` that names no truth, or one that the model does not have. `truth: elsewhere`
    says that it lives outside of the model.

    ## Why it hurts

    Nobody can say who fills it after a miss, which writes must delete its keys, and whether it may be lost.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: product, count: 50k, fields: [id string key avg 6, body json avg 2 KB]}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: products, of: product, _id: product.id}
          - {store: redis, keys: "cache:product:{product.id}", type: string, of: product, ttl: 300 s, purpose: cache}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: product, count: 50k, fields: [id string key avg 6, body json avg 2 KB]}
    models:
      - name: A
        store: mongodb
        structures:
          - {collection: products, of: product, _id: product.id}
          - store: redis
            keys: "cache:product:{product.id}"
            type: string
            of: product
            ttl: 300 s
            purpose: cache
            truth: products
    ```

    ## When to allow it

    Where it is no cache: a structure that may not be lost has another purpose.

    ## Sources

    The project format: purpose and truth.
    """
    structure, named = case.structure, case.structure.truth.strip()
    if structure.purpose != "cache" or named.lower() in OUTSIDE:
        return
    homes = [s.name for s in case.model.structures if s is not structure and s.of == structure.of and not s.purpose]
    kinds = [s.name for s in case.model.structures for r in s.records if r.of == structure.of and not r.purpose]
    known = {s.name for s in case.model.structures}
    if named in known and named != structure.name:
        return
    what = f"repeats {named}, which the model does not have" if named else "is a cache of nothing that is named"
    found = list(dict.fromkeys([*homes, *kinds]))
    fixes = []
    if len(found) == 1:
        fixes.append(change(case, f"Name {found[0]} as its truth", lambda s: s.model_copy(update={"truth": found[0]})))
    elif not found:
        fixes.append(
            change(case, "Say that its truth lives elsewhere", lambda s: s.model_copy(update={"truth": "elsewhere"}))
        )
    at = f"models/{case.model.name}/{structure.name}/truth"
    yield finding(
        case,
        "cache-without-truth",
        "warning",
        f"{structure.name} {what}: who fills it, and who deletes its keys?",
        fixes=fixes,
        asks=(Ask(at, "What it repeats", found[0] if found else "elsewhere"),),
        patterns=[p.operation for p, *_ in case.users],
    )
