"""One run of one emitted text on DynamoDB: loops, pages, batches, and the evidence of each request."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol
from uuid import uuid4

from app.proof.build import Seen
from app.proof.engines.dynamodb_items import Item, Kind
from app.proof.engines.dynamodb_names import Names
from app.proof.engines.dynamodb_text import Request, requests
from app.proof.engines.dynamodb_writes import Action, Writes, actions
from app.proof.engines.engine import Answer, Evidence, Job, Question, Refusal

BATCH = 100
"""Keys of a BatchGetItem at most."""
CALLS = {
    "GetItem": "get_item", "BatchGetItem": "batch_get_item", "Query": "query", "Scan": "scan", "Put": "put_item",
    "Update": "update_item", "Delete": "delete_item", "TransactWriteItems": "transact_write_items",
}  # fmt: skip
ONE_BY_ONE = "asked one by one: this emulator has no transactions"


class Asking(Protocol):
    """Where requests go: names of tables become those of the namespace."""

    transactions: bool
    kinds: Mapping[str, Kind]

    def ask(self, call: str, body: Mapping[str, Any]) -> dict[str, Any]: ...


class Unknown(Refusal):
    """The server does not know the operation."""


class Running:
    """One run of one text."""

    def __init__(self, space: Asking, job: Job, question: Question) -> None:
        self.space, self.job, self.question = space, job, question
        self.names = Names(question, job, space.kinds)
        self.evidence: list[Evidence] = []
        self.seconds = 0.0
        self.number: float | None = None

    def answer(self) -> Answer:
        found = list(requests(self.question.text))
        if self.question.pattern.is_write:
            writes = Writes(self.names)
            for one in found:
                self._write(one, writes)
            return Answer(requests=tuple(self.evidence), seconds=self.seconds)
        return self._read(found)

    def _ask(self, operation: str, body: Mapping[str, Any]) -> dict[str, Any]:
        began = time.perf_counter()
        said = self.space.ask(CALLS[operation], {**body, "ReturnConsumedCapacity": "INDEXES"})
        self.seconds += time.perf_counter() - began
        return said

    # ------------------------------------------------------------ reads

    def _read(self, found: list[Request]) -> Answer:
        steps: dict[int, list[tuple[Item, Seen]]] = {}
        for one in (r for r in found if not r.following):
            items = self._items(one, steps)
            if one.step <= 1 and items:
                self.names.last = items[-1]
            steps.setdefault(one.step, []).extend((i, s) for i in items if (s := self._seen(one, i)) is not None)
        every = tuple(s for n in sorted(steps) for _, s in steps[n])
        further, paged = self._further(found)
        return Answer(every, further, paged, self.number, requests=tuple(self.evidence), seconds=self.seconds)

    def _seen(self, one: Request, item: Item) -> Seen | None:
        """An item as a record of the kind whose key it has."""
        mine = [(k.mine(item), k.record.of == self.question.pattern.entity, k) for k in self.space.kinds.values()
                if k.table == one.table]  # fmt: skip
        best = max((m for m in mine if m[0]), key=lambda m: m[:2], default=None)
        return best[2].seen(item) if best is not None else None

    def _items(self, one: Request, steps: Mapping[int, list[tuple[Item, Seen]]]) -> list[Item]:
        """All items of a request, sent as often as it has to be."""
        bodies = list(self.names.of_read(one, steps))
        if one.operation == "BatchGetItem":
            return self._batches(one, one.table, [k for b in bodies for k in b["RequestItems"][one.table]["Keys"]])
        merged = any(s.order in ("merged", "client") for s in self.question.plan.every_step)
        limit = one.body.get("Limit", 0)
        found: list[Item] = []
        for body in bodies:
            found += self._asked(one, body)
            if limit and len(bodies) > 1 and not merged and one.step <= 1 and len(found) >= limit:
                return found[:limit]
        return found

    def _asked(self, one: Request, body: dict[str, Any]) -> list[Item]:
        """One request with the pages that belong to it: up to the limit, else to the end."""
        if one.operation == "GetItem":
            said = self._ask("GetItem", body)
            items = [said["Item"]] if "Item" in said else []
            self._note(one, said, len(items), len(items))
            return items
        limit, found = body.get("Limit", 0), list[Item]()
        while True:
            said = self._ask(one.operation, body)
            found += said.get("Items", [])
            self._note(one, said, said["ScannedCount"], said["Count"])
            if body.get("Select") == "COUNT":
                self.number = (self.number or 0.0) + said["Count"]
            if "LastEvaluatedKey" not in said or (limit and (not one.filtered or len(found) >= limit)):
                break
            body = {**body, "ExclusiveStartKey": said["LastEvaluatedKey"]}
        found = found[:limit] if limit else found
        return self._whole(one, found) if one.fetch else found

    def _whole(self, one: Request, found: list[Item]) -> list[Item]:
        """Items of an index read by the table's key."""
        keys = next(k.spot.keys for k in self.space.kinds.values() if k.table == one.table)
        return self._batches(one, one.table, [{k.name: i[k.name] for k in keys} for i in found])

    def _batches(self, one: Request, table: str, keys: list[Item]) -> list[Item]:
        """Items under these keys, in their order."""
        keys = list({str(k): k for k in keys}.values())
        strong = {k: v for k, v in one.body.get("RequestItems", {}).get(table, {}).items() if k != "Keys"}
        found: dict[str, Item] = {}
        for at in range(0, len(keys), BATCH):
            left = keys[at : at + BATCH]
            while left:
                said = self._ask("BatchGetItem", {"RequestItems": {table: {"Keys": left, **strong}}})
                items: list[Item] = next(iter(said.get("Responses", {}).values()), [])
                found |= {str({n: i[n] for n in keys[0]}): i for i in items}
                self._note(one, said, len(items), len(items))
                unprocessed: dict[str, Any] = next(iter(said.get("UnprocessedKeys", {}).values()), {})
                left = unprocessed.get("Keys", [])
        return [found[str(k)] for k in keys if str(k) in found]

    def _further(self, found: list[Request]) -> tuple[tuple[Seen, ...], bool]:
        """The page behind the last item, where the text has one for it."""
        pages = [r for r in found if r.following]
        if len(pages) != 1 or not self.names.last:
            return (), False
        one, sent, seconds = pages[0], len(self.evidence), self.seconds
        bodies = list(self.names.of_read(one, {}))
        if len(bodies) != 1:
            return (), False
        items = self._asked(one, bodies[0])
        self.seconds = seconds  # a run's time is that of its first page
        self.evidence[sent:] = [replace(e, further=True) for e in self.evidence[sent:]]
        return tuple(s for i in items if (s := self._seen(one, i)) is not None), True

    # ------------------------------------------------------------ writes

    def _write(self, one: Request, writes: Writes) -> None:
        todo = [(a, body) for a in actions(one) for body in writes.of(a)]
        for action, body in todo:
            if action.lists and "Key" in body:
                said = self._ask("GetItem", {"TableName": body["TableName"], "Key": body["Key"]})
                self._note(Request("GetItem", {"TableName": body["TableName"], "Key": body["Key"]}), said, None, None)
        if one.operation == "TransactWriteItems":
            self._together(one, todo)
            return
        for action, body in todo:
            said = self._ask(action.verb, body)
            self._note(one, said, None, None, changed=1)

    def _together(self, one: Request, todo: list[tuple[Action, dict[str, Any]]]) -> None:
        items = [{action.verb: body} for action, body in todo]
        if not items:
            return
        if self.space.transactions:
            body = {"TransactItems": items, "ClientRequestToken": uuid4().hex}
            try:
                self._note(one, self._ask(one.operation, body), None, None, changed=len(items))
            except Unknown:
                self.space.transactions = False
            else:
                return
        said = [self._ask(action.verb, body) for action, body in todo]
        consumed = [s["ConsumedCapacity"] for s in said if "ConsumedCapacity" in s]
        self._note(one, {"ConsumedCapacity": consumed}, None, None, changed=len(items), word=ONE_BY_ONE)

    # ------------------------------------------------------------ evidence

    def _note(
        self, one: Request, said: Mapping[str, Any], scanned: int | None, returned: int | None,
        *, changed: int = 0, word: str = "",
    ) -> None:  # fmt: skip
        capacity = said.get("ConsumedCapacity") or []
        each = capacity if isinstance(capacity, list) else [capacity]
        units = sum(float(c.get("CapacityUnits", 0)) for c in each) if each else None
        counts = f"Count {returned}, ScannedCount {scanned}" if "ScannedCount" in said else ""
        lines = (word, counts, *_units(each))
        self.evidence.append(
            Evidence(
                text=f"{one.operation} {json.dumps(one.body, ensure_ascii=False)}",
                plan="\n".join(line for line in lines if line),
                examined=None if scanned is None else float(scanned),
                returned=None if returned is None else float(returned),
                units=units,
                scan=one.operation == "Scan",
                changed=float(changed),
                path=str(one.body.get("IndexName") or (one.table if one.operation != "TransactWriteItems" else "")),
            )
        )


def _units(each: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """Units of table and indexes, as the server reports them."""
    total: dict[str, float] = {}
    for capacity in each:
        if table := capacity.get("Table"):
            total["table"] = total.get("table", 0.0) + float(table.get("CapacityUnits", 0))
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for name, index in capacity.get(kind, {}).items():
                total[name] = total.get(name, 0.0) + float(index.get("CapacityUnits", 0))
    return [f"{name}: {units:g} units" for name, units in total.items()]


__all__ = ["Running", "Unknown"]
