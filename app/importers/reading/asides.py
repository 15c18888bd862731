"""What an operation says beside its verb and nouns: order, limit, time span, paging, remarks in parentheses."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from app.importers.reading.attributes import UNIQUE, is_attribute
from app.importers.reading.nouns import TRANSLATED
from app.importers.reading.rates import UNITS
from app.importers.reading.text import flat

_COUNTS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "twelve": 12, "fifteen": 15, "twenty": 20, "fifty": 50, "hundred": 100, "un": 1, "una": 1, "dos": 2, "tres": 3,
    "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "veinte": 20,
    "cincuenta": 50, "cien": 100,
}  # fmt: skip
_NUMBER = r"\d{1,7}|" + "|".join(_COUNTS)
_UNIT_OF = {word: unit for unit, words in UNITS.items() for word in words.split() if len(word) > 1}
_UNIT = "|".join(sorted(_UNIT_OF, key=len, reverse=True))

_NEW = r"newest|latest|most recent|recent|last|mas recientes?|mas nuev[oa]s?|recientes|mais recentes?"
_OLD = r"oldest|earliest|mas antigu[oa]s?|mas viej[oa]s?"
_ORDERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("last", re.compile(r"\b(?:by|por) (?:latest|last|newest|most recent|ultim[oa]) (?P<by>[a-z]+)$")),
    (
        "newest",
        re.compile(
            rf"\b(?:{_NEW})\s+(?:first|primero)\b|\b(?:in )?reverse chronological(?: order)?\b|\bby (?:newest|"
            r"latest|most recent|recency)\b|\b(?:newest|latest)$|\b(?:new|most recent) to old(?:est)?\b|"
            r"\bdescending by date\b|"
            r"\bde mas (?:nuev|recient)\w+ a mas (?:viej|antigu)\w+"
        ),
    ),
    (
        "oldest",
        re.compile(
            rf"\b(?:{_OLD})\s+(?:first|primero)\b|\bin chronological order\b|\bchronological(?:ly)?\b|"
            r"\boldest to newest\b|\bfifo\b"
        ),
    ),
    (
        "by",
        re.compile(
            r"\b(?:sort(?:ed)?|order(?:ed)?|ordenad[oa]s?|rank(?:ed)?|sorting|clasificad[oa]s?) (?:by|"
            r"por) (?P<by>[a-z_ ]+?)(?P<way> (?:asc|desc|ascending|descending|ascendente|descendente|"
            r"newest first|high to low|low to high))?(?=$|[,;+])"
        ),
    ),
    ("most", re.compile(r"\b(?:highest|most|biggest|largest|mayor|mas) (?P<by>[a-z_]+) (?:first|primero)\b")),
    ("least", re.compile(r"\b(?:lowest|least|smallest|menor|menos) (?P<by>[a-z_]+) (?:first|primero)\b")),
    ("cheap", re.compile(r"\b(?:cheapest|mas barat[oa]s?)(?: first| primero)?\b")),
    (
        "by",
        re.compile(
            r"(?<=\w)\s*,\s*(?:by|por) (?P<by>[a-z_ ]+?)(?P<way> (?:asc|desc|ascending|descending|ascendente|"
            r"descendente))?$"
        ),
    ),
    (
        "popular",
        re.compile(
            r"\b(?:by )?(?:most popular|popularity|best selling|bestsell\w+|trending|most viewed|most liked|"
            r"popular|populares|mas vendid[oa]s|mas vist[oa]s|tendencias?)\b"
        ),
    ),
)
_LIMITS = re.compile(
    r"\b(?P<word>top|first|last|latest|newest|most recent|recent|best|ultim[oa]s?|primer[oa]s?|"
    rf"mejores|past)\s+(?P<n>{_NUMBER})\b(?!\s*(?:{_UNIT})\b)"
    rf"|\b(?P<n2>\d{{1,7}})\s+(?P<word2>latest|newest|most recent|last|recent|ultim[oa]s|mas recientes|mejores|top)\b"
    rf"|\b(?:limit(?:ed to)?|at most|max(?:imum)?|up to|limite)\s+(?P<n3>\d{{1,7}})\b"
)
_LATEST = re.compile(
    r"^(?P<verb>\w+ )?(?:the |la |el |los |las )?(?P<word>latest|newest|most recent|"
    r"last(?! ?(?:login|seen|name|update|visit|activity|modified|message_at))|recent|ultim[oa]s?|top|"
    r"best|mejores)\s+(?=[a-z])"
)
_SPAN = re.compile(
    r"\b(?:in |for |over |during |from |within |of |de |en |durante )?(?:the |las? |los? )?(?:last|"
    rf"past|previous|ultim[oa]s?|pasad[oa]s?)\s+(?P<n>{_NUMBER})?\s*(?P<unit>{_UNIT})\b"
)
_TODAY = re.compile(
    r"\b(?:of|for|in) the (?P<of>day|week|month|year)\b|"
    r"\b(?:(?:of|from|for|de) )?(?P<day>today(?: _s_)?|hoy|this (?P<unit>week|month|year)|"
    r"est[ea] (?P<unidad>semana|mes|ano))\b"
)
_RANGE = re.compile(
    r"\b(?:in|within|for|between|by|over|during|en|entre|por|with)?\s*(?:a |an |the |two |un |una |"
    r"dos |some )?(?:given |specific |certain )?"
    r"(?:(?:date|time|price|fecha|fechas) ?range|rango de (?P<de>fechas|precios?|tiempo)|"
    r"date interval|time window|(?:between )?dates|fechas|period of time|time period)\b"
)
_DAY = re.compile(
    r"\b(?:on|for|en|del?) (?:a |an |the |un |una )?(?:given |specific |certain )?(?:date|day|dia|fecha)\b"
)
_PAGED = re.compile(
    r"(?:\bwith |\bcon |\+ |,|\band )?\b(?:cursor |offset )?(?:paginat(?:ion|ed)|paging|paged|"
    r"paginaci?on|paginad[oa]s?|page by page|infinite scroll)\b"
)
_CURSOR = re.compile(r"\b(?:before|after|from|past|until) (?:a |the )?(?:given )?cursor\b")
_OLDER = re.compile(r"(?<=[a-z] )(?P<word>older|earlier|previous|more)(?= [a-z_]+s\b)")
_BEST = re.compile(r"\bbest[ -]?sellers?\b", re.IGNORECASE)
_TEXT = re.compile(
    r"\b(?:full[ -]?text(?: search)?|text search|free text|by (?:text|keywords?|words?)|por (?:texto|"
    r"palabras?(?: clave)?)|with (?:text search|search))\b"
)
_WHERE = re.compile(r"\s(?:where|donde)\s+(?P<where>.+)$", re.IGNORECASE)
_EVERY = re.compile(r"\b(?P<how>hourly|daily|weekly|monthly|diari[oa]|semanal|mensual)\b")
_EVERY_UNIT = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "semanal": "week",
    "mensual": "month",
}
_PARENS = re.compile(r"\s*[(\[（]([^()\[\]（）]*)[)\]）]")


@dataclass(frozen=True, slots=True)
class Asides:
    """Order (`newest`, `oldest`, or a field with `asc`, `desc`), limit, span (`24 h`), range, paging, remarks."""

    order: str = ""
    order_field: str = ""
    order_said: str = ""
    limit: int = 0
    span: str = ""
    ranged: str = ""
    """`time`, `price` or `day`: between two values, or on one day."""
    paging: str = ""
    latest: bool = False
    """`latest value`: one if the noun is singular."""
    top: bool = False
    text: bool = False
    where: str = ""
    """A condition in its own words: `parent_id is null`."""
    every: str = ""
    """`day` for `daily average`."""
    remarks: tuple[str, ...] = ()


def read_asides(text: str, *, spanish: bool) -> tuple[str, Asides]:
    """The operation without its asides, and what they say."""
    remarks = tuple(r.strip() for r in _PARENS.findall(text) if r.strip())
    kept = _PARENS.sub(" ", text).strip()
    if not kept and remarks:
        kept, remarks = remarks[0], remarks[1:]
    out = Asides(remarks=remarks)
    if condition := _WHERE.search(kept):
        out = replace(out, where=condition["where"].strip())
        kept = kept[: condition.start()]
    kept = _BEST.sub("best selling products", kept)
    kept, out = _paging(kept, out)
    kept, out = _order(kept, out)
    kept, out = _time(kept, out)
    kept, out = _limit(kept, out, spanish=spanish)
    if every := _EVERY.search(flat(kept)):
        kept, out = _cut(kept, every), replace(out, every=_EVERY_UNIT.get(every["how"], "day"))
    hit = _TEXT.search(flat(kept))
    if hit:
        kept, out = _cut(kept, hit), replace(out, text=True)
    return kept.strip(" ,;+"), out


def _cut(text: str, hit: re.Match[str] | None) -> str:
    """The text without what a pattern found in its bare form; the bare form is returned where it was needed."""
    if hit is None:
        return text
    plain = flat(text)
    return " ".join(f"{plain[: hit.start()]} {plain[hit.end() :]}".split())


def _paging(text: str, out: Asides) -> tuple[str, Asides]:
    if hit := _CURSOR.search(flat(text)):
        text, out = _cut(text, hit), replace(out, paging="cursor")
    if hit := _OLDER.search(flat(text)):
        newest = out.order or ("newest" if hit["word"] in ("older", "earlier", "previous") else "")
        text, out = _cut(text, hit), replace(out, paging="cursor", order=newest, order_said=hit["word"])
    hit = _PAGED.search(flat(text))
    if not hit:
        return text, out
    return _cut(text, hit), replace(out, paging="offset" if "offset" in hit[0] else "cursor")


def _order(text: str, out: Asides) -> tuple[str, Asides]:
    for kind, pattern in _ORDERS:
        hit = pattern.search(flat(text))
        if not hit:
            continue
        if kind == "by" and not _sorts(hit):
            continue
        out = replace(out, order_said=hit[0].strip(), order=kind)
        if kind == "by":
            way = "desc" if re.search(r"desc|newest|high to low", hit["way"] or "") else ""
            out = replace(out, order="desc" if way else "asc", order_field="_".join(hit["by"].split()))
        elif kind == "last":
            out = replace(out, order="desc", order_field=f"last_{hit['by']}_at")
        elif kind in ("most", "least"):
            out = replace(out, order="desc" if kind == "most" else "asc", order_field=hit["by"])
        elif kind == "cheap":
            out = replace(out, order="asc", order_field="price")
        return _cut(text, hit), out
    return text, out


def _sorts(hit: re.Match[str]) -> bool:
    """`sorted by date` sorts; `products ordered by a customer` says who ordered them; `of a user, by date` sorts."""
    if hit[0].lstrip().startswith(","):
        bound = re.search(r"\b(?:by|of|for|to|from|in|per|de|por|en)\b", hit.string[: hit.start()])
        word = hit["by"].split()[-1]
        known = TRANSLATED.get(word, word)
        return bool(bound) and is_attribute(known) and known not in UNIQUE and known not in ("date", "time", "day")
    if not re.match(r"order|ordenad|rank", hit[0]):
        return True
    word = hit["by"].split()[-1]
    return bool(hit["way"]) or (is_attribute(word) and not word.endswith("_id"))


def _time(text: str, out: Asides) -> tuple[str, Asides]:
    if hit := _SPAN.search(flat(text)):
        number = _COUNTS.get(hit["n"] or "", hit["n"]) or 1
        out = replace(out, span=f"{number} {_UNIT_OF[hit['unit']]}")
        return _cut(text, hit), out
    if hit := _TODAY.search(flat(text)):
        unit = hit["of"] or hit["unit"] or hit["unidad"] or "day"
        return _cut(text, hit), replace(out, span=f"1 {_UNIT_OF[unit]}")
    if hit := _RANGE.search(flat(text)):
        return _cut(text, hit), replace(out, ranged="price" if "price" in hit[0] or "precio" in hit[0] else "time")
    if hit := _DAY.search(flat(text)):
        return _cut(text, hit), replace(out, ranged="day")
    return text, out


def _limit(text: str, out: Asides, *, spanish: bool) -> tuple[str, Asides]:
    if hit := _LIMITS.search(flat(text)):
        said = hit["n"] or hit["n2"] or hit["n3"]
        word = hit["word"] or hit["word2"] or ""
        out = replace(out, limit=_COUNTS.get(said) or int(said))
        out = _towards(out, word, spanish=spanish)
        return _cut(text, hit), out
    if hit := _LATEST.search(flat(text)):
        word = hit["word"]
        out = _towards(out, word, spanish=spanish)
        cut = _cut(text, hit)
        verb = (hit["verb"] or "").strip()
        return f"{verb} {cut}".strip(), replace(out, latest=not out.top)
    return text, out


def _towards(out: Asides, word: str, *, spanish: bool) -> Asides:
    """The order that a word implies: `last 10` newest first, `top 10` by what they are ranked by."""
    del spanish
    if re.match(r"top|best|mejores", word):
        return replace(out, top=True, order_said=out.order_said or word)
    if out.order or re.match(r"first|primer", word) or not word:
        return out
    return replace(out, order="newest", order_said=word)
