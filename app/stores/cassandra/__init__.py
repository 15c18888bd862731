"""Apache Cassandra: tables of rows under a partition key, in the order of a clustering key, one table per query."""

from __future__ import annotations

import re

from app.model.candidate import Candidate
from app.model.workload import Pattern
from app.plan.types import Plan, World
from app.stores.cassandra.dialect import DIALECT
from app.stores.cassandra.facts import FACTS
from app.stores.cassandra.problems import problems
from app.stores.cassandra.reads import read_lines
from app.stores.cassandra.records import records
from app.stores.cassandra.script import script
from app.stores.cassandra.types import quoted
from app.stores.cassandra.writes import write_lines
from app.stores.common_steps import Context
from app.stores.store import Capabilities, Store


def query(pattern: Pattern, plan: Plan, model: Candidate, world: World) -> str:
    """The pattern in CQL; `:name` stands for what the caller brings."""
    here = Context(pattern, plan, model, world)
    lines = [*read_lines(here), *write_lines(here)]
    if not lines:
        return f"-- {pattern.operation}: this model has no statement for it\n"
    return "\n".join(map(marked, lines)).rstrip() + "\n"


def marked(line: str) -> str:
    """A line with its bind markers in quotes where CQL reads something else into their names: `:order`, `:where`."""
    if line.lstrip().startswith("--"):
        return line
    return re.sub(r"('(?:[^']|'')*')|(?<![\w:]):([A-Za-z_]\w*)", lambda m: m[1] or f":{quoted(m[2])}", line)


STORE = Store(
    name="cassandra",
    title="Cassandra",
    family="wide column",
    about=(
        "Rows are found by a whole partition key and lie there in the order of the clustering key. Nothing is joined,"
        " sorted or filtered: each list has a table of its own."
    ),
    homepage="https://cassandra.apache.org/doc/5.0/",
    versions=("5.0", "4.1", "4.0", "3.11", "2.1"),
    facts=FACTS,
    dialect=DIALECT,
    can=Capabilities(
        embeds=True,
        table_per_query=True,
        shards_by="partition key",
        expires=True,
        consistency={
            "strong": "QUORUM for reads and writes: the latest acknowledged write; SERIAL with IF … per partition",
            "read your writes": "LOCAL_QUORUM for reads and writes, inside one datacenter",
            "causal": "LOCAL_QUORUM for reads and writes, inside one datacenter",
            "eventual": "LOCAL_ONE",
        },
    ),
    structure_word="table",
    structure_keys=frozenset({"partition_key", "clustering_key", "static", "counters", "indexes"}),
    records=records,
    problems=problems,
    script=script,
    query=query,
    script_language="cql",
    evidence="reads and writes held against Cassandra 2.1; views and SAI modelled",
    hints={
        "version": "5.0",
        "nodes": "6",
        "options": "consistency: LOCAL_QUORUM",
        "key": "order.user_id, order.created_at desc",
        "template": "order.user_id, order.created_at|month",
        "structure": "{table: ENTITY_by_id, of: ENTITY, partition key: [ENTITY.id]}",
    },
    word={
        "structure": "table",
        "record": "row",
        "partition": "partition",
        "index": "secondary index",
        "attribute": "column",
    },
)
"""The store as the rest of the program sees it."""
