"""What a person does on the workbench, in a real browser under the strict policy."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from app.stores import STORES
from tests.browser.studio import run_studio
from tests.views.conftest import TABLE

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "tests/vendor/axe-core-4.14.1/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
JUDGE = "rules => axe.run({runOnly: rules, resultTypes: ['violations']}).then(result => result.violations)"
"""Only what is wrong comes back: the rest of the result is megabytes."""
COLOURS = ["color-contrast"]
"""All that differs in the dark."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with run_studio(tmp_path_factory.mktemp("data")) as address:
        yield address


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
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
def bench(page: Page, studio: str) -> Page:
    """The workbench of a project made by pasting the table."""
    page.goto(f"{studio}/new")
    page.fill("#text", TABLE)
    expect(page.locator("#reading ol > li")).to_have_count(3)
    page.fill("#name", "Shop")
    page.click("text=Create project")
    expect(page.locator("#rows tr.line")).to_have_count(3)
    return page


def cell(page: Page, row: int, kind: str) -> Locator:
    return page.locator(f"#rows tr.line:nth-child({row} of .line) .{kind}")


def focused(page: Page) -> str:
    """Column and row of the focused cell, or the id of what else has the focus."""
    return page.evaluate(
        """() => { const cell = document.activeElement, row = cell.closest("tr.line")
        if (!row) return cell.id
        return `${cell.classList[0]} ${[...document.querySelectorAll("tr.line")].indexOf(row) + 1}` }"""
    )


def type_into(page: Page, row: int, kind: str, text: str, end: str = "Enter") -> None:
    cell(page, row, kind).click()
    page.keyboard.press("Enter")
    expect(page.locator(".editor")).to_be_visible()
    page.keyboard.type(text)
    page.keyboard.press(end)


class TestPaste:
    def test_a_pasted_table_shows_how_every_model_serves_it(self, bench: Page) -> None:
        expect(bench.locator("#rows tr.line").first.locator(".c-m")).to_have_count(len(STORES))
        expect(bench.locator(".meter")).to_have_count(len(STORES))
        expect(cell(bench, 1, "c-avg")).to_have_text("500")

    def test_rows_pasted_below_open_a_preview_and_are_one_undo(self, bench: Page) -> None:
        cell(bench, 1, "c-op").click()
        bench.evaluate(
            """() => { const data = new DataTransfer()
            data.setData("text/plain", "Operation\\tFreq\\nCheck session\\t2000/s\\nOrders of a user\\t60/s\\n")
            document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true})) }"""
        )
        expect(bench.locator("#paste-reading ol > li")).to_have_count(2)
        bench.click("text=Add rows")
        expect(bench.locator("#rows tr.line")).to_have_count(5)
        bench.keyboard.press("Control+z")
        expect(bench.locator("#rows tr.line")).to_have_count(3)

    def test_an_operation_typed_into_the_last_line_becomes_a_row(self, bench: Page) -> None:
        bench.fill("#ghost", "Check session | user id | 2000/s")
        bench.press("#ghost", "Enter")
        expect(bench.locator("#rows tr.line")).to_have_count(4)
        assert focused(bench) == "ghost"


