"""What the examples of the rules leave open: thresholds, questions, fixes that must hit the right place."""

from __future__ import annotations

import pytest

from app.analysis import analyse
from app.memory import Memory
from app.model.project import Project
from app.model.text import read_yaml, write_yaml
from app.rules import structure_refused
from app.rules.rule import Finding


def findings(text: str, rule: str) -> list[Finding]:
    return [f for f in analyse(read_yaml(text), Memory()).findings if f.rule == rule]


def after(finding: Finding, text: str, fix: int = 0) -> Project:
    return read_yaml(write_yaml(finding.fixes[fix].apply(read_yaml(text))))


ORDERS = """
keywright: 1
name: Orders
entities:
  - {name: user, count: 1M, fields: [id uuid key]}
  - name: order
    count: 10M
    size: 1 KB
    fields: [id uuid key, user_id uuid, region string REGION, at datetime monotonic]
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 120, max: MAX}}
patterns:
  - {operation: Place, insert: order, set: {order.at: now}, rate: {peak: RATE}}
models:
  - name: A
    store: STORE
    structures:
      STRUCTURE
"""
DYNAMO = """- table: orders
        records: [{of: order, pk: "{order.id}"}]
        gsi: [{name: by, pk: "KEY", sk: "{order.at}", of: [order], projection: all}]"""


def orders(
    key: str = "{order.user_id}",
    rate: str = "2k/s",
    most: str = "5k",
    region: str = "distinct 40",
    store: str = "dynamodb",
    structure: str = DYNAMO,
) -> str:
    words = {"STRUCTURE": structure, "STORE": store, "KEY": key, "RATE": rate, "MAX": most, "REGION": region}
    text = ORDERS
    for word, value in words.items():
        text = text.replace(word, value)
    return text


class TestHotPartition:
    def test_an_even_key_is_silent(self) -> None:
        assert not findings(orders(), "hot-partition")

    def test_half_of_the_ceiling_warns(self) -> None:
        found = findings(orders("{order.region}", rate="24k/s"), "hot-partition")
        assert [(f.severity, f.at) for f in found] == [("warning", "models/A/orders/by")]
        assert "600" in found[0].message

    def test_an_unknown_share_is_asked_for_with_the_share_that_decides(self) -> None:
        found = findings(orders("{order.region}", rate="24k/s", region="avg 8"), "hot-partition")
        assert [f.severity for f in found] == ["question"]
        assert found[0].asks[0].at == "patterns/Place/skew"
        assert "4.17 %" in found[0].message

    def test_a_largest_parent_without_bound_is_asked_for(self) -> None:
        found = findings(orders(rate="8k/s", most="none"), "hot-partition")
        assert [f.severity for f in found] == ["question"]
        assert "order.user_id" in found[0].message

    def test_a_share_that_would_have_to_be_huge_is_not_asked_for(self) -> None:
        assert not findings(orders(rate="2k/s", most="none"), "hot-partition")

    def test_shards_are_added_to_the_index_that_is_hot(self) -> None:
        text = orders("{order.region}", rate="80k/s")
        project = after(findings(text, "hot-partition")[0], text)
        assert project.models[0].structures[0].gsi[0].pk is not None
        assert project.models[0].structures[0].gsi[0].pk.text == "{order.region}#{shard 4}"


class TestConstantKey:
    def test_a_short_list_is_let_pass(self) -> None:
        text = (
            orders("ALL", rate="1/s").replace("count: 10M", "count: 500").replace("avg: 10, p99: 120", "avg: 1, p99: 2")
        )
        assert not findings(text, "constant-partition-key")

    def test_it_is_said_once(self) -> None:
        assert findings(orders("ALL"), "constant-partition-key")
        assert not findings(orders("ALL"), "hot-partition")


MONGO = "- {collection: orders, of: order, _id: order.id, indexes: [INDEXES]}"


def indexed(indexes: str) -> str:
    return orders(store="mongodb", structure=MONGO.replace("INDEXES", indexes))


class TestIndexes:
    def test_a_unique_index_is_never_redundant(self) -> None:
        text = indexed("{keys: [order.user_id], unique: yes}, {keys: [order.user_id, order.at]}")
        assert not findings(text, "redundant-index")

    def test_another_direction_is_another_index(self) -> None:
        text = indexed("{keys: [order.user_id, order.at desc]}, {keys: [order.user_id, order.at, order.id]}")
        assert not findings(text, "redundant-index")

    def test_one_of_two_equal_ones_goes(self) -> None:
        text = indexed("{keys: [order.user_id], name: a}, {keys: [order.user_id], name: b}")
        found = findings(text, "redundant-index")
        assert [f.at for f in found] == ["models/A/orders/b"]
        assert [i.name for i in after(found[0], text).models[0].structures[0].indexes] == ["a"]

    def test_without_reads_no_index_is_called_unused(self) -> None:
        assert not findings(indexed("{keys: [order.region]}"), "unused-index")


BLOG = """
keywright: 1
name: Blog
entities:
  - {name: post, count: 1k, fields: [id objectid key]}
  - {name: comment, fields: [id objectid key, post_id objectid, body text avg 200]}
relationships:
  - {parent: post, child: comment, via: post_id, children: CHILDREN}
patterns:
  - {operation: Comment, insert: comment, rate: 50/day}
models:
  - {name: A, store: mongodb, structures: [{collection: posts, of: post, _id: post.id, embed: [EMBED]}]}
"""


