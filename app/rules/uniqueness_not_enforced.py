"""A value that must be unique can be stored twice."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.candidate import Index, RecordShape, Structure
from app.model.keys import parse_key_part, parse_template
from app.plan.types import Record, World
from app.rules.ground import add, change, finding
from app.rules.rule import Evidence, Finding, Fix, ModelCase, rule
from app.rules.words import count


@rule(severity="error", scope="model")
def check(case: ModelCase) -> Iterator[Finding]:
    """A value that must be unique can be stored twice.

    ## What it flags

    A unique field, or a unique set of fields, of an entity that a pattern inserts, where no key and no unique index of
    the model is made of it. An index that is not unique finds the value; it accepts it twice.

    ## Why it hurts

    Two people sign up with the same address at the same moment. A look before the insert does not help: both look
    first.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Accounts
    entities:
      - {name: user, count: 1M, size: 0.5 KB, fields: [id uuid key, email string unique avg 24]}
    patterns:
      - {operation: Sign up, insert: user, rate: 3/s, retry: same key}
    models:
      - name: By id
        store: dynamodb
        structures:
          - table: users
            records: [{of: user, pk: "U#{user.id}"}]
            gsi: [{name: by_email, pk: "{user.email}", of: [user], projection: all}]
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Accounts
    entities:
      - {name: user, count: 1M, size: 0.5 KB, fields: [id uuid key, email string unique avg 24]}
    patterns:
      - {operation: Sign up, insert: user, rate: 3/s, retry: same key}
    models:
      - name: With a guard
        store: dynamodb
        structures:
          - table: users
            records:
              - {of: user, pk: "U#{user.id}"}
              - {of: user, purpose: unique, pk: "EMAIL#{user.email}", fields: [user.id]}
            gsi: [{name: by_email, pk: "{user.email}", of: [user], projection: all}]
    ```

    ## When to allow it

    Where something else guards the value before it reaches this store.

    ## Sources

    The stores' rules on conditions: they see one record by its key. Field reports of addresses registered twice.
    """
    if not any(r.truth and not r.static and _wanted(r.of, case.world) for r in case.records):
        return
    inserted = {p.entity: p for p, _ in case.plans if p.action in ("insert", "upsert")}
    inserted |= {also.entity: p for p, _ in case.plans for also in p.also if also.action in ("insert", "upsert")}
    for record in case.records:
        if not record.truth or record.static or record.of not in inserted:
            continue
        key = frozenset(case.world.keys.get(record.of, ()))
        for together in case.world.unique_together.get(record.of, ()):
            known = all(a in case.world.stats for a in together)
            if (
                known
                and together
                and together != key
                and not any(_guards(r, together, record.of) for r in case.records)
            ):
                yield _finding(case, record, together, inserted[record.of].operation)


def _wanted(of: str, world: World) -> bool:
    """Is anything but the key to be unique?"""
    key = frozenset(world.keys.get(of, ()))
    return any(together != key for together in world.unique_together.get(of, ()))


def _guards(record: Record, together: frozenset[str], of: str) -> bool:
    if record.of != of or (not record.truth and record.purpose == "cache"):
        return False
    for path in record.paths:
        exact = frozenset(p.attr for p in (*path.partition, *path.order) if p.attr and p.kept.exact)
        if path.unique and exact and exact <= together:
            return True
    return False


def _finding(case: ModelCase, record: Record, together: frozenset[str], pattern: str) -> Finding:
    names = ", ".join(sorted(together))
    at = next(
        (p.name for p in record.paths if {a.attr for a in (*p.partition, *p.order)[: len(together)]} == together), ""
    )
    found = f": {at} finds it, and accepts it twice" if at else ": nothing guards it"
    structure = next((s for s in case.model.structures if s.name == record.structure), None)
    fixes = _fixes(case, structure, record, together) if structure is not None else ()
    writing = record.dialect.writing
    evidence = [Evidence("records", count(record.count), record.count)]
    if writing.unit and writing.across == "transaction":
        evidence.append(Evidence("more records in the insert's transaction", "1", 1))
        evidence.append(Evidence("units of a record in a transaction", f"× {count(writing.factor)}", writing.factor))
    return finding(
        case,
        "uniqueness-not-enforced",
        "error",
        f"{names} is unique, and {record.structure} does not keep it so{found}",
        *evidence,
        structure=record.structure,
        part=names,
        fixes=fixes,
        patterns=[pattern],
    )


def _fixes(case: ModelCase, structure: Structure, record: Record, together: frozenset[str]) -> tuple[Fix, ...]:
    store = case.stores.get(case.model.store_of(structure), case.store)
    attrs = sorted(together)
    short = "_".join(a.rpartition(".")[2] for a in attrs)
    if store.can.single_table and structure.records:
        key = "#".join([short.upper(), *(f"{{{a}}}" for a in attrs)])
        sorted_ = any(r.sk is not None for r in structure.records)
        guard = RecordShape(
            of=record.of,
            purpose="unique",
            pk=parse_template(key),
            sk=parse_template(short.upper()) if sorted_ else None,
            fields=case.world.keys.get(record.of, ()),
        )
        label = f"Add an item per {short}, written on condition in the same transaction"
        return (change(case, label, lambda s: s.model_copy(update={"records": (*s.records, guard)}), structure.name),)
    if "indexes" in store.structure_keys and store.can.indexes and not structure.shard_key:
        index = Index(keys=tuple(parse_key_part(a) for a in attrs), unique=True)
        plain = next((i for i in structure.indexes if [k.attr for k in i.keys] == attrs and not i.where), None)
        others = tuple(i for i in structure.indexes if i != plain)
        label = f"Make the index on {', '.join(attrs)} unique" if plain else f"Add a unique index on {', '.join(attrs)}"
        return (change(case, label, lambda s: s.model_copy(update={"indexes": (*others, index)}), structure.name),)
    if store.can.table_per_query and case.model.structure(f"{record.of}_by_{short}") is None:
        table = Structure(
            kind="table",
            name=f"{record.of}_by_{short}",
            of=record.of,
            partition_key=tuple(parse_key_part(a) for a in attrs),
            fields=case.world.keys.get(record.of, ()),
            purpose="unique",
        )
        return (add(case, f"Add table {table.name}, inserted if it does not exist", table),)
    return ()
