"""The command line: exit codes, what goes to which stream, and that nobody sees a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli import main
from app.model.text import read_yaml
from app.rules import RULES
from app.stores import STORES

TABLE = """
| # | Operation | Fields needed | Freq | Consistency |
|---|---|---|---|---|
| 1 | Get a playlist with its tracks | title, owner, tracks | 900/s | eventual 5 s |
| 2 | Add a track to a playlist | track, position | 15/s | strong |
"""
HOT = """
keywright: 1
name: Jobs
entities:
  - {name: job, count: 5M, size: 1 KB, fields: [id uuid key, {name: state, type: enum, values: {new: 2%, done: 98%}}]}
patterns:
  - {operation: Queue job, insert: job, set: {job.state: new}, rate: {avg: 1500/s, peak: 1500/s}, retry: same key}
  - operation: New jobs
    list: job
    where: job.state = 'new'
    limit: 100
    needs: job
    rate: {avg: 1/s, peak: 2/s}
    consistency: eventual 1 min
models:
  - name: By state
    store: dynamodb
    structures:
      - table: jobs
        capacity: on demand
        records: [{of: job, pk: "{job.id}"}]
        gsi: [{name: by_state, pk: "{job.state}", of: [job], projection: all}]
"""
WARNED = """
keywright: 1
name: Counters
entities: [{name: page, count: 1M, fields: [id uuid key, views int64]}]
patterns:
  - {operation: Count view, update: page, where: "page.id = :p", set: {page.views: +1}, rate: {avg: 50/s, peak: 90/s}}
models:
  - {name: Documents, store: mongodb, structures: [{collection: pages, of: page, _id: page.id}]}
