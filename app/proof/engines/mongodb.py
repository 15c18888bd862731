"""MongoDB: the emitted mongosh text runs in V8, its commands through pymongo."""

from __future__ import annotations

import json
import time
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from app.plan.types import Record, World
from app.proof.build import Node, Seen, Stored
from app.proof.engines.engine import Answer, Evidence, Job, Question, Refusal
from app.proof.engines.mongo_documents import Shape, shapes
from app.proof.engines.mongo_explain import explained
from app.proof.engines.mongo_shell import Program, Shell
from app.proof.engines.mongo_values import given
from app.proof.problem import ProofError, shown, told
from app.stores.mongodb.located import ReadContext, located, roles_of

PATIENCE_MS = 5_000
"""Milliseconds a server may take to answer at all."""
SLOWEST_MS = 30_000
"""Milliseconds one statement may take."""
PIECE = 1_000
"""Documents inserted at once."""


class MongoDB:
    store = "mongodb"
    title = "MongoDB"
    modules = ("pymongo", "py_mini_racer")
    example = "mongodb://localhost:27017"
    time_uuid = 6

    def open(self, url: str) -> MongoServer:
        from bson import CodecOptions  # noqa: PLC0415 - a driver, only where a proof is made
        from bson.binary import UuidRepresentation  # noqa: PLC0415
        from bson.codec_options import DatetimeConversion  # noqa: PLC0415
        from pymongo import MongoClient  # noqa: PLC0415
        from pymongo.errors import PyMongoError  # noqa: PLC0415

        try:
            client: Any = MongoClient(url, serverSelectionTimeoutMS=PATIENCE_MS, appname="keywright prove")
        except (PyMongoError, ValueError) as wrong:
            raise ProofError(
                f"{shown(url)} is no address of MongoDB: {told(wrong, url).rstrip(chr(46))}.",
                fix=f"Write {self.example}.",
            ) from None
        try:
            info = client.admin.command("buildInfo")
            hello = client.admin.command("hello")
        except PyMongoError as wrong:
            client.close()
            raise ProofError(
                f"MongoDB at {shown(url)} does not answer: {told(wrong, url).partition(' (configured')[0]}.",
                fix="Check the address, and that the user may create databases.",
            ) from None
        # explain tells the end of a COUNT_SCAN over dates as the last of 64 bits, which no datetime can be
        options: Any = CodecOptions(
            tz_aware=True, uuid_representation=UuidRepresentation.STANDARD,
            datetime_conversion=DatetimeConversion.DATETIME_AUTO,
        )  # fmt: skip
        return MongoServer(client, str(info["version"]), options, bool(hello.get("setName")))

    def key_of(self, stored: Stored, _world: World, /) -> Hashable:
        """Documents have the entity's key, or one the server makes: nothing falls together."""
        return repr((stored.kind.name, sorted((a, str(v)) for a, v in (stored.root.row or {}).items())))


class MongoServer:
    engine = "MongoDB"

    def __init__(self, client: Any, version: str, options: Any, replicas: bool) -> None:
        self.client, self.version, self.options, self.replicas = client, version, options, replicas

    def create(self, name: str) -> MongoSpace:
        """A database; it comes into being with its first collection."""
        from pymongo.errors import PyMongoError  # noqa: PLC0415

        if name in self.client.list_database_names():
            raise ProofError(f"The database {name} exists.", fix="Nothing was touched; try again.")
        space = self.client.get_database(name, codec_options=self.options)
        try:
            space.create_collection("keywright_proof")
        except PyMongoError as wrong:
            raise ProofError(
                f"The database {name} could not be made: {told(wrong, '')}",
                fix="The user needs the right to create and drop databases (readWriteAnyDatabase, dbAdminAnyDatabase).",
            ) from None
        return MongoSpace(self, space)

    def close(self) -> None:
        self.client.close()


