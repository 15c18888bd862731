"""Nouns that name a property of a thing, with the type their values usually have."""

from __future__ import annotations

from app.importers.reading.text import words_of

_BY_TYPE = {
    "string": """
        name username nickname title email phone slug type kind code sku url link uri ip currency language
        locale country city zip postcode color colour size gender avatar thumbnail icon role plan tier level
        channel hash password password_hash token signature username login isbn barcode brand subject caption label
        timezone region version format unit method symbol department category_name position place reason source
        address image photo picture cover
        """,
    "enum": "status state priority",
    "text": "text body content description message bio excerpt transcript note comment_text answer_text summary",
    "int32": """
        count quantity qty stock number year age rank rating_count views likes score_count duration available sequence
        seq attempts retries stars points level_number inventory capacity seats unread size_bytes weight
        """,
    "int64": "score bytes points balance_cents total_cents amount_cents price_cents counter",
    "decimal": "price unit_price total amount cost balance revenue tax discount subtotal fee salary budget spend",
    "double": "temperature humidity pressure value latitude longitude lat lon lng speed rating average distance",
    "datetime": """
        date time timestamp datetime created updated modified published sent expiry expiration deadline due start end
        started ended birthday at created_at updated_at published_at sent_at expires_at last_login last_seen
        """,
    "bool": "flag enabled active verified deleted read archived",
    "json": "metadata payload preferences settings attributes properties options config configuration data",
    "point": "coordinates geolocation location",
}

TYPE_OF = {word: kind for kind, words in _BY_TYPE.items() for word in words.split()}

# Attributes that by themselves tell one record from all others.
UNIQUE = words_of("email username slug sku phone token isbn barcode code url ip login external_id")

# What a text search looks into, in this order.
SEARCHED = ("title", "name", "subject", "content", "body", "text", "description")
TEXTY = words_of(
    """
    post article page story document news recipe note comment message review answer question ticket issue
    """
)

# What may be added up.
TOTALS = words_of("total sum amount revenue subtotal spend")


def type_of(name: str) -> str:
    """The usual type of a field of this name: by its last word, `string` where nothing tells."""
    words = name.split("_")
    if name in TYPE_OF:
        return TYPE_OF[name]
    if words[0] in ("is", "has", "can", "was"):
        return "bool"
    if words[0] == "total":
        return "decimal"
    if words[-1] == "id":
        return "uuid"
    if words[-1] == "ids":
        return "uuid[]"
    if words[-1] == "at" or words[-1] == "on":
        return "datetime"
    if words[-1] == "cents":
        return "int64"
    return TYPE_OF.get(words[-1], "string")


def is_attribute(word: str) -> bool:
    """Whether a noun usually names a property rather than a thing."""
    return word in TYPE_OF or word.endswith(("_id", "_at", "_count", "_url", "_name"))
