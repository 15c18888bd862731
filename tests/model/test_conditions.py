"""Conditions and orders: what SQL text says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model.conditions import (
    AnyOf,
    Comparison,
    Has,
    Literal,
    Now,
    Opaque,
    OrderItem,
    Param,
    Ref,
    Term,
    parse_order,
    parse_where,
)
from app.model.problem import Unreadable


def c(path: str, op: str, *operands: object, more: tuple[str, ...] = ()) -> Comparison:
    return Comparison(path, op, operands, more)  # type: ignore[arg-type]


X = Param("x")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("a.b = :x", [c("a.b", "=", X)]),
        (":x <= a.b", [c("a.b", ">=", X)]),
        ("a.b <> 3", [c("a.b", "!=", Literal(3.0))]),
        ("a.b = 'it''s' and a.c > -1.5", [c("a.b", "=", Literal("it's")), c("a.c", ">", Literal(-1.5))]),
        ("(a.b = 1 and (a.c = 2))", [c("a.b", "=", Literal(1.0)), c("a.c", "=", Literal(2.0))]),
        ("a.b in ('x', 'y')", [c("a.b", "in", Literal("x"), Literal("y"))]),
        ("a.b in :x", [c("a.b", "in", X)]),
        ("a.b in (:x)", [c("a.b", "in", X)]),
        ("a.b not in (1)", [c("a.b", "not in", Literal(1.0))]),
        ("a.b between :x and 5", [c("a.b", "between", X, Literal(5.0))]),
        ("a.b is null", [c("a.b", "null")]),
        ("a.b is not null", [c("a.b", "not null")]),
        ("not a.b = 1", [c("a.b", "!=", Literal(1.0))]),
        ("not a.b is null", [c("a.b", "not null")]),
        ("a.flag", [c("a.flag", "=", Literal(True))]),
        ("not a.flag", [c("a.flag", "=", Literal(False))]),
        ("a.flag is true", [c("a.flag", "=", Literal(True))]),
        ("starts_with(a.b, :x)", [c("a.b", "prefix", X)]),
        ("a.b like 'abc%'", [c("a.b", "prefix", Literal("abc"))]),
        ("contains(a.tags, :x)", [c("a.tags", "contains", X)]),
        ("matches(a.b, a.c, :x)", [c("a.b", "match", X, more=("a.c",))]),
        ("near(a.p, :x, 5)", [c("a.p", "near", X, Literal(5.0))]),
        ("has(b.c = 1 and b.d = :x)", [Has((c("b.c", "=", Literal(1.0)), c("b.d", "=", X)))]),
        ("a.t >= now() - interval '60 seconds'", [c("a.t", ">=", Now(-60.0))]),
        ("a.t < now() + interval '1 day'", [c("a.t", "<", Now(86_400.0))]),
        ("a.t < now()", [c("a.t", "<", Now())]),
        ("item.a >= other.b", [c("item.a", ">=", Ref("other.b"))]),
        ('message."from" = :x', [c("message.from", "=", X)]),
        ("order.id = :x", [c("order.id", "=", X)]),
        ("case.when = 1 and group.all = 2", [c("case.when", "=", Literal(1.0)), c("group.all", "=", Literal(2.0))]),
        ("order.buyer.country = :x", [c("order.buyer.country", "=", X)]),
        ("año.día = :x", [c("año.día", "=", X)]),
        ("count < 100", [c("count", "<", Literal(100.0))]),
        ("a.b = 1 or a.b = 2 or a.b in (3)", [c("a.b", "in", Literal(1.0), Literal(2.0), Literal(3.0))]),
        ("a.b = 1 or c.d = 2", [AnyOf(((c("a.b", "=", Literal(1.0)),), (c("c.d", "=", Literal(2.0)),)))]),
        ("a.x + 1 > a.y", [Opaque("a.x + 1 > a.y", ("a.x", "a.y"))]),
    ],
)
def test_terms(text: str, terms: list[Term]) -> None:
    assert parse_where(text).terms == tuple(terms)
    assert parse_where(text).text == text


def test_truth_and_one_are_different_literals() -> None:
    (truth,), (one,) = parse_where("not (a.b = true)").terms, parse_where("not a.b = 1").terms
    assert isinstance(truth, Comparison)
    assert isinstance(one, Comparison)
    assert (truth.op, one.op) == ("=", "!=")


def test_or_is_multiplied_out_while_it_stays_small() -> None:
    (term,) = parse_where("a.a = 1 or (b.b = 2 and (c.c = 3 or d.d = 4))").terms
    assert isinstance(term, AnyOf)
    assert [len(branch) for branch in term.branches] == [1, 2, 2]
    pairs = " and ".join(f"(a.a{i} = 1 or b.b{i} = 2)" for i in range(6))
    (large,) = parse_where(f"x.y = 1 or ({pairs})").terms
    assert isinstance(large, AnyOf)
    assert len(large.branches) == 2


def test_paths_in_order() -> None:
    text = "a.b = 1 and has(c.d = a.e) and (f.g = 2 or not (h.i = 1 and a.b = 2))"
    assert parse_where(text).paths == ("a.b", "c.d", "a.e", "f.g", "h.i")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no condition"),
        ("a.b =", "cannot be read"),
        ("a.b = 1; drop table x", "has no place"),
        ("a.b = 1 -- x", "has no place"),
        ("a.b = 'x", "not closed"),
        ("a.b = 1 group by a.b", "more than a condition"),
        ("a.b = 1 limit 3", "more than a condition"),
        ("a.b = 1 union select 2", "more than a condition"),
        ("a.b = (select 1)", "not a condition Keywright understands"),
        ("exists(select 1)", "not a condition"),
        ("start_with(a.b, :x)", "Did you mean 'starts_with'"),
        ("near(a.b)", "See how near is called"),
        ("lower(a.b) = 'x'", "Functions are starts_with"),
        ("a.b like '%x%'", r"matches\(path, :words\)"),
        ("a.b = null", "is null"),
        ("1 = 1", "Name an attribute"),
        ("a.b = date '2026-01-01'", "not a condition"),
        ("a.b = 'x' collate y", "not a condition"),
        ("a.t > now() - interval '5 bananas'", "not a unit of time"),
        ("a.b = 1 and " * 170 + "a.b = 1", "At most 2,000"),
        ("(" * 60 + "a.b = 1" + ")" * 60, "more than 50 levels"),
        ("not " * 400 + "a.b", "more than 50 levels"),
        ("a.b = " + "-" * 2, "has no place"),
    ],
)
def test_refusals(text: str, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        parse_where(text)


def test_a_long_chain_is_not_deep() -> None:
    assert len(parse_where(" and ".join(["a.b = 1"] * 150)).terms) == 150


SQL = st.lists(
    st.sampled_from(
        ["a.b", "=", ":x", "and", "or", "not", "(", ")", "in", "is", "null", "between", "1", "'t'", ",", "has(",
         "-", "interval", "like", "contains(", "*", "order", "select", "from", "case", "when", "end", "::int", ".",
         "now()"]
    ),
    max_size=12,
).map(" ".join)  # fmt: skip


@given(st.one_of(SQL, st.text(max_size=30)))
def test_junk_is_unreadable_and_nothing_worse(text: str) -> None:
    for parse in (parse_where, parse_order):
        try:
            parse(text)
        except Unreadable:
            continue


def test_orders() -> None:
    order = parse_order('a.b desc,  message."from", relevance')
    assert order.items == (OrderItem("a.b", True), OrderItem("message.from"), OrderItem("relevance"))
    for bad in ("", "a.b desc desc", "a.b,", "lower(a.b)", "a.b nulls last"):
        with pytest.raises(Unreadable):
            parse_order(bad)
