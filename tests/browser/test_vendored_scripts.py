"""The kept scripts start in a real browser."""

from pathlib import Path

from playwright.sync_api import Error, Page

ROOT = Path(__file__).resolve().parents[2]


def test_htmx_and_its_event_stream_extension_start(page: Page) -> None:
    folder = ROOT / "static/vendor/htmx-4.0.1"
    errors: list[Error] = []
    # Playwright cannot listen with a built-in method such as `errors.append`.
    page.on("pageerror", lambda error: errors.append(error))  # noqa: PLW0108
    page.set_content("<!doctype html><title>Keywright</title><main>…</main>")
    page.add_script_tag(path=folder / "htmx.min.js")
    page.add_script_tag(path=folder / "hx-sse.min.js")
    assert page.evaluate("htmx.version") == "4.0.1"
    assert not errors


def test_axe_finds_a_missing_language(page: Page) -> None:
    page.set_content("<!doctype html><title>Keywright</title><main>…</main>")
    page.add_script_tag(path=ROOT / "tests/vendor/axe-core-4.14.1/axe.min.js")
    found = page.evaluate("axe.run().then(result => result.violations.map(rule => rule.id))")
    assert "html-has-lang" in found
