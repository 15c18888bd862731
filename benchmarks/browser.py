"""From the key that commits a cell to the warning on the screen, on a table of 500 rows in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page

from app.storage.migrate import open_database
from app.storage.projects import create_project
from benchmarks.figure import Figure, median, p95
from benchmarks.generate import SHAPES, project
from benchmarks.server import serve
from tests.browser.chromium import NoChromium, open_browser

ROWS = 500
EDITS = 30
WATCH = """([row, column]) => {
  const seen = () => document.getElementById(row).querySelector(column)?.textContent ?? ""
  const before = seen()
  window.painted = new Promise((done, late) => {
    let pressed = 0
    setTimeout(() => late(new Error("nothing changed within 10 s")), 10000)
    document.addEventListener("keydown", e => { if (e.key === "Enter" && !pressed) pressed = performance.now() }, true)
    const watcher = new MutationObserver(() => {
      if (!pressed || seen() === before) return
      watcher.disconnect()
      requestAnimationFrame(() => {           // the frame that shows it is about to be drawn
        const drawn = new MessageChannel()    // a task after that frame
        drawn.port1.onmessage = () => done(performance.now() - pressed)
        drawn.port2.postMessage(0)
      })
    })
    watcher.observe(document.getElementById("rows"), {childList: true, subtree: true, characterData: true})
  })
}"""


def figures() -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        db = open_database(f"sqlite:///{folder}/keywright.db")
        generated = project(ROWS)
        made = create_project(db, generated, "Editor")
        db.close()
        try:
            with serve(Path(folder)) as server, open_browser() as browser:
                page = browser.new_page(viewport={"width": 1400, "height": 900})
                page.goto(f"{server.address}/p/{made.id}")
                page.locator("#rows tr.line").nth(ROWS - 1).wait_for(state="attached")
                times = [_edit(page, n, generated.patterns[n].entity) for n in range(1, SHAPES * EDITS, SHAPES)]
                memory = server.megabytes
        except NoChromium as missing:
            raise SystemExit(f"benchmarks: {missing}; leave this part out with --only core server") from None
    name = f"commit to painted warning, {ROWS} rows, 4 models"
    yield Figure(f"{name} (median of {EDITS})", median(times), "ms", 50.0, f"slowest {max(times):.0f} ms")
    yield Figure(f"{name} (p95)", p95(times), "ms")
    yield Figure(f"memory of the server after these edits of {ROWS} rows", memory, "MB", None, "resident")


def _edit(page: Page, n: int, entity: str) -> float:
    """Make a list unserved by asking for a field that no key or index knows: a finding appears in its row. In ms."""
    row = page.locator("#rows tr.line").nth(n)
    name = row.get_attribute("id")
    cell = row.locator(".c-q")
    cell.click()
    page.keyboard.press("Enter")
    page.locator(".editor").wait_for()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(f"{entity}.score = :score")
    page.wait_for_timeout(150)  # a person reads what was typed; the live check of the editor is done by then
    page.evaluate(WATCH, [name, ".c-fd"])
    page.keyboard.press("Enter")
    found: float = page.evaluate("window.painted")
    return found
