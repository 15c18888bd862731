"""Key templates and key lists, and what keys look like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model.key_values import (
    attributes,
    constant,
    example_value,
    key_bytes,
    real_example,
    rises_first,
    text_bytes,
)
from app.model.keys import FILTERS, Kept, KeyFilter, KeyPart, parse_key_part, parse_template
from app.model.problem import Unreadable
from app.model.spread import Spread, exactly
from app.model.workload import Field

DAY = 86_400.0


def test_a_template_is_literals_and_placeholders() -> None:
    first, second = parse_template("USER#{user.id}").parts
    assert first == KeyPart(literal="USER#")
    assert second == KeyPart("user.id")
    assert parse_template("{{x}}:{a.b}").parts[0].literal == "{x}:"
    assert parse_template("ALL").parts == (KeyPart(literal="ALL"),)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("{a.b|day}", Kept(exact=False, bucket=DAY)),
        ("{a.b|week|compact}", Kept(exact=False, bucket=7 * DAY)),
        ("{a.b|day Europe/Madrid}", Kept(exact=False, bucket=DAY)),
        ("{a.b|hash 20}", Kept(0, exact=False, fan=20)),
        ("{a.b|pad 6}", Kept(width=6)),
        ("{a.b|tag}", Kept()),
        ("{a.b|lower}", Kept(0, exact=False)),
        ("{a.b|hour|reverse}", Kept(-1, exact=False, bucket=3600.0)),
        ("{a.b|chunk 500}", Kept(exact=False, chunk=500)),
        ("{shard 16}", Kept(0, exact=False, chosen=True, fan=16)),
    ],
)
def test_what_filters_keep(text: str, kept: Kept) -> None:
    (part,) = parse_template(text).parts
    assert part.kept == kept


def test_key_lists() -> None:
    assert parse_key_part("order.created_at desc") == KeyPart("order.created_at", desc=True)
    assert parse_key_part("order.user_id hashed").hashed
    assert parse_key_part("order.tags[]").array
    month = parse_key_part("month = reading.at|month desc")
    assert (month.name, month.attr, month.desc) == ("month", "reading.at", True)
    assert month.filters == (KeyFilter("month"),)
    shard = parse_key_part("part = shard 8")
    assert (shard.name, shard.kept.chosen, shard.kept.fan) == ("part", True, 8)
    for text in ("a.b", "m = a.b|month desc", "p = shard 8", "a.b hashed", "a.t[]"):
        assert parse_key_part(text).plain() == text


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("A#{user.id|dya}", 11, "Did you mean 'day'"),
        ("A#{user.id", 2, "not closed"),
        ("A}", 1, "closes nothing"),
        ("{}", 1, "found nothing"),
        ("{id}", 1, r"\{user.id\}"),
        ("{a.b|hash}", 5, "hash needs a number"),
        ("{a.b|hash 0}", 5, "hash needs a number"),
        ("{a.b|lower 3}", 5, "has no meaning"),
        ("{a.b|day Mars/Base}", 5, "not a time zone"),
        ("{a.b|shard 4}", 4, "stands by itself"),
        ("{a.b|}", 5, "a filter is missing"),
        ("", None, "empty"),
    ],
)
def test_template_mistakes_have_their_place(text: str, at: int | None, words: str) -> None:
    with pytest.raises(Unreadable, match=words) as caught:
        parse_template(text)
    assert caught.value.at == at


@pytest.mark.parametrize("text", ["{a.b}", "id", "a.b asc desc", "a.b|", "= a.b", "a.b c.d"])
def test_key_list_mistakes(text: str) -> None:
    with pytest.raises(Unreadable):
        parse_key_part(text)


@given(
    st.one_of(
        st.text(max_size=20),
        st.lists(st.sampled_from(["{", "}", "a.b", "|", "day", "shard 4", "#", " "]), max_size=8).map("".join),
    )
)
def test_junk_is_unreadable_and_nothing_worse(text: str) -> None:
    for parse in (parse_template, parse_key_part):
        try:
            parse(text)
        except Unreadable as wrong:
            assert wrong.at is None or 0 <= wrong.at <= len(text)  # noqa: PT017


VALUES = {"user.id": "42", "reading.at": "2026-08-05T13:05:00.000Z", "job.queue": "mail", "x.n": "1234"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("USER#{user.id}", "USER#42"),
        ("{user.id|pad 6}", "000042"),
        ("{reading.at|day}", "2026-08-05"),
        ("{reading.at|week}", "2026-W32"),
        ("{reading.at|minute}", "2026-08-05T13:05"),
        ("{reading.at|minute|compact}", "20260805T1305"),
        ("{reading.at|hour Asia/Tokyo}", "2026-08-05T22"),
        ("{reading.at|year|reverse}", "7973"),
        ("q:{job.queue|tag}", "q:{mail}"),
        ("{job.queue|reverse}", "liam"),
        ("{x.n|chunk 100}", "12"),
        ("{missing.id}", "42"),
    ],
)
def test_real_examples(text: str, shown: str) -> None:
    assert real_example(parse_template(text), VALUES) == shown


def test_hashes_and_shards_are_as_wide_as_their_largest() -> None:
    assert real_example(parse_template("{user.id|hash 20}"), VALUES) in {f"{n:02}" for n in range(20)}
    assert real_example(parse_template("{shard 4}"), {}) in set("0123")


def test_every_filter_has_an_example_and_bytes() -> None:
    for name in FILTERS:
        text = (
            "{shard 7}" if name == "shard" else f"{{user.id|{name}{' 7' if name in ('hash', 'pad', 'chunk') else ''}}}"
        )
        template = parse_template(text)
        assert real_example(template, VALUES)
        assert key_bytes(template, lambda _: exactly(12)).avg > 0


def test_bytes_of_keys() -> None:
    sizes = {"user.id": exactly(36), "reading.at": exactly(24), "order.id": Spread(12, 14, 20)}
    assert key_bytes(parse_template("USER#{user.id}"), sizes.__getitem__) == exactly(41)
    assert key_bytes(parse_template("{reading.at|day}"), sizes.__getitem__) == exactly(10)
    assert key_bytes(parse_template("{reading.at|day|compact}:{shard 16}"), sizes.__getitem__) == exactly(11)
    found = key_bytes(parse_template("O#{order.id}"), sizes.__getitem__)
    assert (found.avg, found.p99, found.max) == (14, 16, 22)


def test_text_bytes_of_fields() -> None:
    assert text_bytes(Field(name="id", type="uuid")) == exactly(36)
    assert text_bytes(Field.model_validate("name string avg 18 max 80")) == Spread(18, 0, 80)
    assert text_bytes(None) == exactly(8)


def test_believable_values() -> None:
    assert example_value(Field.model_validate("email string")) == "ana@example.org"
    assert example_value(Field.model_validate({"name": "status", "type": "enum", "values": {"open": "2%"}})) == "open"
    assert len(example_value(Field(name="id", type="uuid"))) == 36
    assert example_value(Field(name="code")) == "42"


def test_properties() -> None:
    rising = {"reading.at"}
    assert rises_first(parse_template("R#{reading.at}#{user.id}"), rising)
    assert rises_first(parse_template("{reading.at|hour|reverse}"), rising)
    assert not rises_first(parse_template("{user.id}#{reading.at}"), rising)
    assert not rises_first(parse_template("{reading.at|hash 8}"), rising)
    assert not rises_first((parse_key_part("reading.at hashed"),), rising)
    assert not rises_first(parse_template("{shard 4}{reading.at}"), rising)
    assert constant(parse_template("ALL"))
    assert not constant(parse_template("ALL#{shard 3}"))
    assert attributes(parse_template("{a.b}{c.d}{a.b}")) == ("a.b", "c.d")
