"""Keys of one model are written in several styles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from app.model.keys import Template, parse_template
from app.rules.ground import finding, things
from app.rules.rule import Evidence, Finding, ModelCase, rule
from app.rules.words import count

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_JOIN = re.compile(r"[:#/|.~-]")


@dataclass(frozen=True, slots=True)
class Style:
    """What a key looks like: what separates its parts, how its words are written, whether it begins with a word."""

    text: str
    structure: str
    joins: frozenset[str]
    case: str
    named: bool


@rule(severity="advice", scope="design")
def check(case: ModelCase) -> Iterator[Finding]:
    """Keys of one model are written in several styles.

    ## What it flags

    Key templates of one model that use another separator than most, write their words in another case, or begin with a
    value where the others begin with a word that says what they are.

    ## Why it hurts

    Keys are built in many places of the code. A key that looks different is mistyped, cannot be found by its prefix,
    and may meet a key of another kind.

    ## Example

    ```yaml flagged
    keywright: 1
    name: Shop
    entities:
      - {name: user, count: 1k, fields: [id string key avg 8]}
      - {name: cart, count: 1k, fields: [id string key avg 8]}
      - {name: board, count: 10, fields: [id string key avg 8]}
    models:
      - name: A
        store: redis
        structures:
          - {keys: "user:{user.id}", type: hash, of: user, ttl: 1 h}
          - {keys: "cart:{cart.id}", type: hash, of: cart, ttl: 1 h}
          - {keys: "Board/{board.id}", type: hash, of: board, ttl: 1 h}
    ```

    ## Instead

    ```yaml clean
    keywright: 1
    name: Shop
    entities:
      - {name: user, count: 1k, fields: [id string key avg 8]}
      - {name: cart, count: 1k, fields: [id string key avg 8]}
      - {name: board, count: 10, fields: [id string key avg 8]}
    models:
      - name: A
        store: redis
        structures:
          - {keys: "user:{user.id}", type: hash, of: user, ttl: 1 h}
          - {keys: "cart:{cart.id}", type: hash, of: cart, ttl: 1 h}
          - {keys: "board:{board.id}", type: hash, of: board, ttl: 1 h}
    ```

    ## When to allow it

    Where another system gives the keys.

    ## Sources

    Public guides on naming keys: one separator, one case, the kind of thing first.
    """
    styles = list(_styles(case))
    if len(styles) < 3:
        return
    joins = Counter(j for s in styles for j in s.joins)
    cases = Counter(s.case for s in styles if s.case)
    usual, written = _most(joins), _most(cases)
    told = []
    for style in styles:
        why = []
        if usual and style.joins and usual not in style.joins:
            why.append(f"separates by {' '.join(sorted(style.joins))}, not {usual}")
        if written and style.case and style.case != written:
            why.append(f"is written in {style.case}, not {written} case")
        if not style.named:
            why.append("begins with a value, not with what it is")
        if why:
            told.append((style, "; ".join(why)))
    if not told or len(told) > len(styles) / 2:
        return
    shown = ". ".join(f"{style.text} {why}" for style, why in told[:3])
    more = f" (and {len(told) - 3} more)" if len(told) > 3 else ""
    yield finding(
        case,
        "key-naming",
        "advice",
        f"{shown}{more}",
        Evidence("keys", count(len(styles)), len(styles)),
        Evidence("keys in another style", count(len(told)), len(told)),
        part="keys",
    )


def _most(counted: Counter[str]) -> str:
    """The style of at least two thirds; empty where there is none."""
    if not counted:
        return ""
    word, many = counted.most_common(1)[0]
    return word if 3 * many >= 2 * counted.total() else ""


def _styles(case: ModelCase) -> Iterator[Style]:
    """Keys of key families; partition keys of tables that hold several kinds of record."""
    for structure in case.model.structures:
        store = case.stores.get(case.model.store_of(structure))
        if store is None:
            continue
        if store.can.by_key_only:
            try:
                yield _style(parse_template(structure.name), structure.name)
            except ValueError:
                continue
        elif store.can.single_table and len(structure.records) > 1:
            for thing in things(structure):
                if thing.pk is not None:
                    yield _style(thing.pk, structure.name)


def _style(template: Template, structure: str) -> Style:
    literals = [p.literal for p in template.parts if p.literal]
    words = [w for text in literals for w in _WORD.findall(text)]
    upper, lower = all(w.isupper() for w in words), all(w.islower() for w in words)
    written = "" if not words else "upper" if upper else "lower" if lower else "mixed"
    joins = frozenset(j for text in literals for j in _JOIN.findall(text.replace("{", "").replace("}", "")))
    first = template.parts[0] if template.parts else None
    return Style(template.text, structure, joins, written, bool(first is not None and first.literal))
