"""Frequencies as people write them: `500 r/s`, `10M/s`, `avg 50, peak 200`, `90% of reads`, `high (event day)`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from app.importers.grid.headers import bare

UNITS = {
    "s": "s sec secs second seconds seg segs segundo segundos 秒",
    "min": "min mins minute minutes minuto minutos 分",
    "h": "h hr hrs hour hours hora horas 時間",
    "day": "d day days dia dias 日",
    "week": "w week weeks semana semanas",
    "month": "month months mes meses mo",
    "year": "y year years ano anos yr",
}
_UNIT_OF = {word: unit for unit, words in UNITS.items() for word in words.split()}
_UNIT = "|".join(sorted(_UNIT_OF, key=len, reverse=True))
_SCALE = {
    "k": "k", "m": "M", "b": "B", "mil": "k", "thousand": "k", "million": "M", "millon": "M", "millones": "M",
    "mill": "M", "mm": "M", "billion": "B", "millions": "M", "milhao": "M", "milhoes": "M",
}  # fmt: skip

_NUM = r"\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_SUFFIX = r"(?:\s?(?:k|mm|m|b)|\s(?:mil|thousand|millions?|millon|millones|mill|billion|milhao|milhoes))?(?![a-z])"
_KIND = r"(?:r|w|op|tx|[a-z]{3,}(?: [a-z]{3,})?)"
_PER = rf"\s*(?:/|\bper\b|\bpor\b|\ba\b|\bal\b|\ba la\b|\beach\b|\bcada\b|\ban?\b)\s*(?P<unit>{_UNIT})(?![a-z])"
_QUANTITY = re.compile(
    rf"(?P<low>{_NUM})(?P<scale1>{_SUFFIX})"
    rf"(?:\s*(?:-|–|—|\.\.|…|\bto\b|\ba\b|~)\s*(?P<high>{_NUM})(?P<scale2>{_SUFFIX}))?"
    rf"(?:\s*(?P<kind>{_KIND})?{_PER}|\s*(?P<short>[rqtw]ps|[rqt]pm)\b)?"
)
_SHARE = re.compile(
    r"(?P<n>\d+(?:[.,]\d+)?)\s*%\s*(?:(?:of|de|das|dos)\s+)?(?:(?:the|all|las|los|total|todas las)\s+)?"
    r"(?P<of>reads?|writes?|lecturas?|escrituras?|leituras?|escritas?|traffic|trafico|requests?|peticiones)?"
)
_EVERY = re.compile(
    rf"\b(?:every|each|cada|una vez cada|once every|a cada)\s+(?P<n>{_NUM})?\s*(?P<unit>{_UNIT})(?![a-z])"
)
_WITHIN = re.compile(rf"[,;(]?\s*\b(?:within|en|in)\s+(?P<n>{_NUM})\s*(?P<unit>{_UNIT})(?![a-z])\)?")
_ONCE = re.compile(
    r"\b(?P<n>once|twice|one|two|una vez|dos veces|uma vez)\s+(?:an?|per|every|al|a la|por|"
    rf"cada)\s+(?P<unit>{_UNIT})(?![a-z])"
)
_ADVERBS = {
    "hourly": "h", "daily": "day", "nightly": "day", "weekly": "week", "monthly": "month", "yearly": "year",
    "cada hora": "h", "diario": "day", "diaria": "day", "diariamente": "day", "semanal": "week", "mensual": "month",
    "each night": "day", "every night": "day", "毎日": "day", "毎時": "h",
}  # fmt: skip
_MARKS = re.compile(
    r"\b(?P<peak>peaks?|peaking|max|maximum|burst|bursts|up to|pico|picos|hasta|maximo)\b"
    r"|\b(?P<avg>avg|average|mean|sustained|normal|normally|typical|promedio|media|medio|sostenido|base)\b"
)
_APART = re.compile(rf"\b(?:per|por)\s+(?!(?:{_UNIT})(?![a-z]))(?:an?\s+|cada\s+)?(?P<what>[a-z_]+)")
_ABOUT = re.compile(
    r"(~|≈|\babout\b|\baround\b|\baprox\b|\bunos\b|\bunas\b|\bcerca de\b|<|>|≤|≥|\bless than\b|"
    r"\bmore than\b|\bmenos de\b|\bmas de\b|\bfewer than\b|\bapprox\w*)"
)

NOTHING = frozenset(
    ["", "-", "--", "—", "–", "n/a", "na", "?", "??", "tbd", "unknown", "desconocido", "none", "todo", "x", "..."]
)
_WORDS = (
    ("1k/s", "very high|extremely high|huge|muy alta|muy alto|muito alta|muito alto|非常に高い|constant|constantly"),
    (
        "0.1/s",
        (
            "very low|very rare|very rarely|extremely low|muy baja|muy bajo|muito baixa|rare|rarely|seldom|"
            "raro|rara vez|almost never|非常に低い|infrequent|poco frecuente|occasional|occasionally|ocasional"
        ),
    ),
    ("100/s", "high|hot|often|frequent|frequently|heavy|alta|alto|frecuente|mucha|高い|高|frequente"),
    ("10/s", "medium|moderate|mid|normal|average|regular|media|medio|moderada|moderado|中|普通|sometimes|a veces"),
    ("1/s", "low|light|few|baja|bajo|poca|baixa|baixo|低い|低"),
)
_READ = re.compile(r"^(r|reads?|lecturas?|leituras?)$")
_WRITE = re.compile(r"^(w|writes?|escrituras?|escritas?)$")


@dataclass(frozen=True, slots=True)
class RateReading:
    """Average and peak as rate texts, what kind of operation the unit names, and what stays open."""

    avg: str = ""
    peak: str = ""
    kind: str = ""
    """`read`, `write` or nothing."""
    within: str = ""
    """Of a job: `1/day within 2 h`."""
    note: str = ""
    why: str = ""
    question: str = ""

    @property
    def found(self) -> bool:
        return bool(self.avg or self.peak)


@lru_cache(maxsize=8_192)
def read_rate(text: str, unit: str = "", *, spanish: bool = False) -> RateReading:
    """The frequency in a cell. `unit` is what the header gives to bare numbers (`/s`)."""
    plain = _tidy(text)
    if plain.strip(" .") in NOTHING:
        return RateReading()
    within = _WITHIN.search(plain)
    if within:
        plain = f"{plain[: within.start()]} {plain[within.end() :]}"
        job = read_rate(plain, unit, spanish=spanish)
        return replace(job, within=f"{within['n']} {_UNIT_OF[within['unit']]}")
    share = _share(plain)
    if share is not None:
        return share
    found = _numbers(plain, unit, spanish=spanish)
    if found is None:
        found = _regular(plain)
    if found is None:
        found = _word(plain)
    if found is None:
        return RateReading(note=text, question=f"How often? {text!r} is not a frequency that can be counted.")
    return found


def looks_like_rate(text: str) -> bool:
    """Whether a cell says how often, with a unit or a share."""
    plain = _tidy(text)
    hit = _QUANTITY.search(plain)
    unit = bool(hit and (hit["unit"] or hit["short"]) and hit.start() <= 12)
    return unit or bool(_SHARE.match(plain) and "%" in plain) or bool(_EVERY.match(plain))


def _tidy(text: str) -> str:
    """Lower case, without accents; points and colons stay, for they matter in numbers."""
    kept = text.replace(".", "\x01").replace(":", " ")
    return bare(kept).replace("\x01", ".").replace("％", "%")


def _share(plain: str) -> RateReading | None:
    hit = _SHARE.search(plain)
    if not hit:
        return None
    said = hit["of"] or ""
    of = (
        "writes"
        if said.startswith(("w", "escri"))
        else "reads"
        if said.startswith(("r", "lec", "lei")) and "req" not in said
        else ""
    )
    number = hit["n"].replace(",", ".")
    if float(number) > 100:
        return RateReading(note=plain, question=f"{number}% is more than all: of what is it a share?")
    note = _rest(plain, [hit.span()])
    return RateReading(f"{number}% of {of}" if of else f"{number}%", kind=of.removesuffix("s"), note=note)


def _figure(digits: str, scale: str, *, spanish: bool) -> str:
    digits = digits.replace(" ", "")
    if spanish and re.fullmatch(r"\d{1,3}(\.\d{3})+", digits):
        digits = digits.replace(".", "")
    elif re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", digits):
        digits = digits.replace(",", "")
    digits = digits.replace(",", ".")
    return digits + _SCALE.get(scale.strip(), "")


def _numbers(plain: str, unit: str, *, spanish: bool) -> RateReading | None:
    """`500 r/s`, `100-200/s`, `avg 50, peak 200`, `50/s (peak 200/s)`; None without a number."""
    hits = [h for h in _QUANTITY.finditer(plain) if not _part_of_word(plain, h)]
    if not hits:
        return None
    marks = list(_MARKS.finditer(plain))
    if not any(h["unit"] or h["short"] for h in hits) and not unit and (not marks and _wordy(plain)):
        return None
    units = [_per(h) for h in hits]
    fallback = next((u for u in units if u), unit)
    apart = _APART.search(plain)
    out = RateReading(kind=_kind(hits, plain))
    for hit, mark, own in zip(hits, _marks_of(hits, marks), units, strict=True):
        out = _take(out, hit, mark, own or fallback or "/s", spanish=spanish)
    about = bool(_ABOUT.search(plain))
    if about or not fallback:
        out = replace(out, avg=_roughly(out.avg), peak=_roughly(out.peak))
    if not fallback:
        out = replace(out, question=f"{hits[0]['low']} per what? It is read as per second until you say.")
    if apart and fallback:
        question = (
            f"This is said per {apart['what']}: how many are there at a time? The rate here is that of all together."
        )
        return RateReading(kind=out.kind, note=plain, question=question)
    spans = [h.span() for h in hits] + [m.span() for m in marks]
    return replace(out, note=_rest(plain, spans))


def _take(out: RateReading, hit: re.Match[str], mark: str, per: str, *, spanish: bool) -> RateReading:
    low = _figure(hit["low"], hit["scale1"] or hit["scale2"] or "", spanish=spanish) + per
    if hit["high"]:
        high = _figure(hit["high"], hit["scale2"] or "", spanish=spanish) + per
        return replace(out, avg=low, peak=high, why="a range is read as average to peak")
    if mark == "peak":
        return replace(out, peak=out.peak or low)
    if not out.avg:
        return replace(out, avg=low)
    question = f"Two frequencies stand here; {out.avg} was taken. Which one is this operation's?"
    return out if out.peak else replace(out, question=question)


def _part_of_word(plain: str, hit: re.Match[str]) -> bool:
    before = plain[hit.start() - 1] if hit.start() else " "
    return before.isalpha() or before in "_#"


def _wordy(plain: str) -> bool:
    return len(re.findall(r"[a-z]{2,}", plain)) > 1


def _per(hit: re.Match[str]) -> str:
    if hit["short"]:
        return "/min" if hit["short"].endswith("m") else "/s"
    return f"/{_UNIT_OF[hit['unit']]}" if hit["unit"] else ""


def _kind(hits: list[re.Match[str]], plain: str) -> str:
    for hit in hits:
        said = (hit["kind"] or "").split(" ")[0]
        if _READ.match(said):
            return "read"
        if _WRITE.match(said) or hit["short"] == "wps":
            return "write"
    words = set(re.findall(r"[a-z]+", plain))
    if words & {"reads", "read", "lecturas"} and not words & {"writes", "write", "escrituras"}:
        return "read"
    return "write" if words & {"writes", "write", "escrituras"} and "reads" not in words else ""


def _marks_of(hits: list[re.Match[str]], marks: list[re.Match[str]]) -> list[str]:
    """`peak`, `avg` or nothing for each number: marks stand before their numbers, unless the last one stands last."""
    after = bool(marks) and marks[-1].start() > hits[-1].start()
    out: list[str] = []
    for i, hit in enumerate(hits):
        if after:
            end = hits[i + 1].start() if i + 1 < len(hits) else 10**9
            mine = [m for m in marks if hit.start() < m.start() < end]
        else:
            begin = hits[i - 1].end() if i else -1
            mine = [m for m in marks if begin < m.start() < hit.start() + 1]
        out.append("peak" if mine and mine[0]["peak"] else "avg" if mine else "")
    return out


def _regular(plain: str) -> RateReading | None:
    """`every 5 minutes`, `once a day`, `nightly`."""
    if hit := _ONCE.search(plain):
        times = "2" if hit["n"] in ("twice", "two", "dos veces") else "1"
        return RateReading(f"{times}/{_UNIT_OF[hit['unit']]}", note=_rest(plain, [hit.span()]))
    if hit := _EVERY.search(plain):
        unit = _UNIT_OF[hit["unit"]]
        number = hit["n"] or ""
        every = f"1 per {_figure(number, '', spanish=False)} {unit}" if number else f"1/{unit}"
        return RateReading(every, note=_rest(plain, [hit.span()]))
    for word, unit in _ADVERBS.items():
        if re.search(rf"(?<![a-z]){word}(?![a-z])", plain):
            return RateReading(f"1/{unit}", why=f"{word} is read as once per {unit}")
    return None


def _word(plain: str) -> RateReading | None:
    for rate, words in _WORDS:
        hit = re.search(rf"(?<![a-z])({words})(?![a-z])", plain)
        if hit:
            asked = f"How many per second is {hit[1]}? About {rate} is assumed until you say."
            why = f"{hit[1]} says no number; about {rate} is assumed"
            return RateReading(f"~{rate}", note=_rest(plain, [hit.span()]), why=why, question=asked)
    return None


def _roughly(rate: str) -> str:
    return f"~{rate}" if rate and not rate.startswith("~") else rate


_TRIVIAL = re.compile(
    r"^(and|y|e|of|de|the|rate|frequency|traffic|load|frecuencia|about|around|approx|or|o|aprox|"
    r"total|in|at|en|unos|unas|up|to|reads?|writes?)$"
)


def _rest(plain: str, spans: list[tuple[int, int]]) -> str:
    """What is left of a cell when what was read is taken out, if it says anything."""
    for start, end in sorted(spans, reverse=True):
        plain = f"{plain[:start]} {plain[end:]}"
    words = [w for w in re.findall(r"[^\s,;()\[\]~≈<>≤≥/+|]+", plain) if not _TRIVIAL.match(w) and w not in "-–—="]
    return " ".join(words)
