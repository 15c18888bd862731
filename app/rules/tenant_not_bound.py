"""A pattern on tenant data does not say whose data it is."""

from __future__ import annotations

from collections.abc import Iterator

from app.model.alter import change_pattern
from app.model.conditions import parse_where
from app.model.workload import Pattern
from app.plan.types import World
from app.rules.rule import Ask, Evidence, Finding, Fix, PatternCase, rule
from app.rules.weigh import ask_row, rate_evidence, row


@rule(severity="error", scope="pattern")
def check(case: PatternCase) -> Iterator[Finding]:
    """A pattern on tenant data does not say whose data it is.

    ## What it flags

    In a project with a `tenant`, every read, update and delete of something the tenant owns, directly or through its
    parents, whose condition does not fix the tenant by equality.

    ## Why it hurts

    Such an operation can reach the records of another customer: one forgotten check away from a leak. It also cannot
    use a key that starts with the tenant, so it is spread over everything.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Helpdesk
    tenant: account
    entities:
      - {name: account, count: 2k, fields: [id uuid key]}
      - {name: ticket, count: 5M, fields: [id uuid key, account_id uuid, status string]}
    relationships:
      - {parent: account, child: ticket, via: account_id, children: {avg: 2500, p99: 100k, max: none}}
    patterns:
      - {operation: Open tickets, list: ticket, where: "ticket.status = 'open'", limit: 50, rate: 20/s}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Helpdesk
    tenant: account
    entities:
      - {name: account, count: 2k, fields: [id uuid key]}
      - {name: ticket, count: 5M, fields: [id uuid key, account_id uuid, status string]}
    relationships:
      - {parent: account, child: ticket, via: account_id, children: {avg: 2500, p99: 100k, max: none}}
    patterns:
      - operation: Open tickets
        list: ticket
        where: ticket.account_id = :account and ticket.status = 'open'
        limit: 50
        rate: 20/s
    ```

    ## When to allow it

    Back-office jobs that work on all tenants on purpose. Accept the finding with that reason.

    ## Sources

    The project format: `tenant`.
    """
    tenant, world, pattern = case.project.tenant, case.world, case.pattern
    if not tenant or pattern.entity == tenant:
        return
    binders = _owned(world, tenant)
    if pattern.entity not in binders or not _reaches(case) or _bound(case) & _all(binders, world, tenant):
        return
    via = binders[pattern.entity]
    ask: Ask = ask_row(pattern, "where", "Condition", f"{via or tenant + '.id'} = :{tenant}")
    yield Finding(
        "tenant-not-bound",
        "error",
        row(pattern),
        f"{pattern.operation} can reach {pattern.entity} records of any {tenant}: nothing fixes the {tenant}",
        (Evidence("owned by", via or f"{tenant}, through its parents"), *rate_evidence(case)),
        (_fix(pattern, via, tenant),) if via else (),
        () if via else (ask,),
        patterns=(pattern.operation,),
    )


def _owned(world: World, tenant: str) -> dict[str, str]:
    """Entities that belong to a tenant: the own column that says whose (empty: only its parents know)."""
    found: dict[str, str] | None = world.memo.get(("owned", tenant))
    if found is None:
        found = {r.child: r.via[0] for r in world.rels if r.parent == tenant and len(r.via) == 1}
        grown = True
        while grown:
            below = {r.child for r in world.rels if r.parent in found and r.child not in found and r.child != tenant}
            found.update(dict.fromkeys(sorted(below), ""))
            grown = bool(below)
        world.memo["owned", tenant] = found
    return found


def _all(binders: dict[str, str], world: World, tenant: str) -> frozenset[str]:
    """Every attribute that names the tenant."""
    return frozenset({*world.keys.get(tenant, ()), *(v for v in binders.values() if v)})


def _reaches(case: PatternCase) -> bool:
    """A new record reaches nobody's data."""
    return case.query is not None or (case.intent is not None and case.pattern.action in ("update", "delete"))


def _bound(case: PatternCase) -> frozenset[str]:
    if case.query is not None:
        return frozenset(c.attr for n in case.query.needs for c in n.where if c.op == "=")
    changes = case.intent.changes if case.intent else ()
    return changes[0].known if changes else frozenset()


def _fix(pattern: Pattern, via: str, tenant: str) -> Fix:
    said = pattern.where.text if pattern.where else ""
    rest = f"({said})" if " or " in f" {said.lower()} " else said
    where = parse_where(f"{via} = :{tenant}" + (f" and {rest}" if rest else ""))
    name = pattern.operation
    return Fix(f"Bind {via}", lambda project: change_pattern(project, name, where=where))
