"""Records of one element: an array in the key of a table, an item or a key family."""

import pytest

from app.analysis import ModelReport, analyse
from app.memory import Memory
from app.model.text import read_yaml
from app.plan.types import Level
from app.plan.world import build_world

TAGS = """
keywright: 1
name: Tags
entities:
  - name: post
    count: 1M
    fields:
      - id uuid key
      - title string avg 50
      - tags string[] distinct 10k items avg 4 max 20
      - published_at datetime monotonic
patterns:
  - operation: Posts with a tag
    list: post
    where: "contains(post.tags, :tag)"
    order by: post.published_at desc
    limit: 20
    needs: [post.id, post.title]
    matches: 400
    consistency: eventual 5 min
  - {operation: Write, insert: post}
  - {operation: Retitle, update: post, where: "post.id = :p", set: {post.title: ":t"}}
  - {operation: Retag, update: post, where: "post.id = :p", set: {post.tags: ":tags"}}
  - {operation: Add a tag, update: post, where: "post.id = :p", set: {post.tags: {push: ":tag"}}}
  - {operation: Remove, delete: post, where: "post.id = :p"}
models:
  - name: Tables
    store: cassandra
    structures:
      - {table: posts, of: post, partition key: [post.id]}
      - {table: posts_by_tag, of: post, purpose: second copy, partition key: [post.tags], clustering key: [post.published_at desc, post.id], fields: [post.title]}
  - name: Items
    store: dynamodb
    structures:
      - table: blog
        records:
          - {of: post, pk: "POST#{post.id}", sk: POST}
          - {of: post, purpose: second copy, pk: "TAG#{post.tags}", sk: "{post.published_at}#{post.id}", fields: [post.title]}
  - name: Keys
    store: redis
    structures:
      - {keys: "post:{post.id}", type: hash, of: post}
      - {keys: "posts:by_tags:{post.tags}", type: sorted set, of: post, purpose: second copy, member: "{post.id}", score: post.published_at}
  - name: List as a key of an index
    store: dynamodb
    structures:
      - table: posts
        of: post
        pk: "{post.id}"
        gsi: [{name: GSI1, pk: "{post.tags}", sk: "{post.published_at}", projection: all}]
"""  # noqa: E501
STORES = ("Tables", "Items", "Keys")
COPY = {"Tables": "posts_by_tag", "Items": "blog/post second copy", "Keys": "posts:by_tags:{post.tags}"}


@pytest.fixture(scope="module")
def models() -> dict[str, ModelReport]:
    return {m.model.name: m for m in analyse(read_yaml(TAGS), Memory()).models}


def touched(made: ModelReport, operation: str) -> list[tuple[str, float, str]]:
    plan = made.plans[operation]
    return [(t.op, t.count.avg, t.find) for t in plan.touches if t.record == COPY[made.model.name]]


@pytest.mark.parametrize("name", STORES)
def test_the_list_of_a_tag_is_one_range(models: dict[str, ModelReport], name: str) -> None:
    made = models[name]
    plan = made.plans["Posts with a tag"]
    kept = next(r for r in made.records if r.name == COPY[name])
    assert kept.entries.avg == 4
    assert kept.count == pytest.approx(4e6) or kept.value_type
    assert plan.steps[0].records_of == (kept.name,)
    assert plan.steps[0].level is Level.PARTITION_RANGE
    if name != "Keys":  # where the sorted set holds no titles
        assert (plan.level, plan.requests.avg, plan.records.avg) == (Level.PARTITION_RANGE, 1, 20)


@pytest.mark.parametrize("name", STORES)
def test_a_record_is_written_for_each_element(models: dict[str, ModelReport], name: str) -> None:
    made = models[name]
    assert touched(made, "Write") == [("put", 4, "key")]
    assert touched(made, "Remove")[0][:2] == ("remove", 4)
    ((op, count, find),) = touched(made, "Retag")
    assert (op, count) == ("move", 4)
    assert find != "key"  # the old tags are read
    assert made.plans["Retag"].level is Level.FAN_OUT
    assert touched(made, "Add a tag")[0] == ("put", 1, "key")


@pytest.mark.parametrize("name", ["Tables", "Items"])
def test_what_each_repeats_is_written_in_each(models: dict[str, ModelReport], name: str) -> None:
    ((op, count, find),) = touched(models[name], "Retitle")
    assert (op, count) == ("set", 4)
    assert find != "key"
    assert not touched(models["Keys"], "Retitle")


def test_the_text_names_one_element(models: dict[str, ModelReport]) -> None:
    project = read_yaml(TAGS)
    pattern = project.pattern("Posts with a tag")
    assert pattern is not None
    texts = {
        n: m.store.query(pattern, m.plans[pattern.operation], m.model, build_world(project)) for n, m in models.items()
    }
    assert "WHERE tags = :tag" in texts["Tables"]
    assert '"KeyConditionExpression": "#pk = :pk"' in texts["Items"]
    assert '"S": "TAG#{tag}"' in texts["Items"]
    assert 'ZRANGE "posts:by_tags:$tag"' in texts["Keys"]


def test_a_list_is_no_key_of_an_index(models: dict[str, ModelReport]) -> None:
    made = models["List as a key of an index"]
    assert [p.name for p in made.records[0].paths] == ["posts", "posts scan"]
    assert made.plans["Posts with a tag"].level is Level.SCAN


def test_a_key_column_of_an_array_has_the_type_of_its_elements(models: dict[str, ModelReport]) -> None:
    project, made = read_yaml(TAGS), models["Tables"]
    (text,) = made.store.script(made.model, project, build_world(project)).values()
    assert "tags text," in text
