"""What a person does on the pages beside the workbench, in a real browser under the strict policy."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.studio import run_studio
from tests.views.test_decisions import LISTS
from tests.views.test_keys import CATALOG
from tests.views.test_models import PROJECT

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "tests/vendor/axe-core-4.14.1/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
JUDGE = "rules => axe.run({runOnly: rules, resultTypes: ['violations']}).then(result => result.violations)"
"""Only what is wrong comes back: the rest of the result is megabytes."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with run_studio(tmp_path_factory.mktemp("data")) as address:
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


def create(page: Page, studio: str, text: str) -> str:
    """The address of a project made from a project file."""
    page.goto(f"{studio}/new")
    page.fill("#text", text)
    page.click("text=Create project")
    page.wait_for_url("**/p/*")
    return page.url


@pytest.fixture
def desk(page: Page, studio: str) -> str:
    return create(page, studio, PROJECT)


def type_into(page: Page, selector: str, text: str) -> None:
    page.locator(selector).first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".editor")).to_be_visible()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)
    page.keyboard.press("Enter")


class TestEntities:
    def test_a_number_is_changed_from_the_keyboard_and_undone(self, page: Page, desk: str) -> None:
        page.goto(f"{desk}/entities")
        count = '[data-place="entities/user"][data-field=count]'
        type_into(page, count, "2M")
        expect(page.locator(count)).to_have_text("2M")
        expect(page.locator(".er")).to_contain_text("2 M")
        page.keyboard.press("Control+z")
        expect(page.locator(count)).to_have_text("1M")

    def test_an_entity_and_a_field_are_added_and_the_form_is_empty_again(self, page: Page, desk: str) -> None:
        page.goto(f"{desk}/entities")
        page.fill("#new-entity", "coupon")
        page.press("#new-entity", "Enter")
        expect(page.locator("#e-coupon")).to_be_visible()
        expect(page.locator("#new-entity")).to_have_value("")
        box = page.locator('#e-coupon .add input[name="text"]')
        box.fill("id uuid key")
        box.press("Enter")
        expect(page.locator("#e-coupon .fields tbody tr")).to_have_count(1)
        expect(page.locator('#e-coupon .add input[name="text"]')).to_have_value("")

    def test_what_cannot_be_read_stays_in_the_form(self, page: Page, desk: str) -> None:
        page.goto(f"{desk}/entities")
        page.fill("#new-entity", "user")
        page.press("#new-entity", "Enter")
        expect(page.locator("[data-toast]")).to_contain_text("There is a user already")
        expect(page.locator("#new-entity")).to_have_value("user")


class TestModels:
    def test_a_typed_key_is_judged_before_it_is_kept(self, page: Page, desk: str) -> None:
        page.goto(f"{desk}/models/Documents")
        key = '#keys .ed[data-field="shard key"]'
        page.locator(key).click()
        page.keyboard.press("Control+a")
        page.keyboard.type("order.status")
        expect(page.locator("#preview")).to_contain_text("a real key")
        expect(page.locator("#preview")).to_contain_text("open")
        page.keyboard.press("Escape")
        expect(page.locator("#preview")).to_be_hidden()
        expect(page.locator(key)).to_have_text("order.user_id hashed")
        expect(page.locator("#saved")).to_contain_text("change 1")

    def test_an_index_is_added_and_dropped(self, page: Page, desk: str) -> None:
        page.goto(f"{desk}/models/Documents")
        page.fill("#new-indexes", "{keys: [order.note]}")
        page.press("#new-indexes", "Enter")
        drop = page.get_by_role("button", name="Drop index order.note")
        expect(drop).to_be_visible()
        drop.click()
        expect(drop).to_have_count(0)

    def test_what_was_not_said_is_said(self, page: Page, desk: str) -> None:
        page.goto(f"{desk}/models/Documents")
        page.select_option("#say-field", "note")
        page.fill("#say-text", "Kept for seven years")
        page.press("#say-text", "Enter")
        expect(page.locator(".facts.said")).to_contain_text("Kept for seven years")
        expect(page.locator("#say-text")).to_have_value("")

    def test_another_structure_or_model_is_a_click_away(self, page: Page, desk: str) -> None:
        page.goto(f"{desk}/models")
        page.click("text=One table / desk >> nth=-1")
        expect(page.locator("#keys")).to_contain_text("USER#")
        page.click('.kinds a:has-text("order")')
        expect(page.locator(".tree")).to_contain_text("created_at")

    def test_a_starter_is_added_from_the_menu(self, page: Page, desk: str) -> None:
        page.goto(f"{desk}/models")
        page.click("summary:has-text('Model')")
        page.click("button:has-text('Cassandra')")
        expect(page.locator("h2").first).to_contain_text("Cassandra")
        expect(page.locator(".meter")).to_have_count(3)

    def test_the_script_is_downloaded(self, page: Page, desk: str) -> None:
        page.goto(f"{desk}/models/Documents")
        with page.expect_download() as waiting:
            page.click("text=Download")
        assert "createCollection" in waiting.value.path().read_text()


