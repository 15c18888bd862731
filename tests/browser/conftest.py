"""A real browser for the tests of this folder."""

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.chromium import NoChromium, open_browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a worker."""
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(open_browser())
        except NoChromium as missing:
            # A machine that promises to run everything must not skip in silence.
            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(str(missing))
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page with nothing remembered: no cookie, no storage, no cache."""
    context = browser.new_context()
    yield context.new_page()
    context.close()
