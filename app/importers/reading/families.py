"""One row of a key catalog: the family of keys it describes, the entity it holds and what is left to ask."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from app.importers.format import Question
from app.importers.reading.draft import Draft
from app.importers.reading.nouns import FACETS, PARTS, SCREENS, base
from app.importers.reading.text import a, flat, quoted, snake, words_of
from app.model.keys import parse_template
from app.model.problem import Unreadable

_RULES = {
    "cache": "cache cached",
    "session": "session sess sessions",
    "rate": "rate ratelimit rate_limit rl limit limiter throttle",
    "queue": "queue queues q jobs job_queue tasks",
    "counter": "counter counters count counts cnt hits views stats",
    "lock": "lock locks mutex",
    "leaderboard": "leaderboard leaderboards board ranking rank scores",
}
_RULE_OF = {word: rule for rule, words in _RULES.items() for word in words.split()}
_PURPOSE = {"rate": "counter"}
_TYPES = {
    "zset": "sorted set", "sortedset": "sorted set", "sorted set": "sorted set", "str": "string", "string": "string",
    "hash": "hash", "list": "list", "set": "set", "stream": "stream", "bitmap": "bitmap", "geo": "geo",
    "hyperloglog": "hyperloglog", "hll": "hyperloglog", "json": "string", "int": "string", "integer": "string",
    "counter": "string",
}  # fmt: skip
_HOLDER = re.compile(r"\{\{?([^{}]*)\}?\}|<([^<>]+)>|\$\{?(\w+)\}?|(?<=:)(\*)|(?<=:)(%[sd])")
_SHARDS = re.compile(r"0*0\s*(?:\.\.\.?|-|…)\s*(\d{1,5})")
_TIME = {
    "minute": "minute", "min": "minute", "hour": "hour", "day": "day", "date": "day", "yyyymmdd": "day",
    "yyyy_mm_dd": "day", "week": "week", "month": "month", "yyyymm": "month", "year": "year", "timestamp": "",
    "ts": "", "window": "minute",
}  # fmt: skip
_ANY = words_of("id uuid key * n %s %d name")
_TTL = re.compile(r"(\d+(?:\.\d+)?)\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?)\b")
_UNITS = {"s": "s", "m": "min", "h": "h", "d": "days", "w": "weeks"}
_NEVER = words_of("none no never - – — ∞ -1 n/a persistent permanent")


@dataclass(slots=True)
class Family:
    """A key family being read: its structure in the words of the project file, and what is asked."""

    name: str
    model: str
    entity: str = ""
    rule: str = ""
    plain: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    @property
    def reading(self) -> str:
        p = self.plain
        holds = f"counts {p['counts']}" if "counts" in p else f"holds {p['of']}" if "of" in p else "not understood yet"
        said = [p["keys"], p.get("type", ""), holds, f"ttl {p['ttl']}" if "ttl" in p else "", p.get("purpose", "")]
        return "; ".join(x for x in said if x)

    def ask(self, part: str, text: str, hint: str = "") -> None:
        self.questions.append(Question(f"models/{self.model}/{self.name}/{part}", text, hint))


def read_family(said: dict[str, str], others: list[str], draft: Draft, model: str, taken: set[str]) -> Family:
    """The family of one row. Every cell ends in a word of the structure, or in its note."""
    text = said.get("key", "").strip(" `\"'")
    pieces = _pieces(text)
    family = Family(text or "key", model, rule=_rule(pieces))
    kind = _type(family, said.get("type", ""))
    entity = family.entity = _entity(family, pieces, draft, text)
    key = _key(family, pieces, entity, draft, text) if entity else ""
    name, n = _valid(family, key, text), 1
    while name in taken:
        n += 1
        name = f"{_valid(family, key, text)}:({n})"
    if n > 1:
        family.notes.append(f"key: {text}")
        family.ask("keys", f"{quoted(text)} stands twice in the catalog. Are they one family?", text)
    family.questions = [
        Question(q.place.replace(f"/{family.name}/", f"/{name}/"), q.text, q.hint) for q in family.questions
    ]
    family.name = name
    family.plain = {"keys": name, **({"type": kind} if kind else {})}
    if flat(said.get("type", "")) == "json":
        family.plain["format"] = "json"
    if entity:
        _content(family, kind, entity, draft)
    _purpose(family, said.get("purpose", ""))
    _life(family, said.get("ttl", ""), said.get("notes", ""))
    if owner := said.get("owner"):
        family.plain["owner"] = owner
    _note(family, said.get("notes", ""), others)
    return family


def _pieces(text: str) -> list[tuple[str, str]]:
    """The key as (`literal` or `holder`, text)."""
    out: list[tuple[str, str]] = []
    at = 0
    for hit in _HOLDER.finditer(text):
        out.append(("literal", text[at : hit.start()]))
        out.append(("holder", next(g for g in hit.groups() if g is not None)))
        at = hit.end()
    out.append(("literal", text[at:]))
    return [(kind, piece) for kind, piece in out if piece]


def _words(literal: str) -> list[str]:
    parts = [re.sub(r"\W+", "_", flat(snake(w))).strip("_") for w in re.split(r"[:/.#|]+", literal)]
    return [w for w in parts if re.fullmatch(r"[a-z][a-z0-9_]{0,60}", w)]


def _rule(pieces: list[tuple[str, str]]) -> str:
    said = [w for kind, piece in pieces if kind == "literal" for w in _words(piece)]
    return next((_RULE_OF[w] for w in said[:2] if w in _RULE_OF), "")


def _noun(word: str) -> str:
    return "_".join([*word.split("_")[:-1], base(word.rsplit("_", maxsplit=1)[-1], spanish=False)[0]])


def _entity(family: Family, pieces: list[tuple[str, str]], draft: Draft, text: str) -> str:
    """What the keys hold: the word behind the last placeholder, else the one before the first, else by the rule."""
    first = next((at for at, (kind, _) in enumerate(pieces) if kind == "holder"), len(pieces))
    before = [w for kind, piece in pieces[:first] if kind == "literal" for w in _words(piece)]
    after = [w for kind, piece in pieces[first:] if kind == "literal" for w in _words(piece)]
    named = [w for w in before if w not in _RULE_OF]
    behind = [w for w in after if w not in FACETS and w not in SCREENS and w not in _RULE_OF]
    held = next((piece for kind, piece in pieces if kind == "holder"), "")
    owner = re.fullmatch(r"(\w+?)(?:\.|_)(?:id|uuid|key)", snake(held).lower())
    if family.rule == "rate":
        name, why = "request", f"the keys {quoted(text)} count requests"
    elif family.rule == "leaderboard":
        name, why = "score", f"what {quoted(text)} ranks"
    elif family.rule == "session" and not behind:
        name, why = "session", f"the keys {quoted(text)} hold sessions"
    elif behind:
        part = _noun(behind[-1])
        part = f"{_noun(named[-1])}_{part}" if part in PARTS and named else part
        name, why = part, f"“{behind[-1]}” is what {quoted(text)} holds"
    elif named:
        name, why = _noun(named[-1]), f"“{named[-1]}” is the word before the placeholder in {quoted(text)}"
    elif owner:
        name, why = owner[1], f"“{held}” names it in {quoted(text)}"
    elif before or after:
        name, why = _noun((before or after)[-1]), f"“{(before or after)[-1]}” is all that {quoted(text)} names"
    else:
        family.ask("of", f"What do the keys {quoted(text)} hold?", "an entity: user")
        return ""
    return draft.entity(name, why)


def _key(family: Family, pieces: list[tuple[str, str]], entity: str, draft: Draft, text: str) -> str:
    """The key as a template: every placeholder a field of the entity, a bucket of time, or a shard."""
    out: list[str] = []
    before = ""
    for kind, piece in pieces:
        if kind == "literal":
            before = next(iter(reversed([w for w in _words(piece) if w not in _RULE_OF])), before)
            out.append(piece)
            continue
        said = flat(snake(piece)).replace(" ", "_").replace("-", "_")
        if shards := _SHARDS.fullmatch(piece.strip()):
            out.append(f"{{shard {int(shards[1]) + 1}}}")
        elif said in ("shard", "bucket", "slot"):
            family.ask("keys", f"How many values has “{piece}” in {quoted(text)}? 16 is assumed.", "{shard 16}")
            family.notes.append(f"key: {text}")
            out.append("{shard 16}")
        else:
            out.append(f"{{{_path(family, said, before, entity, draft, text)}}}")
    return "".join(out)


def _path(family: Family, said: str, before: str, entity: str, draft: Draft, text: str) -> str:
    if said in _TIME:
        path = draft.time(entity, f"“{said}” in {quoted(text)} is a part of time")
        return f"{path}|{_TIME[said]}" if _TIME[said] else path
    owner, _, name = said.rpartition(".") if "." in said else said.rpartition("_")
    if said in _ANY:
        owner, name = _noun(before) if before else entity, "id"
        if owner != entity:
            why = f"“{{{said}}}” stands behind “{before}” in {quoted(text)}"
            return draft.parent(entity, owner, "", why)
        draft.key(entity)
        return f"{entity}.{draft.key(entity)[0]}"
    if name in ("id", "uuid", "key") and owner:
        if owner == entity:
            return f"{entity}.{draft.key(entity)[0]}"
        return draft.parent(entity, owner, "", f"“{said}” in {quoted(text)}: {a(entity)} belongs to {a(owner)}")
    if not re.fullmatch(r"[a-z]\w*", said.replace(".", "_")):
        family.notes.append(f"key: {text}")
        family.ask("keys", f"What is “{said}” in {quoted(text)}? It is read as the key of {a(entity)}.", "")
        return f"{entity}.{draft.key(entity)[0]}"
    plain = name if owner == entity and name else said.replace(".", "_")
    return draft.field(entity, plain, f"“{said}” stands in {quoted(text)}")


def _valid(family: Family, key: str, text: str) -> str:
    """The template where it can be read; else its literal text, with the pasted one in the note."""
    try:
        return parse_template(key).text
    except Unreadable as why:
        family.notes.append(f"key: {text}")
        family.ask("keys", f"The key {quoted(text)} cannot be read: {why}.", "cache:user:{user.id}")
        return re.sub(r"[{}]", "", text) or "key"


def _type(family: Family, cell: str) -> str:
    kind = _TYPES.get(flat(cell).replace("_", " "), "")
    if cell and not kind:
        family.notes.append(f"type: {cell}")
    if not kind:
        family.ask(
            "type", f"Which value type has {quoted(family.name)}?", "string, hash, list, set, sorted set, stream"
        )
    return kind


def _content(family: Family, kind: str, entity: str, draft: Draft) -> None:
    """What a value holds: the record, a figure, or members with a score."""
    figure = family.rule in ("rate", "counter") and kind in ("", "string", "hyperloglog", "bitmap")
    family.plain["counts" if figure else "of"] = entity
    if kind not in ("set", "sorted set", "geo"):
        return
    member = f"{entity}.{draft.key(entity)[0]}"
    if family.rule == "leaderboard":
        member = draft.parent(entity, "player", "", f"a score of {quoted(family.name)} is that of a player")
    family.plain["member"] = f"{{{member}}}"
    family.ask("member", f"What are the members of {quoted(family.name)}? {member} is read.", f"{{{member}}}")
    if kind == "sorted set":
        leads = family.rule == "leaderboard"
        why = f"{quoted(family.name)} is ordered by it"
        path = draft.field(entity, "points", why, "int64") if leads else draft.time(entity, why)
        family.plain["score"] = path
        family.ask("score", f"Which field orders {quoted(family.name)}? {path} is read.", path)


def _purpose(family: Family, cell: str) -> None:
    rule = _PURPOSE.get(family.rule, family.rule)
    said = flat(cell)
    if said in ("cache", "session", "counter", "limiter", "queue", "lock", "leaderboard", "unique"):
        rule = said
    elif cell:
        family.notes.append(f"purpose: {cell}")
    if rule:
        family.plain["purpose"] = rule
    else:
        family.ask("purpose", f"What is {quoted(family.name)} for: a cache, or the only copy?", "purpose: cache")
    if rule in ("cache", "queue"):
        what = "repeat" if rule == "cache" else "announce"
        family.ask("truth", f"Where is the truth that the keys {quoted(family.name)} {what}?", "truth: users, or none")


def _life(family: Family, cell: str, notes: str) -> None:
    said = flat(cell)
    hit = _TTL.search(said)
    if cell.strip().lower() in _NEVER:
        family.plain["ttl"] = "none"
        if not re.search(r"\w", cell):
            family.ask("ttl", f"“{cell}” is read as no expiry of the keys {quoted(family.name)}. Is that so?", "none")
    elif hit:
        unit = "months" if hit[2].startswith("mo") else _UNITS[hit[2][0]]
        sliding = " sliding" if re.search(r"\bslid|\brefreshed|\brenewed", flat(f"{cell} {notes}")) else ""
        jitter = re.search(r"jitter (\d+)\s?%", flat(f"{cell} {notes}"))
        family.plain["ttl"] = f"{hit[1]} {unit}{sliding}" + (f" jitter {jitter[1]}%" if jitter else "")
        if said != hit[0]:
            family.notes.append(f"ttl: {cell}")
        rest = re.sub(r"jitter \d+\s?%|sliding", "", said.replace(hit[0], "", 1)).strip(" ,;+()~")
        if rest:
            family.ask("ttl", f"What does {quoted(rest)} mean for the life of {quoted(family.name)}?", "7 days sliding")
    else:
        if cell:
            family.notes.append(f"ttl: {cell}")
        family.ask("ttl", f"How long do the keys {quoted(family.name)} live?", "300 s, or none")


def _note(family: Family, notes: str, others: list[str]) -> None:
    if re.search(r"\b(invalidat|delete|evict|purge)\w*\b.*\b(on|when|after)\b", flat(notes)):
        family.plain["on change"] = "delete key"
    kept = [x for x in (notes, *others, *family.notes) if x and x not in ("-", "–", "—")]
    if kept:
        family.plain["note"] = "; ".join(dict.fromkeys(kept))
