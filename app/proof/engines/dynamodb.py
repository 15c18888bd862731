"""DynamoDB and its emulators: the emitted JSON requests are sent as they are, with values in place of their names.

`http://localhost:8000` is an emulator (DynamoDB Local and its like take any credentials); `aws://eu-west-1` is the
service itself, with the credentials that boto3 finds by its own chain: environment, profile, role.
"""

from __future__ import annotations

import json
import time
from collections.abc import Hashable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from app.plan.types import Record, World
from app.proof.build import Node, Stored, identity, part_value
from app.proof.engines.dynamodb_items import Item, Kind, all_kinds, known
from app.proof.engines.dynamodb_run import Running, Unknown
from app.proof.engines.engine import Answer, Job, Question, Refusal
from app.proof.problem import ProofError, shown, told

REGION = "us-east-1"
"""An emulator takes any; a signature needs one."""
WRITES = 25
"""Items of a BatchWriteItem at most."""
PATIENCE = 120.0
"""Seconds until a table is made or gone."""
LAG = 3.0
"""Seconds that a service's indexes are given to follow after loading."""
CREATE, EXPIRE = ".create-table.json", ".update-time-to-live.json"


class DynamoDB:
    store = "dynamodb"
    title = "DynamoDB"
    modules = ("boto3",)
    example = "http://localhost:8000"
    time_uuid = 6

    def open(self, url: str) -> DynamoServer:
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - a driver, where a proof is made

        try:
            client, title = self._client(url)
            client.list_tables(Limit=1)
        except (BotoCoreError, ClientError, ValueError) as wrong:
            raise ProofError(
                f"DynamoDB at {shown(url)} does not answer: {told(wrong, url)}",
                fix="Check the address, the credentials, and that they may list and create tables.",
            ) from None
        return DynamoServer(client, title, emulated=not url.startswith("aws:"))

    def _client(self, url: str) -> tuple[Any, str]:
        import boto3  # noqa: PLC0415
        from botocore.config import Config  # noqa: PLC0415

        config = Config(connect_timeout=10, read_timeout=60, retries={"mode": "standard", "max_attempts": 5})
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            parts, host, port = urlsplit(""), None, None
        if not host or parts.scheme not in ("http", "https", "aws"):
            raise ProofError(
                f"{shown(url)} is no address of DynamoDB.", fix=f"Write {self.example}, or aws://eu-west-1 (a region)."
            )
        if parts.scheme == "aws":
            return boto3.client("dynamodb", region_name=host, config=config), "Amazon DynamoDB"
        place = f"{host}:{port}" if port else host
        client = boto3.client(
            "dynamodb", endpoint_url=f"{parts.scheme}://{place}", region_name=REGION, config=config,
            aws_access_key_id=unquote(parts.username or "none"),
            aws_secret_access_key=unquote(parts.password or "none"),
        )  # fmt: skip
        return client, f"DynamoDB (emulator at {place})"

    def key_of(self, stored: Stored, world: World, /) -> Hashable:
        values, of = known(stored), stored.kind.of
        keys = [k for k in (getattr(stored.thing, "pk", None), getattr(stored.thing, "sk", None)) if k is not None]
        if not keys:
            return (stored.kind.name, identity(values, of, world))
        return (stored.kind.name, *(str(part_value(p, values, of, world, stored.shard)) for k in keys for p in k.parts))


class DynamoServer:
    def __init__(self, client: Any, title: str, *, emulated: bool) -> None:
        self.client, self.engine, self.emulated = client, title, emulated
        # a server tells no version of its own: that of the protocol is known
        self.version = f"API {client.meta.service_model.api_version}"

    def tables(self, prefix: str) -> list[str]:
        pages = self.client.get_paginator("list_tables").paginate()
        return [name for page in pages for name in page["TableNames"] if name.startswith(prefix)]

    def create(self, name: str) -> DynamoSpace:
        prefix = f"{name}_"
        if self.tables(prefix):
            raise ProofError(f"Tables that begin with {prefix} exist.", fix="Nothing was touched; try again.")
        return DynamoSpace(self, prefix)

    def close(self) -> None:
        self.client.close()