class MongoSpace:
    """One database. It runs each emitted text with values of its own."""

    def __init__(self, server: MongoServer, database: Any) -> None:
        self.server, self.database = server, database
        self.shell = Shell()
        self.shapes: Mapping[str, Shape] = {}
        self.job: Job | None = None

    # ------------------------------------------------------------ structures and data

    def build(self, job: Job, files: Mapping[str, str]) -> None:
        self.job = job
        self.shapes = shapes(job.model, job.records, job.world)
        several = next((s.structure.name for s in self.shapes.values() if "{" in s.structure.name), "")
        if several:
            raise Refusal(f"{several} is a collection for each value; those are not proved")
        for text in files.values():
            program = self.shell.program(text)
            self.shell.run(program.main, "{}", "{}", self._now(), _Running(self, None).carry_out)

    def _now(self) -> float:
        return self.job.moment.timestamp() * 1000 if self.job is not None else 0.0

    def load(self, kind: Record, stored: Sequence[Stored]) -> None:
        from pymongo.errors import PyMongoError  # noqa: PLC0415

        shape = self.shapes[kind.name]
        into = self.database[kind.structure]
        for at in range(0, len(stored), PIECE):
            try:
                into.insert_many([shape.document(s) for s in stored[at : at + PIECE]], ordered=False)
            except PyMongoError as wrong:
                raise Refusal(told(_first(wrong), "")) from None

    def ready(self) -> None:
        """Nothing is built in the background."""

    def drop(self) -> None:
        self.shell.close()
        self.server.client.drop_database(self.database.name)

    # ------------------------------------------------------------ records

    def key(self, stored: Stored) -> Hashable:
        return json.dumps([stored.kind.structure, self._where(stored)], default=str)

    def _where(self, stored: Stored) -> dict[str, Any]:
        """What finds a document: its `_id`, or all that tells it from others."""
        shape = self.shapes[stored.kind.name]
        document = shape.document(stored)
        if "_id" in document:
            return {"_id": document["_id"]}
        left = {shape.inside, "schema_version"}
        return {k: v for k, v in document.items() if k not in left and not isinstance(v, list | dict)}

    def look(self, kind: Record, stored: Sequence[Stored]) -> Sequence[Node | None]:
        shape = self.shapes[kind.name]
        from pymongo.errors import PyMongoError  # noqa: PLC0415

        try:
            found = [self.database[kind.structure].find_one(self._where(s)) for s in stored]
        except PyMongoError as wrong:
            raise Refusal(told(wrong, "")) from None
        return [shape.whole(d) if d is not None else None for d in found]

    def restore(self, kind: Record, before: Sequence[Stored], after: Sequence[Stored]) -> None:
        from pymongo.errors import PyMongoError  # noqa: PLC0415

        into, shape = self.database[kind.structure], self.shapes[kind.name]
        try:
            for stored in (*after, *before):
                into.delete_many(self._where(stored))
            if before:
                into.insert_many([shape.document(s) for s in before])
        except PyMongoError as wrong:
            raise Refusal(f"what was written cannot be undone there: {told(wrong, '')}") from None

    # ------------------------------------------------------------ patterns

    def run(self, question: Question) -> Answer:
        from bson import json_util  # noqa: PLC0415

        program = self.shell.program(question.text)
        values = json_util.dumps(given(program.names, question, self.shapes), json_options=_ejson())
        running = _Running(self, question)
        self.shell.run(program.main, values, "{}", self._now(), running.carry_out)
        found = self._found(running.results, question)
        further, paged = self._further(program, values, running, question)
        number = next((float(r) for _, r in running.results if isinstance(r, int)), None)
        groups = tuple(d for _, r in running.results if isinstance(r, list) for d in r)
        return Answer(
            found=tuple(found), further=further, paged=paged, number=number,
            groups=groups if question.pattern.figures else (),
            requests=tuple(running.evidence), seconds=running.seconds,
        )  # fmt: skip

    def _further(
        self, program: Program, values: str, running: _Running, question: Question
    ) -> tuple[tuple[Seen, ...], bool]:
        """The second page, behind the last document of the first."""
        from bson import json_util  # noqa: PLC0415

        first = next((r for _, r in running.results if isinstance(r, list)), [])
        if not program.following or not first:
            return (), False
        last = json_util.dumps(first[-1], json_options=_ejson())
        seconds, running.results, sent = running.seconds, [], len(running.evidence)
        self.shell.run(program.following, values, last, self._now(), running.carry_out)
        running.seconds = seconds  # a run's time is that of its first page
        running.evidence[sent:] = [replace(e, further=True) for e in running.evidence[sent:]]
        return tuple(self._found(running.results, question)), True

    def _found(self, results: Sequence[tuple[str, Any]], question: Question) -> list[Seen]:
        found: list[Seen] = []
        if question.pattern.is_write or question.pattern.figures:
            return found
        for name, result in results:
            documents = result if isinstance(result, list) else [result] if isinstance(result, Mapping) else []
            shape = next((s for s in self.shapes.values() if s.structure.name == name), None)
            if shape is not None:
                for document in documents:
                    found += shape.seen(document)
                    found += self._joined(document, question)
        return found

    def _joined(self, document: Mapping[str, Any], question: Question) -> list[Seen]:
        """What a `$lookup` put beside the document's own fields."""
        if self.job is None:
            return []
        world, model = self.job.world, self.job.model
        here = ReadContext(question.pattern, question.plan, model, world, roles_of(question.pattern, world))
        found: list[Seen] = []
        for step in question.plan.steps:
            place = located(step, model, world) if step.how == "server" else None
            if place is None:
                continue
            role = here.role(step)
            joined = document.get(role[0] if role is not None else place[1].of)
            shape = self.shapes.get(place[1].name)
            if isinstance(joined, list) and shape is not None:
                found += [s for one in joined for s in shape.seen(one)]
        return found


