"""What every test may use."""

import logging
import os
from pathlib import Path

import hypothesis
import pytest

# The same examples every time: a failure on one machine is a failure on all of them.
hypothesis.settings.register_profile("keywright", derandomize=True, deadline=None)
hypothesis.settings.load_profile("keywright")

# Worked projects, cases and real files that some tests read; not part of this repository.
SHARED = Path(os.environ.get("KEYWRIGHT_SHARED") or Path(__file__).resolve().parents[2] / "shared")
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="no shared folder beside the project; set KEYWRIGHT_SHARED"
)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared folder; a test that asks for it is skipped where there is none."""
    if not SHARED.is_dir():
        pytest.skip("no shared folder beside the project; set KEYWRIGHT_SHARED")
    return SHARED


@pytest.fixture(autouse=True)
def _no_hidden_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule or plan that breaks is shown as such to a user; in a test it is a failure."""

    def fail(message: str, *args: object) -> None:
        pytest.fail(f"hidden fault: {message % args}")

    monkeypatch.setattr(logging.getLogger("app.analysis"), "exception", fail)
