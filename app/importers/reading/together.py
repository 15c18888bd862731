"""What a write connects: the parent of a new record, a label and what it marks, a product and a cart."""

from __future__ import annotations

from app.importers.reading.nouns import LABELS
from app.importers.reading.reader import Reading, parameter
from app.importers.reading.text import a, words_of
from app.importers.reading.things import CATALOGUE, thing_of

_BASKETS = words_of("cart basket wishlist order playlist list")
_TOGETHER = words_of("add remove put anadir agregar quitar eliminar adicionar remover invite")


def belong(r: Reading, other: str, said: str) -> None:
    """The record that is written belongs to one of another entity."""
    if other in ("parent", "padre"):
        other = r.entity
        r.draft.parent(r.entity, r.entity, "parent", f"{a(r.entity)} may stand under another")
        return
    party = r.words.party(other)
    role = other if party != other else "followed" if (r.entity, other) == ("follow", "user") else ""
    r.draft.parent(r.entity, party, role, f"“{said}”: each {r.entity} belongs to one {other}")


def write_label(r: Reading) -> bool:
    """`Add tag to post`, `Remove tag from post`: the many-to-many relationship itself is written."""
    other = next((t.entity for n in r.phrase.linked("to", "of", "from") if (t := thing_of(n, r.words)).entity), "")
    if r.entity not in LABELS or not other:
        return False
    label = r.entity
    link = r.draft.many(other, label, f"{a(label)} belongs to many, so many-to-many")
    r.entity = link.name
    r.why("entity", f"{a(label)} and {a(other)} are brought together or apart")
    if r.action == "delete":
        r.why("where", f"this {label} of this {other}")
        for end in (other, label):
            for key in r.draft.key(end):
                r.term(f"{end}.{key} = :{parameter(end)}")
    return True


def bring_together(r: Reading) -> bool:
    """`Add product to cart`, `Remove user from group`: not the product is new or gone, but its place in the cart."""
    verb = r.phrase.verb
    other = next((t.entity for n in r.phrase.linked("to", "from") if (t := thing_of(n, r.words)).entity), "")
    if r.entity not in CATALOGUE or not other or verb not in _TOGETHER:
        return False
    what = r.entity
    if other not in _BASKETS:
        link = r.draft.many(other, what, f"“{verb} {what}”: many of both belong together, so many-to-many")
        r.entity = link.name
        r.why("entity", f"{a(what)} and {a(other)} are brought together or apart")
    else:
        r.entity = r.draft.entity(f"{other}_item", f"“{verb} {what}” with {a(other)}: an item of the {other}")
        r.why("entity", f"what is added to {a(other)} or removed is an item of it, of one {what}")
        belong(r, other, other)
        belong(r, what, what)
    if r.action == "delete":
        r.why("where", f"the one that holds this {what} in this {other}")
        for end in (other, what):
            paths = [x.via for x in r.draft.links if x.child == r.entity and x.parent == end]
            r.term(
                f"{r.entity}.{paths[0]} = :{parameter(end)}"
                if paths
                else f"{end}.{r.draft.key(end)[0]} = :{parameter(end)}"
            )
    return True
