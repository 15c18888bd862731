"""Cases of whole models as data: what a read costs, what a write changes."""

from __future__ import annotations

import pytest

from tests.plan.model_cases import ModelCase, model_cases


@pytest.mark.parametrize("case", model_cases("mongodb", "writes"), ids=lambda c: c.name)
def test_write(case: ModelCase) -> None:
    """Documents changed, index entries added and removed, by structure."""
    changes = case.changes()
    assert changes.keys() == case.expect.keys()
    for structure, figures in case.expect.items():
        assert changes[structure] == pytest.approx(figures), structure


@pytest.mark.parametrize("case", model_cases("mongodb", "models"), ids=lambda c: c.name)
def test_read(case: ModelCase) -> None:
    """Level, keys and records of all steps, sorts and scans."""
    costs = {"sorts": False, "scans": False, **case.expect}
    found = case.costs()
    assert {k: found[k] for k in costs} == {
        k: v if isinstance(v, str) else pytest.approx(v, rel=0.02) for k, v in costs.items()
    }