class _Running:
    """Carries out the commands of one run, and keeps what came back."""

    def __init__(self, space: MongoSpace, question: Question | None) -> None:
        self.space, self.question = space, question
        self.results: list[tuple[str, Any]] = []
        self.evidence: list[Evidence] = []
        self.seconds = 0.0
        self.session: Any = None

    def carry_out(self, command: Mapping[str, Any]) -> str:
        from bson import json_util  # noqa: PLC0415
        from pymongo.errors import PyMongoError  # noqa: PLC0415

        verb, name = command["verb"], command.get("on", "")
        args = json_util.loads(json.dumps(command.get("args", [])), json_options=_ejson())
        rest = {
            k: json_util.loads(json.dumps(v), json_options=_ejson())
            for k, v in command.items()
            if k not in ("verb", "on", "args", "tx")
        }
        if verb in ("begin", "commit", "shardCollection", "readPref"):
            return self._around(verb)
        sent = statement(verb, name, args, rest)
        try:
            answer = self._sent(verb, sent)
        except PyMongoError as wrong:
            self._end()
            raise Refusal(told(wrong, ""), f"{name}.{verb}") from None
        return json_util.dumps(answer, json_options=_ejson())

    def _around(self, verb: str) -> str:
        """Transactions where the server knows them (a replica set); a single server has no shards either."""
        if verb == "begin" and self.space.server.replicas:
            self.session = self.space.server.client.start_session()
            self.session.start_transaction()
        elif verb == "commit" and self.session is not None:
            self.session.commit_transaction()
            self._end()
        return "{}"

    def _end(self) -> None:
        if self.session is not None:
            self.session.end_session()
            self.session = None

    def _sent(self, verb: str, sent: Mapping[str, Any]) -> Any:
        database = self.space.database
        kind, name = next(iter(sent.items()))
        reads = verb in ("find", "findOne", "aggregate", "countDocuments")
        keeping: AbstractContextManager[Any] = nullcontext(self.session)
        with keeping as session:
            began = time.perf_counter()
            said = database.command(
                {**sent, **({"maxTimeMS": SLOWEST_MS} if reads else {})},
                codec_options=self.space.server.options,
                session=session,
            )
            documents = self._all(said) if "cursor" in said else []
            self.seconds += time.perf_counter() - began
        if kind in ("create", "createIndexes"):
            return {}
        result, answer, changed = outcome(verb, said, documents)
        self.results.append((str(name), result))
        self.evidence.append(self._evidence(verb, sent, said, changed, documents))
        return answer

    def _all(self, said: Mapping[str, Any]) -> list[Any]:
        """All documents behind an answer's cursor."""
        cursor = said["cursor"]
        found = list(cursor["firstBatch"])
        while cursor["id"]:
            name = cursor["ns"].partition(".")[2]
            more = self.space.database.command(
                {"getMore": cursor["id"], "collection": name},
                codec_options=self.space.server.options,
                session=self.session,
            )
            cursor = more["cursor"]
            found += cursor["nextBatch"]
        return found

    def _evidence(
        self, verb: str, sent: Mapping[str, Any], said: Mapping[str, Any], changed: float, documents: list[Any]
    ) -> Evidence:
        from bson import json_util  # noqa: PLC0415

        shown_ = json_util.dumps(list(sent.values())[1], json_options=_ejson())
        text = f"{next(iter(sent.values()))}.{verb}({shown_[:600]})"
        if (
            self.question is None
            or not self.question.explain
            or verb not in ("find", "findOne", "aggregate", "countDocuments")
        ):
            return Evidence(text, changed=changed, returned=float(said.get("n", len(documents))))
        ask = {"explain": dict(sent), "verbosity": "executionStats"}
        plan = explained(self.space.database.command(ask, codec_options=self.space.server.options))
        return Evidence(
            text, plan.text, examined=plan.examined, returned=float(len(documents)), scan=plan.scan, sort=plan.sort,
            path=plan.path, changed=changed,
        )  # fmt: skip


