"""Worlds and models for reads of several steps: orders, a blog, tags, seeds, a timeline, a cache, sensors.

Written by hand, so that the planner is tested without the parts that lower a project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any

from app.model.spread import ONE, Spread
from app.plan.types import (
    AccessPath,
    Cond,
    Dialect,
    Edge,
    Held,
    NeedNode,
    Query,
    Record,
    Rel,
    Stat,
    World,
)
from tests.plan.dialects import dialect_of
from tests.plan.notation import component

S, F = Spread, frozenset
Paths = tuple[tuple[Any, ...], ...]


def world(
    counts: Mapping[str, float],
    stats: Mapping[str, Stat],
    aliases: Mapping[tuple[str, str], str] | None = None,
    rels: tuple[Rel, ...] = (),
    keys: Mapping[str, tuple[str, ...]] | None = None,
) -> World:
    keys = keys or {e: (f"{e}.id",) for e in counts}
    joins = {a for r in rels for a in (*r.key, *r.via)}
    return World(
        counts=counts, stats=stats, rels=rels, figures=(), fields={}, keys=keys, aliases=aliases or {},
        sizes={}, immutable=F(a for k in keys.values() for a in k) | joins,
    )  # fmt: skip


def rel(role: str, parent: str, key: str, child: str, via: str, children: Spread = ONE) -> Rel:
    return Rel(role, parent, (key,), child, (via,), children)


def down(r: Rel) -> Edge:
    return Edge(r, True)


def up(r: Rel) -> Edge:
    return Edge(r, False)


def key(texts: tuple[str, ...], first: int = 0) -> Any:
    return tuple(p for i, t in enumerate(texts) for p in component(t, first + i))


def record(  # noqa: PLR0917  (a table of records reads best by position)
    name: str,
    structure: str,
    of: str,
    dialect: Dialect,
    primary: tuple[str, ...],
    order: tuple[str, ...] = (),
    indexes: Paths = (),
    held: tuple[Held, ...] = (),
    root: Held | None = None,
    **more: Any,
) -> Record:
    """`primary`: the partition, or the key where a store has none; `indexes`: name, partition, order, holds, unique,
    strong."""
    flat = dialect.store in ("mongodb", "postgresql")
    if flat:
        paths = [
            AccessPath(f"{name} scan", of, scan=True, kind="scan"),
            AccessPath(name, of, order=key(primary), unique=True, primary=True),
        ]
    else:
        stored, hashed = key(order, 100), dialect.store == "redis"
        placed = key(primary) if hashed else ()
        paths = [AccessPath(name, of, key(primary), stored, unique=True, primary=True, hashed=hashed, placed_by=placed)]
    for iname, partition, stored_by, holds, unique, strong in indexes:
        kept = F(holds) if holds is not None else None
        paths.append(
            AccessPath(
                f"{name}.{iname}",
                of,
                key(partition),
                key(stored_by, 100),
                kept,
                unique,
                strong=strong,
                kind="index",
            )
        )
    return Record(name, structure, of, (root or Held(of), *held), tuple(paths), dialect, **more)


def eq(attr: str) -> Cond:
    return Cond(attr)


def need(entity: str, attrs: Any, *rest: Any, **more: Any) -> NeedNode:
    return NeedNode(entity, F(attrs), *rest, **more)


M, D, C, P, R = (dialect_of(s) for s in ("mongodb", "dynamodb", "cassandra", "postgresql", "redis"))

# ---------------------------------------------------------------- orders

BUYER = rel("buyer", "user", "user.id", "order", "order.buyer_id", S(10, 120, 5e3))
SELLER = rel("seller", "user", "user.id", "order", "order.seller_id", S(500, 2e4, 9e5))
LINES = rel("order", "order", "order.id", "line_item", "line_item.order_id", S(3, 12, 200))
ORDERS = world(
    counts={"user": 1e6, "order": 1e7, "line_item": 3e7},
    stats={
        "user.id": Stat(1e6, unique=True),
        "order.id": Stat(1e7, unique=True),
        "order.buyer_id": Stat(1e6),
        "order.seller_id": Stat(2e4),
        "order.created_at": Stat(1e7),
        "line_item.order_id": Stat(1e7),
        "user.email": Stat(1e6, unique=True),
    },
    aliases={
        ("order", "user.id"): "order.buyer_id",
        ("order", "line_item.order_id"): "order.id",
        ("line_item", "order.id"): "line_item.order_id",
    },
    rels=(BUYER, SELLER, LINES),
)
ORDER_ATTRS = F({"order.id", "order.buyer_id", "order.status", "order.created_at", "=order.total"})
LINE_ATTRS = F({"line_item.sku", "line_item.qty", "line_item.price"})


def order_page(historical: bool = True, strong: bool = True) -> Query:
    needs = (
        need("order", ORDER_ATTRS, where=(eq("order.id"),), strong=strong),
        need("line_item", LINE_ATTRS, down(LINES), 0, strong=strong),
        need("user", {"user.name"}, up(BUYER), 0, historical=historical),
    )
    return Query("Load order page", "get", needs)


NEWEST = (("order.created_at", -1), ("order.id", -1))
OF_BUYER = need(
    "order",
    {"order.id", "order.status", "=order.total"},
    where=(eq("order.buyer_id"),),
    order=NEWEST,
    age=300,
)
BUYER_LIST = Query("Orders of a buyer", "list", (OF_BUYER,), BUYER.children, 20)
BUYER_LIST_LINES = replace(
    BUYER_LIST,
    needs=(
        OF_BUYER,
        need("line_item", LINE_ATTRS, down(LINES), 0),
        need("user", {"user.name"}, up(BUYER), 0),
    ),
)
SELLER_NAMES = replace(BUYER_LIST, needs=(OF_BUYER, need("user", {"user.name"}, up(SELLER), 0, age=300)))
ITEMS = Held("line_item", None, down(LINES), 0, limit=200, how="embed")
NAME = Held("user", F({"user.name"}), up(BUYER), 0, age=inf, how="copy")
TOTAL = Held("order", None, computed=F({"=order.total"}))
BY_BUYER = ("buyer", (), ("order.buyer_id", "-order.created_at", "-order.id"), (), False, True)
BY_SELLER = ("seller", (), ("order.seller_id", "-order.created_at", "-order.id"), (), False, True)
ORDERS_MONGO = (
    record("users", "users", "user", M, ("user.id",)),
    record("orders", "orders", "order", M, ("order.id",), (), (BY_BUYER, BY_SELLER), (ITEMS, NAME), TOTAL),
)
ORDERS_REFERENCED = (
    record("users", "users", "user", M, ("user.id",)),
    record("orders", "orders", "order", M, ("order.id",), (), (BY_BUYER,), (), TOTAL),
    record(
        "lines", "lines", "line_item", M, ("line_item.id",), (),
        (("order", (), ("line_item.order_id",), (), False, True),),
    ),
)  # fmt: skip
ORDERS_POSTGRES = (
    record("users", "users", "user", P, ("user.id",)),
    record("orders", "orders", "order", P, ("order.id",), (), (BY_BUYER,), (), TOTAL),
    record("lines", "lines", "line_item", P, ("line_item.order_id", "line_item.sku")),
)
GSI1 = (
    "GSI1", ("BUYER#{order.buyer_id}",), ("{order.created_at}#{order.id}",),
    ("order.status", "=order.total", "order.id"), False, False,
)  # fmt: skip
GSI2 = (
    "GSI2", ("SELLER#{order.seller_id}",), ("{order.created_at}#{order.id}",),
    ("=order.total", "order.id"), False, False,
)  # fmt: skip
ORDERS_DYNAMO = (
    record("user", "desk", "user", D, ("USER#{user.id}",), ("PROFILE",)),
    record("order", "desk", "order", D, ("ORDER#{order.id}",), ("ORDER",), (GSI1, GSI2), (ITEMS, NAME), TOTAL),
)
ORDERS_CASSANDRA = (
    record("order_by_id", "order_by_id", "order", C, ("order.id",), (), (), (ITEMS, NAME), TOTAL),
    record(
        "orders_by_buyer", "orders_by_buyer", "order", C, ("order.buyer_id",),
        ("-order.created_at", "-order.id"), (), (),
        Held("order", F({"order.status"}), computed=F({"=order.total"})), truth=False, purpose="second copy",
    ),
    record(
        "orders_by_buyer_thin", "orders_by_buyer_thin", "order", C, ("order.buyer_id",),
        ("-order.created_at", "-order.id"), (), (), Held("order", F({"order.status"})), truth=False,
    ),
)  # fmt: skip
ORDERS_STATIC = (
    record("order_header", "order_lines", "order", C, ("order.id",), root=TOTAL, static=True),
    record(
        "order_line", "order_lines", "line_item", C, ("line_item.order_id",), ("line_item.sku",),
        per=LINES.children,
    ),
    record("users", "users", "user", C, ("user.id",)),
)  # fmt: skip


def orders_rows(size: float = 500) -> tuple[Record, ...]:
    """Parent and children in one item collection, with an unrelated kind between them."""
    big = S(size)
    return (
        record("order", "desk", "order", D, ("ORDER#{order.id}",), ("A#HEAD",), root=TOTAL, size=big),
        record(
            "history", "desk", "history", D, ("ORDER#{history.order_id}",), ("H#{history.at}",),
            per=S(8, 30, 100), size=big,
        ),
        record(
            "line", "desk", "line_item", D, ("ORDER#{line_item.order_id}",), ("I#{line_item.sku}",),
            per=LINES.children, size=big,
        ),
        record("user", "desk", "user", D, ("USER#{user.id}",), ("P",)),
    )  # fmt: skip


# ---------------------------------------------------------------- blog

AUTHOR = rel("author", "author", "author.id", "post", "post.author_id", S(20, 400, 9e3))
COMMENTER = rel("commenter", "author", "author.id", "comment", "comment.author_id", S(200, 4e3, 1e5))
COMMENTS = rel("post", "post", "post.id", "comment", "comment.post_id", S(10, 80, 1500))
RECENT = (("comment.created_at", -1),)
BLOG = world(
    counts={"author": 5e4, "post": 1e6, "comment": 1e7},
    stats={
        "author.id": Stat(5e4, unique=True),
        "post.id": Stat(1e6, unique=True),
        "post.slug": Stat(1e6, unique=True),
        "post.author_id": Stat(5e4),
        "comment.id": Stat(1e7, unique=True),
        "comment.post_id": Stat(1e6),
        "comment.author_id": Stat(5e4),
    },
    aliases={("post", "comment.post_id"): "post.id", ("post", "author.id"): "post.author_id"},
    rels=(AUTHOR, COMMENTER, COMMENTS),
)
POST_ATTRS = F({"post.id", "post.title", "post.content"})
COMMENT_ATTRS = F({"comment.text", "comment.created_at"})


def read_post(first: int = 10, age: float = 60, avatar: bool = True, historical: bool = True) -> Query:
    shown = {"author.name", "author.avatar"} if avatar else {"author.name"}
    needs = (
        need("post", POST_ATTRS, where=(eq("post.slug"),), age=60),
        need("author", shown, up(AUTHOR), 0, age=age),
        need("comment", COMMENT_ATTRS, down(COMMENTS), 0, order=RECENT if first else (), first=first, age=60),
        need("author", {"author.name"}, up(COMMENTER), 2, age=age, historical=historical),
    )
    return Query("Read a post", "get", needs)


def blog(subset: bool, refresh: float = 600) -> tuple[Record, ...]:
    copied = {"author.name"} if subset else {"author.name", "author.avatar"}
    shape = (
        Held("author", F(copied), up(AUTHOR), 0, age=refresh, how="copy"),
        Held("comment", None, down(COMMENTS), 0, first=10 if subset else 0, order=RECENT, how="embed"),
        Held("author", F({"author.name"}), up(COMMENTER), 2, age=inf, how="copy"),
    )
    found = [
        record("authors", "authors", "author", M, ("author.id",)),
        record(
            "posts", "posts", "post", M, ("post.id",), (),
            (("slug", (), ("post.slug",), (), True, True),), shape, size=S(9e3),
        ),
    ]  # fmt: skip
    if subset:
        by_post = ("post", (), ("comment.post_id", "-comment.created_at", "-comment.id"), (), False, True)
        name = Held("author", F({"author.name"}), up(COMMENTER), 0, age=inf, how="copy")
        found.append(record("comments", "comments", "comment", M, ("comment.id",), (), (by_post,), (name,)))
    return tuple(found)


# ---------------------------------------------------------------- tags: by an array of ids, or by link records

T_POST = rel("tagged.post", "post", "post.id", "tagged", "tagged.post_id", S(4, 12, 20))
T_TAG = rel("tagged.tag", "tag", "tag.id", "tagged", "tagged.tag_id", S(400, 9e3, 3e4))
TAGS = world(
    counts={"post": 1e6, "tag": 1e4, "tagged": 4e6},
    stats={
        "post.id": Stat(1e6, unique=True),
        "tag.id": Stat(1e4, unique=True),
        "tagged.post_id": Stat(1e6),
        "tagged.tag_id": Stat(1e4, elements=4),
        "tag.name": Stat(1e4, unique=True),
    },
    aliases={("post", "tagged.post_id"): "post.id", ("tag", "tagged.tag_id"): "tag.id"},
    rels=(T_POST, T_TAG),
)
POST_TAGS = Query(
    "Post with the names of its tags",
    "get",
    (
        need("post", {"post.title"}, where=(eq("post.id"),)),
        need("tagged", (), down(T_POST), 0),
        need("tag", {"tag.name"}, up(T_TAG), 1),
    ),
)
TAG_POSTS = Query(
    "Posts of a tag",
    "list",
    (need("post", {"post.title"}), need("tagged", (), down(T_POST), 0, where=(eq("tagged.tag_id"),))),
    T_TAG.children,
    20,
)
TAG_IDS = Held("tagged", F({"tagged.tag_id"}), down(T_POST), 0, how="reference")
BY_TAG = ("tags", (), ("tagged.tag_id[]",), (), False, True)
TAGS_ARRAY = (
    record("posts", "posts", "post", M, ("post.id",), (), (BY_TAG,), (TAG_IDS,)),
    record("tags", "tags", "tag", M, ("tag.id",)),
)
TAGS_LINK = (
    record("posts", "posts", "post", P, ("post.id",)),
    record("tags", "tags", "tag", P, ("tag.id",)),
    record(
        "tagged", "tagged", "tagged", P, ("tagged.post_id", "tagged.tag_id"), (),
        (("tag", (), ("tagged.tag_id",), (), False, True),),
    ),
)  # fmt: skip

# ---------------------------------------------------------------- a shop in one table

U_ORDER = rel("user", "user", "user.id", "order", "order.user_id", S(10, 90, 2e3))
O_ITEM = rel("order", "order", "order.id", "item", "item.order_id", S(3, 12, 200))
P_REVIEW = rel("product", "product", "product.id", "review", "review.product_id", S(20, 600, 3e4))
SHOP_TABLE = world(
    counts={"user": 5e5, "order": 5e6, "product": 2e4, "review": 4e5, "item": 1.5e7},
    stats={
        "user.id": Stat(5e5, unique=True),
        "order.id": Stat(5e6, unique=True),
        "order.user_id": Stat(5e5),
        "product.id": Stat(2e4, unique=True),
        "review.product_id": Stat(2e4),
    },
    rels=(U_ORDER, O_ITEM, P_REVIEW),
)
PRODUCT_PAGE = Query(
    "Product page",
    "get",
    (
        need("product", {"product.name"}, where=(eq("product.id"),)),
        need("review", {"review.rating", "review.comment"}, down(P_REVIEW), 0),
    ),
)
ORDER_DETAILS = Query(
    "Order details",
    "get",
    (
        need("order", {"order.status", "order.total"}, where=(eq("order.id"),)),
        need("item", {"item.qty"}, down(O_ITEM), 0),
    ),
)
ONE_TABLE = (
    record("user", "shop", "user", D, ("USER#{user.id}",), ("PROFILE",)),
    record(
        "order", "shop", "order", D, ("USER#{order.user_id}",), ("ORDER#{order.placed_on}#{order.seq}",),
        held=(Held("item", None, down(O_ITEM), 0, how="embed"),), per=U_ORDER.children,
    ),
    record("product", "shop", "product", D, ("PRODUCT#{product.id}",), ("METADATA",)),
    record(
        "review", "shop", "review", D, ("PRODUCT#{review.product_id}",), ("REVIEW#USER#{review.user_id}",),
        per=P_REVIEW.children,
    ),
)  # fmt: skip

# ---------------------------------------------------------------- a timeline

FOLLOWER = rel("follower", "user", "user.id", "follow", "follow.follower_id", S(150, 2e3, 7500))
FOLLOWEE = rel("followee", "user", "user.id", "follow", "follow.followee_id", S(150, 3e3, 1e7))
WROTE = rel("author", "user", "user.id", "post", "post.author_id", S(20, 900, 2e5))
SOCIAL = world(
    counts={"user": 1e7, "follow": 1.5e9, "post": 2e8},
    stats={
        "user.id": Stat(1e7, unique=True),
        "follow.follower_id": Stat(1e7),
        "follow.followee_id": Stat(1e7),
        "post.author_id": Stat(1e7),
        "post.id": Stat(2e8, unique=True),
    },
    aliases={("post", "user.id"): "post.author_id"},
    rels=(FOLLOWER, FOLLOWEE, WROTE),
)
TIMELINE = Query(
    "Home timeline",
    "list",
    (
        need("post", {"post.body", "post.created_at"}, order=(("post.created_at", -1),)),
        need("user", (), up(WROTE), 0),
        need("follow", (), down(FOLLOWEE), 1, where=(eq("follow.follower_id"),)),
    ),
    FOLLOWER.children,
    50,
)
FOLLOWING = record(
    "following", "following", "follow", C, ("follow.follower_id",), ("-follow.since", "follow.followee_id")
)
POSTS_BY_AUTHOR = record(
    "posts_by_author", "posts_by_author", "post", C, ("post.author_id",), ("-post.created_at", "post.id")
)
TIMELINE_TABLE = record(
    "timeline", "timeline", "post", C, ("follow.follower_id",), ("-post.created_at", "post.id"), (),
    (
        Held("user", F({"user.id"}), up(WROTE), 0),
        Held("follow", F({"follow.follower_id"}), down(FOLLOWEE), 1),
    ),
    truth=False, purpose="for each", entries=S(150, 3e3, 1e7),
)  # fmt: skip

# ---------------------------------------------------------------- a cache

STOCK = rel("product", "product", "product.id", "stock", "stock.product_id")
CACHED = world(
    counts={"product": 5e4, "stock": 5e4},
    stats={"product.id": Stat(5e4, unique=True), "stock.product_id": Stat(5e4, unique=True)},
    aliases={("product", "stock.product_id"): "product.id"},
    rels=(STOCK,),
)


def product_page(age: float = 10) -> Query:
    needs = (
        need("product", {"product.name", "product.body"}, where=(eq("product.id"),), age=300),
        need("stock", {"stock.available"}, down(STOCK), 0, age=age),
    )
    return Query("Product page", "get", needs)


CACHE = (
    record("products", "products", "product", M, ("product.id",), held=(Held("stock", None, down(STOCK), 0),)),
    record(
        "cache:product", "cache", "product", R, ("cache:product:{product.id}",),
        held=(Held("stock", F({"stock.available"}), down(STOCK), 0, age=300, how="copy"),),
        root=Held("product", None, age=300), truth=False, purpose="cache",
    ),
)  # fmt: skip

# ---------------------------------------------------------------- sensors: one document per sensor and day

SENSORS = world(counts={"reading": 1.3e10}, stats={"reading.sensor_id": Stat(1e5)}, keys={"reading": ()})
LAST_DAY = Query(
    "Last 24 h",
    "list",
    (
        need(
            "reading", {"reading.temperature"},
            where=(eq("reading.sensor_id"), Cond("reading.at", ">=", share=1440 / 1.3e5, seconds=86_400)),
        ),
    ),
    S(1440, 1440, 1440),
)  # fmt: skip
BUCKETS = (record("readings", "readings", "reading", M, ("{reading.sensor_id}:{reading.at|day}",), group=1440),)
