"""From write patterns to changes."""

from app.model.spread import ONE, Spread, exactly
from app.plan.lower import lower, lower_write
from app.plan.types import Change, WriteIntent
from app.plan.world import build_world
from tests.plan.desk import desk


def write(text: str) -> WriteIntent:
    project = desk(text)
    found = lower(project.patterns[-1], build_world(project), project)
    assert isinstance(found, WriteIntent)
    return found


def only(text: str) -> Change:
    (change,) = write(text).changes
    return change


def test_a_new_record_knows_everything_it_has() -> None:
    c = only("{operation: N, insert: order, set: {order.status: open, order.created_at: now}, rate: 20/s}")
    assert (c.kind, c.entity, c.count) == ("insert", "order", ONE)
    assert {"order.id", "order.buyer_id", "order.coupon"} <= c.known
    assert c.sets["order.status"] == "value"
    assert c.literals == {"order.status": "open"}
    assert c.sets["order.created_at"] == "now"
    assert c.sets["order.seller_id"] == "param"
    assert "order.coupon" not in c.sets  # optional, and not said
    assert "=order.total_cents" not in c.sets


def test_a_key_the_server_makes_is_not_known() -> None:
    c = only("{operation: N, insert: move}")
    assert c.key_by == "server"
    assert "move.id" not in c.known
    assert {"move.sku", "move.warehouse"} <= c.known
    assert "move.id" in only("{operation: N, insert: move, retry: same key}").known


def test_a_batch_is_so_many() -> None:
    assert only("{operation: N, insert: move, batch: 500}").count == exactly(500)


def test_values_and_how_they_are_set() -> None:
    c = only(
        '{operation: U, update: order, where: "order.id = :o", set: {order.status: paid, order.coupon: ":c", '
        "order.created_at: now, order.tags: {push: ':t'}}}"
    )
    assert dict(c.sets) == {
        "order.status": "value",
        "order.coupon": "param",
        "order.created_at": "now",
        "order.tags": "push",
    }
    assert dict(c.literals) == {"order.status": "paid"}
    assert c.known == {"order.id"}
    steps = only(
        '{operation: U, update: stock, where: "stock.sku = :s and stock.warehouse = :w", set: {stock.available: -1}}'
    )
    assert dict(steps.sets) == {"stock.available": "add"}
    assert steps.count == ONE


def test_old_values_and_guards_stand_in_where() -> None:
    c = only(
        "{operation: U, update: order, where: \"order.id = :o and order.status = 'open'\", set: {order.status: paid}}"
    )
    assert c.before == {"order.status": "open"}
    assert c.only_if
    plain = only('{operation: U, update: order, where: "order.id = :o", set: {order.status: paid}}')
    assert not plain.only_if
    said = only(
        '{operation: U, update: order, where: "order.id = :o", set: {order.status: paid}, '
        'only if: "order.coupon is null"}'
    )
    assert said.only_if


def test_how_many_an_update_by_condition_meets() -> None:
    c = only('{operation: U, update: order, where: "order.buyer_id = :u", set: {order.status: paid}}')
    assert c.count == Spread(10, 120, 5000)
    assert c.known == {"order.buyer_id"}
    assert not c.only_if
    role = only('{operation: U, update: order, where: "buyer.id = :u", set: {order.status: paid}}')
    assert role.known == {"order.buyer_id"}


def test_an_upsert_knows_its_key_and_says_how_often_it_inserts() -> None:
    c = only(
        '{operation: P, upsert: stock, where: "stock.sku = :s and stock.warehouse = :w", '
        'set: {stock.available: ":a"}, inserts: 30%}'
    )
    assert (c.kind, c.count, c.inserts) == ("upsert", ONE, 0.3)
    assert c.known == {"stock.sku", "stock.warehouse"}
    load = only("{operation: P, upsert: stock, batch: 1000}")
    assert load.count == exactly(1000)
    assert "stock.available" in load.sets


def test_children_written_with_their_parent() -> None:
    order, line = write("{operation: N, insert: order, with: line_item, given: [buyer.name]}").changes
    assert (line.kind, line.entity, line.same_as) == ("insert", "line_item", "order")
    assert line.count == Spread(3, 12, 200)
    assert "line_item.order_id" in line.known
    assert order.given == {"buyer.name"}


