"""YAML and JSON read as text: every scalar stays what was typed, and every place knows its line.

Of YAML only what people need is read: mappings, lists and scalars. Anchors, aliases, tags, merge keys,
repeated keys and several documents are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from app.model.problem import BadProject, Problem

MAX_BYTES = 5 * 1024 * 1024
MAX_DEPTH = 50
Path = tuple[str | int, ...]

# libyaml reads about ten times faster; the pure reader gives the same events.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Mark(NamedTuple):
    """Where an entry stands: its key (for list items the item itself) and its value; all count from 0.

    `exact`: an offset in the text is an offset in the file (one line, no escapes); `quoted`: it begins with a quote.
    """

    key_line: int
    key_column: int
    line: int
    column: int
    exact: bool = False
    quoted: bool = False


@dataclass(slots=True)
class Tree:
    """Plain data with the marks of every place in it."""

    data: Any = None
    marks: dict[Path, Mark] = field(default_factory=dict)


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not come yet."""

    path: Path
    value: dict[str, Any] | list[Any]
    key: str | None = None
    key_mark: Any = None


def check_text(text: str) -> str:
    """The text without its byte order mark. Raises `BadProject` where it is too large or no text at all."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError as wrong:
        line = text.count("\n", 0, wrong.start) + 1
        column = wrong.start - text.rfind("\n", 0, wrong.start)
        raise BadProject(
            [Problem(line, column, "", "half a character (a lone surrogate)", "Save the file as UTF-8")]
        ) from None
    if size > MAX_BYTES:
        raise BadProject([Problem(1, 1, "", f"the file has {size:,} bytes", f"At most {MAX_BYTES:,} are read")])
    return text.removeprefix("\ufeff")


def read_yaml_tree(text: str) -> Tree:
    """Raises `BadProject` with everything that is wrong with the YAML itself."""
    reader = _Reader()
    text = check_text(text)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            reader.take(event)
    except _Stop:
        pass  # the problem is noted already
    except yaml.YAMLError as wrong:
        reader.problems.append(_syntax(wrong, text))
    except RecursionError:
        reader.problems.append(_too_deep(0, 0))
    if reader.problems:
        raise BadProject(sorted(reader.problems))
    return reader.tree


def _too_deep(line: int, column: int) -> Problem:
    return Problem(line + 1, column + 1, "", f"more than {MAX_DEPTH} levels", "Write it flatter")


class _Stop(Exception):
    """Reading further makes no sense."""


class _Reader:
    """Builds the tree from YAML events, without recursion."""

    def __init__(self) -> None:
        self.tree = Tree()
        self.problems: list[Problem] = []
        self.open: list[_Open] = []
        self.documents = 0

    def wrong(self, mark: Any, what: str, fix: str = "") -> None:
        self.problems.append(Problem(mark.line + 1, mark.column + 1, "", what, fix))

    def take(self, event: Any) -> None:
        mark = event.start_mark
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self.wrong(mark, "a second document begins here", "A file holds one project")
                raise _Stop
        elif isinstance(event, yaml.AliasEvent):
            self.wrong(mark, f"*{event.anchor} is an alias", "Write the value itself")
            self.place(None, mark, event)
        elif isinstance(event, yaml.ScalarEvent):
            self.check(event)
            empty = event.value == "" and not event.style
            self.place(None if empty else event.value, mark, event)
        elif isinstance(event, yaml.MappingStartEvent):
            self.check(event)
            self.begin({}, mark, event)
        elif isinstance(event, yaml.SequenceStartEvent):
            self.check(event)
            self.begin([], mark, event)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self.open.pop()

    def check(self, event: Any) -> None:
        if event.anchor:
            self.wrong(event.start_mark, f"&{event.anchor} is an anchor", "Write the value where it is used")
        if event.tag and event.tag != "!":
            self.wrong(event.start_mark, f"{event.tag} is a tag", "Every value here is text: leave the tag out")

    def begin(self, value: dict[str, Any] | list[Any], mark: Any, event: Any) -> None:
        if len(self.open) >= MAX_DEPTH:
            self.problems.append(_too_deep(mark.line, mark.column))
            raise _Stop
        path = self.place(value, mark, event)
        self.open.append(_Open(path, value))

    def place(self, value: Any, mark: Any, event: Any) -> Path:
        """Put a value where it belongs; the answer is its path."""
        if not self.open:
            self.tree.data = value
            self.tree.marks[()] = Mark(mark.line, mark.column, mark.line, mark.column)
            return ()
        top = self.open[-1]
        if isinstance(top.value, list):
            path: Path = (*top.path, len(top.value))
            if value is None:
                self.wrong(mark, "an empty entry", "Write a value or remove the entry")
            top.value.append(value)
            self.tree.marks[path] = _mark(mark, mark, event)
            return path
        if top.key is None:
            self.key(top, value, mark, event)
            return (*top.path, "?")
        path, key = (*top.path, top.key), top.key
        if value is not None:  # an empty value says nothing, like a missing key
            top.value[key] = value
        self.tree.marks[path] = _mark(top.key_mark, mark, event)
        top.key = top.key_mark = None
        return path

    def key(self, top: _Open, value: Any, mark: Any, event: Any) -> None:
        if not isinstance(value, str):
            self.wrong(mark, "a key must be text", "Write key: value; quote a value that begins with { or [")
            raise _Stop
        if value == "<<" and not event.style:
            self.wrong(mark, "<< merges another mapping in", "Write the entries themselves")
        elif (*top.path, value) in self.tree.marks:
            first = self.tree.marks[(*top.path, value)]
            self.wrong(mark, f"{value!r} stands twice", f"It stands in line {first.key_line + 1} already")
        top.key, top.key_mark = value, mark


def _mark(key: Any, mark: Any, event: Any) -> Mark:
    end = event.end_mark
    style = getattr(event, "style", None)
    width = len(event.value) + (2 if style else 0) if isinstance(event, yaml.ScalarEvent) else -1
    exact = end.line == mark.line and end.column - mark.column == width
    return Mark(key.line, key.column, mark.line, mark.column, exact, bool(style))


def _syntax(wrong: yaml.YAMLError, text: str) -> Problem:
    """A syntax error of the YAML library, in our words where there are better ones."""
    mark = getattr(wrong, "problem_mark", None) or getattr(wrong, "context_mark", None)
    what = str(getattr(wrong, "problem", None) or getattr(wrong, "reason", None) or "this is not YAML")
    context = getattr(wrong, "context", None)
    if mark is None:
        bad = re.search(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
        at = bad.start() if bad else 0
        line, column = text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1
        shown = f"the character {text[at]!r} cannot stand in a file" if bad else what
        return Problem(line + 1, column + 1, "", shown, "Remove it")
    fix = "Quote what holds `{`, `: ` or ` #`; inside {…} and […] also what holds a comma"
    lines = text.splitlines()
    if mark.line < len(lines) and re.match(r"\s*\t", lines[mark.line]):
        fix = "Indent with spaces, not with tabs"
    shown = f"{context}: {what}" if context else what
    return Problem(mark.line + 1, mark.column + 1, "", shown, fix)


# ---------------------------------------------------------------- JSON


def read_json_tree(text: str) -> Tree:
    """The same for JSON; numbers stay as typed, `true` and `false` are yes and no, `null` says nothing."""
    text = check_text(text)
    twice: list[str] = []
    constants: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in items:
            if key in found:
                twice.append(key)
            if value is not None:
                found[key] = value
        return found

    def constant(word: str) -> str:
        constants.append(word)
        return word

    try:
        data = json.loads(text, object_pairs_hook=pairs, parse_int=str, parse_float=str, parse_constant=constant)
    except json.JSONDecodeError as wrong:
        raise BadProject([Problem(wrong.lineno, wrong.colno, "", wrong.msg, "This is not JSON")]) from None
    except RecursionError:
        raise BadProject([_too_deep(0, 0)]) from None
    marks: dict[Path, Mark] = {}
    problems: list[Problem] = []
    for path, mark in _json_marks(text):
        if path in marks and twice and path[-1] in twice:
            what = f"{path[-1]!r} stands twice in one object"
            problems.append(Problem(mark.key_line + 1, mark.key_column + 1, "", what, "Keep one"))
        marks[path] = mark
    problems += [Problem(1, 1, "", f"{word} is no number", "Write unknown or none") for word in constants]
    if problems:
        raise BadProject(sorted(problems))
    return Tree(texts(data), marks)


def texts(data: Any, depth: int = 0) -> Any:
    """Parsed JSON with every scalar as text and without `null`. Raises `BadProject` where it is too deep."""
    if depth > MAX_DEPTH:
        raise BadProject([_too_deep(0, 0)])
    if isinstance(data, bool):
        return "yes" if data else "no"
    if isinstance(data, dict):
        return {str(k): texts(v, depth + 1) for k, v in data.items() if v is not None}
    if isinstance(data, (list, tuple)):
        return [texts(v, depth + 1) for v in data if v is not None]
    if isinstance(data, (int, float)):
        return f"{data:.15g}"
    return data


_STRING = json.JSONDecoder()
_JSON_TOKEN = re.compile(r'[ \t\n\r]*([{}\[\],:"]|[^\s{}\[\],:"]+)')


def _json_marks(text: str) -> Iterator[tuple[Path, Mark]]:
    """Positions of every place of a text that is known to be JSON."""
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    line = 0
    stack: list[list[Any]] = []  # [path, is list, index or key, mark of the key]
    at, after_key = 0, False
    while hit := _JSON_TOKEN.match(text, at):
        sign, begin, at = hit[1], hit.start(1), hit.end()
        while line + 1 < len(starts) and starts[line + 1] <= begin:
            line += 1
        here = (line, begin - starts[line])
        if sign == '"':
            value, at = _STRING.raw_decode(text, begin)
            if stack and not stack[-1][1] and not after_key:
                stack[-1][2], stack[-1][3] = value, here
                continue
        if sign in ",:":
            after_key = sign == ":"
            if sign == "," and stack[-1][1]:
                stack[-1][2] += 1
        elif sign in "}]":
            stack.pop()
            after_key = False
        else:
            top = stack[-1] if stack else None
            path: Path = (*top[0], top[2]) if top else ()
            key = top[3] if top and not top[1] else here
            yield path, Mark(key[0], key[1], here[0], here[1], sign == '"' and "\\" not in text[begin:at], sign == '"')
            after_key = False
            if sign in "{[":
                stack.append([path, sign == "[", 0, here])
