"""Nothing is judged by a number that nobody gave: it is asked for; rough numbers are marked and change no model."""

from __future__ import annotations

import pytest

from app.analysis import Report, analyse
from app.cli.check import as_markdown, as_text
from app.exporters.words import findings_of
from app.importers import import_text
from app.memory import Memory
from app.model.text import read_yaml
from app.rules.rule import Finding
from app.starters import starter
from app.stores import STORES

SEED = """| # | Operation | Fields needed | Freq | Consistency |
|---|---|---|---|---|
| 1 | Load order page | order, items, shipping status | 500 r/s | read-your-writes |
| 2 | Add item to cart | cart items | 50 w/s | strong (same doc) |
| 3 | Seller sales list | order ids, totals by seller | 5 r/s | eventual ok |
"""


def judge(text: str) -> Report:
    return analyse(read_yaml(text), Memory())


def said(text: str, rule: str) -> list[Finding]:
    return [f for f in judge(text).findings if f.rule == rule]


def test_a_table_without_counts_gives_questions_and_no_sums() -> None:
    project = import_text(SEED).project
    project = project.model_copy(update={"models": tuple(starter(project, s) for s in STORES)})
    findings = analyse(project, Memory()).findings
    found = [f for f in findings if f.rule == "embed-or-reference"]
    assert found
    assert {f.severity for f in found} == {"question"}
    assert all("cannot judge" in f.message and "needs cart_item per cart" in f.message for f in found)
    assert not any(f.fixes for f in found)
    assert not any(f.severity == "error" for f in findings)
    told = " ".join(e.value for f in findings for e in f.evidence if not e.assumed)
    assert "129,600" not in told
    assert "130M" not in told


CART = """
keywright: 1
name: Cart
entities:
  - {name: cart, COUNT fields: [id uuid key]}
  - {name: item, size: 100, fields: [cart_id uuid key, n int32 key]}
relationships:
  - {parent: cart, child: item, via: cart_id CHILDREN}
patterns:
  - {operation: Add, insert: item, rate: 500/s}
  - {operation: Price, get: cart, where: "cart.id = :c", needs: [cart.id], rate: 900/s}
models:
  - name: A
    store: STORE
    structures:
      - STRUCTURE
"""
EMBEDDED = "{collection: carts, of: cart, _id: cart.id, embed: [{what: item, as: items}]}"
APART = "{table: items, of: item, partition key: [item.cart_id], clustering key: [item.n]}"


def cart(count: str = "", children: str = "", store: str = "mongodb", structure: str = EMBEDDED) -> str:
    text = CART.replace("COUNT", count and f"count: {count},").replace(
        "CHILDREN", children and f", children: {children}"
    )
    return text.replace("STORE", store).replace("STRUCTURE", structure)


@pytest.mark.parametrize(
    ("rule", "often"), [("embed-or-reference", "500/s"), ("record-over-limit", "500/s"), ("unbounded-array", "1/day")]
)
def test_children_nobody_counted_are_asked_for(rule: str, often: str) -> None:
    found = said(cart().replace("500/s", often), rule)
    assert found
    assert {f.severity for f in found} == {"question"}
    assert all("needs item per cart" in f.message and not f.fixes for f in found)
    assert all(f.asks[0].at == "relationships/cart-item/children" for f in found)


def test_rough_children_are_marked_and_move_nothing() -> None:
    (exact,) = said(cart("1k", "{avg: 90, p99: 95, max: 99}"), "embed-or-reference")
    assert exact.fixes
    assert "≈" not in exact.message
    (rough,) = said(cart("1k", "{avg: ~90, p99: 95, max: 99}"), "embed-or-reference")
    assert rough.severity == "advice"
    assert "≈" in rough.message
    assert rough.evidence[0].assumed
    assert not rough.fixes


def test_a_partition_of_children_nobody_counted_is_a_question() -> None:
    (asked,) = said(cart(store="cassandra", structure=APART), "large-partition")
    assert (asked.severity, asked.fixes) == ("question", ())
    assert "needs item per cart" in asked.message


def test_a_large_partition_says_its_size_today_and_later() -> None:
    given = "{avg: 2M, p99: 3M, max: 4M, growth: 1k/day}"
    (found,) = said(cart("1k", given, "cassandra", APART), "large-partition")
    assert "today" in found.message
    assert "in 2.0 years" in found.message
    assert any("today" in e.label for e in found.evidence)


def test_no_bound_below_what_is_there_is_offered() -> None:
    """A bound of a quarter of the limit is no fix where the p99 has more."""
    for usual, offered in (("90k", False), ("2k", True)):
        given = f"{{avg: 1k, p99: {usual}, max: none, growth: 1/day}}"
        found = said(cart("1k", given), "unbounded-array")
        labels = [fix.label for f in found for fix in f.fixes]
        assert any(label.startswith("Keep at most") for label in labels) is offered, labels


