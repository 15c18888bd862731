"""What is done with the records that a change meets: put, set, push, add; how they are found, what it costs, and
whether doing it twice is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf, prod

from app.model.spread import ONE, Spread
from app.plan.effect import unsafe, written_bytes
from app.plan.entries import NONE, Written, entries_of, likely, units_of, within
from app.plan.refill import refill
from app.plan.spot import Spot, key_of, nameless, own_columns, scattered, spot
from app.plan.support import Found, Sought
from app.plan.types import Change, Cond, Level, Miss, Record, Rel, Touch, World

NOTHING: frozenset[str] = frozenset()
BY_KEY = Found("key", Level.KEY_LOOKUP)
STORED_KINDS = {"insert": "put", "delete": "remove"}


@dataclass
class Reached:
    """What one operation reaches: touches, why something cannot be found, which copies a new record has to read."""

    records: Sequence[Record]
    touches: list[Touch] = field(default_factory=list)
    misses: list[Miss] = field(default_factory=list)
    born: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """(role, parent) → attributes read once for all new records that copy them."""
    base: dict[tuple[str, str, str], float] = field(default_factory=dict)
    """Units of the record alone, by (record, place, when): what a transaction doubles."""
    read: frozenset[str] = frozenset()
    """Kinds of record that the operation has just read."""
    looked_up: set[str] = field(default_factory=set)
    """Reads made once to learn where other places are."""
    notes: list[str] = field(default_factory=list)


@dataclass
class Touching:
    """One node of one record reached by one change."""

    change: Change
    record: Record
    at: int
    attrs: frozenset[str]
    why: str
    world: World
    found: Reached
    rel: Rel | None = None

    def note(self) -> None:
        """Add the touch, or what keeps it from being made, to what was found."""
        where = spot(self.change, self.record, self.at, self.rel)
        lag, when = self._lag()
        if when == "never":
            return
        if self.record.purpose == "cache":
            self._cache(where)
            return
        why = self.why or self._place_of_truth()
        if why == "computed" and self.record.purpose == "counter":
            why = "counter"
        if why == "counter" and self.rel is None and self.change.kind == "update":
            where = replace(where, count=where.count.times(2))  # out of one counter, into another
        if (each := self.record.entries) is not ONE:
            where = replace(where, count=where.count.of(each))
        if not (op := self._op(why)):
            return
        if gates := self.record.primary.only:
            op, share = self._gated(op, gates)
            where = replace(where, count=where.count.times(share))
        if where.count.avg and not self._element(op, why, where, when, lag):
            self.touch(op, why, where, when, lag)

    def _lag(self) -> tuple[float, str]:
        record, held = self.record, self.record.shape[self.at]
        age = held.age
        if self.why == "computed":
            name = next(iter(self.attrs), "")
            age = max(age, record.computed_age.get(name, 0.0)) if not self.at else age
        if self.change.kind in ("insert", "delete") and not self.at and age == inf and not self.why:
            age = 0.0  # a copy that is never refreshed is still made and removed
        return (age, "never") if age == inf else (age, "async" if age else "same")

    def _place_of_truth(self) -> str:
        return self.record.purpose or ("truth" if self.record.truth else "second copy")

    # ---- what is done

    def _gated(self, op: str, gates: tuple[Cond, ...]) -> tuple[str, float]:
        """What happens where only records that meet a condition are kept, and to what share of those reached."""
        if self.at:
            return op, prod(likely(c) for c in gates)
        before, after = within(gates, self.change, after=False), within(gates, self.change, after=True)
        if op in ("put", "remove"):
            return op, before if op == "remove" else after
        if not after:
            return "remove", before
        return (op, max(before, after)) if before else ("put", after)

    def _op(self, why: str) -> str:
        kind = STORED_KINDS.get(self.change.kind, "set")
        if why == "computed":
            return "set" if "set" in self.change.sets.values() else "add"
        if why == "counter":
            return "add" if kind != "set" or self.rel is None else ""
        if why == "copy":
            return "set"
        if why == "embed" or (why == "queue" and self.record.value_type in ("", "list")):
            return {"put": "push", "remove": "pull"}.get(kind, kind)
        if kind == "put" and self.record.group > 1:
            return "push"
        return kind

    def _element(self, op: str, why: str, where: Spot, when: str, lag: float) -> bool:
        """One element more or less in an array of the key: a record is made or removed, the others have the array."""
        held = self.record.shape[0].attrs
        arrays = self._arrays()
        if op != "set" or self.at or not arrays:
            return False
        made = "put" if any(self.change.sets[a] == "push" for a in arrays) else "remove"
        known = replace(self.change, known=self.change.known | arrays)
        one = replace(where, count=self.change.count, label=f"one element of {where.label}")
        replace(self, change=known).touch(made, why, one, when, lag)
        if self.attrs - arrays or held is None or arrays & held:
            self.touch(op, why, where, when, lag)
        return True

    def _arrays(self) -> frozenset[str]:
        """Arrays in the key to which the change adds an element, or from which it takes one."""
        if self.record.entries is ONE:
            return NOTHING
        parts = (*self.record.primary.partition, *self.record.primary.order)
        arrays = frozenset(p.attr for p in parts if p.many) & self.attrs
        return frozenset(a for a in arrays if self.change.sets.get(a) in ("push", "pull"))

    def _cache(self, where: Spot) -> None:
        """A cache key is deleted on change where the model says so; else it runs out by itself."""
        record = self.record
        born = self.change.kind == "insert" and not self.at
        if born or not record.on_change:
            return
        lacking = ", ".join(sorted(key_of(record) - own_columns(where.known, record, self.world)))
        if lacking:
            what = f"nothing leads from this change to the keys of {record.name}: {lacking} is not known"
            fix = "let the key expire, or keep a set of the keys to delete"
            self.found.misses.append(Miss("structure", what, record.name, lacking, fix))
        op = "delete key" if "delete" in record.on_change else "set"
        self.found.touches.append(
            Touch(
                record=record.name,
                store=record.dialect.store,
                structure=record.structure,
                op=op,
                why="cache",
                place=where.label,
                count=where.count,
                find="" if lacking else "key",
                level=Level.IMPOSSIBLE if lacking else Level.KEY_LOOKUP,
                attrs=self.attrs,
            )
        )

    def touch(self, op: str, why: str, where: Spot, when: str, lag: float) -> None:
        """Add the touch with what it costs."""
        record, change, world = self.record, self.change, self.world
        primary = key_of(record)
        if record.value_type:  # members of a value are named by what the change brings
            primary = frozenset(p.attr for p in record.primary.partition if p.attr)
        owned = own_columns(where.known, record, world)
        way = self._way_in(op, why, where, primary, owned)
        reads = way.reads
        if self._moved(op, primary):
            op = "move"
            reads += 0 if way.whole else 1  # the old key, and what else the record holds
        reads += self._refill(op, where)
        reads += op == "put" and change.kind == "update"  # what a record newly kept here holds besides
        written = self._entries(op, why)
        size = written_bytes(op, self.attrs, change, record, world)
        grown = size.avg if op == "push" else 0.0
        base, more = units_of(record, list(written.values()), world, moved=op == "move", grown=grown)
        touch = Touch(
            record=record.name,
            store=record.dialect.store,
            structure=record.structure,
            op=op,
            why=why,
            place=where.label,
            count=where.count,
            find=way.path,
            level=way.level,
            reads=reads,
            added=sum(e[0] for _, e in written.values()),
            removed=sum(e[1] for _, e in written.values()),
            rewritten=sum(e[2] for _, e in written.values()),
            units=base + more,
            bytes=size,
            when=when,
            unsafe=unsafe(op, change, keyed=why == "for each" or primary <= owned),
            only_if=change.only_if,
            attrs=self.attrs,
            entries={name: sum(e) for name, (_, e) in written.items()},
            within=lag,
        )
        self.found.touches.append(touch)
        self.found.base[record.name, where.label, when] = base

    def _way_in(self, op: str, why: str, where: Spot, primary: frozenset[str], owned: frozenset[str]) -> Found:
        """What finds the records, how well, and the requests before the write."""
        way = BY_KEY
        made = op == "put" or (op == "push" and not self.at)
        if why == "for each":  # the support read brings the keys of whom it is for
            way = Found("the relationship it is for", Level.KEY_LOOKUP, 1.0)
        elif not made and self._just_read():
            way = BY_KEY
        elif not made and (not primary <= owned or scattered(self.record) or nameless(self.record)):
            way = self._find(owned, where.count)
        elif op == "set" and self._sought(primary):
            way = self._find(own_columns(self.change.named or frozenset(), self.record, self.world), where.count)
        elif op == "remove" and primary and self._in_one_value():
            way = Found(self.record.primary.name, Level.KEY_LOOKUP)
        if op in ("put", "push") or (op == "set" and not self.at):
            way = replace(way, reads=way.reads + self._born())
        return way

    def _sought(self, primary: frozenset[str]) -> bool:
        """Does an upsert look for the record by something else than its key?"""
        named, own = self.change.named, not self.at and self.rel is None
        return own and named is not None and not primary <= own_columns(named, self.record, self.world)

    def _just_read(self) -> bool:
        """The operation has read these very records, and so knows in which of its places each lies."""
        mine = not self.at and self.rel is None and self.change.entity == self.record.of
        return (
            mine and self.record.name in self.found.read and set(self.world.fields[self.record.of]) <= self.change.known
        )

    def _in_one_value(self) -> bool:
        """Several members of one set, hash or list: one command takes them out."""
        change = self.change
        return bool(self.record.value_type) and change.count.max > 1 and not change.apart

    def _entries(self, op: str, why: str) -> Written:
        """Index entries by path; an upsert is partly an insert, partly an update."""
        record, change = self.record, self.change
        pushed = max(1.0, change.count.avg) if why == "embed" else 1.0
        written = entries_of(record, op, self.attrs, change, self.world, pushed)
        if change.kind != "upsert" or self.at or op != "set":
            return written
        born = entries_of(record, "put", self.attrs, change, self.world)
        mixed = {}
        for name, (path, _) in {**written, **born}.items():
            new, old = born.get(name, (path, NONE))[1], written.get(name, (path, NONE))[1]
            share = change.inserts
            added, removed, rewritten = (share * n + (1 - share) * o for n, o in zip(new, old, strict=True))
            mixed[name] = (path, (added, removed, rewritten))
        return mixed

    def _moved(self, op: str, primary: frozenset[str]) -> bool:
        """A changed key is another record, except inside a value that orders its members itself."""
        if op not in ("set", "add") or not (self.attrs - self._arrays()) & primary:
            return False
        if self.change.kind == "upsert" and self.attrs & primary <= self.change.known:
            return False
        if self.record.value_type:
            parts = self.record.primary.partition
            return bool(self.attrs & frozenset(p.attr for p in parts))
        return True

    def _find(self, owned: frozenset[str], count: Spread) -> Found:
        """What finds the records, and what that takes before the write; a read that was paid costs nothing again."""
        change = self.change if self.change.named is None else replace(self.change, known=self.change.named)
        sought = Sought(change, self.record, self.at, self.rel, self.found.records, self.world, count)
        answer = sought.find(owned)
        if isinstance(answer, tuple):
            self.found.misses.extend(answer)
            return Found("", Level.IMPOSSIBLE, 1.0)
        if answer.level is Level.SCAN:
            self.found.misses.extend(sought.why_scan(owned))
        if self.change.apart:  # each of them is looked for by itself
            answer = replace(answer, reads=answer.reads * max(1.0, self.change.count.avg))
        if answer.source:
            paid = answer.source in self.found.looked_up
            self.found.looked_up.add(answer.source)
            return replace(answer, reads=0.0) if paid else answer
        return answer

    def _born(self) -> float:
        """Reads before a record is made or gets another parent: what it copies of it, unless the writer has that."""
        reads = 0.0
        made = self.change.kind == "insert"
        for held in self.record.shape:
            edge = held.edge
            if held.up != self.at or edge is None or edge.down or held.how == "for each":
                continue
            if not made and not self.attrs & frozenset(edge.rel.via):
                continue
            if held.attrs is None:
                wanted = {edge.rel.role}
            else:
                attrs = (held.attrs | held.computed) - frozenset(edge.rel.key)
                wanted = {f"{edge.rel.role}.{a.partition('.')[2]}" for a in attrs}
            lacking = wanted - self.change.given - {w for w in wanted if w.partition(".")[0] in self.change.given}
            key = (edge.rel.role, edge.rel.child)
            if lacking and key not in self.found.born:
                self.found.born[key] = tuple(sorted(lacking))
                reads += 1
        return reads

    def _refill(self, op: str, where: Spot) -> float:
        """Reads before a subset that loses an element is filled up again from where all are, on average."""
        found = refill(op, self.attrs, self.change, self.record, self.at, self.found.records, self.world)
        if found is None:
            return 0.0
        self.found.notes.append(found.told(self.record.name, self.record.shape[self.at], self.change))
        return found.reads * max(1.0, where.count.avg)
