"""The model document as one HTML page that opens anywhere: the Markdown rendered with raw HTML off."""

from __future__ import annotations

from html import escape
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.analysis import ModelReport, Report
from app.exporters import markdown
from app.exporters.format import Exporter, Proofs

STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c2321;background:#fff}
table{border-collapse:collapse;margin:1rem 0;font-size:13px;display:block;overflow-x:auto}
th,td{border:1px solid #d5dbd8;padding:.3rem .6rem;text-align:left;vertical-align:top}th{background:#f3f5f4}
code,pre{font-family:ui-monospace,monospace;font-size:12px;background:#f3f5f4}pre{padding:.8rem;overflow-x:auto}
a{color:#0b5cad}h1,h2,h3{line-height:1.2}h2{margin-top:2.5rem;border-top:1px solid #d5dbd8;padding-top:1rem}
@media(prefers-color-scheme:dark){body{background:#121715;color:#e4eae7}a{color:#8cc2ff}th,code,pre{background:#1d2421}th,td,h2{border-color:#38423e}}
@media print{body{max-width:none;margin:0}pre{white-space:pre-wrap}}
"""


def write(report: Report, models: tuple[ModelReport, ...]) -> str:
    return with_proofs(report, models, {})


def with_proofs(report: Report, models: tuple[ModelReport, ...], proofs: Proofs) -> str:
    return page(report.project.name, markdown.with_proofs(report, models, proofs))


def page(title: str, text: str) -> str:
    """Markdown as one page; its second-level headings become a list of contents where there are several."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    contents = _number(tokens)
    links = "".join(f'<li><a href="#{mark}">{escape(words)}</a>\n' for mark, words in contents)
    start = next((i for i, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"), 0)
    nav = f'<nav aria-label="Contents"><ol>\n{links}</ol></nav>\n' if len(contents) > 1 else ""
    before = parser.renderer.render(tokens[:start], parser.options, {})
    after = parser.renderer.render(tokens[start:], parser.options, {})
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n"
        f"<main>\n{before}{nav}{after}</main>\n</html>\n"
    )


def _number(tokens: list[Token]) -> list[tuple[str, str]]:
    """Give every second-level heading an id; returns ids with the words of the headings."""
    found: list[tuple[str, str]] = []
    for token, inside in pairwise(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            mark = f"section-{len(found) + 1}"
            token.attrSet("id", mark)
            words = "".join(child.content for child in inside.children or ())
            found.append((mark, words))
    return found


FORMAT = Exporter(
    "html", "Model document (HTML)", "The model document as one page that opens anywhere.", "text/html", "html", write,
    with_proofs=with_proofs,
)  # fmt: skip
