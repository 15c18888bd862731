"""What conditions and orders say, once read: the values that planner, rules and exporters work on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Param:
    """A value the caller brings: `:user`."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A value written in the condition."""

    value: str | float | bool | None


@dataclass(frozen=True, slots=True)
class Now:
    """The time of the call, shifted by `offset` seconds: `now() - interval '1 hour'` is -3600."""

    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Ref:
    """Another attribute."""

    path: str


Operand = Param | Literal | Now | Ref


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison of an attribute.

    `op`: `= != < <= > >= between in not in null not null prefix contains match near`. `between` has two
    operands, `in` one per value (one Param: a list of unknown length), `null` none; `match` may name
    further attributes in `more`; `near` has a point and a distance in km.
    """

    path: str
    op: str
    operands: tuple[Operand, ...] = ()
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """`or`: each branch is a conjunction."""

    branches: tuple[tuple[Term, ...], ...]


@dataclass(frozen=True, slots=True)
class Has:
    """`has(condition on children)`."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """Accepted, and readable by people, but no key or index can use it (arithmetic, `not (…)`)."""

    text: str
    paths: tuple[str, ...]


Term = Comparison | AnyOf | Has | Opaque


@dataclass(frozen=True, slots=True)
class Conditions:
    """A conjunction with the text it was typed as."""

    text: str
    terms: tuple[Term, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """Every attribute named, in order."""
        return paths_of(self.terms)

    def plain(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class OrderItem:
    path: str
    desc: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """An order with the text it was typed as. `relevance` and `paths` are words, not attributes."""

    text: str
    items: tuple[OrderItem, ...]

    def plain(self) -> str:
        return self.text


def paths_of(terms: tuple[Term, ...]) -> tuple[str, ...]:
    """Every attribute that terms name, in order, without repetition."""
    found: dict[str, None] = {}
    for term in terms:
        if isinstance(term, Comparison):
            refs = (o.path for o in term.operands if isinstance(o, Ref))
            found.update(dict.fromkeys((term.path, *term.more, *refs)))
        elif isinstance(term, AnyOf):
            for branch in term.branches:
                found.update(dict.fromkeys(paths_of(branch)))
        else:
            inner = paths_of(term.terms) if isinstance(term, Has) else term.paths
            found.update(dict.fromkeys(inner))
    return tuple(found)
