"""What stands for each `{name}` of an emitted request: parameters, buckets, items of earlier steps, new values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from itertools import product
from typing import Any

from app.model.conditions import Literal, Param
from app.model.key_values import part_example
from app.model.keys import KeyPart, parse_template
from app.plan.types import Cond, Step
from app.proof.build import Node, Seen, as_text, part_value
from app.proof.engines.dynamodb_items import Item, Kind, encoded, number
from app.proof.engines.dynamodb_text import Request
from app.proof.engines.engine import Job, Question, Refusal
from app.stores.common_query import field_of
from app.stores.common_steps import asked_apart
from app.stores.dynamodb.keys import things

HOLE = re.compile(r"\{([^{}]*)\}")
NOW = re.compile(r"now(?: ([+-]\d+(?:\.\d+)?) s)?")
EARLIER = re.compile(r"(.+) of step (\d+)")
LAST = re.compile(r"(.+) of the last item")
TYPES = frozenset({"S", "N", "B", "BOOL", "L", "M"})
MISSING = object()
ABSENT = object()
"""A name that is known, and whose value the record lacks."""
Find = Callable[[str], Any]
"""From a name without filters to its value, MISSING or ABSENT."""


def holes(value: Any) -> Iterator[str]:
    """Every name in a request, in the order they are met."""
    if isinstance(value, str):
        yield from HOLE.findall(value)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from holes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from holes(inner)


def filled(value: Any, find: Find, *, said: str = "") -> Any:
    """A request with its values; attributes whose value is absent are left out. Raises Refusal for unknown names."""
    if isinstance(value, list):
        return [filled(v, find, said=said) for v in value]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1:
        (kind, inner), *_ = value.items()
        words = inner[0] if isinstance(inner, list) and inner and isinstance(inner[0], str) else inner
        if kind in TYPES and isinstance(words, str):
            return typed(kind, words, find, said)
    made = {k: filled(v, find, said=said) for k, v in value.items()}
    return {k: v for k, v in made.items() if v is not ABSENT}


def typed(kind: str, text: str, find: Find, said: str) -> Any:
    """One typed value of a request: `{now}#{id}`, a literal, `-{qty}`, or one name that brings the value itself."""
    names = HOLE.findall(text)
    if not names:
        return {kind: text}
    values = [named(n, find, said) for n in names]
    if any(v is ABSENT or v is None for v in values):
        return ABSENT
    if HOLE.fullmatch(text):
        return as_kind(kind, values[0], text, said)
    if kind == "N" and text == f"-{{{names[0]}}}":
        return {"N": number(-values[0])}
    left = iter(values)
    return {kind: HOLE.sub(lambda _: as_text(next(left)), text)}


def as_kind(kind: str, value: Any, text: str, said: str) -> Item:
    """A value as the request types it."""
    if kind == "N" and isinstance(value, datetime):
        return {"N": str(round(value.timestamp()))}
    if kind == "N" and isinstance(value, str):
        return {"N": value}
    if kind == "S" and not isinstance(value, list | tuple | Mapping):
        return {"S": as_text(value)}
    made = encoded(value)
    if kind not in made:
        raise Refusal(f"{text} is typed {kind}, and its value is {next(iter(made))}", said)
    return made


def named(text: str, find: Find, said: str) -> Any:
    """The value of `name|filter|…`."""
    name, bar, rest = text.partition("|")
    value = find(name)
    if value is MISSING:
        value = find(text)
        bar = ""
    if value is MISSING:
        raise Refusal(f"nothing says what {{{text}}} is", said)
    if not bar or value is ABSENT or value is None:
        return value
    part = next(p for p in parse_template("{value.value|" + rest + "}") if not p.is_literal)
    return part_example(part, as_text(value))


class Names:
    """The values of one run."""

    def __init__(self, question: Question, job: Job, kinds: Mapping[str, Kind]) -> None:
        self.question, self.job, self.kinds = question, job, kinds
        self.last: Item = {}

    def given(self, name: str) -> Any:
        """A value that needs no item: a parameter, the time, the last item of a page."""
        values = self.question.values
        if name in values:
            return values[name]
        if hit := NOW.fullmatch(name):
            return self.job.moment + timedelta(seconds=float(hit[1] or 0))
        if hit := LAST.fullmatch(name):
            value = self.last.get(hit[1])
            return next(iter(value.values())) if value else MISSING
        return MISSING

    # ------------------------------------------------------------ reads

    def of_read(self, one: Request, steps: Mapping[int, list[tuple[Item, Seen]]]) -> Iterator[dict[str, Any]]:
        """The request as often as it has to be sent, with its values."""
        wanted = dict.fromkeys(holes(one.body))
        loops: dict[str, list[Any]] = {}
        linked: list[str] = []
        for text in wanted:
            name = text.partition("|")[0]
            if self.given(name) is not MISSING:
                continue
            if text == "shard" or name.startswith("each ") or self._part(one, text) is not None:
                loops[text] = self._choices(one, text)
            elif EARLIER.fullmatch(name) or one.origin:
                linked.append(name)
        met: set[str] = set()
        for row in self._linked(one, linked, steps):
            for chosen in product(*loops.values()):
                picked = dict(zip(loops, chosen, strict=True))
                body = filled(one.body, partial(self._found, picked, row), said=str(one.body))
                if str(body) not in met:
                    met.add(str(body))
                    yield body

    def _found(self, picked: Mapping[str, Any], row: Mapping[str, Any], name: str) -> Any:
        for known in (picked, row):
            if name in known:
                return known[name]
        value = self.given(name)
        if value is MISSING and not any(t.partition("|")[0] == name for t in picked) and _literal(name):
            return name  # a literal whose filter only the application knows
        return value

    def _parts(self, table: str) -> Iterator[KeyPart]:
        for kind in self.kinds.values():
            structure = kind.structure
            if kind.table != table:
                continue
            for thing in things(structure):
                for own_key in (thing.pk, thing.sk):
                    yield from own_key.parts if own_key is not None else ()
            for index in (*structure.gsi, *structure.lsi):
                for key in (index.pk, index.sk, *(k for own in index.records for k in (own.pk, own.sk))):
                    yield from key.parts if key is not None else ()
                yield from index.keys

    def _part(self, one: Request, text: str) -> KeyPart | None:
        """The bucket or spread part of a key that a name stands for."""
        name, _, rest = text.partition("|")
        for part in self._parts(one.table):
            if part.attr and field_of(part.attr) == name and "|".join(map(str, part.filters)) == rest:
                return part if part.kept.bucket or part.kept.fan else None
        return None

    def _choices(self, one: Request, text: str) -> list[Any]:
        """Every bucket that may hold what is asked for, in the order of the answer; every shard; every value."""
        if text.startswith("each "):
            return self._each(text.removeprefix("each ").partition("|")[0], text, one)
        part = next((p for p in self._parts(one.table) if p.kept.chosen), None)
        if text != "shard" or part is None:
            part = self._part(one, text) or part
        if part is not None and part.kept.fan:
            digits = len(str(part.kept.fan - 1)) if part.attr else 0
            return [str(n).zfill(digits) for n in range(part.kept.fan)]
        if part is None:
            raise Refusal(f"nothing says what {{{text}}} is", str(one.body))
        of = self.question.pattern.entity
        met = [part_value(part, row, of, self.job.world) for row in self.question.rows]
        return list(dict.fromkeys(met)) or [part_example(part, as_text(self.job.moment))]

    def _each(self, name: str, text: str, one: Request) -> list[Any]:
        for cond in (c for s in self._steps(one.step) for c in _conds(s) if c.op == "in" and field_of(c.attr) == name):
            found: list[Any] = []
            for operand in cond.source.operands if cond.source is not None else ():
                if isinstance(operand, Literal):
                    found.append(operand.value)
                elif isinstance(operand, Param):
                    value = self.question.values[operand.name]
                    found += value if isinstance(value, list | tuple) else [value]
            filters = text.partition("|")[2]
            if filters:
                return [named(f"v|{filters}", lambda _, v=v: v, text) for v in found]  # type: ignore[misc]
            return found
        raise Refusal(f"nothing says what {{{text}}} is", str(one.body))

    def _steps(self, number_: int) -> tuple[Step, ...]:
        steps = self.question.plan.steps
        return asked_apart(steps[number_ - 1]) if 0 < number_ <= len(steps) else ()

    def _linked(
        self, one: Request, names: list[str], steps: Mapping[int, list[tuple[Item, Seen]]]
    ) -> Iterator[dict[str, Any]]:
        """Values out of the items of an earlier step."""
        if not names:
            yield {}
            return
        hits = [EARLIER.fullmatch(n) for n in names]
        origin = next((int(h[2]) for h in hits if h), one.origin)
        for _, seen in steps.get(origin, ()):
            for values in _visible(seen.root):
                row = {}
                for name in names:
                    field = name.partition(" of step ")[0]
                    value = self._link(field, values)
                    if value is not None:
                        row[name] = value
                if len(row) == len(names):
                    yield row

    def _link(self, name: str, values: Mapping[str, Any]) -> Any:
        found = next((v for a, v in values.items() if field_of(a) == name and v is not None), None)
        if found is not None:
            return found
        for rel in self.job.world.rels:
            for key, via in zip(rel.key, rel.via, strict=True):
                for mine, other in ((key, via), (via, key)):
                    if field_of(mine) == name and values.get(other) is not None:
                        return values[other]
        return None


def _literal(name: str) -> bool:
    try:
        datetime.fromisoformat(name)
    except ValueError:
        return name.isdecimal()
    return True


def _conds(step: Step) -> list[Cond]:
    found = list(step.conds)
    for part in (step, *step.branches):
        if part.match is not None:
            found += [c for c in part.match.single.where if c not in found]
    return found


def _visible(node: Node) -> Iterator[Mapping[str, Any]]:
    """The values of a record, and of each that lies inside it together with those around it."""
    yield node.values
    for kids in node.kids.values():
        for kid in kids:
            for values in _visible(kid):
                yield {**node.values, **values}


__all__ = ["ABSENT", "HOLE", "MISSING", "Find", "Names", "filled", "holes"]
