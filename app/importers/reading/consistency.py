"""Consistency as people write it: `read-your-writes`, `strong (same doc)`, `eventual ok`, `≤5 min stale`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.importers.grid.headers import bare
from app.importers.reading.rates import NOTHING, UNITS

_UNIT_OF = {word: unit for unit, words in UNITS.items() for word in words.split()}
_UNIT_OF |= {"ms": "ms"}
_UNIT = "|".join(sorted(_UNIT_OF, key=len, reverse=True))
_AGE = re.compile(rf"(?P<n>\d+(?:[.,]\d+)?)\s*-?\s*(?P<unit>{_UNIT})(?![a-z])")
_AN = re.compile(rf"\b(?:an?|one|un|una|uno)\s+(?P<unit>{_UNIT})(?![a-z])")
_VAGUE_AGE = re.compile(r"\b(few|some|several|unos|unas|pocos|pocas|algunos|algunas)\s+(sec|min|seg|hour|hora|day|dia)")

# Tried in this order: the more telling words first.
_LEVELS = (
    (
        "read your writes",
        (
            r"read[- ]?(?:your|my|our)?[- ]?(?:own[- ])?writes?|read[- ]after[- ]write|ryw|(?:lee|leer|lea|"
            r"ler)[- ]?(?:tus?|sus?|las? propias?)?[- ]?(?:propias )?(?:escrituras|escritas)|session"
        ),
    ),
    ("causal", r"causal(?:ly)?(?: consistent)?(?: order)?|happens[- ]before"),
    ("historical", r"historical|snapshot|point[- ]in[- ]time|historica|historico|as of writing|frozen"),
    (
        "eventual",
        (
            r"eventual(?:ly|mente)?(?: consisten(?:t|cy|te|cia))?|stale(?:ness)?|relaxed|weak|"
            r"bounded[- ]staleness|cached?|puede ser antiguo|結果整合性|結果整合|delay(?:ed)?"
        ),
    ),
    (
        "strong",
        (
            r"strong(?:ly)?(?: consisten(?:t|cy))?|lineari[sz]able|serializable|immediate(?:ly)?|"
            r"always fresh|fresh|real[- ]?time|transactional|acid|fuerte|forte|inmediata|estricta|strict|"
            r"atomic|強い整合性|強い|強整合"
        ),
    ),
)
_TRIVIAL = re.compile(
    r"^(ok|okay|is|fine|consistency|consistent|consistencia|model|acceptable|aceptable|allowed|can|"
    r"be|may|up|to|max|maximum|within|"
    r"of|de|old|at|most|the|or|less|hasta|como|mucho|required|needed|min|s|y|and|tolerated|tolerable|"
    r"bien|vale|suficiente)$"
)


@dataclass(frozen=True, slots=True)
class ConsistencyReading:
    """The level with its greatest age (`eventual 5 min`), the words left over, and what stays open."""

    level: str = ""
    note: str = ""
    why: str = ""
    question: str = ""
    hint: str = ""


def read_consistency(text: str) -> ConsistencyReading:
    """The consistency in a cell; words that are no level are kept as a note."""
    plain = bare(text.replace(".", "\x01")).replace("\x01", ".")
    if plain.strip(" .") in NOTHING:
        return ConsistencyReading()
    level, span = _level(plain)
    age, aged = _age(plain)
    others = sorted({other for other in _levels(plain) if other != level})
    if not level and (age or _VAGUE_AGE.search(plain)):
        level, why = "eventual", "an age is allowed"
    else:
        why = ""
    if not level:
        asked = f"How fresh must it be? {text!r} names no level."
        return ConsistencyReading(note=text, question=asked, hint="strong, read your writes, causal, eventual 5 min")
    note = _note(text, plain, [s for s in (span, aged) if s])
    if others:
        asked = f"{level} or {' or '.join(others)}: which of them for what? {level} was taken for all."
        return ConsistencyReading(level, text, why, asked, "{order: strong, user.name: eventual 5 min}")
    if level != "eventual":
        return ConsistencyReading(level, note, why)
    if age:
        return ConsistencyReading(f"eventual {age}", note, why)
    return ConsistencyReading(
        "eventual", note, why, "Eventual is fine: how old may the answer be at most?", "eventual 5 min"
    )


def looks_like_consistency(text: str) -> bool:
    """Whether a cell starts with a word for a level."""
    level, span = _level(bare(text))
    return bool(level and span and span[0] == 0)


def _level(plain: str) -> tuple[str, tuple[int, int] | None]:
    found: list[tuple[int, int, str, tuple[int, int]]] = []
    for rank, (level, words) in enumerate(_LEVELS):
        hit = re.search(rf"(?<![a-z])(?:{words})(?![a-z])", plain)
        if hit and not _denied(plain, hit.start()):
            found.append((hit.start(), rank, level, hit.span()))
    if not found:
        return "", None
    outside = [f for f in found if "(" not in plain[: f[0]]] or found
    _, _, level, span = min(outside)
    return level, span


def _levels(plain: str) -> list[str]:
    """Every level named outside parentheses."""
    outside = re.sub(r"\([^()]*\)", " ", plain)
    hits = ((level, re.search(rf"(?<![a-z])(?:{words})(?![a-z])", outside)) for level, words in _LEVELS)
    return [level for level, hit in hits if hit and not _denied(outside, hit.start())]


def _denied(plain: str, at: int) -> bool:
    return bool(re.search(r"\b(not|no|non|sin|without|never)[ -]$", plain[:at]))


def _age(plain: str) -> tuple[str, tuple[int, int] | None]:
    if hit := _AGE.search(plain):
        return f"{hit['n'].replace(',', '.')} {_UNIT_OF[hit['unit']]}", hit.span()
    if hit := _AN.search(plain):
        return f"1 {_UNIT_OF[hit['unit']]}", hit.span()
    return "", None


def _note(text: str, plain: str, spans: list[tuple[int, int]]) -> str:
    """What the cell says beside level and age: its parentheses, or the words left."""
    inside = [i.strip() for i in re.findall(r"\(([^()]*)\)", text)]
    kept = [i for i in inside if i and not _AGE.search(bare(i)) and not _says_nothing(bare(i))]
    for start, end in sorted(spans, reverse=True):
        plain = f"{plain[:start]} {plain[end:]}"
    outside = re.sub(r"\([^()]*\)", " ", plain)
    words = [w for w in re.findall(r"[^\s,;()<>≤≥~/|]+", outside) if not _TRIVIAL.match(w) and w not in "-–—=+"]
    return "; ".join([*kept, *([" ".join(words)] if words else [])])


def _says_nothing(words: str) -> bool:
    return all(_TRIVIAL.match(w) for w in words.split())