def test_further_changes() -> None:
    order, cart, user = write(
        "{operation: N, insert: order, also: [{delete: cart_item, where: cart_item.user_id = :u}, "
        '{update: user, where: "user.id = :u", set: {user.name: ":n"}}]}'
    ).changes
    assert order.entity == "order"
    assert (cart.kind, cart.known, cart.count) == ("delete", {"cart_item.user_id"}, Spread(4, 30, 200))
    assert (user.kind, user.known, user.count) == ("update", {"user.id"}, ONE)


def test_one_change_for_each_child() -> None:
    text = (
        '{operation: M, update: stock, where: "stock.sku = :s and stock.warehouse = :w", set: {stock.available: 0}, '
        "also: [{update: move, for each: move, set: {move.qty: -1}}]}"
    )
    _, move = write(text).changes
    assert move.count == Spread(30, 0, float("inf"))
    intent = write("{operation: M, insert: order, also: [{update: user, for each: note, set: {user.name: x}}]}")
    assert intent.notes == ("the note records are read first: one update for each",)
    lost = write("{operation: M, insert: user, also: [{update: stock, for each: label, set: {stock.available: +1}}]}")
    assert "no relationship leads from user to label" in lost.questions[0]


def test_a_value_of_a_neighbour_is_a_change_of_the_neighbour() -> None:
    item, cart = write(
        '{operation: A, upsert: cart_item, where: "cart_item.user_id = :u and cart_item.sku = :s", '
        "set: {cart_item.qty: +1, cart.updated_at: now}}"
    ).changes
    assert dict(item.sets) == {"cart_item.qty": "add"}
    assert (cart.kind, cart.entity, cart.known) == ("update", "cart", {"cart.user_id"})
    assert cart.same_as == "cart of cart_item"  # the same cart that holds the item


def test_what_goes_with_a_deleted_parent() -> None:
    changes = write('{operation: D, delete: order, where: "order.id = :o"}').changes
    assert [(c.kind, c.entity, c.cascade) for c in changes] == [
        ("delete", "order", False),
        ("delete", "line_item", True),
        ("delete", "labelled", True),
    ]
    assert changes[1].known == {"line_item.order_id"}
    assert changes[1].count == Spread(3, 12, 200)


def test_a_soft_delete_is_an_update() -> None:
    c = only('{operation: D, delete: note, where: "note.id = :n"}')
    assert (c.kind, dict(c.sets), c.before) == ("update", {"note.deleted_at": "now"}, {"note.deleted_at": "null"})


def test_the_whole_operation() -> None:
    intent = write("{operation: N, insert: order, atomic: yes, retry: idempotency key, consistency: strong}")
    assert (intent.atomic, intent.retry, intent.strong) == (True, "idempotency key", True)


def test_what_a_read_writes_besides() -> None:
    project = desk("{operation: T, list: move, order by: move.id, limit: 5, also: [{delete: move}]}")
    w = build_world(project)
    (taken,) = lower_write(project.patterns[-1], w).changes
    assert (taken.kind, taken.count) == ("delete", exactly(5))
    assert taken.known == set(w.fields["move"])  # all that was read


def test_what_is_not_understood_is_asked() -> None:
    assert write('{operation: U, update: order, where: "order.id = :o"}').questions == (
        "what does the update set on order?",
    )
    assert write("{operation: N, insert: nothing}").questions == ("the entity nothing is not described",)
    unknown = write('{operation: U, update: order, where: "order.id = :o", set: {order.colour: red}}')
    assert "order has no field colour" in unknown.questions
    apart = write("{operation: N, insert: order, with: stock}")
    assert apart.questions == ("stock is written with order, but no relationship joins them",)
    far = write('{operation: U, update: order, where: "stock.sku = :s", set: {order.status: paid}}')
    assert any("nothing leads from order to stock" in q for q in far.questions)


def test_an_upsert_is_found_by_what_its_condition_names() -> None:
    """A new record's key is known, and finds no record that was there before."""
    upsert = only('{operation: P, upsert: stock, where: "stock.sku = :s", inserts: 30%}')
    assert upsert.named == {"stock.sku"}
    assert upsert.known > upsert.named
    assert only("{operation: P, upsert: stock, batch: 1000}").named is None
