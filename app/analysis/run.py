"""One run over one project: every stage looks up what is known and makes the rest."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from app.analysis.judge import accepted, by_severity, run
from app.analysis.report import Findings, ModelReport, Report
from app.analysis.rows import Cell, Row, cell_of, row_of
from app.analysis.standing import Standing
from app.forecast.heat import User
from app.forecast.load import StructureLoad
from app.forecast.structure import concerned, load_of
from app.memory import Carried, Memory
from app.model.candidate import Candidate, Structure
from app.model.project import Project
from app.model.workload import Pattern
from app.plan.as_run import plan_as_run
from app.plan.both import plan_both
from app.plan.types import Level, Plan, Record, World
from app.plan.world import build_world
from app.plan.write import plan_write
from app.rules.rule import EntityCase, ModelCase, PlanCase, ProjectCase, RelationshipCase, StructureCase
from app.stores import STORES

log = logging.getLogger("app.analysis")
MEMORY = Memory()


def analyse(project: Project, memory: Memory = MEMORY) -> Report:
    """Plans, loads and findings of a project. Raises nothing for any valid project."""
    with memory.lock:
        return _Run(project, memory).report()


class _Run:
    """One run over one project. Every stage looks up what is known and makes the rest."""

    def __init__(self, project: Project, memory: Memory) -> None:
        self.project = project
        self.memory = memory
        self.world = build_world(project)
        self.head = self._heading()

    def report(self) -> Report:
        rows = self._rows()
        found: list[Findings] = [tuple(run("project", ProjectCase(self.project, self.world)))]
        found += self._parts()
        found += [row.findings for row in rows]
        models = []
        for model in self.project.models:
            if model.store not in STORES:
                continue  # the rule `unknown-store` says so
            report, findings = self._model(model, rows)
            models.append(report)
            found += findings
        ordered = accepted(by_severity(chain.from_iterable(found)), self.project.decisions)
        rates = {row.pattern.operation: (row.rate, row.peak) for row in rows}
        return Report(self.project, self.world, tuple(models), ordered, rates)

    def _heading(self) -> Project:
        """The project without its parts: rules of one part see only this of the rest, else they would go stale."""
        p = self.project
        key = (p.name, p.tenant, p.horizon, p.traffic)
        make = lambda: Project(name=p.name, tenant=p.tenant, horizon=p.horizon, traffic=p.traffic)  # noqa: E731
        return self.memory.of("head", (), make, key)

    def _flow(self, entities: Iterable[str]) -> tuple[float | None, ...]:
        """What of the inflow concerns these entities: beside the world's base, all that can differ."""
        return tuple(self.world.inflow.get(e) for e in entities)

    def _carried(self, stage: str, *sources: object) -> Carried:
        """A table of this stage; after a change of inflow, what does not name the changed entities is kept."""
        return self.memory.carried(stage, (self.world.base, self.head, *sources), self.world.inflow)

    # ------------------------------------------------------------ workload

    def _parts(self) -> Iterator[Findings]:
        p, world, head = self.project, self.world, self.head
        for e in p.entities:
            make = lambda e=e: tuple(run("entity", EntityCase(head, world, e)))  # noqa: E731
            yield self.memory.of("entity", (e, world.base, head), make, self._flow((e.name,)))
        for r in p.relationships:
            make = lambda r=r: tuple(run("relationship", RelationshipCase(head, world, r)))  # noqa: E731
            yield self.memory.of("relationship", (r, world.base, head), make)

    def _rows(self) -> list[Row]:
        """Every pattern lowered; those seen before are the same objects."""
        table = self._carried("rows")
        known, out = table.known, []
        for pattern in self.project.patterns:
            kept = known.get(id(pattern))
            out.append(self._row(pattern, table) if kept is None else kept[2])
        return out

    def _row(self, pattern: Pattern, table: Carried) -> Row:
        # `for each` names another pattern, whose reading decides how often this one runs
        other = self.project.pattern(pattern.for_each) if pattern.for_each else None
        row: Row | None = table.get(pattern, other) if other else None
        if row is None:
            row = row_of(pattern, self.project, self.world, self.head)
            self.memory.made += 1
            if other:
                table.put(row, row.entities, pattern, other)
            else:
                table.put_one(row, row.entities, pattern)
        return row

    # ------------------------------------------------------------ models

    def _model(self, model: Candidate, rows: list[Row]) -> tuple[ModelReport, list[Findings]]:
        store = STORES[model.store]
        by_structure = self._records(model)
        kinds = tuple(chain.from_iterable(by_structure.values()))
        records = self.memory.of("kinds", kinds, lambda: kinds)
        standing = self.memory.of("standing", (model, records, self.world, self.head), Standing)
        standing.follow(rows, self._maker(model, records))
        found = [cell.findings for cell in standing.cells]
        loads: dict[str, StructureLoad] = {}
        for structure in model.structures:
            name = structure.name
            if name not in standing.judged:
                users = standing.users(name)
                standing.judged[name] = self._structure(model, structure, by_structure[name], users)
            loads[name], findings = standing.judged[name]
            found.append(findings)
        bare = ModelCase(self.head, self.world, model, store, STORES, records, ())
        sources = (model, records, self.world.base, self.head)
        found.append(self.memory.of("design", sources, lambda: tuple(run("design", bare))))
        pairs = tuple([cell.pair for cell in standing.cells])
        reads, finds = frozenset(standing.reads), frozenset(standing.finds)
        case = ModelCase(self.head, self.world, model, store, STORES, records, pairs, reads, finds, standing.impossible)
        found.append(tuple(run("model", case)))
        return ModelReport(model, store, records, standing.plans, loads), found

    def _records(self, model: Candidate) -> dict[str, tuple[Record, ...]]:
        """Kinds of record by structure name; a structure edited leaves those of other entities as they are."""
        out: dict[str, tuple[Record, ...]] = {}
        table, around = self._carried("records"), self._around(model)
        for structure in model.structures:
            store = STORES.get(model.store_of(structure))
            kept: tuple[Record, ...] | None = table.get(structure, *around[structure.name])
            if kept is None:
                made = store.records(structure, model, self.world) if store is not None else ()
                # records that come out the same keep their plans and heat; those of another world hold on to its parts
                kept = self.memory.settled((self.world.base, model.name, structure.name), made)
                entities = frozenset(h.entity for r in kept for h in r.shape)
                table.put(kept, entities, structure, *around[structure.name])
            out[structure.name] = kept
        return out

    def _around(self, model: Candidate) -> Mapping[str, tuple[object, ...]]:
        """By structure, all of a model that stores and rules look at when they are asked for that structure.

        It is the settings, what there is by name, and the structures of the same entities: those decide which is the
        truth, which views a table has, what a cache can be filled from.
        """
        return self.memory.of("around", (model,), lambda: self._around_now(model))

    def _around_now(self, model: Candidate) -> Mapping[str, tuple[object, ...]]:
        options = repr(sorted(model.options.items())) if model.options else ""
        names = tuple((s.name, s.of) for s in model.structures)
        setting = (model.name, model.store, model.version, model.nodes, options, names)
        frame = self.memory.of("frame", (), object, setting)
        homes: dict[str, list[int]] = {}
        for n, structure in enumerate(model.structures):
            for of in _entities(structure):
                homes.setdefault(of, []).append(n)
        met = {s.name: sorted({n for of in _entities(s) for n in homes[of]}) for s in model.structures}
        return {name: (frame, *(model.structures[n] for n in found)) for name, found in met.items()}

    def _relevant(self, row: Row, records: tuple[Record, ...]) -> tuple[Record, ...]:
        """The kinds of record that hold any entity the row names: nothing else can serve it or be changed by it.

        A write finds the keys of what it changes in other records of the same entity.
        """
        index: Mapping[str, tuple[int, ...]] = self.memory.of(
            "by entity", (records, self.world.base), lambda: _by_entity(records, self.world)
        )
        found = {n for e in row.entities for n in index.get(e, ())}
        if row.intent is not None:
            found |= {n for of in {records[m].of for m in found} for n in index.get(of, ())}
        return tuple(records[n] for n in sorted(found))

    def _maker(self, model: Candidate, records: tuple[Record, ...]) -> Callable[[Row], Cell]:
        """How a row becomes a cell of this model; what was planned before is only looked up."""
        whole = self._carried("cells", records, model.serves)
        apart = self._carried("cell", model.name, model.store)
        known = whole.known

        def make(row: Row) -> Cell:
            kept = known.get(id(row))
            if kept is not None:
                cell: Cell = kept[2]
                return cell
            # an edited structure changes the records, but not those that serve most rows
            mine = self._relevant(row, records)
            served = model.serves.get(row.pattern.operation)
            found: Cell | None = apart.get(row, *mine, served)
            if found is None:
                found = self._cell(row, model, mine)
                self.memory.made += 1
                apart.put(found, row.entities, row, *mine, served)
            whole.put_one(found, row.entities, row)
            return found

        return make

    def _cell(self, row: Row, model: Candidate, records: tuple[Record, ...]) -> Cell:
        plan = self._plan(row, model, records)
        case = PlanCase(
            self.head, self.world, row.pattern, row.query, row.intent, row.rate, row.peak,
            model, STORES[model.store], STORES, records, plan,
        )  # fmt: skip
        return cell_of(row, plan, tuple(run("plan", case)))

    def _plan(self, row: Row, model: Candidate, records: tuple[Record, ...]) -> Plan:
        """How these records serve a row. A fault of the planner costs this one answer, never the page."""
        try:
            if row.query is not None and row.intent is not None:
                return plan_both(row.query, row.intent, records, self.world)
            if row.query is not None:
                return plan_as_run(row.query, records, model.serves.get(row.pattern.operation), self.world)
            if row.intent is not None:
                return plan_write(row.intent, records, self.world)
        except Exception:  # said on the row; tests fail on it
            log.exception("%s cannot be planned on %s", row.pattern.operation, model.name)
            return Plan(
                row.pattern.operation,
                Level.IMPOSSIBLE,
                questions=("The planner failed on this row; nothing is said of it.",),
            )
        return Plan(row.pattern.operation, Level.IMPOSSIBLE, questions=("The operation is not understood yet.",))

    def _structure(
        self, model: Candidate, structure: Structure, records: tuple[Record, ...], users: list[User]
    ) -> tuple[StructureLoad, Findings]:
        store = STORES.get(model.store_of(structure), STORES[model.store])
        named = self.memory.of("concerned", (self.world.base, *records), lambda: concerned(records, self.world))
        flow = self._flow(named)

        def make() -> Findings:
            seen = tuple((u.pattern, u.plan, u.rate, u.peak) for u in users)
            reads = frozenset().union(*(u.reads for u in users))
            finds = frozenset().union(*(u.finds for u in users))
            case = StructureCase(
                self.head, self.world, model, store, STORES, structure, records, load, seen, reads, finds
            )
            return tuple(run("structure", case))

        sources = (structure, self.world.base, self.head, *records, *users)
        load = self.memory.of(
            "load",
            sources,
            lambda: load_of(structure, records, users, self.world, store, self.head, self.memory, flow),
            (store.name, flow),
        )
        return load, self.memory.of("structure", (*sources, *self._around(model)[structure.name]), make, flow)


def _entities(structure: Structure) -> set[str]:
    """The entities whose records a structure holds."""
    return {structure.of, *(r.of for r in structure.records)}


def _by_entity(records: tuple[Record, ...], world: World) -> Mapping[str, tuple[int, ...]]:
    """Positions of the kinds of record that hold an entity anywhere in their shape, or a figure computed from it."""
    counted = {f.name: {f.rel.child, *(a.partition(".")[0] for a in f.reads)} for f in world.figures}
    out: dict[str, list[int]] = {}
    for n, record in enumerate(records):
        figures = (counted.get(name, set()) for h in record.shape for name in sorted(h.computed))
        for entity in dict.fromkeys([*(h.entity for h in record.shape), *sorted(set().union(*figures))]):
            out.setdefault(entity, []).append(n)
    return {entity: tuple(found) for entity, found in out.items()}
