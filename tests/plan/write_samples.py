"""Small models by hand, for what writes reach: orders, a blog, stock, follows, a cache."""

from collections.abc import Iterable
from dataclasses import replace
from math import inf

from app.model.keys import Kept
from app.model.spread import ONE, Spread
from app.plan.types import (
    AccessPath,
    Cond,
    Dialect,
    Edge,
    Encoding,
    Figure,
    Held,
    Joins,
    Kind,
    Op,
    Part,
    Record,
    Rel,
    Stat,
    Use,
    World,
    Writing,
)

PLAIN = Encoding(
    field=lambda name, _kind, size: len(name) + size,
    record=10,
    element=lambda _i, size: size + 2,
    nested=lambda name, size: len(name) + size,
    array=lambda name, size: len(name) + size,
    entry=lambda size: size,
)
RANGES = dict.fromkeys(("<", "<=", ">", ">=", "between", "prefix"), Op(Kind.SPAN))
OPS = {"=": Op(Kind.POINT), "in": Op(Kind.POINTS), **RANGES}


def dialect(store: str, writing: Writing, **flags: object) -> Dialect:
    return Dialect(store=store, title=store, ops=OPS, encoding=PLAIN, joins=Joins(), writing=writing, **flags)  # type: ignore[arg-type]


DOCUMENTS = dialect(
    "documents",
    Writing(across="transaction", condition="transaction", by_condition=True),
    residual=Use.SERVER, sort=Use.SERVER, fetch=Use.SERVER, later=Use.SERVER,
)  # fmt: skip
ROWS = dialect(
    "rows",
    Writing(across="transaction", condition="transaction", by_condition=True, all_indexes=True),
    residual=Use.SERVER, sort=Use.SERVER, fetch=Use.SERVER, later=Use.SERVER,
)  # fmt: skip
ITEMS = dialect(
    "items",
    Writing(across="transaction", items=100, twice=False, factor=2, token=True, condition="transaction", unit=1024),
    residual=Use.BILLED, sort=Use.CLIENT, fetch=Use.EACH,
)  # fmt: skip
WIDE = dialect("wide", Writing(across="batch", condition="partition"))
KEYS = dialect("keys", Writing(across="slot", condition="partition"))
FLAT = (DOCUMENTS, ROWS)


def held_in(rel: Rel, attrs: Iterable[str] | None = None, up: int = 0, **how: object) -> Held:
    """Children held by their parent."""
    return Held(rel.child, None if attrs is None else frozenset(attrs), Edge(rel, True), up, **{"how": "embed", **how})  # type: ignore[arg-type]


def copied(rel: Rel, *attrs: str, up: int = 0, age: float = inf, how: str = "copy") -> Held:
    """Attributes of a parent, copied."""
    return Held(rel.parent, frozenset(attrs), Edge(rel, False), up, age=age, how=how)


def key(texts: Iterable[str]) -> tuple[Part, ...]:
    """`-order.created_at`, `post.tags[]`, `ORDER#order.id`, `HELD#`, `reservation.id|hash`."""
    found: list[Part] = []
    for column, text in enumerate(texts):
        literal, _, rest = text.rpartition("#")
        if literal:
            found.append(Part(literal=literal + "#", column=column))
        if not rest:
            continue
        name = rest.lstrip("-").removesuffix("[]").removesuffix("|hash")
        kept = Kept(order=0, exact=False, fan=2) if rest.endswith("|hash") else Kept()
        found.append(Part(name, -1 if rest[0] == "-" else 1, kept, column, rest.endswith("[]")))
    return tuple(found)


def index(name: str, order: Iterable[str], partition: Iterable[str] = (), **more: object) -> AccessPath:
    more.setdefault("holds", frozenset())
    return AccessPath(name, "", key(partition), key(order), kind="index", **more)  # type: ignore[arg-type]


