"""Words that starters write: names of structures, ages, orders."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import inflection


@lru_cache(maxsize=4096)
def plural(noun: str) -> str:
    """A structure's name: `order` → `orders`, `category` → `categories`; a plural stays."""
    return str(inflection.pluralize(inflection.singularize(noun)))


def order_text(order: Iterable[tuple[str, int]]) -> str:
    """`comment.created_at desc, comment.id`."""
    return ", ".join(f"{bare(a)} desc" if d < 0 else bare(a) for a, d in order)


def span(seconds: float) -> str:
    """`10 min`, `1 day`."""
    for size, word in ((86_400.0, "day"), (3600.0, "h"), (60.0, "min")):
        if seconds >= size and seconds % size == 0:
            n = int(seconds // size)
            return f"{n} {word}s" if word == "day" and n > 1 else f"{n} {word}"
    return f"{seconds:g} s"


def short(attr: str) -> str:
    """`order.user_id` → `user_id`."""
    return bare(attr).partition(".")[2] or attr


def bare(attr: str) -> str:
    """An attribute as a file names it: `=post.comment_count` → `post.comment_count`."""
    return attr.lstrip("=")


def entity_of(attr: str) -> str:
    return bare(attr).partition(".")[0]


def listed(names: Iterable[str], most: int = 3) -> str:
    """`A, B and 2 more`, each once."""
    every = list(dict.fromkeys(names))
    if len(every) <= most + 1:
        return ", ".join(every)
    return f"{', '.join(every[:most])} and {len(every) - most} more"
