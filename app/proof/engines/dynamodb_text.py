"""An emitted DynamoDB text taken apart: requests as JSON, with the operation and the notes of the lines above them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

BLOCK = re.compile(r"(?=^\{$)|(?<=^\}$)", re.MULTILINE)
HEAD = re.compile(
    r"# (?:(\d+)\. )?(GetItem|BatchGetItem|Query|Scan|PutItem|UpdateItem|DeleteItem|TransactWriteItems)\b(.*)"
)
ORIGIN = re.compile(r"(?:once|one key) for each item of step (\d+)|once for each item reached")
NEXT = "# next page"
LIST = re.compile(r"# (\S+) is a list: read it")
UNSEEN = "does not project"


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `step`: its number among those of a read, from 1; `origin`: the step for each of whose items it is
    repeated (0: none). `following`: it reads the next page. `fetch`: each item found is read by the table's key.
    `lists`: attributes that are read before the write."""

    operation: str
    body: dict[str, Any]
    step: int = 0
    origin: int = 0
    following: bool = False
    fetch: bool = False
    lists: tuple[str, ...] = ()

    @property
    def table(self) -> str:
        return str(self.body.get("TableName") or next(iter(self.body.get("RequestItems", {"": None}))))

    @property
    def filtered(self) -> bool:
        return "FilterExpression" in self.body


def requests(text: str) -> Iterator[Request]:
    """Every request in order; a page after the first is asked with the same operation."""
    operation, step, origin, following, fetch = "", 0, 0, False, False
    lists: list[str] = []
    for piece in BLOCK.split(text):
        if piece.startswith("{\n"):
            yield Request(operation, json.loads(piece), step, origin, following, fetch, tuple(lists))
            following, lists = False, []
            continue
        for line in piece.splitlines():
            if hit := HEAD.match(line):
                operation, step, following, fetch = hit[2], int(hit[1] or 0), False, False
                loop = ORIGIN.search(hit[3])
                origin = int(loop[1] or step - 1) if loop else 0
            elif line.startswith(NEXT):
                following = True
            elif note := LIST.match(line):
                lists.append(note[1])
            fetch = fetch or UNSEEN in line


__all__ = ["Request", "requests"]
