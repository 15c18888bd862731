"""What documents say of a model: proved, on what and when, or modelled."""

from __future__ import annotations

import json

from app.exporters import EXPORTERS, Proofs, export
from app.proof.standing import Standing
from app.stores import STORES
from tests.exporters.samples import EVIL, example
from tests.storage.test_proofs import a_proof, card

MODEL = "Lines inside the order"
PROOF = a_proof(card("Load order page"), card("Seller sales list", "differs", "It reads 9,000 records."), change=4)
FRESH: Proofs = {MODEL: (Standing(PROOF),)}
STALE: Proofs = {MODEL: (Standing(PROOF, ("the model",), frozenset({"Seller sales list"})),)}


def document(proofs: Proofs, name: str = "markdown", model: str = MODEL) -> str:
    return export(example("order-page"), EXPORTERS[name], model, proofs).text


def test_without_a_proof_it_is_modelled() -> None:
    text = document({})
    assert f"Modelled, not proved on an engine; {STORES['mongodb'].evidence}" in text
    assert "### Proof" not in text
    assert document({}) == export(example("order-page"), EXPORTERS["markdown"], MODEL).text


def test_a_proof_is_told_with_its_table() -> None:
    text = document(FRESH)
    assert "Proved on MongoDB 6.0.5, 2026-11-30: 1 of 2 patterns agree, 1 differs." in text
    assert "11,000 records, 0.1 % of the project’s counts, seed 1." in text
    assert "| 1 | Load order page | agrees | right | 1 | 1 | 1 | 0.4 ms | 1.1 ms |" in text
    assert "**differs**" in text
    assert "It reads 9,000 records." in text
    assert "Modelled, not proved" not in text


def test_a_proof_of_something_else_says_so() -> None:
    text = document(STALE)
    assert "That was change 4. The model has changed since." in text
    assert "The pattern has changed since." in text


def test_another_model_stays_modelled() -> None:
    assert "Modelled, not proved" in document(FRESH, model="Single table")


def test_the_page_and_the_data_say_it_too() -> None:
    assert "Proved on MongoDB 6.0.5, 2026-11-30" in document(FRESH, "html")
    (made,) = json.loads(document(STALE, "report"))["models"]
    assert made["proofs"][0]["version"] == "6.0.5"
    assert made["proofs"][0]["changed since"] == ["the model"]
    assert json.loads(document({}, "report"))["models"][0]["proofs"] == []


def test_what_an_engine_says_is_no_markup() -> None:
    evil = a_proof(card(EVIL, "failed", EVIL)).model_copy(update={"engine": EVIL, "version": EVIL})
    text = document({MODEL: (Standing(evil),)}, "html")
    assert "<script>" not in text
    assert "alert(1)" in text