class TestEdit:
    def test_a_committed_cell_is_saved_and_survives_a_reload(self, bench: Page) -> None:
        type_into(bench, 1, "c-avg", "700/s")
        expect(cell(bench, 1, "c-avg")).to_have_text("700")
        expect(bench.locator("#saved")).to_contain_text("change 2")
        bench.reload()
        expect(cell(bench, 1, "c-avg")).to_have_text("700")

    def test_the_number_of_a_row_is_heard(self, bench: Page) -> None:
        type_into(bench, 3, "c-avg", "6/s")
        expect(bench.locator("#live")).to_contain_text("on row 3")

    def test_escape_restores_what_was_there(self, bench: Page) -> None:
        type_into(bench, 1, "c-avg", "9/s", "Escape")
        expect(bench.locator(".editor")).to_be_hidden()
        expect(cell(bench, 1, "c-avg")).to_have_text("500")
        assert focused(bench) == "c-avg 1"

    def test_an_error_keeps_the_text_and_the_focus(self, bench: Page) -> None:
        type_into(bench, 1, "c-avg", "12 potatoes")
        expect(bench.locator(".editor .say.error")).to_contain_text("potatoes")
        assert bench.input_value(".editor input") == "12 potatoes"
        assert bench.get_attribute(".editor input", "aria-invalid") == "true"
        bench.keyboard.press("Control+a")
        bench.keyboard.type("800/s")
        bench.keyboard.press("Enter")
        expect(cell(bench, 1, "c-avg")).to_have_text("800")

    def test_four_quick_commits_on_one_row_are_all_kept(self, bench: Page) -> None:
        cell(bench, 1, "c-avg").click()
        for text in ("710/s", "720/s", "730/s"):
            bench.keyboard.press("Enter")
            bench.keyboard.type(text)
            bench.keyboard.press("Tab" if text == "730/s" else "Shift+Enter")
        bench.keyboard.type("1800/s")
        bench.keyboard.press("Enter")
        expect(cell(bench, 1, "c-peak")).to_have_text("1,800")
        expect(cell(bench, 1, "c-avg")).to_have_text("730")

    def test_an_edit_made_without_a_network_is_sent_later(self, bench: Page) -> None:
        def drop(route: Route) -> None:
            route.abort()

        bench.route("**/cell", drop)
        type_into(bench, 1, "c-avg", "640/s")
        expect(bench.locator("#saved")).to_contain_text("Not saved yet")
        bench.unroute("**/cell", drop)
        expect(bench.locator("#saved")).to_contain_text("all saved", timeout=10_000)
        expect(cell(bench, 1, "c-avg")).to_have_text("640")

    def test_two_people_in_one_cell_get_both_values(self, bench: Page, browser: Browser) -> None:
        other = browser.new_context().new_page()
        other.goto(bench.url)
        type_into(bench, 1, "c-avg", "700/s")
        expect(cell(bench, 1, "c-avg")).to_have_text("700")
        type_into(other, 1, "c-avg", "900/s")
        expect(other.locator(".editor .say")).to_contain_text("700/s")
        other.click("text=Keep yours: 900/s")
        expect(cell(other, 1, "c-avg")).to_have_text("900")
        type_into(bench, 1, "c-avg", "650/s")
        bench.click("text=Take theirs: 900/s")
        expect(cell(bench, 1, "c-avg")).to_have_text("900")
        other.context.close()

    def test_undo_and_redo_from_the_keyboard(self, bench: Page) -> None:
        type_into(bench, 1, "c-avg", "700/s")
        expect(cell(bench, 1, "c-avg")).to_have_text("700")
        bench.keyboard.press("Control+z")
        expect(cell(bench, 1, "c-avg")).to_have_text("500")
        bench.keyboard.press("Control+y")
        expect(cell(bench, 1, "c-avg")).to_have_text("700")

    def test_details_are_edited_in_place(self, bench: Page) -> None:
        bench.locator("#rows .open").first.click()
        bench.locator(".more .ed[data-field=limit]").click()
        bench.keyboard.type("20")
        bench.keyboard.press("Enter")
        expect(bench.locator(".more .ed[data-field=limit]")).to_have_text("20")
        expect(bench.locator(".more")).to_have_count(1)


class TestKeyboard:
    def test_one_cell_is_in_the_tab_order_and_arrows_move_it(self, bench: Page) -> None:
        expect(bench.locator("#patterns [tabindex='0']")).to_have_count(1)
        cell(bench, 1, "c-op").click()
        bench.keyboard.press("ArrowDown")
        assert focused(bench) == "c-op 2"
        bench.keyboard.press("Control+End")
        bench.keyboard.press("Home")
        assert focused(bench) == "c-op 3"
        bench.keyboard.press("Control+Home")
        assert focused(bench) == "c-op 1"
        bench.keyboard.press("ArrowRight")
        bench.keyboard.press("ArrowRight")
        assert focused(bench) == "c-q 1"
        assert bench.locator("#patterns [tabindex='0']").count() == 1

    def test_typing_replaces_and_f2_continues(self, bench: Page) -> None:
        cell(bench, 1, "c-avg").click()
        bench.keyboard.press("9")
        assert bench.input_value(".editor input") == "9"
        bench.keyboard.press("Escape")
        bench.keyboard.press("F2")
        bench.keyboard.press("End")
        bench.keyboard.press("Backspace")
        assert bench.input_value(".editor input") == "500/"
        bench.keyboard.press("Escape")

    def test_tab_leaves_the_table(self, bench: Page) -> None:
        cell(bench, 3, "c-op").click()
        bench.keyboard.press("Tab")
        assert focused(bench) == "ghost"

    def test_enter_goes_down_and_tab_to_the_next_cell(self, bench: Page) -> None:
        type_into(bench, 1, "c-avg", "700/s")
        assert focused(bench) == "c-avg 2"
        bench.keyboard.press("Enter")
        bench.keyboard.type("60/s")
        bench.keyboard.press("Tab")
        assert bench.get_attribute(".editor input", "aria-label") == "Peak rate, row 2"
        bench.keyboard.press("Escape")

    def test_space_opens_details_and_keys_change_rows(self, bench: Page) -> None:
        cell(bench, 2, "c-op").click()
        bench.keyboard.press("Space")
        expect(bench.locator(".more .d-m")).to_have_count(len(STORES))
        bench.keyboard.press("Space")
        expect(bench.locator(".more")).to_have_count(0)
        bench.keyboard.press("Alt+ArrowUp")
        expect(cell(bench, 1, "c-op")).to_have_text("Add item to cart")
        bench.keyboard.press("Control+Shift+D")
        expect(bench.locator("#rows tr.line")).to_have_count(4)
        bench.keyboard.press("Control+Backspace")
        expect(bench.locator("#rows tr.line")).to_have_count(3)
        bench.keyboard.press("Control+Enter")
        expect(bench.locator("#rows tr.line")).to_have_count(4)

    def test_the_shortcut_sheet_opens_with_a_question_mark(self, bench: Page) -> None:
        bench.locator("h2").first.click()
        bench.keyboard.press("?")
        expect(bench.locator("#shortcuts")).to_be_visible()
        bench.keyboard.press("Escape")
        expect(bench.locator("#shortcuts")).to_be_hidden()

    def test_the_filter_hides_rows(self, bench: Page) -> None:
        bench.fill("#filter", "seller")
        expect(bench.locator("#rows tr.line:visible")).to_have_count(1)
        bench.fill("#filter", "")
        bench.click("text=Write")
        expect(bench.locator("#rows tr.line:visible")).to_have_count(1)


