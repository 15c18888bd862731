"""What stands for each `p.name` of an emitted mongosh text: what the caller brings, or what new documents hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from app.proof.build import Node, Stored
from app.proof.data import Row
from app.proof.engines.engine import Question, Refusal
from app.proof.engines.mongo_documents import MISSING, Shape, at_path, encoded, put
from app.stores.common_query import field_of


def given(names: Iterable[str], question: Question, shapes: Mapping[str, Shape]) -> dict[str, Any]:
    """A value for every name. Raises Refusal where nothing says what a name means."""
    found = _Values(question, shapes)
    return {name: found(name) for name in names}


class _Values:
    def __init__(self, question: Question, shapes: Mapping[str, Shape]) -> None:
        self.question, self.shapes = question, shapes
        self.documents = [(s, self.shapes[s.kind.name].document(s)) for s in question.put]
        self.before = [(s, self.shapes[s.kind.name].document(s)) for s in question.before]

    def __call__(self, name: str) -> Any:
        question = self.question
        if name in question.values:
            value = question.values[name]
            return list(value) if isinstance(value, tuple) else encoded(value)
        if name in ("bucket", "buckets"):
            return self._buckets(several=name == "buckets")
        if name == "skip":
            return 0
        own = question.made.get(question.pattern.entity, ())
        for row in own:
            if (attr := f"{question.pattern.entity}.{name}") in row:
                return encoded(row[attr])
        if name in question.made:
            return _plain(question.made[name][0])
        listed = name.removesuffix("_list")
        if listed in question.made:
            return self._list(listed)
        for place in (self._inner(name), self._stored(name), self._change(name), self._anywhere(name)):
            if place is not MISSING:
                return place
        raise Refusal(f"nothing says what p.{name} is", question.text)

    def _buckets(self, *, several: bool) -> Any:
        shape = next((s for s in self.shapes.values() if s.inside), None)
        if shape is None:
            raise Refusal("there is no bucket", self.question.text)
        if not several:
            mine = next((s for s in self.question.put if s.kind.name == shape.kind.name), None)
            return shape.id_of(mine.root.row or {}) if mine is not None else None
        return list(dict.fromkeys(shape.id_of(row) for row in self.question.rows))

    def _list(self, entity: str) -> list[Any]:
        """The children born with a record: as they lie inside it, else with all their fields."""
        rows = self.question.made[entity]
        inside = [self._element(row) for row in rows]
        return inside if all(inside) else [_plain(row) for row in rows]

    def _element(self, row: Row) -> dict[str, Any]:
        for stored in self.question.put:
            for shape, node in _nodes(stored, self.shapes):
                if node.at and node.row is row:
                    return dict(shape.inner_value(shape.kind.shape[node.at], node))
        return {}

    def _stored(self, name: str) -> Any:
        """A name of a whole new document: `author_name`, also `author.name`."""
        for _, document in self.documents:
            for path, value in _paths(document, ""):
                if path.replace(".", "_") == name:
                    return value
        return MISSING

    def _inner(self, name: str) -> Any:
        """A name inside what is made: the signature of a new comment."""
        for rows in self.question.made.values():
            for row in rows:
                element = self._element(row)
                if name in element:
                    return element[name]
        return MISSING

    def _change(self, name: str) -> Any:
        """By how much a figure changes."""
        path = name.removesuffix("_change")
        if path == name:
            return MISSING
        for stored, document in self.documents:
            now = at_path(document, path)
            old = next(
                (at_path(d, path) for s, d in self.before if s.root.row is stored.root.row and s.kind is stored.kind), 0
            )
            if now is not MISSING:
                return now - (0 if old is MISSING else old)
        return MISSING

    def _anywhere(self, name: str) -> Any:
        """A field of any record that is made or changed."""
        for entity, rows in self.question.made.items():
            for row in rows:
                if f"{entity}.{name}" in row:
                    return encoded(row[f"{entity}.{name}"])
        for stored in (*self.question.put, *self.question.before):
            for attr, value in (stored.root.row or {}).items():
                if field_of(attr) == name:
                    return encoded(value)
        return MISSING


def _plain(row: Row) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for attr, value in row.items():
        put(made, field_of(attr), encoded(value))
    return made


def _nodes(stored: Stored, shapes: Mapping[str, Shape]) -> Iterator[tuple[Shape, Node]]:
    shape = shapes[stored.kind.name]
    left: list[Node] = [stored.root, *stored.members]
    while left:
        node = left.pop()
        yield shape, node
        left += [k for kids in node.kids.values() for k in kids]


def _paths(document: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in document.items():
        yield f"{prefix}{name}", value
        if isinstance(value, Mapping):
            yield from _paths(value, f"{prefix}{name}.")


__all__ = ["Sequence", "given"]
