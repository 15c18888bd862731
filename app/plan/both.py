"""How one model serves an operation that reads and then writes: take the oldest job, allow a request if few came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.plan.read import plan_read
from app.plan.types import Plan, Query, Record, World, WriteIntent
from app.plan.write import plan_write

OWN = frozenset({"counter", "limiter", "queue"})
"""Purposes of records that serve an operation of their own."""


def plan_both(query: Query, intent: WriteIntent, records: Sequence[Record], world: World) -> Plan:
    """The plan of a read with what it writes besides: the read's steps, then the write's touches.

    What asks a limiter or takes from a queue feeds that one, and no other of the same records.
    """
    read = plan_read(query, records, world)
    asked = {s.structure for s in read.steps}
    own = {r.of for r in records if r.purpose in OWN and r.structure in asked}
    fed = tuple(r for r in records if r.structure in asked or r.purpose not in OWN or r.of not in own)
    names = frozenset(name for s in read.steps for name in s.records_of)
    return combined(read, plan_write(intent, fed, world, names))


def combined(read: Plan, write: Plan) -> Plan:
    """Steps and touches in one plan: the worse level, one after the other. Scope and retry are those of the write."""
    return replace(
        read,
        level=max(read.level, write.level),
        touches=write.touches,
        requests=read.requests + write.requests,
        records=read.records + write.records,
        bytes=read.bytes + write.bytes,
        rounds=read.rounds + write.rounds,
        partitions=read.partitions + write.partitions,
        units=read.units + write.units,
        missing=tuple(dict.fromkeys((*read.missing, *write.missing))),
        misses=tuple(dict.fromkeys((*read.misses, *write.misses))),
        scope=write.scope,
        retry=write.retry,
        notes=tuple(dict.fromkeys((*read.notes, *write.notes))),
        questions=tuple(dict.fromkeys((*read.questions, *write.questions))),
    )
