"""A number of matches that was given bends what is a guess, and nothing that is known."""

from __future__ import annotations

import pytest

from app.model.spread import Spread
from app.plan.numbers import Numbers
from app.plan.types import Cond, Single
from tests.plan.notation import COUNT, world

ONE = Spread(200)
USER = Cond("order.user_id", "=")  # 100 of them: 50 orders each
WORDS = Cond("order.name", "match")
LATE = Cond("order.created_at", ">")


def numbers(*conds: Cond, matched: float) -> Numbers:
    return Numbers(Single("orders", "order", conds), world(), Spread(matched), ONE)


@pytest.mark.parametrize("guess", [WORDS, LATE])
def test_only_a_guess_is_bent(guess: Cond) -> None:
    found = numbers(USER, guess, matched=5)
    assert found.share(USER) == pytest.approx(1 / 100)
    assert found.share(guess) == pytest.approx(5 / 50)


def test_guesses_are_bent_alike() -> None:
    found = numbers(USER, WORDS, LATE, matched=2)
    assert found.share(USER) == pytest.approx(1 / 100)
    assert found.share(WORDS) == pytest.approx(found.share(LATE))
    assert COUNT * found.kept((USER, WORDS, LATE)) == pytest.approx(2)


def test_what_is_known_is_bent_where_guesses_cannot_give_the_number() -> None:
    found = numbers(USER, WORDS, matched=200)
    assert COUNT * found.kept((USER, WORDS)) == pytest.approx(200)
    assert found.share(USER) > 1 / 100


def test_without_a_guess_all_is_bent() -> None:
    region = Cond("order.region", "=")  # 10 of them: 5 orders of a user in each
    found = numbers(USER, region, matched=20)
    assert COUNT * found.kept((USER, region)) == pytest.approx(20)
    assert found.share(USER) > 1 / 100
    assert found.share(region) > 1 / 10
