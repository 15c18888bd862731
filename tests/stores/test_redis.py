"""Redis: memory against measured figures, keys and slots, commands, the key catalog."""

import pytest

from app.model.text import read_yaml
from app.plan.types import Level
from app.plan.world import build_world
from app.stores import STORES
from app.stores.redis import memory
from app.stores.redis.catalog import catalog_entry
from app.stores.redis.keys import tag
from app.stores.store import CatalogEntry
from tests.stores.shop import SHOP
from tests.stores.wiring import Bench, bench


@pytest.fixture(scope="module")
def keys() -> Bench:
    return bench(SHOP, "redis")


def family(bench_: Bench, name: str) -> CatalogEntry:
    structure = bench_.model.structure(name)
    assert structure is not None
    return catalog_entry(structure, bench_.model, bench_.project, bench_.world)


# ---------------------------------------------------------------- memory


def test_a_set_of_numbers_is_as_wide_as_its_widest() -> None:
    sizes = [memory.plain_set(0, 500, digits, number=True) - memory.key(0) - 16 for digits in (4, 6, 12)]
    assert sizes == [1024, 2048, 4096]


def test_a_stream_has_a_whole_node_from_its_first_entry_on() -> None:
    assert 4096 < memory.stream(5, 1, 30) < 4500
    assert memory.stream(5, 100_000, 50) == pytest.approx(100_000 * 58, rel=0.02)


@pytest.mark.parametrize(
    ("value", "measured"),
    [
        (memory.string(16, 8) + memory.slot(keys=100_000), 90.4),
        (memory.string(16, 100) + memory.slot(keys=100_000), 186.5),
        (memory.string(16, 8) + memory.slot(True, 100_000), 90.4 + 34.5),
        (memory.hash_table(5, [(len(f"field{i}"), len(f"value{i}")) for i in range(512)]), 10_288),
        (memory.hash_table(5, [(len(f"field{i}"), len(f"value{i}")) for i in range(513)]), 36_864),
        (memory.sorted_set(5, 128, 7, 3), 1_840),
        (memory.sorted_set(5, 129, 7, 3), 13_696),
    ],
)
def test_memory_is_what_was_measured(value: float, measured: float) -> None:
    """Redis of October 2024 with its own allocator, 100,000 keys."""
    assert value == pytest.approx(measured, rel=0.01)


@pytest.mark.parametrize(("size", "block"), [(1, 8), (24, 24), (65, 80), (130, 160), (257, 320), (1025, 1280)])
def test_the_allocator_rounds_up_to_its_classes(size: int, block: int) -> None:
    assert memory.allocated(size) == block


def test_a_small_set_is_a_table_before_7_2() -> None:
    assert memory.plain_set(5, 10, 7, old=True) > 3 * memory.plain_set(5, 10, 7)


def test_a_counter_is_a_number(keys: Bench) -> None:
    assert 60 < keys.record("counter:reviews:{shard 8}").size.avg < 90


# ---------------------------------------------------------------- keys and slots


def test_a_key_is_one_value_bound_by_equality(keys: Bench) -> None:
    (path,) = keys.record("user:{user.id}").paths
    assert [p.attr or p.literal for p in path.partition] == ["user:", "user.id"]
    assert path.unique
    assert path.hashed


def test_a_sorted_set_is_entered_by_member_and_by_score(keys: Bench) -> None:
    member, score = keys.record("reviews:{review.user_id|tag}").paths
    assert [p.attr for p in member.order] == ["review.id"]
    assert [p.attr for p in score.order] == ["review.stars", "review.id"]


def test_a_tag_decides_the_slot(keys: Bench) -> None:
    tagged = keys.record("reviews:{review.user_id|tag}").primary.placed_by
    assert [p.attr for p in tagged] == ["review.user_id"]
    whole = keys.record("user:{user.id}").primary.placed_by
    assert [p.attr or p.literal for p in whole] == ["user:", "user.id"]