class TestFindings:
    def test_f8_goes_from_finding_to_finding(self, bench: Page) -> None:
        bench.keyboard.press("F8")
        assert focused(bench) == "f1"
        bench.keyboard.press("F8")
        assert focused(bench) == "f2"
        bench.keyboard.press("Shift+F8")
        assert focused(bench) == "f1"

    def test_a_missing_number_is_typed_where_it_is_missed(self, bench: Page) -> None:
        before = bench.locator(".finding.question").count()
        asked = bench.locator(".finding", has_text="number of records").first
        asked.locator("input").fill("10M")
        asked.locator("text=Set").click()
        expect(bench.locator("#saved")).to_contain_text("change 2")
        expect(bench.locator(".finding.question")).not_to_have_count(before)

    def test_children_are_asked_for_as_average_p99_and_maximum(self, bench: Page) -> None:
        asked = bench.locator(".finding", has_text="needs an average").first
        asked.get_by_placeholder("average").fill("3")
        asked.get_by_placeholder("p99").fill("12")
        asked.get_by_placeholder("max").fill("none")
        asked.locator("text=Set").click()
        expect(bench.locator("#saved")).to_contain_text("change 2")

    def test_a_finding_is_accepted_with_a_reason_and_taken_back(self, bench: Page) -> None:
        judged = bench.locator(".finding:not(.question, .accepted)")
        count, finding = judged.count(), judged.first
        finding.locator("text=Accept…").click()
        bench.keyboard.type("These orders live in another store.")
        finding.locator("text=Accept finding").click()
        expect(judged).to_have_count(count - 1)
        expect(bench.locator("#nav")).to_contain_text("Decisions 1")
        bench.click("#show-accepted")
        expect(bench.locator(".finding.accepted")).to_have_count(1)
        bench.locator("#toasts").get_by_role("button", name="Undo").click()
        expect(judged).to_have_count(count)

    def test_kinds_can_be_hidden(self, bench: Page) -> None:
        bench.click("#show-question")
        expect(bench.locator(".finding.question")).to_have_count(0)
        expect(bench.locator("#show-question")).to_have_attribute("aria-pressed", "false")
        type_into(bench, 1, "c-avg", "700/s")
        expect(cell(bench, 1, "c-avg")).to_have_text("700")
        expect(bench.locator(".finding.question")).to_have_count(0)


class TestLook:
    def test_light_and_dark_are_remembered(self, bench: Page) -> None:
        bench.click("[data-theme-switch]")
        chosen = bench.get_attribute("html", "data-theme")
        bench.reload()
        assert bench.get_attribute("html", "data-theme") == chosen

    @pytest.mark.parametrize("theme", ["light", "dark"])
    @pytest.mark.parametrize("width", [1400, 390])
    def test_pages_are_accessible_and_fit(
        self, browser: Browser, bench: Page, studio: str, theme: str, width: int
    ) -> None:
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=theme, bypass_csp=True)
        page = context.new_page()
        for path in ("/", "/new", bench.url.removeprefix(studio), "/nowhere"):
            page.goto(studio + path)
            if "/p/" in path:
                page.locator("#rows .open").first.click()
                expect(page.locator(".more .d-m")).to_have_count(len(STORES))
            page.add_script_tag(path=AXE)
            found = page.evaluate(JUDGE, RULES if theme == "light" else COLOURS)
            assert not [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in found], path
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        context.close()
