"""What a store tells the rest of the program: facts with sources, words, dialect, scripts.

A store is one module (or package) in `app.stores` that defines `STORE`. Rules, starters, exporters and pages ask
these facts and capabilities, never a store's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from app.model.candidate import Candidate, Structure
from app.model.project import Project
from app.model.workload import Pattern
from app.plan.types import Dialect, Plan, Record, World


@dataclass(frozen=True, slots=True)
class Fact:
    """One limit or ceiling: value, unit, where it was read and when. `assumed`: not documented by the vendor, a
    default that a team should replace with a measurement. `kind`: hard (the store refuses), soft (it hurts), price."""

    value: float
    unit: str
    source: str
    read: str
    note: str = ""
    assumed: bool = False
    kind: str = "hard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What starters and rules need to know beyond the dialect."""

    embeds: bool = False
    """Records can hold arrays of sub-documents."""
    indexes: bool = False
    """Secondary indexes are a normal way in."""
    single_table: bool = False
    """Several record kinds share one structure and its partitions."""
    table_per_query: bool = False
    """Each list wants its own structure."""
    relational: bool = False
    """Entities have tables of their own that are joined by keys."""
    by_key_only: bool = False
    """Keys and value types are the only way in; usually a cache in front of a truth."""
    durable: bool = True
    shards_by: str = ""
    """What partitions data: `shard key`, `pk`, `partition key`, `hash slot`; empty: nothing."""
    range_sharded: bool = False
    """Neighbouring partition key values live together unless hashed."""
    expires: bool = False
    consistency: Mapping[str, str] = field(default_factory=dict)
    """Setting that gives each need: strong, read your writes, causal, eventual; a missing key: impossible."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with a structure itself. `code`: a short slug of the kind of fault; `what`: the sentence."""

    code: str
    what: str
    kind: Literal["refused", "surprise"] = "refused"
    """`refused`: the store does not take it, or nothing can be made of it; `surprise`: it works, but not as one might
    think."""
    own_rule: bool = False
    """A rule of its own says it with its numbers, or it is no fault where it is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """One key family of a key-value store, as a person looks it up. Numbers are 0 where they are not known."""

    structure: str
    pattern: str
    """The key template as typed."""
    example: str
    """A key as it will look."""
    type: str
    """Value type and what it holds: `hash`, `string (json)`, `sorted set of score.player_id by score.points`."""
    purpose: str = ""
    ttl: str = ""
    """As typed, or what is missing."""
    ttl_seconds: float = 0
    owner: str = ""
    truth: str = ""
    """The structure this family repeats; empty: it is the truth itself, or nothing is named."""
    invalidated_by: tuple[str, ...] = ()
    """Patterns that change what it holds, with what they must do."""
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    """Write, read and refresh, ready to paste."""
    keys: float = 0
    """Number of keys."""
    bytes: float = 0
    """Average memory of one key with its value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """One store. `name` equals the module name.

    `facts` by slug. The slugs rules look for: `max_record_bytes`, `max_key_bytes`, `partition_writes_per_second` (in
    write units), `partition_reads_per_second` (in read units), `partition_bytes` (soft size), `partition_bytes_hard`,
    `partition_rows`, `transaction_items`, `max_indexes`, `sort_memory_bytes`, `points_with_sort` (longest list that
    keeps order), `page_bytes`; a store without such a limit leaves the slug out.
    """

    name: str
    title: str
    family: str
    about: str
    homepage: str
    versions: tuple[str, ...]
    facts: Mapping[str, Fact]
    dialect: Dialect
    can: Capabilities
    structure_word: str
    structure_keys: frozenset[str]
    """Structure attributes (Python names) this store understands, beside the common ones."""
    records: Callable[[Structure, Candidate, World], tuple[Record, ...]]
    """The kinds of record a structure holds, with their access paths. Raises `app.errors.BadModel` never: what cannot
    be laid out is left out and reported by `problems`."""
    problems: Callable[[Structure, Candidate, World], tuple[Fault, ...]]
    """What is wrong with the structure itself (parallel arrays in one index, a missing key …). Inflow, traffic and
    patterns do not matter to it."""
    script: Callable[[Candidate, Project, World], Mapping[str, str]]
    """File name → text of the store's scripts."""
    query: Callable[[Pattern, Plan, Candidate, World], str]
    """The pattern's query or commands in the store's own language, paging written out."""
    script_language: str = "text"
    evidence: str = "modelled"
    """What checked this store's verdicts: `modelled`, or the engine and version of the tests (`tests/engines`)."""
    word: Mapping[str, str] = field(default_factory=dict)
    """The store's words for: structure, record, partition, index, attribute."""
    hints: Mapping[str, str] = field(default_factory=dict)
    """Examples of what to type: for a model's `version`, `nodes` and `options` (without a hint the field means nothing
    to this store), for `key` and `template` (a plain key, a key with placeholders), and `structure`: a whole one, in
    which `ENTITY` and `ENTITIES` stand for an entity and several."""
    catalog: Callable[[Structure, Candidate, Project, World], CatalogEntry] | None = None
    """The key catalog's entry of a structure; None where the store has no key families."""