"""


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    try:
        code = main(argv)
    except SystemExit as stopped:  # argparse ends the process itself
        code = int(stopped.code or 0)
    out = capsys.readouterr()
    assert "Traceback" not in out.err
    return code, out.out, out.err


@pytest.fixture
def table(tmp_path: Path) -> str:
    (tmp_path / "patterns.md").write_text(TABLE, encoding="utf-8")
    return str(tmp_path / "patterns.md")


@pytest.fixture
def hot(tmp_path: Path) -> str:
    (tmp_path / "hot.yaml").write_text(HOT, encoding="utf-8")
    return str(tmp_path / "hot.yaml")


class TestCheck:
    def test_a_pasted_table_gets_a_model_for_every_store(self, capsys: pytest.CaptureFixture[str], table: str) -> None:
        code, out, _ = run(capsys, "check", table)
        assert code in (0, 1)
        assert all(store.title in out for store in STORES.values())
        assert max(map(len, out.splitlines())) <= 100

    def test_an_error_exits_with_one_and_carries_its_numbers(
        self, capsys: pytest.CaptureFixture[str], hot: str
    ) -> None:
        code, out, _ = run(capsys, "check", hot)
        assert code == 1
        assert "hot-partition" in out
        assert "1,000" in out

    def test_an_accepted_finding_does_not_fail(
        self, capsys: pytest.CaptureFixture[str], hot: str, tmp_path: Path
    ) -> None:
        _, out, _ = run(capsys, "check", hot, "--format", "json")
        errors = [f for f in json.loads(out)["findings"] if f["severity"] == "error"]
        accepted = "".join(f'  - {{finding: {f["rule"]}, at: "{f["at"]}", reason: known}}\n' for f in errors)
        file = tmp_path / "accepted.yaml"
        file.write_text(f"{HOT}decisions:\n{accepted}", encoding="utf-8")
        code, out, _ = run(capsys, "check", str(file))
        assert code == 0, out
        assert "accepted" in out

    def test_a_lower_bar_fails_on_warnings(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        file = tmp_path / "warned.yaml"
        file.write_text(WARNED, encoding="utf-8")
        _, out, _ = run(capsys, "check", str(file), "--format", "json")
        severities = {f["severity"] for f in json.loads(out)["findings"]}
        assert "error" not in severities
        assert "warning" in severities
        assert run(capsys, "check", str(file))[0] == 0
        assert run(capsys, "check", str(file), "--fail-on", "warning")[0] == 1

    def test_a_named_model_is_judged_alone(self, capsys: pytest.CaptureFixture[str], hot: str) -> None:
        assert run(capsys, "check", hot, "--model", "By state")[0] == 1
        code, _, err = run(capsys, "check", hot, "--model", "Nobody")
        assert code == 2
        assert "By state" in err

    @pytest.mark.parametrize("form", ["json", "markdown"])
    def test_other_forms(self, capsys: pytest.CaptureFixture[str], hot: str, form: str) -> None:
        code, out, _ = run(capsys, "check", hot, "--format", form)
        assert code == 1
        assert "hot-partition" in out


class TestBadInput:
    @pytest.mark.parametrize("command", [["check"], ["import"], ["export", "--format", "yaml"]])
    @pytest.mark.parametrize(
        "content",
        [b"", b"\xff\xfe\x00binary", b"keywright: 1\nname: [\n", b"keywright: 1\nname: A\nnonsense: 1\n", b"hello"],
    )
    def test_junk_exits_with_two_and_says_why(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path, command: list[str], content: bytes
    ) -> None:
        (tmp_path / "junk.yaml").write_bytes(content)
        code, _, err = run(capsys, *command, str(tmp_path / "junk.yaml"))
        assert code == 2
        assert err.startswith("keywright: ")

    def test_a_mistake_has_its_line(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        (tmp_path / "wrong.yaml").write_text("keywright: 1\nname: A\nentites: []\n", encoding="utf-8")
        code, _, err = run(capsys, "check", str(tmp_path / "wrong.yaml"))
        assert code == 2
        assert "3" in err
        assert "entities" in err

    def test_a_missing_file(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        code, _, err = run(capsys, "check", str(tmp_path / "nowhere.md"))
        assert code == 2
        assert "nowhere.md" in err

    @pytest.mark.parametrize("argv", [["check"], ["nothing"], ["check", "x", "--store", "oracle"], []])
    def test_bad_usage(self, capsys: pytest.CaptureFixture[str], argv: list[str]) -> None:
        assert run(capsys, *argv)[0] == 2


class TestTheRest:
    def test_import_writes_a_project_and_asks_on_the_other_stream(
        self, capsys: pytest.CaptureFixture[str], table: str, tmp_path: Path
    ) -> None:
        out_file = tmp_path / "project.yaml"
        code, out, err = run(capsys, "import", table, "-o", str(out_file))
        assert (code, out) == (0, "")
        project = read_yaml(out_file.read_text(encoding="utf-8"))
        assert [p.operation for p in project.patterns] == [
            "Get a playlist with its tracks",
            "Add a track to a playlist",
        ]
        assert err == "" or "question" in err

    def test_export_to_a_file(self, capsys: pytest.CaptureFixture[str], hot: str, tmp_path: Path) -> None:
        out_file = tmp_path / "model.md"
        assert run(capsys, "export", hot, "--format", "markdown", "-o", str(out_file))[0] == 0
        assert out_file.read_text(encoding="utf-8").startswith("# Jobs")

    def test_rules_and_stores(self, capsys: pytest.CaptureFixture[str]) -> None:
        _, out, _ = run(capsys, "rules", "--format", "json")
        assert {r["id"] for r in json.loads(out)} == set(RULES)
        _, out, _ = run(capsys, "stores", "dynamodb", "--format", "json")
        assert json.loads(out)[0]["facts"]["max_record_bytes"]["value"] == 409_600
        _, out, _ = run(capsys, "rules", "hot-partition")
        assert "## Instead" in out
        assert run(capsys, "rules", "no-such-rule")[0] == 2
        assert run(capsys, "stores", "oracle")[0] == 2
