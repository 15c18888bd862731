"""DynamoDB: what a filter can say, what an index leaves to it, and keys that cannot be what is typed."""

from app.analysis import analyse
from app.exporters import queries
from app.model.text import read_yaml
from app.plan.world import build_world
from app.stores import STORES

SHOPS = """
keywright: 1
name: Shops
entities:
  - name: shop
    count: 1000
    fields:
      - id string key avg 4
      - city string avg 6 distinct 10
      - name string avg 20
      - about string avg 100
      - place point
      - closes_at datetime present 10%
      - rank int32
patterns:
  - {operation: Near, list: shop, where: "shop.city = :city and near(shop.place, :point, 5)"}
  - {operation: Words, search: shop, where: "shop.city = :city and matches(shop.name, shop.about, :words)"}
  - {operation: Name, list: shop, where: "shop.rank = 3 and shop.name = :name", needs: [shop.id]}
  - {operation: City, list: shop, where: "shop.city = :city and shop.rank = 3", needs: [shop.about]}
models:
  - name: M
    store: dynamodb
    structures:
      - table: shops
        of: shop
        pk: "{shop.city}"
        sk: "{shop.id}"
        gsi: [{name: by_rank, pk: "R#{shop.rank|pad 4}", projection: keys}]
        lsi: [{name: by_name, sk: "{shop.name}", projection: keys}]
"""


def text(operation: str) -> str:
    made = analyse(read_yaml(SHOPS))
    return queries.query(made, made.models[0], operation)


def test_no_filter_measures_a_distance():
    asked = text("Near")
    assert "FilterExpression" not in asked
    assert "no filter measures a distance" in asked


def test_words_may_stand_in_one_of_several_attributes():
    assert '"FilterExpression": "(contains(#name, :name) OR contains(#about, :about))"' in text("Words")


def test_what_an_index_does_not_project_is_filtered_after_a_further_read():
    """An attribute that is not there meets no filter; a literal in a key is padded like the key."""
    asked = text("Name")
    assert '"IndexName": "by_rank"' in asked
    assert '"S": "R#0003"' in asked
    assert "FilterExpression" not in asked
    assert "shops.by_rank does not project name" in asked


def test_an_expiry_that_is_a_text_key_is_named():
    """The expiry is a number of seconds; a key attribute has one type in every item."""
    body = SHOPS.replace('sk: "{shop.id}"', 'sk: "{shop.id}"\n        ttl: at shop.closes_at')
    body = body.replace('by_name, sk: "{shop.name}"', 'by_close, sk: "{shop.closes_at}"')
    project = read_yaml(body)
    model = project.models[0]
    faults = STORES["dynamodb"].problems(model.structures[0], model, build_world(project))
    assert [f.code for f in faults] == ["expiry-in-key"]


def test_short_index_names_are_named_and_made_long_enough():
    project = read_yaml(SHOPS.replace("by_rank", "R"))
    model = project.models[0]
    faults = STORES["dynamodb"].problems(model.structures[0], model, build_world(project))
    assert [f.code for f in faults] == ["index-name"]
    table = STORES["dynamodb"].script(model, project, build_world(project))["shops.create-table.json"]
    assert '"IndexName": "R__"' in table
