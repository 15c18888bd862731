"""What the text around a table says: counts, children per parent, traffic and the name of the system."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.importers.grid.headers import introduces_patterns
from app.importers.reading.nouns import base, is_entity_word
from app.importers.reading.rates import UNITS
from app.importers.reading.text import flat

_UNIT_OF = {word: unit for unit, words in UNITS.items() for word in words.split()}
_UNIT = "|".join(sorted(_UNIT_OF, key=len, reverse=True))
_SCALE = {
    "k": "k",
    "mil": "k",
    "thousand": "k",
    "m": "M",
    "million": "M",
    "millones": "M",
    "millon": "M",
    "b": "B",
    "billion": "B",
}
_AMOUNT = re.compile(
    rf"(?P<about>~|about |around |unos |unas |aprox\w* )?(?<![\w.,])(?P<n>\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?)\s?"
    rf"(?P<scale>k|m|b|mil|thousand|millions?|millones|millon|billion)?(?![a-z0-9])\s+(?:de\s+)?(?:new |nuev[oa]s )?"
    r"(?P<noun>[a-z][a-z_]+)(?P<per>\s*(?:/|per|por|al?|each|every|"
    rf"cada)\s*(?P<unit>{_UNIT})(?![a-z])|\s+(?:per|por|each|in each)\s+(?P<parent>[a-z_]+))?"
)
_NAME = re.compile(
    r"^\W*(?:system|project|application|app|sistema|proyecto|aplicacion|aplicación|projeto)\s*[:：]\s*(?P<name>.+)$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^\s{0,3}#\s+(?P<name>\S.*?)\s*#*\s*$")
_TAIL = re.compile(r"\s*\b(?:con|with|that has|having)\b\s+\W?\d.*$", re.IGNORECASE)
_GENERIC = re.compile(
    r"[\s:–—-]*\b(access patterns?( analysis| table)?|patrones de acceso|query patterns?)\b[\s:–—-]*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Count:
    """`10M comments` (`per` empty), `800 posts/day` (`per` a unit), `3 items per order` (`parent`)."""

    noun: str
    value: str
    per: str = ""
    parent: str = ""
    said: str = ""


def read_counts(lines: list[str], *, spanish: bool) -> tuple[Count, ...]:
    """Numbers of things in the lines that introduce a table."""
    out: list[Count] = []
    for line in lines:
        plain = flat(line).replace("+", " ").replace(" / ", "/")
        for hit in _AMOUNT.finditer(plain):
            noun, plural = base(hit["noun"], spanish=spanish)
            if not plural and hit["n"] != "1":
                continue
            value = hit["n"].replace(",", "") + _SCALE.get((hit["scale"] or "").removesuffix("s"), "")
            if hit["about"]:
                value = f"~{value}"
            parent = base(hit["parent"], spanish=spanish)[0] if hit["parent"] else ""
            per = _UNIT_OF[hit["unit"]] if hit["unit"] else ""
            out.append(Count(noun, value, per, parent, hit[0].strip()))
    return tuple(out)


def is_traffic(count: Count) -> str:
    """`reads` or `writes` where a count speaks of all traffic: `2k reads/s`."""
    if not count.per:
        return ""
    if count.noun == "read" or "lectura" in count.said or "leitura" in count.said:
        return "reads"
    return "writes" if count.noun in ("write", "escritura") else ""


def introduction(lines: list[str], start: int) -> list[str]:
    """The lines just before a table (0-based start): at most six, back to the last heading or list."""
    out: list[str] = []
    for line in reversed(lines[max(0, start - 12) : start]):
        if re.match(r"\s{0,3}#{1,6}\s", line) or len(out) >= 6 or "|" in line or "```" in line:
            break
        if line.strip() and not introduces_patterns(line):
            out.append(line)
        elif introduces_patterns(line):
            out.append(_before_colon(line))
    return out[::-1]


def _before_colon(line: str) -> str:
    return line if re.search(r"\d", line) else ""


def project_name(lines: list[str], used: set[int]) -> str:
    """The name a text gives its system: a `System:` line, else its first top heading."""
    heading = ""
    for number, line in enumerate(lines, 1):
        if number in used or len(line) > 300:
            continue
        if hit := _NAME.match(line):
            return _short(_TAIL.sub("", hit["name"]))
        if not heading and (hit := _HEADING.match(line)):
            heading = _short(_GENERIC.sub(" ", hit["name"]))
    return heading


def _short(name: str) -> str:
    tidy = " ".join(re.sub(r"[*_`]", "", name).split()).strip(" .:-–—")
    return tidy[:80]


def known(count: Count, names: frozenset[str]) -> bool:
    """Whether a count speaks of something the rows name or that is usually kept."""
    return count.noun in names or is_entity_word(count.noun)