@pytest.mark.parametrize(
    ("name", "whole", "several"),
    [
        ("a:{x.id}", True, False),
        ("{x.id|tag}:a", False, False),
        ("{{jobs}}:ready:{x.id}", False, False),
        ("{x.id|tag}:{x.at|tag}", False, True),
        ("a:{{}}:b", True, False),
    ],
)
def test_only_the_first_filled_braces_count(name: str, whole: bool, several: bool) -> None:
    text = (
        "keywright: 1\nname: K\nentities:\n  - {name: x, fields: [id uuid key, at datetime]}\n"
        f'models:\n  - {{name: M, store: redis, structures: [{{keys: "{name}", type: string, of: x}}]}}\n'
    )
    found = tag(read_yaml(text).models[0].structures[0])
    assert (found.whole, found.several) == (whole, several)


def test_levels(keys: Bench) -> None:
    assert keys.plan("Load user").level is Level.KEY_LOOKUP
    assert keys.plan("Best reviews").level is Level.PARTITION_RANGE
    refused = keys.plan("Orders of a user")
    assert refused.level is Level.IMPOSSIBLE
    assert "partition" in {m.code for m in refused.misses}


def test_shards_in_a_cluster_cannot_be_read_at_once(keys: Bench) -> None:
    assert any("CROSSSLOT" in p and "counter:reviews" in p for p in keys.problems)


def test_an_atomic_write_across_slots_is_refused() -> None:
    text = SHOP.replace("{operation: Review, insert: review,", "{operation: Review, insert: review, atomic: yes,")
    plan = bench(text, "redis").plan("Review")
    assert "slot" in {m.code for m in plan.misses}
    assert any("CROSSSLOT" in m.what for m in plan.misses)


@pytest.mark.parametrize(
    ("structure", "said"),
    [
        ('keys: "a:{user.id}", type: tree, of: user', "no value type"),
        ('keys: "a:{user.id}", type: sorted set, of: user', "without a score"),
        ('keys: "a:{user.id}", type: hash, of: user, score: user.name', "only a sorted set"),
        ('keys: "a:{user.id}", type: hash, of: user, ttl: soon', "not understood"),
        ('keys: "a:{user.shoe}", type: hash, of: user', "user.shoe"),
        ('keys: "a:{user.id}", type: hash, of: user, indexes: [{keys: [user.name]}]', "no indexes"),
        ('keys: "a:{ghost.id}", type: hash, of: ghost', "ghost"),
    ],
)
def test_what_a_family_cannot_be_is_said(structure: str, said: str) -> None:
    text = SHOP[: SHOP.index("models:")] + (
        f"models:\n  - name: Keys\n    store: redis\n    structures: [{{{structure}}}]\n"
    )
    assert any(said in p for p in bench(text, "redis").problems)


# ---------------------------------------------------------------- commands


def test_reads(keys: Bench) -> None:
    assert 'ZRANGE "reviews:{$user}" 0 4 REV WITHSCORES' in keys.text("Best reviews")
    assert 'ZCARD "reviews:{$user}"' in keys.text("Reviews")
    assert 'GET "order:$order"' in keys.text("Order page")


def test_a_cache_that_has_nothing_is_filled_with_a_life_that_varies(keys: Bench) -> None:
    text = keys.text("Load user")
    assert 'GET "cache:user:$user"' in text
    assert "# nil: read" in text
    assert "EX $((270 + RANDOM % 61))" in text


def test_a_counter_window_starts_once(keys: Bench) -> None:
    text = keys.text("Review")
    assert "INCR" in text
    assert "7200 NX" in text
    assert "MULTI" in text


def test_a_board_is_trimmed_and_a_stream_bounded(keys: Bench) -> None:
    text = keys.text("Review")
    assert "ZREMRANGEBYRANK" in text
    assert "MAXLEN ~ 500" in text


def test_a_cached_copy_goes_after_the_truth_is_written(keys: Bench) -> None:
    text = keys.text("Rename")
    assert text.index("HSET") < text.index('UNLINK "cache:user:$user"')


