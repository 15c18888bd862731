"""Runs emitted mongosh text: JavaScript in V8, whose commands are carried out one by one outside.

V8 cannot wait for a database. So the text is run again and again, each time with the answers of the commands known so
far; the first command without an answer stops it and is carried out. Values cross as Extended JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.proof.engines.engine import Refusal

SHELL = r"""
class Pending { constructor(command) { this.command = command; } }
Date.prototype.toJSON = function () { return { $date: this.toISOString() }; };
RegExp.prototype.toJSON = function () { return { $regularExpression: { pattern: this.source, options: this.flags } }; };
class Number64 { constructor(text) { this.$numberLong = text; } valueOf() { return Number(this.$numberLong); } }
class Fraction { constructor(text) { this.$numberDouble = text; } valueOf() { return Number(this.$numberDouble); } }
const MinKey = () => ({ $minKey: 1 }), MaxKey = () => ({ $maxKey: 1 });
const UUID = text => ({ $uuid: text }), ObjectId = text => ({ $oid: text });
const NumberLong = text => new Number64(String(text)), Long = NumberLong;
const NumberDecimal = text => ({ $numberDecimal: String(text) }), Decimal128 = NumberDecimal;
const Int32 = n => ({ $numberInt: String(n) }), NumberInt = Int32, Double = n => ({ $numberDouble: String(n) });
const revive = v => {
  if (v === null || typeof v !== "object") return v;
  if (Array.isArray(v)) return v.map(revive);
  if ("$date" in v) return new Date(typeof v.$date === "object" ? Number(v.$date.$numberLong) : v.$date);
  if ("$numberLong" in v) return new Number64(v.$numberLong);
  if ("$numberDouble" in v) return new Fraction(v.$numberDouble);
  if ("$numberInt" in v) return Number(v.$numberInt);
  if (Object.keys(v).some(k => k.startsWith("$"))) return v;
  return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, revive(x)]));
};
let answers = [], met = 0, cursors = [], moment = 0, lastResult = {};
const ask = command => {
  if (met >= answers.length) throw new Pending(command);
  return lastResult = revive(answers[met++]) ?? {}, answers[met - 1] === null ? null : lastResult;
};
class Cursor {
  constructor(command) { this.command = command; cursors.push(this); }
  toArray() { return this.done ??= ask(this.command); }
  map(f) { return this.toArray().map(f); }
  forEach(f) { return this.toArray().forEach(f); }
}
for (const word of ["sort", "limit", "skip", "hint", "readPref", "maxTimeMS", "collation", "batchSize"])
  Cursor.prototype[word] = function (value) { this.command[word] = value; return this; };
const collection = (name, tx) => new Proxy({}, { get: (_, verb) => {
  if (verb === "getName") return () => name;
  return (...args) => {
    const command = { on: name, verb, args, tx };
    return verb === "find" || verb === "aggregate" ? new Cursor(command) : ask(command);
  };
} });
const database = tx => new Proxy({}, { get: (_, word) => {
  switch (word) {
    case "getCollection": return name => collection(name, tx);
    case "getName": return () => "";
    case "createCollection":
      return (name, options) => ask({ on: name, verb: "createCollection", args: [options ?? {}] });
    case "getMongo": return () => ({ startSession: () => ({
      getDatabase: () => database(true),
      endSession: () => {},
      withTransaction: (work, options) => {
        ask({ verb: "begin", args: [options ?? {}] }); work(); ask({ verb: "commit", args: [] });
      },
    }) });
    default: return collection(word, tx);
  }
} });
const sh = { shardCollection: (name, key) => ask({ on: name, verb: "shardCollection", args: [key] }) };
const RealDate = Date;
const StillDate = new Proxy(Date, {
  construct: (target, args) => args.length ? new target(...args) : new target(moment),
  get: (target, word) => word === "now" ? () => moment : target[word],
});
const GIVEN = ["db", "p", "last", "sh", "Date", "print", "lastResult", "MinKey", "MaxKey", "UUID", "ObjectId"];
const compiled = source => new Function(...GIVEN, source);
// Statements as V8 itself sees where they end, each with the comments that stand above it.
const parts = text => {
  const found = [];
  let notes = [], code = "";
  for (const line of text.split("\n")) {
    if (!code && line.trimStart().startsWith("//")) { notes.push(line.trim()); continue; }
    if (!code && !line.trim()) continue;
    code += (code ? "\n" : "") + line;
    if (!/[;}]\s*(\/\/.*)?$/.test(line)) continue;
    try { new Function(code); } catch (e) { continue; }
    found.push({ notes, code });
    notes = []; code = "";
  }
  if (code) found.push({ notes, code });
  return found;
};
const carried = (source, p, last, known, now) => {
  answers = JSON.parse(known); met = 0; cursors = []; moment = now; lastResult = {};
  try {
    compiled(source)(database(false), revive(JSON.parse(p)), revive(JSON.parse(last)), sh, StillDate, () => {},
      () => lastResult, MinKey, MaxKey, UUID, ObjectId);
    for (const cursor of cursors) cursor.toArray();
    return JSON.stringify({ done: true });
  } catch (e) {
    if (e instanceof Pending) return JSON.stringify({ command: e.command });
    return JSON.stringify({ error: String(e) });
  }
};
const keys = source => JSON.stringify(Object.keys(new Function(source + "\nreturn p;")()));
"""
NEXT = "// next page"
OTHERWISE = "// if nothing matched"


@dataclass(frozen=True, slots=True)
class Program:
    """An emitted text taken apart: what is to be filled in, the statements, those of the next page."""

    names: tuple[str, ...]
    main: str
    following: str = ""


class Shell:
    """One V8 with the shell in it. `close` it: its threads outlive the process otherwise."""

    def __init__(self) -> None:
        from py_mini_racer import MiniRacer  # noqa: PLC0415 - a driver

        self._v8 = MiniRacer()
        self._v8.eval(SHELL)
        self._programs: dict[str, Program] = {}

    def close(self) -> None:
        self._v8.close()

    def program(self, text: str) -> Program:
        if text not in self._programs:
            self._programs[text] = self._taken(text)
        return self._programs[text]

    def _taken(self, text: str) -> Program:
        names: tuple[str, ...] = ()
        main: list[str] = []
        following = ""
        for part in json.loads(str(self._v8.eval(f"JSON.stringify(parts({json.dumps(text)}))"))):
            notes, code = part["notes"], part["code"]
            if code.startswith("const p = {"):
                names = tuple(json.loads(str(self._v8.eval(f"keys({json.dumps(code)})"))))
            elif any(n.startswith(NEXT) for n in notes):
                following = code
            elif any(n.startswith(OTHERWISE) for n in notes):
                main.append(f"if ((lastResult().matchedCount ?? 0) === 0) {{\n{code}\n}}")
            else:
                main.append(code)
        return Program(names, "\n".join(main), following)

    def run(
        self, source: str, given: str, last: str, moment: float, carry_out: Callable[[Mapping[str, Any]], str]
    ) -> Sequence[str]:
        """Run a program; every command goes through `carry_out`, which gives its answer as Extended JSON. `given` and
        `last` are Extended JSON; `moment`: milliseconds that count as now."""
        answers: list[str] = []
        while True:
            words = ", ".join(json.dumps(x) for x in (source, given, last, f"[{', '.join(answers)}]"))
            said = json.loads(str(self._v8.eval(f"carried({words}, {moment:.0f})")))
            if said.get("error"):
                raise Refusal(f"its text does not run: {said['error']}", source)
            if said.get("done"):
                return answers
            answers.append(carry_out(said["command"]))


__all__ = ["Program", "Shell"]