class DynamoSpace:
    """Tables whose names begin with the namespace's own."""

    def __init__(self, server: DynamoServer, prefix: str) -> None:
        self.server, self.prefix, self.client = server, prefix, server.client
        self.kinds: Mapping[str, Kind] = {}
        self.job: Job | None = None
        self.transactions = True
        self.made: list[str] = []

    # ------------------------------------------------------------ requests

    def ask(self, call: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """One request. Raises Refusal, Unknown where the server does not know the operation."""
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        try:
            return dict(getattr(self.client, call)(**self._ours(body)))
        except ClientError as wrong:
            error = wrong.response.get("Error", {})
            text = " ".join(f"{error.get('Code', '')}: {error.get('Message', '')}".split())
            if "UnknownOperation" in str(error.get("Code")):
                raise Unknown(text, str(body)) from None
            raise Refusal(text, str(body)) from None
        except BotoCoreError as wrong:
            raise Refusal(told(wrong, ""), str(body)) from None

    def _ours(self, value: Any) -> Any:
        """The request with the namespace's tables."""
        if isinstance(value, list):
            return [self._ours(v) for v in value]
        if not isinstance(value, Mapping):
            return value
        found = dict(value)
        for key in ("TransactItems", *(k for k in ("Put", "Update", "Delete") if "TableName" in found.get(k, ()))):
            if key in found:
                found[key] = self._ours(found[key])
        if isinstance(found.get("TableName"), str):
            found["TableName"] = self.prefix + found["TableName"]
        if "RequestItems" in found:
            found["RequestItems"] = {self.prefix + n: v for n, v in found["RequestItems"].items()}
        return found

    # ------------------------------------------------------------ structures and data

    def build(self, job: Job, files: Mapping[str, str]) -> None:
        self.job = job
        self.kinds = all_kinds(job.model, job.records, job.world, job.moment)
        for name, text in files.items():
            if name.endswith(CREATE):
                body = json.loads(text)
                body.pop("DeletionProtectionEnabled", None)  # the proof has to drop it
                self.ask("create_table", body)
                self.made.append(self.prefix + body["TableName"])
        for table in self.made:
            self._wait("table_exists", table)
        for name, text in files.items():
            if name.endswith(EXPIRE):
                try:
                    self.ask("update_time_to_live", json.loads(text))
                except Unknown:
                    continue  # an emulator that expires nothing

    def _wait(self, what: str, table: str) -> None:
        from botocore.exceptions import WaiterError  # noqa: PLC0415

        delay = 0.05 if self.server.emulated else 2.0
        waiter = self.client.get_waiter(what)
        try:
            waiter.wait(TableName=table, WaiterConfig={"Delay": delay, "MaxAttempts": int(PATIENCE / delay)})
        except WaiterError as wrong:
            raise Refusal(told(wrong, "")) from None

    def load(self, kind: Record, stored: Sequence[Stored]) -> None:
        mine = self.kinds[kind.name]
        items = {str(mine.key(s)): mine.item(s) for s in stored}
        every = [{"PutRequest": {"Item": item}} for item in items.values()]
        for at in range(0, len(every), WRITES):
            left = every[at : at + WRITES]
            while left:
                said = self.ask("batch_write_item", {"RequestItems": {mine.table: left}})
                left = next(iter(said.get("UnprocessedItems", {}).values()), [])
                if left:
                    time.sleep(0.2)

    def ready(self) -> None:
        indexes = any(k.structure.gsi for k in self.kinds.values())
        if indexes and not self.server.emulated:
            time.sleep(LAG)

    def drop(self) -> None:
        """Every table that begins with the prefix: none did before."""
        tables = self.server.tables(self.prefix)
        for table in tables:
            self._wait("table_exists", table)
            self.client.delete_table(TableName=table)
        for table in tables:
            self._wait("table_not_exists", table)

    # ------------------------------------------------------------ records

    def key(self, stored: Stored) -> Hashable:
        mine = self.kinds[stored.kind.name]
        return (mine.table, str(mine.key(stored)))

    def look(self, kind: Record, stored: Sequence[Stored]) -> Sequence[Node | None]:
        mine = self.kinds[kind.name]
        return [mine.seen(item).root if (item := self._item(mine, s)) else None for s in stored]

    def _item(self, kind: Kind, stored: Stored) -> Item | None:
        body = {"TableName": kind.table, "Key": kind.key(stored), "ConsistentRead": True}
        return self.ask("get_item", body).get("Item")

    def restore(self, kind: Record, before: Sequence[Stored], after: Sequence[Stored]) -> None:
        mine = self.kinds[kind.name]
        kept = {self.key(s) for s in before}
        for stored in after:
            if self.key(stored) not in kept:
                self.ask("delete_item", {"TableName": mine.table, "Key": mine.key(stored)})
        for stored in before:
            self.ask("put_item", {"TableName": mine.table, "Item": mine.item(stored)})

    # ------------------------------------------------------------ patterns

    def run(self, question: Question) -> Answer:
        if self.job is None:
            raise Refusal("nothing is built yet")
        return Running(self, self.job, question).answer()


ENGINE = DynamoDB()