class TestRest:
    def test_a_ttl_of_a_key_family_is_changed_in_place(self, page: Page, studio: str) -> None:
        front = create(page, studio, CATALOG)
        page.goto(f"{front}/keys")
        type_into(page, ".fams [data-field=ttl]", "900 s")
        expect(page.locator(".fams [data-field=ttl]")).to_have_text("900 s")
        expect(page.locator(".cmds").first).to_contain_text("900")

    def test_a_finding_is_accepted_and_taken_back(self, page: Page, studio: str) -> None:
        shop = create(page, studio, LISTS)
        page.locator("text=Accept…").first.click()
        page.locator(".why:visible textarea").first.fill("The export wants all of them.")
        page.click("text=Accept finding")
        expect(page.locator("#nav")).to_contain_text("Decisions 1")
        page.goto(f"{shop}/decisions")
        expect(page.locator(".decision")).to_contain_text("The export wants all of them.")
        page.click("text=Take back")
        expect(page.locator(".decision")).to_have_count(0)

    def test_the_export_menu_downloads_a_document(self, page: Page, desk: str) -> None:
        page.click("#export-menu summary")
        with page.expect_download() as waiting:
            page.click("button:has-text('Model document (HTML)')")
        assert waiting.value.suggested_filename.endswith(".html")

    def test_a_change_is_taken_back_from_the_history(self, page: Page, desk: str) -> None:
        page.goto(f"{desk}/entities")
        type_into(page, '[data-place="entities/user"][data-field=count]', "2M")
        expect(page.locator("#saved")).to_contain_text("change 2")
        page.goto(f"{desk}/history")
        page.get_by_role("button", name="Take back change 2").click()
        expect(page.locator(".changes li").first).to_contain_text("Undo")

    def test_a_review_link_is_made_and_opened_by_somebody_else(self, page: Page, desk: str, browser: Browser) -> None:
        page.goto(f"{desk}/share")
        page.click("text=Create link")
        link = page.input_value("#made-link")
        guest = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        guest.goto(link)
        assert "." not in guest.url.rpartition("/")[2]
        expect(guest.locator("h1")).to_have_text("Desk")
        guest.click("a[href='#patterns']")
        expect(guest.locator("#patterns")).to_be_in_viewport()
        guest.context.close()


class TestLook:
    @pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (390, "dark")])
    def test_pages_are_accessible_and_fit(
        self, browser: Browser, page: Page, studio: str, theme: str, width: int
    ) -> None:
        desk, front = create(page, studio, PROJECT), create(page, studio, CATALOG)
        page.goto(f"{desk}/share")
        page.click("text=Create link")
        link = page.input_value("#made-link")
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=theme, bypass_csp=True)
        shown = context.new_page()
        one_table = quote("One table / desk", safe="")
        inside = ("entities", "models", f"models/{one_table}", "models/Unknown", "decisions", "history", "share")
        every = [*(f"{desk}/{p}" for p in inside), f"{desk}/keys", f"{front}/keys", link, f"{studio}/r/1"]
        every += [f"{studio}/{p}" for p in ("rules", "rules/unbounded-list", "stores", "stores/redis")]
        for address in every:
            shown.goto(address)
            shown.add_script_tag(path=AXE)
            found = shown.evaluate(JUDGE, RULES)
            assert not [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in found], address
            assert shown.evaluate("document.documentElement.scrollWidth") <= width, address
        context.close()
