"""Kept third-party files are the published ones, and each is listed with its licence."""

import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROW = re.compile(
    r"^\| (?P<file>\S+) \| (?P<package>\S+) \| (?P<version>\S+) \| (?P<licence>\S+)"
    r" \| (?P<sha256>[0-9a-f]{64}) \|$",
    re.MULTILINE,
)


@pytest.fixture(params=["static/vendor", "tests/vendor"])
def folder(request: pytest.FixtureRequest) -> Path:
    return ROOT / request.param


def listed(folder: Path) -> dict[str, re.Match[str]]:
    return {row["file"]: row for row in ROW.finditer((folder / "VENDOR.md").read_text())}


def test_every_kept_file_is_listed_and_every_listed_file_is_kept(folder: Path) -> None:
    kept = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert kept - {"VENDOR.md"} == set(listed(folder))


def test_files_have_the_listed_hash(folder: Path) -> None:
    wrong = {
        name
        for name, row in listed(folder).items()
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != row["sha256"]
    }
    assert not wrong


def test_the_version_is_in_the_folder_name(folder: Path) -> None:
    for name, row in listed(folder).items():
        assert name.split("/")[0].endswith(f"-{row['version']}")


def test_each_package_comes_with_its_licence(folder: Path) -> None:
    files = set(listed(folder))
    assert {f"{name.split('/')[0]}/LICENSE" for name in files} <= files


def test_scripts_point_at_no_map_that_is_not_shipped(folder: Path) -> None:
    """A dangling `sourceMappingURL` is a 404 in the log of everyone with developer tools open."""
    for script in folder.rglob("*.js"):
        for name in re.findall(rb"^//[#@] sourceMappingURL=(\S+)", script.read_bytes(), re.MULTILINE):
            assert (script.parent / name.decode()).exists(), script
