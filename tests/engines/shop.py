"""The shop that write cases and whole models speak about, as documents of a collection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from app.analysis import ModelReport, Report
from app.plan.types import Held, Record, World
from app.stores.common_query import field_of, things_of
from app.stores.mongodb.filters import Fields, fields_of
from app.stores.mongodb.records import records
from app.stores.mongodb.statement import nest

Row = Mapping[str, Any]


def rows(users: int) -> Mapping[str, list[Row]]:
    """So many users with ten orders each, two of them open; an order has three lines and four tags."""
    count = 10 * users
    orders = [
        {
            "order.id": n, "order.user_id": n % users, "order.status": "open" if n // users % 5 == 0 else "paid",
            "order.day": n, "order.total": n * 7 % count, "order.tags": [f"t{(n * 4 + i) % 30}" for i in range(4)],
            "order.memo": f"memo {n}", **({"order.coupon": f"c{n}"} if n % 4 == 0 else {}),
        }
        for n in range(count)
    ]  # fmt: skip
    lines = [
        {"line_item.order_id": n // 3, "line_item.sku": f"sku{n}", "line_item.qty": 1 + n % 5} for n in range(3 * count)
    ]
    people = [{"user.id": n, "user.name": f"name {n}", "user.city": f"city {n % 5}"} for n in range(users)]
    return {"user": people, "order": orders, "line_item": lines}


def documents(record: Record, fields: Fields, world: World, given: Mapping[str, list[Row]]) -> Iterator[dict[str, Any]]:
    """The documents of one collection: own fields, lists inside, copies, figures."""
    for row in given[record.of]:
        made: dict[str, Any] = {}
        for attr in world.fields[record.of]:
            if attr in row:
                nest(made, fields(attr), row[attr])
        for held in record.shape[1:]:
            _hold(made, held, row, fields, given)
        for figure in world.figures:
            if figure.name in record.shape[0].computed:
                own = _met(given[figure.rel.child], figure.rel.via, row, figure.rel.key)
                read = next(iter(figure.reads), "")
                made[fields(figure.name)] = sum(r[read] for r in own) if read else len(own)
        yield made


def _hold(made: dict[str, Any], held: Held, row: Row, fields: Fields, given: Mapping[str, list[Row]]) -> None:
    edge = held.edge
    assert edge is not None
    found = _met(given[held.entity], edge.far, row, edge.near)
    if held.how == "copy":
        for attr in held.attrs or ():
            nest(made, dict(held.names).get(attr) or fields(attr), found[0][attr])
        return
    stored = fields.names.paths[held.entity]
    made[stored] = [{field_of(a): v for a, v in r.items() if a not in edge.far} for r in found]


_found: dict[tuple[int, tuple[str, ...]], dict[tuple[Any, ...], list[Row]]] = {}
"""Rows by what they are linked by, of each list of rows."""


def _met(given: list[Row], far: tuple[str, ...], row: Row, near: Iterable[str]) -> list[Row]:
    """The rows that a row is linked to."""
    key = (id(given), far)
    if key not in _found:
        groups = _found[key] = {}
        for other in given:
            groups.setdefault(tuple(other[a] for a in far), []).append(other)
    return _found[key].get(tuple(row[a] for a in near), [])


def loading(report: Report, model: ModelReport, given: Mapping[str, list[Row]], folder: Path) -> Iterator[str]:
    """Lines of mongosh that put the documents of a model into its collections, by way of files in a folder."""
    for structure in model.model.structures:
        kind = records(structure, model.model, report.world)[0]
        fields = fields_of(structure, things_of(structure)[0], kind, report.world)
        file = folder / f"{structure.name}.json"
        file.write_text(json.dumps(list(documents(kind, fields, report.world, given))))
        read = f'JSON.parse(require("fs").readFileSync({json.dumps(str(file))}, "utf8"))'
        yield f"db.getCollection({json.dumps(structure.name)}).insertMany({read});"