def record(
    name: str,
    of: str,
    d: Dialect,
    primary: Iterable[str],
    order: Iterable[str] = (),
    *,
    structure: str = "",
    root: Held | None = None,
    held: tuple[Held, ...] = (),
    indexes: tuple[AccessPath, ...] = (),
    size: float = 500,
    **more: object,
) -> Record:
    if d in FLAT:
        main = AccessPath(name, of, order=key(primary), unique=True, primary=True)
        paths = (AccessPath(f"{name} scan", of, scan=True, kind="scan"), main)
    else:
        paths = (AccessPath(name, of, key(primary), key(order), unique=True, primary=True, hashed=d is KEYS),)
    ways = tuple(replace(i, of=of, name=f"{name}.{i.name}") for i in indexes)
    shape = (root or Held(of), *held)
    return Record(name, structure or name, of, shape, (*paths, *ways), d, size=Spread(size), **more)  # type: ignore[arg-type]


def world(
    counts: dict[str, float], rels: tuple[Rel, ...] = (), figures: tuple[Figure, ...] = (), **distinct: float | Stat
) -> World:
    """Attributes as `order__id=…`; a number is that many distinct values."""
    stats = {k.replace("__", "."): v if isinstance(v, Stat) else Stat(v) for k, v in distinct.items()}
    aliases: dict[tuple[str, str], str] = {}
    for r in rels:
        for k, v in zip(r.key, r.via, strict=True):
            alone = len([o for o in rels if o.parent == r.parent and o.child == r.child]) == 1
            if alone:
                aliases[r.child, k] = v
                aliases[r.parent, v] = k
    return World(counts, stats, rels, figures, dict.fromkeys(counts, ()), {}, aliases, {})


def rel(role: str, parent: str, child: str, via: str, children: Spread, key: str = "id") -> Rel:
    return Rel(role, parent, (f"{parent}.{key}",), child, (f"{child}.{via}",), children)


def one(of: float) -> Stat:
    return Stat(of, unique=True)


# ---------------------------------------------------------------- orders
BUYER = rel("buyer", "user", "order", "buyer_id", Spread(10, 120, 5e3))
SELLER = rel("seller", "user", "order", "seller_id", Spread(500, 2e4, 9e5))
LINES = rel("order", "order", "line_item", "order_id", Spread(3, 12, 200))
CART = rel("cart", "cart", "cart_item", "user_id", Spread(4, 30, 200), key="user_id")
TOTAL = Figure("=order.total_cents", "order", LINES, frozenset({"line_item.qty", "line_item.unit_price_cents"}))
ORDERS = world(
    {"user": 1e6, "order": 1e7, "line_item": 3e7, "cart": 3e5, "cart_item": 1.2e6},
    (BUYER, SELLER, LINES, CART), (TOTAL,),
    user__id=one(1e6), order__id=one(1e7), order__buyer_id=1e6, order__seller_id=2e4, order__created_at=1e7,
    order__status=3, line_item__order_id=1e7, user__email=one(1e6), user__name=1e5, cart__user_id=one(3e5),
    cart_item__user_id=3e5,
)  # fmt: skip
WITH_TOTAL = Held("order", None, computed=frozenset({"=order.total_cents"}))
NAME = copied(BUYER, "user.name")
BY_BUYER = index("buyer", ("order.buyer_id", "-order.created_at", "-order.id"))
BY_SELLER = index("seller", ("order.seller_id", "-order.created_at", "-order.id"))
ORDERS_DOCUMENTS = (
    record("users", "user", DOCUMENTS, ("user.id",), indexes=(index("email", ("user.email",), unique=True),)),
    record(
        "orders",
        "order",
        DOCUMENTS,
        ("order.id",),
        root=WITH_TOTAL,
        held=(held_in(LINES), NAME),
        indexes=(BY_BUYER, BY_SELLER),
    ),
    record("carts", "cart", DOCUMENTS, ("cart.user_id",), held=(held_in(CART, limit=200),)),
)
ORDERS_ROWS = (
    record("users", "user", ROWS, ("user.id",), indexes=(index("email", ("user.email",), unique=True),)),
    record("orders", "order", ROWS, ("order.id",), root=WITH_TOTAL, indexes=(BY_BUYER,)),
    record("lines", "line_item", ROWS, ("line_item.order_id", "line_item.sku")),
)
ORDERS_ITEMS = (
    record("user", "user", ITEMS, ("USER#user.id",), structure="desk"),
    record(
        "order", "order", ITEMS, ("ORDER#order.id",), structure="desk", root=WITH_TOTAL, held=(held_in(LINES), NAME),
        indexes=(
            index("GSI1", ("order.created_at", "order.id"), ("BUYER#order.buyer_id",), strong=False,
                  holds=frozenset({"order.status", "=order.total_cents", "order.id"})),
            index("GSI2", ("order.created_at", "order.id"), ("SELLER#order.seller_id",), strong=False,
                  holds=frozenset({"=order.total_cents", "order.id"})),
        ),
    ),
)  # fmt: skip
ORDERS_WIDE = (
    record("order_by_id", "order", WIDE, ("order.id",), root=WITH_TOTAL, held=(held_in(LINES), NAME)),
    record(
        "orders_by_buyer", "order", WIDE, ("order.buyer_id",), ("-order.created_at", "-order.id"),
        root=Held("order", frozenset({"order.status"}), computed=frozenset({"=order.total_cents"})),
        truth=False, purpose="second copy",
    ),
)  # fmt: skip

