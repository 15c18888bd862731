"""User text stays text, whatever renders it."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.exporters.markdown_text import block, code, plain, table

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
TEXTS = st.text(
    st.one_of(
        st.sampled_from("|`*_[]()<>&#~\\-+=!:.1 \n\t\"'$"),
        st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")),
    ),
    max_size=40,
)


def said(text: str) -> str:
    return " ".join(text.split())


def shown(rendered: str, tag: str) -> str:
    found = re.fullmatch(rf"<{tag}>(.*)</{tag}>\n?", rendered, re.DOTALL)
    assert found, rendered
    assert "<" not in found[1], rendered
    return html.unescape(found[1])


@given(TEXTS)
def test_plain_text_is_a_paragraph_of_itself(text: str) -> None:
    if said(text):
        assert said(shown(MARKDOWN.render(plain(text)), "p")) == said(text)


@given(TEXTS)
def test_a_heading_holds_it(text: str) -> None:
    if said(text):
        assert said(shown(MARKDOWN.render(f"## Model: {plain(text)}"), "h2")) == said(f"Model: {text}")


@given(TEXTS)
def test_code_is_itself(text: str) -> None:
    if said(text):
        rendered = MARKDOWN.render(f"a {code(text)} b")
        assert html.unescape(rendered) == f"<p>a <code>{said(text)}</code> b</p>\n"


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3))
def test_cells_hold_what_was_put_in(rows: list[tuple[str, str]]) -> None:
    made = table(("A", "B"), [(plain(a), code(b)) for a, b in rows], keep_empty=True)
    cells = re.findall(r"<td>(.*?)</td>", MARKDOWN.render(made))
    assert len(cells) == 2 * len(rows)
    for (a, b), first, second in zip(rows, cells[::2], cells[1::2], strict=True):
        assert said(html.unescape(first)) == said(a)
        assert said(html.unescape(second.removeprefix("<code>").removesuffix("</code>"))) == said(b)


@given(TEXTS)
def test_a_block_ends_where_it_ends(text: str) -> None:
    tokens = MARKDOWN.parse(block(text, "js") + "\nafter\n")
    assert [t.type for t in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]


@pytest.mark.parametrize("text", ["line_item", "USER#7", "a.b", "10M"])
def test_ordinary_names_are_not_spoilt(text: str) -> None:
    assert plain(text) == text


def test_empty_columns_are_left_out() -> None:
    assert table(("A", "B"), [("1", ""), ("2", "")]) == "| A |\n| --- |\n| 1 |\n| 2 |\n"
    assert "B" in table(("A", "B"), [("1", "")], keep_empty=True)
    assert "B" in table(("A", "B"), [])
