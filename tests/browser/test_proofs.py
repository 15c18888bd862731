"""Proving a model as a person does it, in a real browser under the strict policy; the engine is made up."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.studio import run_studio
from tests.browser.test_pages import AXE, JUDGE, RULES, create
from tests.views.engines import URL, FakeDoor
from tests.views.test_models import PROJECT


@pytest.fixture
def door() -> Iterator[FakeDoor]:
    door = FakeDoor()
    yield door
    door.go.set()


@pytest.fixture
def studio(tmp_path: Path, door: FakeDoor) -> Iterator[str]:
    with run_studio(tmp_path, door, prove={"mongodb": URL}) as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page on which nothing may go wrong: no error of a script, no breach of the policy."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda m: wrong.append(m.text) if "Content Security Policy" in m.text else None)
    yield page
    context.close()
    assert not wrong


@pytest.fixture
def model(page: Page, studio: str) -> str:
    """The address of a model that can be proved, open on screen."""
    address = f"{create(page, studio, PROJECT)}/models/Documents"
    page.goto(address)
    return address


def test_a_model_is_proved_from_the_keyboard_and_its_evidence_is_read(page: Page, model: str, door: FakeDoor) -> None:
    door.hold = True
    expect(page.locator("#proof")).to_contain_text("Modelled, not proved")
    button = page.get_by_role("button", name="Prove on MongoDB")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#proof-progress")).to_contain_text("Loading orders")
    expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "30")
    page.reload()
    expect(page.locator("#proof-progress")).to_contain_text("120 of 400")
    door.go.set()
    expect(page.locator("#proof")).to_contain_text("1 of 3 patterns agree, 1 differs, 1 skipped")
    expect(page.locator("#live")).to_contain_text("Proved on MongoDB 6.0.5")
    expect(page.locator("#proof-progress")).to_have_count(0)
    mark = page.locator(".proof-mark >> nth=1")
    expect(mark).to_contain_text("differs")
    mark.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/proofs/1#c-2")
    card = page.locator("#c-2")
    expect(card).to_be_in_viewport()
    expect(card.locator("pre").last).to_be_hidden()
    card.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(card.locator("pre").last).to_contain_text("COLLSCAN")


def test_it_is_asked_for_once_a_second_and_no_more_when_it_has_ended(page: Page, model: str, door: FakeDoor) -> None:
    door.hold = True
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url) if "/progress" in r.url else None)
    page.get_by_role("button", name="Prove on MongoDB").click()
    page.wait_for_timeout(3_300)
    assert 2 <= len(asked) <= 4
    door.go.set()
    expect(page.locator("#proof")).to_contain_text("patterns agree")
    asked.clear()
    page.wait_for_timeout(2_200)
    assert asked == []


def test_it_is_cancelled_from_the_keyboard_without_losing_the_focus(page: Page, model: str, door: FakeDoor) -> None:
    door.hold = True
    page.get_by_role("button", name="Prove on MongoDB").click()
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel).to_be_focused()
    expect(page.locator("#live")).to_have_text("The proof has started.")
    page.wait_for_timeout(1_500)
    expect(cancel).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#proof")).to_contain_text("The last proof was cancelled")
    expect(page.get_by_role("button", name="Prove on MongoDB")).to_be_enabled()


def test_a_second_person_is_told(page: Page, model: str, door: FakeDoor, browser: Browser) -> None:
    door.hold = True
    other = browser.new_context().new_page()
    other.goto(model)
    page.get_by_role("button", name="Prove on MongoDB").click()
    expect(page.locator("#proof-progress")).to_be_visible()
    other.get_by_role("button", name="Prove on MongoDB").click()
    expect(other.locator("[data-toast]")).to_contain_text("Somebody else started this proof")
    expect(other.locator("#proof-progress")).to_be_visible()
    other.context.close()


def test_a_failure_is_a_sentence_on_the_page(page: Page, model: str, door: FakeDoor) -> None:
    door.error = RuntimeError("broken")
    page.get_by_role("button", name="Prove on MongoDB").click()
    expect(page.locator("#proof .note.error")).to_contain_text("The studio made a mistake")


@pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (390, "dark")])
def test_every_state_is_accessible_and_fits(
    browser: Browser, page: Page, model: str, door: FakeDoor, width: int, theme: str
) -> None:
    desk = model.rpartition("/models/")[0]
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=theme, bypass_csp=True)
    shown = context.new_page()

    def judge(address: str) -> None:
        shown.goto(address)
        shown.add_script_tag(path=AXE)
        found = shown.evaluate(JUDGE, RULES)
        assert not [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in found], address
        assert shown.evaluate("document.documentElement.scrollWidth") <= width, address

    door.hold = True
    page.get_by_role("button", name="Prove on MongoDB").click()
    expect(page.locator("#proof-progress")).to_contain_text("Loading")
    judge(model)
    judge(f"{desk}/proofs/1")
    door.go.set()
    expect(page.locator("#proof")).to_contain_text("patterns agree")
    page.goto(f"{desk}/share")
    page.click("text=Create link")
    link = page.input_value("#made-link")
    for address in (model, f"{desk}/proofs/1", link):
        judge(address)
    shown.goto(f"{desk}/proofs/1")
    for summary in shown.locator(".ev summary").all():
        summary.click()
    shown.add_script_tag(path=AXE)
    assert not shown.evaluate(JUDGE, RULES)
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
