"""A real browser: any Chromium that the machine has."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

# No sandbox: tests may run as root and load nothing but our own pages. The rest keeps the browser
# from talking to anyone else.
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HOW_TO_GET_ONE = (
    "no Chromium found: install one (on Debian, apt-get install chromium)"
    " or name it in KEYWRIGHT_CHROMIUM"
)


def find_chromium(playwright: Playwright) -> str | None:
    candidates = [
        os.environ.get("KEYWRIGHT_CHROMIUM", ""),
        "/usr/bin/chromium",
        "chromium",
        "chromium-browser",
        "google-chrome",
        playwright.chromium.executable_path,
    ]
    return next((found for name in candidates if (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a worker."""
    with sync_playwright() as playwright:
        executable = find_chromium(playwright)
        if executable is None:
            # A machine that promises to run everything must not skip in silence.
            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(HOW_TO_GET_ONE)
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page with nothing remembered: no cookie, no storage, no cache."""
    context = browser.new_context()
    yield context.new_page()
    context.close()