@pytest.mark.parametrize(
    ("children", "embed", "severity"),
    [
        ("{avg: 10, p99: 80, max: none}", "{what: comment, as: comments}", "warning"),
        ("{avg: 10, p99: 80, max: none, growth: 900/day}", "{what: comment, as: comments}", "error"),
        ("{avg: 10, p99: 80, max: none}", "{what: comment, as: comments, max: 100}", ""),
        ("{avg: 10, p99: 80, max: none}", "{what: comment, first: 10, order by: comment.id desc}", ""),
        ("{avg: 3, p99: 8, max: 20}", "{what: comment, as: comments}", ""),
    ],
)
def test_arrays_without_a_bound(children: str, embed: str, severity: str) -> None:
    found = findings(BLOG.replace("CHILDREN", children).replace("EMBED", embed), "unbounded-array")
    assert [f.severity for f in found] == ([severity] if severity else [])


def test_children_moved_out_keep_their_way_back() -> None:
    text = BLOG.replace("CHILDREN", "{avg: 10, p99: 80, max: none}").replace("EMBED", "{what: comment, as: comments}")
    project = after(findings(text, "unbounded-array")[0], text)
    posts, comments = project.models[0].structures
    assert not posts.embed
    assert comments.name == "comments"
    assert [k.attr for k in comments.indexes[0].keys] == ["comment.post_id", "comment.id"]


CACHE = """
keywright: 1
name: Cache
entities:
  - {name: query, growth: 20k/day, fields: [id string key avg 40, result json avg 5 KB]}
models:
  - name: A
    store: redis
    options: {maxmemory: 2 GB, maxmemory-policy: POLICY}
    structures:
      - {keys: "cache:{query.id}", type: string, of: query, ttl: none, purpose: cache, truth: elsewhere MAX}
"""


@pytest.mark.parametrize(
    ("policy", "most", "severity"),
    [
        ("volatile-lru", "", "error"),
        ("noeviction", "", "error"),
        ("allkeys-lru", "", "warning"),
        ("volatile-lru", ", max: 100k", ""),
    ],
)
def test_keys_that_never_expire(policy: str, most: str, severity: str) -> None:
    found = findings(CACHE.replace("POLICY", policy).replace(" MAX", most), "cache-without-ttl")
    assert [f.severity for f in found] == ([severity] if severity else [])


def test_a_full_memory_has_a_day() -> None:
    found = findings(CACHE.replace("POLICY", "volatile-lru").replace(" MAX", ""), "cache-without-ttl")[0]
    days = next(e.number for e in found.evidence if e.label.startswith("days"))
    assert days is not None
    assert days / 86_400 == pytest.approx(20, abs=1.5)


class TestStructureRefused:
    GAMES = """
keywright: 1
name: Games
entities:
  - {name: game, count: 50k, fields: [id TYPE key, at datetime, "tags string[] items avg 5", "fans uuid[] items avg 8"]}
patterns:
  - {operation: Add, insert: game, rate: 5/s}
models:
  - name: A
    store: mongodb
    structures: [{collection: games, of: game, _id: game.id, WRITTEN}]
"""

    def games(self, written: str, type_: str = "uuid") -> str:
        return self.GAMES.replace("WRITTEN", written).replace("TYPE", type_)

    def test_what_is_refused_is_an_error_and_what_surprises_a_warning(self) -> None:
        text = self.games("ttl: sliding 3 days after game.at, indexes: [{keys: [game.tags, game.fans]}]")
        found = findings(text, "structure-refused")
        assert [(f.severity, f.at) for f in found] == [
            ("error", "models/A/games"),
            ("warning", "models/A/games/note"),
        ]
        assert [len(f.fixes) for f in found] == [1, 0]

    @pytest.mark.parametrize(("type_", "said"), [("uuid", 0), ("objectid", 0), ("int64", 1), ("string", 1)])
    def test_ids_unique_within_a_shard_only_matter_where_they_may_repeat(self, type_: str, said: int) -> None:
        found = findings(self.games("shard key: [game.at]", type_), "structure-refused")
        assert [f.severity for f in found] == ["warning"] * said

    def test_what_a_rule_of_its_own_says_is_said_once(self) -> None:
        text = self.games("bucket: {by: [game.at]}").replace(" _id: game.id,", " _id: [game.at],")
        assert not findings(text, "structure-refused")

    def test_an_edit_of_a_pattern_asks_the_store_nothing_again(self) -> None:
        text = self.games("indexes: [{keys: [game.tags, game.fans]}]")
        project, faster, memory = read_yaml(text), read_yaml(text.replace("5/s", "900/s")), Memory()
        before, made = analyse(project, memory), structure_refused.FAULTS.made
        after_edit = analyse(project.model_copy(update={"patterns": faster.patterns}), memory)
        assert structure_refused.FAULTS.made == made
        refused = [[f for f in r.findings if f.rule == "structure-refused"] for r in (before, after_edit)]
        assert len(refused[0]) == 1
        assert refused[0] == refused[1]
