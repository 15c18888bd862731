"""Every way to read each record kind when a plan enters at one need, priced.

A read is found by constants (carried along links: `order.id = :o` also fixes `line_item.order_id`), by a link from
a neighbour in either direction, or by the record's own key after an index that lacked fields.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, exp, inf

from app.model.spread import ONE, ZERO, Spread
from app.plan.choose import Choice
from app.plan.cover import neighbours
from app.plan.kept import filled
from app.plan.known import known
from app.plan.numbers import share
from app.plan.serve import Served
from app.plan.steps import Found, Offer, Read, Search, counts
from app.plan.types import Cond, Edge, Level, Single, Use, World

BATCHED = (Level.KEY_LOOKUP, Level.INDEX_LOOKUP, Level.INDEX_RANGE)


class Entry:
    """The reads possible when a plan enters at one need."""

    def __init__(self, search: Search, entry: int) -> None:
        self.search, self.query, self.world = search, search.query, search.world
        self.entry = entry
        self.fill = filled(search, entry)
        self.many = counts(search.query, entry, self.fill)
        self.found = Found()

    def reads(self) -> Found:
        """All priced reads, and the choices that came to nothing."""
        offers = self.search.offers
        for offer in offers:
            self._by_constants(offer)
        if len(self.query.needs) == 1 and not self.found.reads:
            return self.found  # nothing to start from
        for offer in offers:
            self._by_links(offer)
            self._by_key(offer)
        return self.found

    def _known(self, need: int) -> tuple[Cond, ...]:
        """Conditions on a need whose values are there from the start."""
        fixed = {c.attr: c for (i, _), c in self.search.fixed.items() if i == need}
        spans = tuple(c for c in self.query.needs[need].where if c.op != "=")
        return (*fixed.values(), *spans)

    def _by_constants(self, offer: Offer) -> None:
        m, conds = offer.need, self._known(offer.need)
        if m == self.entry or (conds and self._between(m)):
            need = self.query.needs[m]
            asked = need.where or need.any_of
            matched = (need.matched or self.query.matched) if asked else self.many[m]
            self._ask(offer, "where", conds, 0, ONE, matched)

    def _by_links(self, offer: Offer) -> None:
        m, query, bits = offer.need, self.query, self.search.pieces
        known = self._known(m)
        for n, edge in neighbours(query, m):
            back = edge.back()  # from the neighbour to this need
            open_ = [a for a in back.far if (m, a) not in self.search.fixed]
            if not open_:
                continue
            links = tuple(Cond(a, "=") for a in open_)
            asks = bits.mask(m, open_)
            matched = self._linked(back, known)
            self._ask(offer, ",".join(back.far), known + links, asks, self.many[n], matched, back)

    def _linked(self, edge: Edge, known: tuple[Cond, ...]) -> Spread:
        """Records that one neighbour finds here."""
        count = edge.count
        for cond in known:
            if cond.attr not in edge.far:
                count = count.times(share(cond, self.world.stats))
        return count if count.avg else Spread(1e-9)

    def _by_key(self, offer: Offer) -> None:
        way, m = offer.way, offer.need
        keyed = known(way.record).keyed
        if offer.at or way.only is not None or not keyed:
            return
        if all((m, a) in self.search.fixed for a in keyed):
            return
        attrs = sorted(keyed)
        if any((m, a) not in self.search.pieces.bits for a in attrs):
            return
        asks = self.search.pieces.mask(m, attrs)
        self._ask(offer, "key", tuple(Cond(a, "=") for a in attrs), asks, self.many[m], ONE)

    def _between(self, m: int) -> bool:
        """Both ends of every link from here to the entry are constants: read at once, without waiting."""
        bits, start = self.search.pieces, self.search.start
        while m != self.entry and m >= 0 and (edge := self.query.needs[m].edge):
            mask = bits.mask(m, edge.far)
            if start & mask != mask:
                return False
            m = self.query.needs[m].up
        return m == self.entry

    def _single(self, offer: Offer, by: str, conds: tuple[Cond, ...]) -> Single:
        query, record = self.query, offer.way.record
        need = query.needs[offer.need]
        top = query.needs[offer.root] if offer.root >= 0 and by != "key" else None
        if offer.at:
            conds = tuple(_own(c, record.of, self.world) for c in conds)
        limit = offset = 0.0
        if top is not None:
            limit = query.limit if offer.root == 0 else top.first
            offset = query.offset if offer.root == 0 and by == "where" else 0.0
        return Single(
            query.name, record.of, conds,
            any_of=need.any_of if by == "where" and offer.need == self.entry else (),
            order=top.order if top is not None else (),
            limit=limit, offset=offset,
            needs=self._wanted(offer),
            strong=need.strong and not need.historical,
            age=0.0 if need.historical or need.strong or need.age == inf else need.age,
            peak_offset=query.peak_offset if offset else 0.0,
            buckets=record.group > 1,
            fill=self.fill if limit and offer.root == 0 and by == "where" else 1.0,
        )  # fmt: skip

    def _wanted(self, offer: Offer) -> frozenset[str] | None:
        """What an index would have to hold to spare the record."""
        record = offer.way.record
        if record.dialect.fetch is not Use.SERVER and not any(p.fetches for p in record.paths):
            return frozenset()  # what is missing is another step's business
        if offer.at or offer.root < 0 or (len(record.shape) > 1 and len(self.query.needs) > 1):
            return None
        need = self.query.needs[offer.root]
        attrs = set(need.attrs)
        if need.required and offer.root:
            attrs.update(c.attr for c in need.where)
        for _, edge in neighbours(self.query, offer.root):
            attrs.update(edge.near)
        return frozenset(attrs)

    def _ask(
        self, offer: Offer, by: str, conds: tuple[Cond, ...], asks: int, inputs: Spread,
        matched: Spread, via: Edge | None = None,
    ) -> None:  # fmt: skip
        """Turn one way of reading one need into priced reads."""
        single = self._single(offer, by, conds)
        choice = self.search.best(offer, single, _to_root(offer, matched))
        served = choice.served_by
        record = offer.way.record
        if by == "where":
            self.found.choices.setdefault(record.name, []).append(choice)
        if served is None or (served.level is Level.SCAN and by != "where"):
            self.found.dead.append((record, offer.need, choice))
            if served is not None and record.dialect.joins.server and not served.path.partition:
                once = record.count <= record.dialect.joins.hashed
                Price(self, offer, by, asks, choice, served).add("server", ONE if once else inputs, ZERO)
            return
        price = Price(self, offer, by, asks, choice, served)
        server = record.dialect.joins.server
        if by == "where":
            price.add("first", ONE, served.cost.requests)
            if server and self.entry != offer.need:
                price.add("server", ONE, ZERO)
            return
        if server:
            price.add("server", inputs, ZERO)  # a server join looks the same parent up again and again
        if via is not None:
            inputs = distinct(inputs, via, self.world)  # a client asks for each parent once
        if self._lists(offer, served):
            most = record.dialect.joins.list_max
            price.add("list", inputs, _ceil(inputs.times(1 / most)))
        else:
            price.add("each", inputs, inputs.times(served.cost.requests.avg))

    def _lists(self, offer: Offer, served: Served) -> bool:
        """Can the store take a list of these inputs in one request?"""
        joins, path = offer.way.record.dialect.joins, served.path
        if joins.list_max <= 1 or served.level not in BATCHED or served.cost.streams > 1:
            return False
        if joins.by_key_only and not path.primary:
            return False
        fixed = self.search.fixed
        return not joins.one_place or (
            bool(path.placed_by) and all(not p.attr or (offer.need, p.attr) in fixed for p in path.placed_by)
        )


def _to_root(offer: Offer, matched: Spread) -> Spread:
    """Records that hold so many instances of the entity at `at`."""
    shape, at = offer.way.record.shape, offer.at
    while at > 0:
        edge = shape[at].edge
        if edge is not None and not edge.down:
            matched = matched.of(edge.rel.children)
        at = shape[at].up
    return matched


def _own(cond: Cond, of: str, world: World) -> Cond:
    attr = world.own(of, cond.attr)
    return cond if attr == cond.attr else replace(cond, attr=attr)


def distinct(n: Spread, edge: Edge, world: World) -> Spread:
    """Repeated parents are read once."""
    if edge.down:
        return n
    population = world.counts.get(edge.to, 1e12)
    return Spread(seen(n.avg, population), seen(n.high, population), min(n.max, population))


def seen(draws: float, population: float) -> float:
    """Distinct values among `draws` with replacement."""
    if population <= 0 or population >= 1e12 or draws < 1e-6 * population:
        return draws
    return population * (1 - exp(-draws / population))


def _ceil(n: Spread) -> Spread:
    return Spread(*(ceil(x) if x < 1e18 else x for x in (n.avg, n.high, n.max)))


@dataclass(frozen=True, slots=True)
class Price:
    """Adds a read in one manner (first, list, each, server) with its cost for all inputs."""

    entry: Entry
    offer: Offer
    by: str
    asks: int
    choice: Choice
    served: Served

    def add(self, how: str, inputs: Spread, requests: Spread) -> None:
        served, record = self.served, self.offer.way.record
        cost = served.cost
        per, size, keys = cost.records, cost.bytes, cost.keys
        if record.group > 1:  # stored records are buckets
            per = _ceil(per.times(1 / record.group)) + ONE
            size, keys = per.of(record.size), per.avg
        one = inputs is ONE
        read = Read(
            records=(record,),
            need=self.offer.need,
            by=self.by,
            how=how,
            gives=self.offer.gives,
            asks=self.asks,
            level=served.level,
            inputs=inputs,
            requests=requests,
            read=per if one else inputs.of(per),
            bytes=size if one else inputs.of(size),
            keys=keys * inputs.avg,
            served=served,
            choice=self.choice,
            root=self.offer.root,
        )
        self.entry.found.reads.append(read)
