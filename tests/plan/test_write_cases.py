"""Cases of writes as data: documents changed, index entries added and removed, by structure."""

from __future__ import annotations

import pytest

from tests.plan.writes import WriteCase, write_cases


@pytest.mark.parametrize("case", write_cases("mongodb"), ids=lambda c: c.name)
def test_write(case: WriteCase) -> None:
    planned = case.planned()
    assert planned.keys() == case.expect.keys()
    for structure, figures in case.expect.items():
        assert planned[structure] == pytest.approx(figures), structure
