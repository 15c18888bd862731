"""Operations that read and then write."""

from app.analysis import ModelReport, analyse
from app.memory import Memory
from app.model.spread import Spread
from app.model.text import read_yaml
from app.plan.both import combined
from app.plan.types import Level, Plan

JOBS = """
keywright: 1
name: Jobs and limits
entities:
  - {name: client, count: 10k, fields: [ip string key avg 12]}
  - {name: request, growth: 2k/s, keep: 2 min, fields: [id uuid key, client_ip string avg 12, at datetime monotonic]}
  - {name: email, count: 1k, fields: [id timeuuid key, body text avg 2 KB]}
relationships:
  - {parent: client, child: request, via: client_ip, children: {avg: 10, p99: 90}}
patterns:
  - operation: Allow request
    count: request
    where: "request.client_ip = :ip and request.at >= now() - interval '60 seconds'"
    also: [{insert: request, only if: "count < 100"}]
    rate: 2k/s
  - {operation: Take email, list: email, order by: email.id, limit: 1, also: [{delete: email}], rate: 30/s}
  - {operation: Lost, list: email, limit: 1, also: [{insert: client}]}
models:
  - name: Redis
    store: redis
    structures:
      - {keys: "rate:sliding:{client.ip}", type: sorted set, of: request, purpose: limiter, member: "{request.id}", score: request.at, ttl: 60 s}
      - {keys: "rate:{client.ip}:{request.at|minute}", type: string, counts: request, purpose: limiter, ttl: 2 min}
      - {keys: "queue:emails", type: list, of: email, purpose: queue}
  - name: Items
    store: dynamodb
    structures:
      - {table: requests, of: request, pk: "{request.client_ip}", sk: "{request.at}#{request.id}"}
      - {table: emails, of: email, pk: "EMAILS", sk: "{email.id}"}
"""  # noqa: E501


def reports() -> tuple[ModelReport, ...]:
    return analyse(read_yaml(JOBS), Memory()).models


def test_the_limiter_that_is_asked_is_the_one_that_is_fed() -> None:
    redis, items = reports()
    plan = redis.plans["Allow request"]
    assert plan.level is Level.PARTITION_RANGE
    assert [s.structure for s in plan.steps] == ["rate:sliding:{client.ip}"]
    assert [(t.structure, t.op) for t in plan.touches] == [("rate:sliding:{client.ip}", "put")]
    assert plan.requests == Spread(2, 2, 2)
    there = items.plans["Allow request"]
    assert (there.level, len(there.steps), len(there.touches)) == (Level.PARTITION_RANGE, 1, 1)
    assert there.units > there.touches[0].units


def test_what_was_read_is_taken_by_its_key() -> None:
    redis, items = reports()
    plan = redis.plans["Take email"]
    assert [(t.op, t.find, t.count.avg) for t in plan.touches] == [("pull", "key", 1)]
    assert plan.level is Level.PARTITION_RANGE
    there = items.plans["Take email"]
    assert [(t.op, t.find, t.count.avg) for t in there.touches] == [("remove", "key", 1)]
    assert there.requests == Spread(2, 2, 2)
    assert not there.misses


def test_a_write_that_nothing_holds_makes_the_whole_impossible() -> None:
    plan = reports()[1].plans["Lost"]
    assert plan.level is Level.IMPOSSIBLE
    assert plan.missing == ("client",)
    assert plan.steps


def test_two_plans_add_up() -> None:
    one = Spread(1, 2, 3)
    read = Plan("it", Level.INDEX_RANGE, requests=one, records=one, bytes=one, rounds=1, units=2, notes=("a",))
    write = Plan(
        "it", Level.KEY_LOOKUP, requests=one, rounds=2, units=3, notes=("a", "b"), scope="record", retry="safe"
    )
    both = combined(read, write)
    assert (both.level, both.requests.avg, both.rounds, both.units) == (Level.INDEX_RANGE, 2, 3, 5)
    assert (both.notes, both.scope, both.retry) == (("a", "b"), "record", "safe")


def test_both_halves_are_written_out() -> None:
    project = read_yaml(JOBS)
    report = analyse(project, Memory())
    take = project.pattern("Take email")
    assert take is not None
    texts = [m.store.query(take, m.plans["Take email"], m.model, report.world) for m in report.models]
    assert "LMOVE" in texts[0]
    assert texts[1].index("Query emails") < texts[1].index("DeleteItem emails")


INSIDE = """
keywright: 1
name: Inside
entities:
  - {name: client, count: 10k, fields: [ip string key avg 12]}
  - {name: request, count: 100k, fields: [id uuid key, client_ip string avg 12]}
  - {name: job, count: 1k, fields: [id timeuuid key]}
relationships: [{parent: client, child: request, via: client_ip, children: {avg: 10, p99: 90}}]
patterns:
  - {operation: How many, count: request, where: "request.client_ip = :ip"}
  - {operation: Take, list: job, order by: job.id, limit: 1, also: [{delete: job}]}
models:
  - name: Documents
    store: mongodb
    structures: [{collection: clients, of: client, _id: client.ip, embed: [{what: request, max: 100}]}]
  - name: Sharded jobs
    store: cassandra
    structures: [{table: jobs, of: job, partition key: [part = shard 8], clustering key: [job.id]}]
"""


def test_a_count_of_what_lies_inside_is_a_read_of_its_holder() -> None:
    plan = analyse(read_yaml(INSIDE), Memory()).models[0].plans["How many"]
    assert (plan.level, plan.where, plan.requests.avg) == (Level.KEY_LOOKUP, "clients._id", 1)


def test_the_shard_of_what_was_read_is_known() -> None:
    plan = analyse(read_yaml(INSIDE), Memory()).models[1].plans["Take"]
    (taken,) = plan.touches
    assert (taken.op, taken.find, taken.reads) == ("remove", "key", 0)
    assert plan.requests.avg == 8 + 1