# ---------------------------------------------------------------- blog
AUTHOR = rel("author", "author", "post", "author_id", Spread(20, 400, 9e3))
COMMENTER = rel("commenter", "author", "comment", "author_id", Spread(200, 4e3, 1e5))
COMMENTS = rel("post", "post", "comment", "post_id", Spread(10, 80, 1500))
COMMENT_COUNT = Figure("=post.comment_count", "post", COMMENTS)
BLOG = world(
    {"author": 5e4, "post": 1e6, "comment": 1e7},
    (AUTHOR, COMMENTER, COMMENTS), (COMMENT_COUNT,),
    author__id=one(5e4), post__id=one(1e6), post__slug=one(1e6), post__author_id=5e4,
    post__tags=Stat(1e4, elements=4, type="string[]"), comment__id=one(1e7), comment__post_id=1e6,
    comment__author_id=5e4, author__name=4e4, comment__likes=100,
)  # fmt: skip


def blog(*, subset: bool, age: float = 600) -> tuple[Record, ...]:
    newest = (("comment.created_at", -1),)
    shape = (
        copied(AUTHOR, "author.name", age=age),
        held_in(COMMENTS, first=10 if subset else 0, order=newest),
        copied(COMMENTER, "author.name", up=2),
    )
    posts = record(
        "posts", "post", DOCUMENTS, ("post.id",), held=shape, size=9e3,
        root=Held("post", None, computed=frozenset({"=post.comment_count"})),
        indexes=(
            index("slug", ("post.slug",), unique=True),
            index("author", ("post.author_id", "-post.published_at", "-post.id")),
            index("tag", ("post.tags[]", "-post.published_at", "-post.id")),
        ),
    )  # fmt: skip
    out = [record("authors", "author", DOCUMENTS, ("author.id",)), posts]
    if subset:
        by_post = index("post", ("comment.post_id", "-comment.created_at", "-comment.id"))
        name = copied(COMMENTER, "author.name")
        out.append(record("comments", "comment", DOCUMENTS, ("comment.id",), held=(name,), indexes=(by_post,)))
    return tuple(out)