SUMS = """
keywright: 1
name: Sums
entities:
  - {name: sensor, count: 1k, fields: [id uuid key]}
  - {name: reading, size: 40, fields: [sensor_id uuid key, at datetime key monotonic, value double]}
relationships:
  - {parent: sensor, child: reading, via: sensor_id CHILDREN}
patterns:
  - {operation: Mean, aggregate: reading, where: "reading.sensor_id = :s", compute: avg(reading.value), rate: 5/s}
models:
  - name: A
    store: cassandra
    structures:
      - {table: readings, of: reading, partition key: [reading.sensor_id], clustering key: [reading.at]}
"""


def test_a_sum_over_a_whole_history_is_said() -> None:
    (found,) = said(
        SUMS.replace("CHILDREN", ", children: {avg: 26M, p99: 26M, max: 26M}"), "reads-more-than-it-returns"
    )
    assert found.severity == "warning"
    assert "26M records" in found.message
    assert "time range" in found.message
    assert found.asks[0].at == "patterns/Mean/where"


def test_a_sum_over_an_unknown_history_is_asked_for() -> None:
    assert {f.severity for f in said(SUMS.replace("CHILDREN", ""), "reads-more-than-it-returns")} <= {"question"}


UNKNOWN = """
keywright: 1
name: Two
entities: [{name: user, count: 10, fields: [id uuid key]}]
models:
  - {name: Known, store: mongodb, structures: [{collection: users, of: user, _id: user.id}]}
  - {name: Typo, store: mongobd, structures: [{collection: users, of: user, _id: user.id}]}
"""


def test_a_model_on_an_unknown_store_is_never_left_out() -> None:
    report = judge(UNKNOWN)
    for models in (report.models, ()):
        assert [f.rule for f in findings_of(report, models) if f.severity == "error"] == ["unknown-store"]
        assert "Typo: not judged" in as_text(report, models)
        assert "not judged" in as_markdown(report, models)


KEYS = """
keywright: 1
name: Keys
entities:
  - {name: user, count: 1k, fields: [id uuid key]}
  - {name: order, count: 100k, growth: 1k/day, size: 1 KB, fields: [id uuid key, user_id uuid, at datetime monotonic]}
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 100, p99: 9k, max: 20k}}
patterns:
  - operation: Newest
    list: order
    where: order.user_id = :u
    order by: order.at desc
    limit: 20
    needs: order
    rate: 500/s
models:
  - name: A
    store: redis
    options: {maxmemory: 2 GB, maxmemory-policy: noeviction}
    structures:
      - {keys: "order:{order.id}", type: hash, of: order TRUTH}
      - keys: "orders:{order.user_id}"
        type: sorted set
        of: order
        member: "{order.id}"
        score: order.at
        purpose: index
        ttl: none
"""


def test_an_index_of_keys_that_are_the_truth_need_not_expire() -> None:
    assert said(KEYS.replace("TRUTH", ""), "cache-without-ttl") == []
    found = said(KEYS.replace(" TRUTH", ", purpose: cache, truth: elsewhere, ttl: 1 h"), "cache-without-ttl")
    assert [f.structure for f in found] == ["orders:{order.user_id}"]


def test_an_index_of_keys_and_one_pipeline_is_advice_with_a_reason() -> None:
    (found,) = said(KEYS.replace("TRUTH", ""), "pattern-not-served")
    assert found.severity == "advice"
    assert "in one pipeline, 2 round trips" in found.message


def test_a_sorted_set_read_by_pages_may_be_long() -> None:
    assert said(KEYS.replace("TRUTH", ""), "large-partition") == []


def test_assumed_is_said_once() -> None:
    text = KEYS.replace("TRUTH", "").replace("500/s", "400k/s")
    values = [e.value for f in judge(text).findings for e in f.evidence if e.assumed]
    assert values
    assert not any("assumed" in value for value in values)


SERIES = """
keywright: 1
name: Series
entities:
  - {name: sensor, count: 1k, fields: [id uuid key]}
  - {name: reading, keep: 30 days, fields: [sensor_id uuid key, at datetime key monotonic, value double]}
relationships:
  - {parent: sensor, child: reading, via: sensor_id, children: {avg: 43200, p99: 43200, max: 43200}}
patterns:
  - operation: Readings
    list: reading
    where: WHERE
    order by: ORDER
    limit: 50
    needs: reading
    span: {reading.at: 10 days}
    rate: 5/s
models:
  - name: A
    store: cassandra
    structures:
      - table: readings
        of: reading
        partition key: [reading.sensor_id, day = reading.at|day]
        clustering key: [hour = reading.at|hour desc, minute = reading.at|minute desc]
"""


def series(where: str, order: str = "reading.at desc") -> str:
    return SERIES.replace("WHERE", where).replace("ORDER", order)


def test_hours_and_minutes_give_the_order() -> None:
    report = judge(series("reading.sensor_id = :s and reading.at >= :since"))
    plan = report.models[0].plans["Readings"]
    assert [m.code for m in plan.misses] == ["partition"]
    assert plan.misses[0].fix
    assert "The order is that of the minute" in plan.notes


def test_the_partition_is_the_first_reason() -> None:
    report = judge(series("reading.sensor_id > :s and reading.at >= :since", "reading.value desc"))
    codes = [m.code for m in report.models[0].plans["Readings"].misses]
    assert codes[0] == "partition"
    assert codes.index("order") > codes.index("partition")
