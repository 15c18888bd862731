"""Partition keys of fields that go together: fewer partitions, each with more."""

import pytest

from app.analysis import analyse
from app.model.text import read_yaml

TEXT = """
keywright: 1
name: Places
entities:
  - name: place
    count: 1M
    fields: [id uuid key, country string distinct 50, city string distinct 5000]{together}
patterns:
  - {{operation: Of a city, list: place, where: "place.country = :c and place.city = :t", rate: 100/s}}
models:
  - name: Tables
    store: cassandra
    structures:
      - {{table: places, of: place, partition key: [place.country, place.city], clustering key: [place.id]}}
"""


SAID = "\n    together: [{fields: [country, city], distinct: 5k}]"


@pytest.mark.parametrize(("said", "rows"), [("", 4), (SAID, 200)])
def test_rows_and_reads_of_a_partition(said: str, rows: float) -> None:
    """Cities lie in one country: as many partitions as cities."""
    made = analyse(read_yaml(TEXT.format(together=said))).models[0]
    load = made.loads["places"]
    assert load.partitions[0].rows.avg == pytest.approx(rows)
    heat = load.paths[0].heats[0]
    assert heat.share == pytest.approx(rows / 1e6)
