"""Amazon DynamoDB: tables of items under a partition and a sort key, global and local secondary indexes."""

from __future__ import annotations

from app.model.candidate import Candidate
from app.model.workload import Pattern
from app.plan.types import Plan, World
from app.stores.common_steps import Context
from app.stores.dynamodb.dialect import DIALECT
from app.stores.dynamodb.facts import FACTS
from app.stores.dynamodb.problems import problems
from app.stores.dynamodb.reads import read_lines
from app.stores.dynamodb.records import records
from app.stores.dynamodb.script import script
from app.stores.dynamodb.writes import write_lines
from app.stores.store import Capabilities, Store


def query(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> str:
    """The pattern as requests for `aws dynamodb … --cli-input-json`; values of the caller stand in braces."""
    here = Context(pattern, plan, model, world)
    lines = [*read_lines(here), *write_lines(here)]
    if not lines:
        return f"# {pattern.operation}: this model has no request for it\n"
    return "\n".join(lines).rstrip() + "\n"


STORE = Store(
    name="dynamodb",
    title="DynamoDB",
    family="key-value",
    about=(
        "A managed store of items under a partition and a sort key. One request reads one partition value;"
        " further ways in are indexes that are billed and lag behind."
    ),
    homepage="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/",
    versions=(),
    facts=FACTS,
    dialect=DIALECT,
    can=Capabilities(
        embeds=True,
        indexes=True,
        single_table=True,
        shards_by="pk",
        expires=True,
        consistency={
            "strong": "ConsistentRead: true on the table or an LSI; a GSI has none",
            "read your writes": "ConsistentRead: true, or ReturnValues on the write itself",
            "causal": "ConsistentRead: true in one region",
            "eventual": "the default, at half the read units; usually within a second",
        },
    ),
    structure_word="table",
    structure_keys=frozenset({"pk", "sk", "gsi", "lsi", "records", "capacity", "attributes"}),
    records=records,
    problems=problems,
    script=script,
    query=query,
    script_language="json",
    evidence="reads held against dynalite 4.0, writes against ministack 1.5 (emulators)",
    hints={
        "options": "deletion protection: yes",
        "key": "order.user_id, order.created_at",
        "template": "USER#{order.user_id}",
        "structure": '{table: ENTITIES, of: ENTITY, pk: "ENTITY#{ENTITY.id}"}',
    },
    word={
        "structure": "table",
        "record": "item",
        "partition": "item collection",
        "index": "index",
        "attribute": "attribute",
    },
)
"""The store as the rest of the program sees it."""
