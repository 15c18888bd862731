"""What paths mean along roles."""

import pytest

from app.model.roles import Ambiguous, Resolved, Unknown, own_column, resolve
from tests.model.samples import library, made

SHOP = """
entities:
  - {name: user, fields: [id uuid key, name string]}
  - {name: order, fields: [id uuid key, buyer_id uuid, seller_id uuid]}
  - {name: line, fields: [order_id uuid, sku string, size.label string]}
  - {name: post, fields: [id uuid key, "tags string[]"], is a: content}
  - {name: content, fields: [owner_id uuid, title string]}
  - {name: tag, fields: [id int32 key, label string]}
  - {name: follow, fields: [from_id uuid key, to_id uuid key]}
  - {name: stock, fields: [sku string key, place string key]}
  - {name: pick, fields: [sku string, place string]}
  - {name: island, fields: [id uuid key]}
relationships:
  - {name: buyer, parent: user, child: order, via: buyer_id}
  - {name: seller, parent: user, child: order, via: seller_id, children as: sales}
  - {parent: order, child: line, via: order_id}
  - {name: owner, parent: user, child: content, via: owner_id}
  - {name: tagged, from: post, to: tag}
  - {name: follower, parent: user, child: follow, via: from_id}
  - {name: followee, parent: user, child: follow, via: to_id}
  - {parent: stock, child: pick, via: [sku, place]}
"""
PROJECT = made(SHOP)


def way(anchor: str, path: str, through: tuple[str, ...] = ()) -> tuple[str, str, str]:
    found = resolve(PROJECT, anchor, path, through)
    assert isinstance(found, Resolved), found
    return ".".join(("" if e.down else "^") + e.words for e in found.edges), found.entity, found.field


@pytest.mark.parametrize(
    ("anchor", "path", "edges", "entity", "field"),
    [
        ("order", "order.id", "", "order", "id"),
        ("order", "id", "", "order", "id"),
        ("order", "order", "", "order", ""),
        ("order", "buyer.name", "^buyer", "user", "name"),
        ("order", "order.buyer.name", "^buyer", "user", "name"),
        ("line", "buyer.name", "^order.^buyer", "user", "name"),
        ("line", "order.buyer.name", "^order.^buyer", "user", "name"),
        ("line", "line.size.label", "", "line", "size.label"),
        ("order", "line", "line", "line", ""),
        ("user", "sales.id", "sales", "order", "id"),
        ("user", "sales.line.sku", "sales.line", "line", "sku"),
        ("post", "title", "", "post", "title"),
        ("post", "content.title", "", "post", "title"),
        ("post", "owner.name", "^owner", "user", "name"),
        ("post", "tag.label", "tagged", "tag", "label"),
        ("tag", "post.id", "^tagged", "post", "id"),
        ("tagged", "tag.label", "tagged", "tag", "label"),
        ("tagged", "post.id", "^tagged", "post", "id"),
        ("pick", "stock.place", "^stock", "stock", "place"),
        ("follow", "followee.name", "^followee", "user", "name"),
    ],
)
def test_paths(anchor: str, path: str, edges: str, entity: str, field: str) -> None:
    assert way(anchor, path) == (edges, entity, field)


@pytest.mark.parametrize(
    ("anchor", "path", "column"),
    [
        ("order", "buyer.id", "order.buyer_id"),
        ("order", "seller.id", "order.seller_id"),
        ("order", "order.id", "order.id"),
        ("order", "buyer.name", None),
        ("order", "user.id", None),
        ("pick", "stock.place", "pick.place"),
        ("line", "buyer.id", None),
        ("line", "order.id", "line.order_id"),
        ("order", "line.sku", None),
    ],
)
def test_keys_of_parents_are_own_columns(anchor: str, path: str, column: str | None) -> None:
    assert own_column(PROJECT, anchor, path) == column


def test_through_names_the_way() -> None:
    assert way("content", "follow.from_id", ("owner", "followee")) == ("^owner.follow", "follow", "from_id")
    found = resolve(PROJECT, "content", "follow.from_id", ("owner", "followee"))
    assert isinstance(found, Resolved)
    assert found.edges[1].relationship.role == "followee"


def test_ambiguous_is_an_answer() -> None:
    found = resolve(PROJECT, "order", "user.name")
    assert isinstance(found, Ambiguous)
    assert found.what == "'user.name' could be reached by buyer or seller: name the role"
    assert len(found.ways) == 2


def test_an_entity_near_and_a_role_far_are_ambiguous() -> None:
    project = made("""
        entities: [{name: author, fields: [name]}, {name: post, fields: [id]}, {name: comment, fields: [id]}]
        relationships:
          - {parent: author, child: post}
          - {parent: post, child: comment}
          - {name: commenter, parent: author, child: comment}
        """)
    found = resolve(project, "comment", "author.name")
    assert isinstance(found, Ambiguous)
    assert {len(w.edges) for w in found.ways} == {1, 2}
    assert isinstance(resolve(project, "post", "author.name"), Resolved)
    assert isinstance(resolve(project, "post", "commenter.name"), Resolved)


@pytest.mark.parametrize(
    ("anchor", "path", "words"),
    [
        ("order", "buyer.nme", "user has no field 'nme'. Did you mean 'name'?"),
        ("order", "byuer.name", "Did you mean 'buyer'?"),
        ("ordr", "order.id", "there is no entity 'ordr'. Did you mean 'order'?"),
        ("order", "island.id", "no relationship leads from order to island"),
    ],
)
def test_unknown_says_why(anchor: str, path: str, words: str) -> None:
    found = resolve(PROJECT, anchor, path)
    assert isinstance(found, Unknown)
    assert words in found.what


def test_the_same_workload_is_indexed_once_and_an_edit_is_seen() -> None:
    project = library()
    assert isinstance(resolve(project, "loan", "borrower.name"), Resolved)
    fewer = project.model_copy(update={"relationships": project.relationships[1:]})
    assert isinstance(resolve(fewer, "loan", "borrower.name"), Unknown)
