"""The model document, the key catalog and the scripts, as their readers need them."""

import csv
import io
import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from app.analysis import analyse
from app.examples import EXAMPLES
from app.exporters import EXPORTERS, export
from app.exporters.html import page
from app.exporters.keys_csv import harmless
from app.exporters.scripts import language
from app.model.project import Decision, Project
from app.model.text import project_from_plain
from tests.exporters.samples import EVIL, empty, example, hostile

VOID = {"meta", "br", "hr", "img"}
LEFT_OPEN = {"html", "li"}


class Strict(HTMLParser):
    """Collects tags and text; fails where a tag is closed that is not open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in {"href", "src"}:
                self.links.append(value or "")
        if tag not in VOID and tag not in LEFT_OPEN:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in LEFT_OPEN:
            assert self.open.pop() == tag


def headings(text: str, level: int = 2) -> list[str]:
    without_code = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(rf"^{'#' * level} (.*)$", without_code, re.MULTILINE)


class TestMarkdown:
    def test_the_order_of_the_order_page(self) -> None:
        text = export(example("order-page"), EXPORTERS["markdown"]).text
        assert headings(text) == [
            "Models compared",
            "Workload",
            "Model: Lines inside the order (MongoDB 8.0)",
            "Findings",
            "Decisions",
            "Queries: Lines inside the order",
            "Scripts: Lines inside the order",
        ]
        assert headings(text, 3)[:3] == ["Access patterns", "Entities", "Relationships"]
        assert "### 3. Seller sales list" in text

    def test_what_a_review_needs_is_said(self) -> None:
        text = export(example("order-page"), EXPORTERS["markdown"], "Single table").text
        for said in (
            "Forecasts look 2 years ahead",
            "500/s, peak 1,500/s",
            "order: read your writes, buyer.name: historical",
            "strong (same document)",
            "answers in 30 ms",
            "avg 3k, p99 60k, max 900k, parents 20k",
            "ORDER#{order.id} / ORDER",
            "copy of buyer.name",
            "What each write changes",
            "a cart that stays full is seen",
            "ExclusiveStartKey",
            "shop.create-table.json",
        ):
            assert said in text, said

    def test_every_pattern_has_a_query_or_a_reason(self) -> None:
        for name in EXAMPLES:
            report = example(name)
            for made in report.models:
                text = export(report, EXPORTERS["markdown"], made.model.name).text
                queries = text.partition("## Queries")[2]
                for n, pattern in enumerate(report.project.patterns, 1):
                    plan = made.plans[pattern.operation]
                    assert f"### {n}. {pattern.operation}" in queries or plan.misses or plan.missing

    def test_the_hottest_partition_says_where_its_load_comes_from(self) -> None:
        text = export(example("leaderboard"), EXPORTERS["markdown"], "Table with an index by points").text
        assert re.search(r"`games.GSI1` \| writes \| .* \| Submit score \| the busiest game_id takes 35 % \|", text)

    def test_crossing_times_and_hot_partitions_are_forecast(self) -> None:
        plain = {
            "keywright": "1",
            "name": "Readings",
            "horizon": "2 years",
            "entities": [
                {"name": "sensor", "count": "1k", "fields": ["id uuid key"]},
                {"name": "reading", "count": "1M", "fields": ["sensor_id uuid", "at datetime monotonic", "v float"]},
            ],
            "relationships": [
                {"parent": "sensor", "child": "reading", "via": "sensor_id", "children": "avg 1k, p99 2k, max 4k"}
            ],
            "patterns": [{"operation": "Record", "insert": "reading", "rate": "1k/s", "retry": "same key"}],
            "models": [
                {
                    "name": "One document per sensor",
                    "store": "mongodb",
                    "structures": [{"collection": "sensors", "of": "sensor", "_id": "sensor.id", "embed": ["reading"]}],
                },
                {
                    "name": "One partition per sensor",
                    "store": "cassandra",
                    "structures": [
                        {
                            "table": "readings",
                            "of": "reading",
                            "partition key": ["reading.sensor_id"],
                            "clustering key": ["reading.at desc"],
                        }
                    ],
                },
            ],
        }
        text = export(analyse(project_from_plain(plain)), EXPORTERS["markdown"]).text
        assert re.search(r"\| `sensors` \|.*\| 16 MB \| in \d", text)
        assert re.search(r"\| `readings` \|.*/day, no bound \| in \d", text)

    def test_a_workload_alone_is_a_document(self) -> None:
        project = EXAMPLES["blog"].project().model_copy(update={"models": (), "decisions": ()})
        text = export(analyse(project), EXPORTERS["markdown"]).text
        assert headings(text) == ["Workload", "Findings"]

    def test_an_empty_project_says_so(self) -> None:
        text = export(empty(), EXPORTERS["markdown"]).text
        assert text.startswith("# Nothing yet\n")
        assert "No access patterns yet." in text

    def test_accepted_findings_stand_under_decisions_only(self) -> None:
        report = example("blog")
        worst = report.findings[0]
        decision = Decision(finding=worst.rule, at=worst.at, reason="Rare enough.", by="Ana", date="2026-12-01")
        project = report.project.model_copy(update={"decisions": (decision,)})
        text = export(analyse(project), EXPORTERS["markdown"], worst.model).text
        found, _, decided = text.partition("## Findings")[2].partition("## Decisions")
        assert worst.message not in found
        assert re.search(rf"`{worst.rule}` \| .* \| Rare enough. \| Ana \| 2026-12-01 \| yes \|", decided)


class TestHtml:
    @pytest.mark.parametrize("name", [*EXAMPLES, "hostile", "empty"])
    def test_it_is_well_formed_and_runs_nothing(self, name: str) -> None:
        report = {"hostile": hostile, "empty": empty}.get(name, lambda: example(name))()
        parser = Strict()
        parser.feed(export(report, EXPORTERS["html"]).text)
        parser.close()
        assert parser.open == []
        assert not parser.tags & {"script", "img", "iframe", "object", "form", "base", "link", "svg"}
        assert all(link.startswith("#") for link in parser.links)
        assert {link[1:] for link in parser.links} <= set(parser.ids)
        assert len(set(parser.ids)) == len(parser.ids)

    def test_user_text_is_shown_as_typed(self) -> None:
        text = export(hostile(), EXPORTERS["html"]).text
        assert "<script" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt; *x* _y_ [l](http://e) &amp;lt;b&amp;gt;" in text

    def test_raw_html_stays_text(self) -> None:
        assert "<b>" not in page("<b>", "# <b>\n\n<b>bold</b>\n")


class TestKeyCatalog:
    def test_every_family_with_its_command(self) -> None:
        made = json.loads(export(example("redis-catalog"), EXPORTERS["keys-json"]).text)
        assert [k["pattern"] for k in made["keys"]][:2] == [
            "user:{session.user_id}:session",
            "cache:product:{product.id}",
        ]
        assert all(k["commands"] and k["type"] and k["ttl"] for k in made["keys"])

    def test_markdown_has_the_six_columns(self) -> None:
        text = export(example("redis-catalog"), EXPORTERS["keys-markdown"]).text
        assert "| Key pattern | Type | TTL | Owner | Invalidated by | Notes |" in text
        assert "### `rate:{request.client_ip}:{request.at|minute}`" in text

    def test_csv_opens_in_a_spreadsheet(self) -> None:
        text = export(example("redis-catalog"), EXPORTERS["keys-csv"]).text
        head, *rows = csv.reader(io.StringIO(text))
        assert head[:4] == ["model", "key pattern", "example", "type"]
        assert len(rows) == 5

    @pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "\n=1", "＝1"])
    def test_formulas_are_text(self, cell: str) -> None:
        assert harmless(cell) == f"'{cell}"

    @pytest.mark.parametrize("cell", ["", "plain", "a=b", "5"])
    def test_other_cells_are_left_alone(self, cell: str) -> None:
        assert harmless(cell) == cell

    def test_a_project_without_keys(self) -> None:
        report = analyse(EXAMPLES["order-page"].project().model_copy(update={"models": ()}))
        assert "No model has key families" in export(report, EXPORTERS["keys-markdown"]).text
        assert json.loads(export(report, EXPORTERS["keys-json"]).text)["keys"] == []


class TestScripts:
    def test_one_file_runs_as_it_is(self) -> None:
        out = export(example("order-page"), EXPORTERS["script"])
        assert out.filename == "lines-inside-the-order.mongodb.js"
        assert out.text.startswith("// Order page")
        cql = export(example("order-page"), EXPORTERS["script"], "Table per query")
        assert cql.filename.endswith(".cql")

    @pytest.mark.parametrize(("name", "model"), [("order-page", "Single table"), ("leaderboard", ""), ("blog", "")])
    def test_several_files_are_written_down_by_the_script(self, tmp_path: Path, name: str, model: str) -> None:
        project = EXAMPLES[name].project()
        if not model:  # no choice: all models, each in a folder of its own
            unchosen = tuple(m.model_copy(update={"chosen": False}) for m in project.models)
            project = project.model_copy(update={"models": unchosen})
        files = unpacked(project, model, tmp_path)
        assert len(files) > 1
        for path in files:
            assert path.read_text(encoding="utf-8").endswith("\n")
            if path.suffix == ".json":
                json.loads(path.read_text(encoding="utf-8"))

    def test_nothing_is_written_elsewhere_whatever_things_are_called(self, tmp_path: Path) -> None:
        inside = tmp_path / "inside"
        inside.mkdir()
        assert unpacked(hostile().project, "", inside)
        assert list(tmp_path.iterdir()) == [inside]

    def test_models_of_like_names_have_folders_of_their_own(self, tmp_path: Path) -> None:
        project = EXAMPLES["order-page"].project()
        first, second = (project.models[0].model_copy(update={"name": n, "chosen": False}) for n in ("A!", "A?"))
        files = unpacked(project.model_copy(update={"models": (first, second)}), "", tmp_path)
        assert {p.parent.name for p in files} == {"a", "a-2"}

    def test_no_model(self) -> None:
        assert export(empty(), EXPORTERS["script"]).text.startswith("#")

    def test_languages(self) -> None:
        assert [language(x) for x in ("a.js", "b.cql", "c.create-table.json", "d")] == [
            "javascript",
            "sql",
            "json",
            "text",
        ]


def unpacked(project: Project, model: str, folder: Path) -> list[Path]:
    out = export(analyse(project), EXPORTERS["script"], model)
    assert out.filename.endswith("script.sh")
    ran = subprocess.run(["sh"], input=out.text, text=True, cwd=folder, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    return sorted(p for p in folder.rglob("*") if p.is_file())


def test_the_hostile_names_are_hostile() -> None:
    assert EVIL in {p.operation for p in hostile().project.patterns}
