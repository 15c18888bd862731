"""The vocabulary between stores and planner.

A pattern is lowered to a `Query` (a tree of needs) or to `Change`s; a candidate model to `Record`s (trees of
what each kind of record holds, with the access paths that lead to it). A store describes itself with a
`Dialect`, `Joins` and `Writing`. The planner answers with a `Plan`.

Attributes are strings `entity.field`, always the record's own columns after `World.own`; a computed figure is
`=entity.field`.

This is their one door; they stand in three modules: what a store says of itself (`dialect`), trees of roles
(`shapes`), what the planner answers (`results`).
"""

from app.plan.dialect import (
    LEVEL_WORDS,
    MERGED,
    AccessPath,
    Combine,
    Cond,
    Costs,
    Dialect,
    Encoding,
    Expand,
    Joins,
    Kind,
    Level,
    Match,
    Miss,
    Op,
    Part,
    Single,
    Stat,
    Use,
    Walked,
    Writing,
    accept,
)
from app.plan.results import Plan, Step, Touch
from app.plan.shapes import Change, Course, Edge, Figure, Held, Hop, NeedNode, Query, Record, Rel, World, WriteIntent

__all__ = [
    "LEVEL_WORDS",
    "MERGED",
    "AccessPath",
    "Change",
    "Combine",
    "Cond",
    "Costs",
    "Course",
    "Dialect",
    "Edge",
    "Encoding",
    "Expand",
    "Figure",
    "Held",
    "Hop",
    "Joins",
    "Kind",
    "Level",
    "Match",
    "Miss",
    "NeedNode",
    "Op",
    "Part",
    "Plan",
    "Query",
    "Record",
    "Rel",
    "Single",
    "Stat",
    "Step",
    "Touch",
    "Use",
    "Walked",
    "World",
    "WriteIntent",
    "Writing",
    "accept",
]
