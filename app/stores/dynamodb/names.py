"""Stored names: tables, attributes of an item, the one attribute that says when an item expires."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.model.candidate import Structure
from app.plan.types import World
from app.plan.ways import place
from app.stores.common_home import Thing
from app.stores.common_query import copy_name, field_of
from app.stores.dynamodb.keys import things

ALLOWED = re.compile(r"[A-Za-z0-9_.-]{3,255}\Z")
TTL = "expires_at"
"""Name of the expiry attribute where no field of the workload is one."""


def table_name(name: str) -> str:
    """A table or index name the store accepts: letters, digits, `_`, `-`, `.`, 3 to 255 of them."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_") or "table"
    return plain[:255] if len(plain) > 2 else plain.ljust(3, "_")


def stored_name(path: str, thing: Thing, world: World) -> Iterable[str]:
    """Names under which an item of this kind keeps an attribute; none where it does not."""
    for copy in thing.copied:
        if path == copy.what:
            return (copy_name(copy),)
    for figure in thing.computed:
        if path in (figure.what, figure.as_):
            return (figure.as_ or field_of(figure.what),)
    for embed in thing.embed:
        if path in (embed.what, embed.as_):
            return (embed.as_ or embed.what,)
    own = world.own(thing.of, path)
    if own in world.fields.get(thing.of, ()):
        return (field_of(own),)
    where = place(world, thing.of, path)
    return (field_of(where.attr),) if not where.why and where.entity == thing.of else ()


def expiries(structure: Structure) -> tuple[str, ...]:
    """The attributes that expiry is asked by, each once: a table can have one only."""
    texts = [s.ttl for s in things(structure)] + [structure.ttl]
    found = [attribute for text in texts if (attribute := _expiry(text))]
    return tuple(dict.fromkeys(found))


def _expiry(text: str) -> str:
    """`at cart.expires_at` is that attribute; `300 s` and `30 days after …` are written into one."""
    words = text.split()
    if not words or words == ["none"]:
        return ""
    return field_of(words[1]) if words[0] == "at" and len(words) > 1 else TTL


def ttl_attribute(structure: Structure) -> str:
    return next(iter(expiries(structure)), "")
