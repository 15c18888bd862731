"""Small words of an operation: articles, prepositions, states, and words that are verb and noun."""

from __future__ import annotations

import re

from app.importers.reading.text import words_of

ARTICLES = words_of(
    """
    a an the this that these those all every each any some given specific single particular certain new full
    complete existing current own my their its his her our your one whole entire multiple several own particular
    individual el la los las un una unos unas lo todo toda todos todas cada este esta mi mis su sus nuevo nueva
    nuevos nuevas also too tambien flat overall entire detailed completo completa completos completas dado dada
    especifico especifica o um uma meu minha
    """
)
MINE = words_of("my mi mis meu minha our")
SMALL = {
    "by": "by", "for": "by", "per": "by", "using": "by", "via": "by", "given": "by", "por": "by", "para": "by",
    "of": "of", "in": "of", "on": "of", "within": "of", "inside": "of", "at": "of", "de": "of", "del": "of",
    "en": "of", "do": "of", "da": "of", "dos": "of", "das": "of", "em": "of", "from": "from", "desde": "from",
    "_s_": "own", "with": "with", "con": "with", "com": "with", "including": "with", "incl": "with", "plus": "with",
    "and": "with", "y": "with", "e": "with", "+": "with", "&": "with", "incluyendo": "with", "to": "to",
    "into": "to", "al": "to", "a": "to", "as": "as", "como": "as", "where": "where", "donde": "where",
    "without": "without", "sin": "without", "across": "of", "under": "of", "against": "by", "that": "where",
    "which": "where", "que": "where", "after": "where", "before": "where", "when": "where", "cuando": "where",
    "whose": "where", "needing": "where",
}  # fmt: skip
STATE_WORDS = {
    "open": "open", "pending": "pending", "active": "active", "inactive": "inactive", "closed": "closed",
    "completed": "completed", "paid": "paid", "unpaid": "unpaid", "shipped": "shipped", "cancelled": "cancelled",
    "canceled": "cancelled", "failed": "failed", "expired": "expired", "published": "published", "draft": "draft",
    "archived": "archived", "overdue": "overdue", "abandoned": "abandoned",
     "unprocessed": "unprocessed", "approved": "approved",
    "rejected": "rejected", "unread": "unread", "unresolved": "unresolved", "resolved": "resolved",
    "online": "online", "delivered": "delivered", "abierto": "open", "abiertos": "open", "abierta": "open",
    "abiertas": "open", "pendiente": "pending", "pendientes": "pending", "activo": "active", "activos": "active",
    "activas": "active", "activa": "active", "cerrados": "closed", "pagados": "paid", "pagadas": "paid",
    "vencidas": "overdue", "vencidos": "overdue", "cancelados": "cancelled", "leidos": "read", "leidas": "read",
}  # fmt: skip
VAGUE = words_of(
    """
    related similar recommended suggested nearby featured trending relacionado relacionados similares cercanos cercanas
    recomendados
    """
)
AND = words_of("and y e + &")
# Plurals that name one value.
PLURAL_VALUES = words_of(
    """
    points attempts retries seats stars bytes metadata preferences settings coordinates options properties attributes
    statistics stats
    """
)
UNREAD = re.compile(r"\b(?:sin leer|no le[ií]d[oa]s?)\b", re.IGNORECASE)
KIN = {
    "child": "child",
    "sub": "child",
    "root": "root",
    "hijo": "child",
    "hija": "child",
    "hijas": "child",
    "hijos": "child",
    "raiz": "root",
}
DONE = re.compile(
    r"(?!feed|seed|speed|need|embed)(?:[a-z]{3,}ed|written|sent|made|bought|owned|[a-z]{3,}(?:ad|id)[oa]s?)"
)
ONLY_SPANISH = words_of(
    """
    por para de del en con y e a al desde sin como donde que cuando el la los las un una su sus mi mis
    """
)
ONLY_ENGLISH = words_of("the of by for with and from to an my in on at is newest first")
DETERMINING = words_of("a an the this on my un una el la los las al")
NEWEST = frozenset(["historial de", "feed de"])
BOTH = words_of(
    """
    open order comment message share report rank view list rate like review record post follow vote bookmark book
    file issue log search place start schedule download click test book poll
    """
)
NOUN_FIRST = words_of("order comment message share click poll rank")
