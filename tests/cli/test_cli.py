"""The commands as a person or a CI job runs them."""

import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.cli import main
from app.cli.paper import WIDTH, columns, wrapped
from app.examples import EXAMPLES
from app.exporters import EXPORTERS
from app.model.text import read_json, read_yaml, write_yaml
from app.rules import RULES
from app.stores import STORES

TABLE = """
| # | Operation | Fields needed | Freq | Consistency |
|---|---|---|---|---|
| 1 | Load order page | order, items, shipping status | 500 r/s | read-your-writes |
| 2 | Seller sales list | order ids, totals by seller | 5 r/s | eventual ok |
"""
UNBOUNDED = """
keywright: 1
name: Wall
entities:
  - {name: wall, count: 1k, fields: [id uuid key]}
  - {name: post, count: 1M, fields: [id uuid key, wall_id uuid, text string avg 200]}
relationships:
  - {parent: wall, child: post, via: wall_id, children: "avg 1k, p99 5k, max 20k"}
patterns:
  - {operation: Open wall, get: wall, where: "wall.id = :w", needs: [wall], rate: 5/s, consistency: eventual 1 min}
  - {operation: Posts by text, list: post, where: "post.text = :t", limit: 20, rate: 5/s, consistency: eventual 1 min}
models:
  - name: Tables
    store: cassandra
    structures:
      - {table: walls, of: wall, partition key: [wall.id]}
      - {table: posts, of: post, partition key: [post.wall_id], clustering key: [post.id]}
"""
COUNTING = """
keywright: 1
name: Counter
entities: [{name: page, count: 1M, fields: [id uuid key, views int64]}]
patterns: [{operation: Count a view, update: page, where: "page.id = :p", set: {page.views: +1}, rate: 50/s}]
models: [{name: Documents, store: mongodb, structures: [{collection: pages, of: page, _id: page.id}]}]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "wall.yaml"
    path.write_text(UNBOUNDED, encoding="utf-8")
    return path


def accepted(text: str) -> str:
    """The project with every finding of it accepted."""
    from app.analysis import analyse  # noqa: PLC0415
    from app.model.project import Decision  # noqa: PLC0415

    project = read_yaml(text)
    decisions = {f.key: Decision(finding=f.rule, at=f.at, reason="Known.") for f in analyse(project).findings}
    return write_yaml(project.model_copy(update={"decisions": tuple(decisions.values())}))


class TestCheck:
    def test_an_error_exits_with_1(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", str(file)]) == 1
        out = capsys.readouterr().out
        assert "error: Posts by text" in out
        assert "[pattern-not-served]" in out

    def test_accepted_findings_do_not_count(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file.write_text(accepted(UNBOUNDED), encoding="utf-8")
        assert main(["check", str(file), "--fail-on", "warning"]) == 0
        out = capsys.readouterr().out
        assert "pattern-not-served" not in out
        assert "No findings; " in out

    def test_a_warning_fails_only_where_asked(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "p.yaml"
        path.write_text(COUNTING, encoding="utf-8")
        shown = json.loads(_run(capsys, ["check", str(path), "--format", "json"])[1])
        assert shown["counts"]["error"] == 0
        assert shown["counts"]["warning"] == 1
        assert [main(["check", str(path), "--fail-on", level]) for level in ("error", "warning")] == [0, 1]

    def test_a_pasted_table_gets_a_starter_per_store(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for name in ("t.md", "t.csv"):
            path = tmp_path / name
            path.write_text(TABLE if name == "t.md" else "Operation;Freq\nLoad order page;500/s\n", encoding="utf-8")
            code, out, _ = _run(capsys, ["check", str(path)])
            assert code in {0, 1}
            assert all(store.title in out for store in STORES.values())

    def test_one_store(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "t.md"
        path.write_text(TABLE, encoding="utf-8")
        made = json.loads(_run(capsys, ["check", str(path), "--store", "redis", "--format", "json"])[1])
        assert [m["store"] for m in made["models"]] == ["redis"]

    def test_a_store_a_project_has_no_model_of(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        made = json.loads(_run(capsys, ["check", str(file), "--store", "mongodb", "--format", "json"])[1])
        assert [m["store"] for m in made["models"]] == ["mongodb"]
        assert {f["model"] for f in made["findings"]} <= {"", made["models"][0]["name"]}

    def test_the_chosen_model_is_judged_unless_another_is_named(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "o.yaml"
        path.write_text(EXAMPLES["order-page"].text, encoding="utf-8")
        judged = [
            [m["name"] for m in json.loads(_run(capsys, ["check", str(path), "--format", "json", *more])[1])["models"]]
            for more in ([], ["--model", "Single table"])
        ]
        assert judged == [["Lines inside the order"], ["Single table"]]

    def test_standard_input(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UNBOUNDED.encode())))
        code, out, _ = _run(capsys, ["check", "-"])
        assert (code, out.splitlines()[0]) == (1, "Wall")

    def test_json_counts_are_those_of_the_findings_listed(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        made = json.loads(_run(capsys, ["check", str(file), "--format", "json"])[1])
        for severity in ("error", "warning", "advice", "question"):
            assert made["counts"][severity] == sum(
                f["severity"] == severity and not f["accepted"] for f in made["findings"]
            )

    @pytest.mark.parametrize("name", EXAMPLES)
    def test_text_fits_100_columns(self, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "p.yaml"
        path.write_text(EXAMPLES[name].text, encoding="utf-8")
        out = _run(capsys, ["check", str(path)])[1]
        # a key or a name longer than the line stays whole, to be copied
        assert not [line for line in out.splitlines() if len(line) > WIDTH and " " in line.strip()[:60]]

    def test_markdown_begins_with_the_verdict(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = _run(capsys, ["check", str(file), "--format", "markdown"])[1]
        assert out.startswith("## Wall: 1 error")
        assert "| Tables | Cassandra | 1 of 2 |" in out


class TestImportAndExport:
    def test_a_table_becomes_a_project(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        table = tmp_path / "t.md"
        table.write_text(TABLE, encoding="utf-8")
        out = tmp_path / "p.yaml"
        code, shown, said = _run(capsys, ["import", str(table), "-o", str(out)])
        assert (code, shown) == (0, "")
        assert "question: " in said
        project = read_yaml(out.read_text(encoding="utf-8"))
        assert [p.operation for p in project.patterns] == ["Load order page", "Seller sales list"]
        assert main(["import", str(out), "-o", str(tmp_path / "p.json")]) == 0
        assert read_json((tmp_path / "p.json").read_text(encoding="utf-8")) == project

    @pytest.mark.parametrize("name", EXPORTERS)
    def test_every_format(self, name: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "out"
        assert main(["export", str(file), "--format", name, "-o", str(out)]) == 0
        shown = _run(capsys, ["export", str(file), "--format", name])[1]
        assert out.read_bytes().decode().rstrip("\n") == shown.rstrip("\n")

    def test_a_table_is_exported_with_starters(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        table = tmp_path / "t.md"
        table.write_text(TABLE, encoding="utf-8")
        assert "MongoDB" in _run(capsys, ["export", str(table), "--format", "markdown"])[1]
        assert read_yaml(_run(capsys, ["export", str(table), "--format", "yaml"])[1]).models == ()


class TestReference:
    def test_rules(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = _run(capsys, ["rules"])[1]
        assert all(rule in out for rule in RULES)
        assert [r["id"] for r in json.loads(_run(capsys, ["rules", "--format", "json"])[1])] == list(RULES)

    @pytest.mark.parametrize("rule", RULES)
    def test_a_rule_is_explained_without_indent(self, rule: str, capsys: pytest.CaptureFixture[str]) -> None:
        head, _, title, *rest = _run(capsys, ["rules", rule])[1].splitlines()
        assert head == f"{rule} ({RULES[rule].severity})"
        assert title == RULES[rule].title
        assert any(line.startswith("## ") for line in rest)
        (made,) = json.loads(_run(capsys, ["rules", rule, "--format", "json"])[1])
        assert made["doc"].splitlines()[0] == title

    def test_stores(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert all(store in _run(capsys, ["stores"])[1] for store in STORES)
        out = _run(capsys, ["stores", "dynamodb"])[1]
        assert "max_record_bytes: 409,600 bytes (400 KB), the store refuses more" in out
        (made,) = json.loads(_run(capsys, ["stores", "dynamodb", "--format", "json"])[1])
        assert made["facts"]["max_record_bytes"]["value"] == 409600


class TestBadInput:
    """Exit 2, one or more lines on standard error, nothing on standard output, never a traceback."""

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("keywright: 1\nname: x\npatterns:\n  - operation: a\n    gett: b\n", ": line 5, column 5, "),
            ("keywright: 1\nname: x\n  bad: [\n", ": line 3, column 6"),
            ("keywright: 99\nname: x\n", "line 1"),
            ("keywright: 1\nname: &a x\nnote: *a\n", "line 2"),
            ("", "nothing"),
            ("some prose, no table\n", "table"),
        ],
    )
    @pytest.mark.parametrize("command", [["check"], ["import"], ["export", "--format", "markdown"]])
    def test_texts(
        self, command: list[str], text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "p.yaml"
        path.write_text(text, encoding="utf-8")
        _bad(capsys, [*command, str(path)], said)

    def test_json_has_lines_too(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "p.json"
        path.write_text('{"keywright": 1,\n "name": }')
        _bad(capsys, ["check", str(path)], ": line 2, column 10")

    @pytest.mark.parametrize("raw", [b"\xff\xfe\x00a", b"PK\x03\x04" + bytes(range(256)), b"\x00" * 50, b"\x89PNG\r\n"])
    def test_binary(self, raw: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "p.md"
        path.write_bytes(raw)
        _bad(capsys, ["check", str(path)], "")

    def test_too_large(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "p.md"
        path.write_bytes(b"a" * (6 * 1024 * 1024))
        _bad(capsys, ["check", str(path)], "5 MB")

    def test_files(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        _bad(capsys, ["check", str(tmp_path / "none.yaml")], "none.yaml: No such file")
        _bad(capsys, ["check", str(tmp_path)], "Is a directory")

    def test_a_place_that_cannot_be_written(
        self, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        _bad(capsys, ["import", str(file), "-o", str(tmp_path / "no" / "p.yaml")], "No such file")

    def test_names(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        _bad(capsys, ["check", str(file), "--model", "Graph"], "Models: Tables.")
        _bad(capsys, ["export", str(file), "--format", "queries", "--model", "Graph"], "Models: Tables.")
        _bad(capsys, ["export", str(file), "--format", "yaml", "--model", "Tables"], "whole project")
        _bad(capsys, ["rules", "unbounded-lists"], "Did you mean 'unbounded-list'?")
        _bad(capsys, ["stores", "oracle"], "Stores: ")

    @pytest.mark.parametrize(
        "argv",
        [
            [],
            ["chekc"],
            ["check"],
            ["check", "x", "--store", "oracle"],
            ["check", "x", "--fail-on", "advice"],
            ["export", "x", "--format", "docx"],
            ["serve", "--port", "http"],
        ],
    )
    def test_usage(self, argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            main(argv)
        assert ended.value.code == 2
        assert "usage: keywright" in capsys.readouterr().err

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(raw=st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "replace")))
    def test_junk(self, raw: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "junk.md"
        path.write_bytes(raw)
        code, _, said = _run(capsys, ["check", str(path)])
        assert code in {0, 1} or said.startswith("keywright: ")


class TestPaper:
    def test_long_words_stay_whole(self) -> None:
        assert wrapped("a " + "x" * 200) == "a\n" + "x" * 200

    def test_columns_wrap_within_themselves(self) -> None:
        lines = columns([("1", "a long operation name indeed", "rest " * 30)], widest=(3, 10))
        assert [line[:12].rstrip() for line in lines[:3]] == ["1  a long", "   operation", "   name"]
        assert all(len(line) <= WIDTH for line in lines)

    def test_nothing(self) -> None:
        assert columns([], widest=(1,)) == []


def _run(capsys: pytest.CaptureFixture[str], argv: list[str]) -> tuple[int, str, str]:
    code = main(argv)
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def _bad(capsys: pytest.CaptureFixture[str], argv: list[str], said: str) -> None:
    code, out, err = _run(capsys, argv)
    assert code == 2
    assert out == ""
    assert err.startswith("keywright: ")
    assert said in err
    assert "Traceback" not in err