def test_part_of_a_text_value_is_changed_under_watch(keys: Bench) -> None:
    assert "WATCH" in keys.text("More of it")


def test_never_keys(keys: Bench) -> None:
    texts = [keys.text(p.operation) for p in keys.project.patterns] + list(keys.script.values())
    lines = [line for text in texts for line in text.splitlines() if not line.startswith("#")]
    assert not any(line.startswith("KEYS ") for line in lines)


# ---------------------------------------------------------------- catalog and settings


def test_the_catalog_says_what_a_person_looks_up(keys: Bench) -> None:
    entry = family(keys, "cache:user:{user.id}")
    assert entry.example.startswith("cache:user:7f1c")
    assert entry.ttl_seconds == 300
    assert entry.truth == "user:{user.id}"
    assert entry.invalidated_by == ("Rename: delete key",)
    assert entry.keys == 1000
    assert any("varies by 10%" in n for n in entry.notes)
    assert family(keys, "user:{user.id}").owner == "web"
    assert family(keys, "counter:reviews:{shard 8}").keys == 8
    assert "sorted set of review.id by review.stars" in family(keys, "reviews:{review.user_id|tag}").type


def test_settings_are_spelled_as_the_server_reads_them(keys: Bench) -> None:
    text = keys.script["keys.redis.conf"]
    assert "maxmemory 2gb" in text
    assert "cluster-enabled yes" in text
    assert "never evicts what has no time to live" in text


def test_every_family_has_an_entry_in_the_script(keys: Bench) -> None:
    text = keys.script["keys.redis"]
    assert all(f"# {s.name}" in text for s in keys.model.structures)


def test_a_sliding_window_is_one_script(shared: object) -> None:
    project = read_yaml((shared / "projects" / "redis.yaml").read_text())  # type: ignore[operator]
    model = project.models[0]
    found = Bench(project, model, build_world(project), STORES["redis"])
    text = found.text("Allow request (sliding window)")
    assert "EVAL" in text
    assert '1 "rate:sliding:$ip" 60 100 $request_id' in text


def test_what_a_shell_would_read_into_a_command_is_quoted() -> None:
    """An id made by the server is a star: bare, it is every file in the folder."""
    made = bench(TIMES, "redis")
    assert 'XADD "log:$hold_sku" "*"' in made.script["keys.redis"]


def test_scores_and_the_times_they_are_compared_with_are_milliseconds() -> None:
    made = bench(TIMES, "redis")
    assert 'ZRANGE due -inf "($(date +%s%3N)" BYSCORE' in made.text("Due")
    assert '"($(($(date +%s%3N) - 60000))" +inf BYSCORE' in made.text("Late")


def test_a_number_is_changed_by_what_the_operation_brings() -> None:
    made = bench(TIMES, "redis")
    assert 'HINCRBY "stock:$s" left "-$qty"' in made.text("Take")
    assert 'HINCRBY "stock:$s" left "$qty"' in made.text("Give back")


TIMES = """
keywright: 1
name: Holds
entities:
  - {name: hold, count: 10k, fields: [id uuid key, sku string avg 10, until datetime]}
  - {name: stock, count: 1k, fields: [sku string key avg 10, left int32]}
patterns:
  - {operation: Due, list: hold, where: hold.until < now(), order by: hold.until, needs: [hold.id, hold.until]}
  - operation: Late
    list: hold
    where: hold.until > now() - interval '60 seconds'
    order by: hold.until
    needs: [hold.id, hold.until]
  - {operation: Take, update: stock, where: "stock.sku = :s", set: {stock.left: "- :qty"}}
  - {operation: Give back, update: stock, where: "stock.sku = :s", set: {stock.left: "+ :qty"}}
models:
  - name: Keys
    store: redis
    structures:
      - {keys: due, type: sorted set, of: hold, member: "{hold.id}", score: hold.until}
      - {keys: "stock:{stock.sku}", type: hash, of: stock}
      - {keys: "log:{hold.sku}", type: stream, of: hold}
"""