def statement(verb: str, name: str, args: list[Any], rest: Mapping[str, Any]) -> dict[str, Any]:
    """A method of the shell as the server's command."""
    first: Any = args[0] if args else {}
    second: Any = args[1] if len(args) > 1 else {}
    third: Any = args[2] if len(args) > 2 else {}
    concern = {"writeConcern": c} if (c := (third or second).get("writeConcern")) and verb != "insertMany" else {}
    match verb:
        case "createCollection":
            return {"create": name, **first}
        case "createIndex":
            named = "_".join(f"{k}_{v:g}" if isinstance(v, int | float) else f"{k}_{v}" for k, v in first.items())
            return {"createIndexes": name, "indexes": [{"key": first, "name": named, **second}]}
        case "find" | "findOne":
            found = {"find": name, "filter": first, "projection": second, **_cursor(rest)}
            return {**found, "limit": 1, "singleBatch": True} if verb == "findOne" else {**found, "batchSize": 10_000}
        case "aggregate":
            return {"aggregate": name, "pipeline": first, "cursor": {"batchSize": 10_000}}
        case "countDocuments":
            pipeline = [{"$match": first}, {"$group": {"_id": 1, "n": {"$sum": 1}}}]
            return {"aggregate": name, "pipeline": pipeline, "cursor": {}}
        case "insertOne" | "insertMany":
            return {"insert": name, "documents": first if verb == "insertMany" else [first]}
        case "updateOne" | "updateMany" | "replaceOne":
            update = {"q": first, "u": second, "multi": verb == "updateMany", "upsert": bool(third.get("upsert"))}
            if "arrayFilters" in third:
                update["arrayFilters"] = third["arrayFilters"]
            return {"update": name, "updates": [update], **concern}
        case "deleteOne" | "deleteMany":
            return {"delete": name, "deletes": [{"q": first, "limit": int(verb == "deleteOne")}], **concern}
        case "findOneAndUpdate":
            new = third.get("returnDocument") == "after" or bool(third.get("returnNewDocument"))
            upsert = bool(third.get("upsert"))
            return {"findAndModify": name, "query": first, "update": second, "upsert": upsert, "new": new}
    raise Refusal(f"{verb} is not known here", f"{name}.{verb}")


def _cursor(rest: Mapping[str, Any]) -> dict[str, Any]:
    return {
        k: (int(v) if k in ("limit", "skip") else v) for k, v in rest.items() if k in ("sort", "limit", "skip", "hint")
    }


def outcome(verb: str, said: Mapping[str, Any], documents: list[Any]) -> tuple[Any, Any, float]:
    """What came back, what the shell's method returns, and how many documents changed."""
    if verb in ("find", "aggregate"):
        return documents, documents, 0.0
    if verb == "findOne":
        one = documents[0] if documents else None
        return one, one, 0.0
    if verb == "countDocuments":
        n = int(documents[0]["n"]) if documents else 0
        return n, n, 0.0
    if said.get("writeErrors"):
        raise Refusal(str(said["writeErrors"][0].get("errmsg", ""))[:300])
    upserted = len(said.get("upserted") or ())
    n, modified = int(said.get("n", 0)), int(said.get("nModified", said.get("n", 0)))
    return said, {"acknowledged": True, "matchedCount": n - upserted, "modifiedCount": modified, "deletedCount": n,
                  "upsertedCount": upserted}, float(modified + upserted)  # fmt: skip


def _first(wrong: Any) -> Exception:
    """The first error of a bulk write, which says more than the whole."""
    details = getattr(wrong, "details", None) or {}
    errors = details.get("writeErrors") or []
    return ValueError(errors[0].get("errmsg", "")) if errors else wrong


def _ejson() -> Any:
    from bson.binary import UuidRepresentation  # noqa: PLC0415
    from bson.codec_options import DatetimeConversion  # noqa: PLC0415
    from bson.json_util import JSONMode, JSONOptions  # noqa: PLC0415

    return JSONOptions(
        json_mode=JSONMode.CANONICAL, tz_aware=True, uuid_representation=UuidRepresentation.STANDARD,
        datetime_conversion=DatetimeConversion.DATETIME_AUTO,
    )  # fmt: skip


ENGINE = MongoDB()