# ---------------------------------------------------------------- stock and reservations
R_LINES = rel("reservation", "reservation", "reservation_line", "reservation_id", Spread(2.5, 9, 40))
STOCK = world(
    {"stock": 2e5, "reservation": 1e6, "reservation_line": 2.5e6, "event": 1e6}, (R_LINES,),
    reservation__id=one(1e6), stock__sku=2e5, event__id=one(1e6), reservation__order_id=one(1e6),
)  # fmt: skip
HELD_ONLY = Cond("reservation.status", "=", share=0.05)
UNSENT_ONLY = Cond("event.sent_at", "null", share=0.01)
STOCK_DOCUMENTS = (
    record("stock", "stock", DOCUMENTS, ("stock.sku", "stock.warehouse")),
    record(
        "reservations", "reservation", DOCUMENTS, ("reservation.id",), held=(held_in(R_LINES),),
        indexes=(
            index("order", ("reservation.order_id",), unique=True),
            index("held", ("reservation.expires_at",), only=(HELD_ONLY,)),
        ),
    ),
    record("outbox", "event", DOCUMENTS, ("event.id",), indexes=(index("unsent", ("event.id",), only=(UNSENT_ONLY,)),)),
)  # fmt: skip
STOCK_ITEMS = (
    record("stock", "stock", ITEMS, ("STOCK#stock.sku",), ("W#stock.warehouse",), structure="stock"),
    record(
        "reservation", "reservation", ITEMS, ("R#reservation.id",), structure="stock", held=(held_in(R_LINES),),
        indexes=(index("held", ("reservation.expires_at",), ("HELD#reservation.id|hash",), only=(HELD_ONLY,)),),
    ),
    record("event", "event", ITEMS, ("OUT#event.id",), structure="stock"),
)  # fmt: skip

# ---------------------------------------------------------------- the same order twice, a unique email
SHOP = world({"user": 5e5, "order": 5e6}, user__id=one(5e5), order__id=one(5e6), order__user_id=5e5)
ORDER_TWICE = (
    record("order in user", "order", ITEMS, ("USER#order.user_id",), ("ORDER#order.id",), structure="shop"),
    record("order detail", "order", ITEMS, ("ORDER#order.id",), structure="shop", purpose="second copy", truth=False),
)
UNIQUE_EMAIL = (
    record("user", "user", ITEMS, ("USER#user.id",), structure="desk"),
    record(
        "email", "user", ITEMS, ("EMAIL#user.email",), structure="desk", root=Held("user", frozenset({"user.id"})),
        purpose="unique", truth=False,
    ),
)  # fmt: skip

# ---------------------------------------------------------------- follows and timelines
FOLLOWER = rel("follower", "user", "follow", "follower_id", Spread(150, 2e3, 7500))
FOLLOWEE = rel("followee", "user", "follow", "followee_id", Spread(150, 3e3, 1e7))
WROTE = rel("author", "user", "post", "author_id", Spread(20, 900, 2e5))
SOCIAL = world(
    {"user": 1e7, "follow": 1.5e9, "post": 2e8}, (FOLLOWER, FOLLOWEE, WROTE),
    user__id=one(1e7), follow__follower_id=1e7, follow__followee_id=1e7, post__author_id=1e7, post__id=one(2e8),
)  # fmt: skip
FOLLOWS = (
    record("following", "follow", WIDE, ("follow.follower_id",), ("-follow.since", "follow.followee_id")),
    record(
        "followers",
        "follow",
        WIDE,
        ("follow.followee_id",),
        ("follow.follower_id",),
        truth=False,
        purpose="second copy",
    ),
)
TIMELINES = (
    record("posts_by_author", "post", WIDE, ("post.author_id",), ("-post.created_at", "post.id")),
    record(
        "timeline", "post", WIDE, ("follow.follower_id",), ("-post.created_at", "post.id"),
        held=(
            copied(WROTE, "user.id", how="for each"),
            held_in(FOLLOWEE, ("follow.follower_id",), up=1, how="for each"),
        ),
        truth=False, purpose="for each", entries=Spread(150, 3e3, 1e7),
    ),
)  # fmt: skip

# ---------------------------------------------------------------- a product, its stock, a cache in front
P_STOCK = rel("product", "product", "stock", "product_id", ONE)
PRODUCTS = world(
    {"product": 5e4, "stock": 5e4}, (P_STOCK,),
    product__id=one(5e4), product__body=5e4, stock__product_id=one(5e4), stock__available=100,
)  # fmt: skip
CACHED = (
    record("products", "product", DOCUMENTS, ("product.id",), held=(held_in(P_STOCK),)),
    record(
        "cache:product", "product", KEYS, ("cache:product#product.id",), structure="cache",
        root=Held("product", None, age=300), held=(held_in(P_STOCK, ("stock.available",), age=300, how="copy"),),
        truth=False, purpose="cache", on_change="delete key",
    ),
)  # fmt: skip
