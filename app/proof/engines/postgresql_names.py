"""What stands for each `:name` of an emitted SQL text: parameters, the last row of a page, values of new rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from app.proof.data import Row
from app.proof.engines.engine import Job, Question, Refusal
from app.proof.engines.postgresql_rows import Rows, bound, inner
from app.proof.engines.postgresql_text import Statement
from app.stores.common_query import last
from app.stores.postgresql.script import KEYS
from app.stores.postgresql.statement import plain_name

LIST = "_list"


class Names:
    """The values of one run."""

    def __init__(self, question: Question, job: Job, tables: Mapping[str, Rows]) -> None:
        self.question, self.job, self.tables = question, job, tables
        self.last: Mapping[str, Any] = {}

    # ------------------------------------------------------------ reads

    def of_read(self, one: Statement) -> dict[str, Any]:
        return {name: self._asked(name, one) for name in one.names}

    def _asked(self, name: str, one: Statement) -> Any:
        values = self.question.values
        if name in values:
            return bound(values[name])
        if name == "skip":
            return 0
        if name.startswith("last_"):
            found = {f"last_{plain_name(k)}": v for k, v in self.last.items()}
            if name in found:
                return bound(found[name])
        raise Refusal(f"nothing says what :{name} is", one.text)

    # ------------------------------------------------------------ writes

    def of_write(self, one: Statement) -> Iterator[dict[str, Any]]:
        """The values of each time a statement is sent: once, or once for each row it is about."""
        if one.table == KEYS:
            yield {name: str(uuid4()) for name in one.names}
            return
        known = {n: v for n in one.names if (v := self._known(n)) is not None}
        left = [n for n in one.names if n not in known]
        if not left:
            yield known
            return
        own = self._rows(self.question.pattern.entity)
        stored = list(self._stored(one))
        for at in range(max(1, len(own), len(stored) if not own else 0)):
            row = own[at] if at < len(own) else {}
            beside = stored[at] if at < len(stored) else stored[0] if stored else {}
            yield {**known, **{n: self._of_row(n, one, row, beside) for n in left}}

    def _known(self, name: str) -> Any:
        if name in self.question.values:
            return bound(self.question.values[name])
        if name.endswith(LIST) and name.removesuffix(LIST) in self.job.world.fields:
            rows = self._rows(name.removesuffix(LIST))
            return bound([{last(a): inner(v) for a, v in row.items()} for row in rows], "jsonb")
        return None

    def _rows(self, entity: str) -> list[Row]:
        """The logical records a write makes, changes or removes."""
        made = self.question.made.get(entity)
        if made:
            return list(made)
        before = (s for s in self.question.before if s.kind.of == entity)
        return [r for s in before for r in ([m.row for m in s.members] or [s.root.row]) if r is not None]

    def _stored(self, one: Statement) -> Iterator[Mapping[str, Any]]:
        """The rows of the statement's table that it makes, changes or removes, as columns."""
        mine = {n: r for n, r in self.tables.items() if r.table.structure.name == one.table}
        put = [mine[s.kind.name].row(s) for s in self.question.put if s.kind.name in mine]
        before = [mine[s.kind.name].row(s) for s in self.question.before if s.kind.name in mine]
        if one.verb == "DELETE":
            return iter([r for r in before if r not in put] or before)
        return iter([r for r in put if r not in before] or put or before)

    def _of_row(self, name: str, one: Statement, row: Row, beside: Mapping[str, Any]) -> Any:
        entity = self.question.pattern.entity
        for attr, value in row.items():
            if attr.startswith(f"{entity}.") and last(attr).replace(" ", "_") == name:
                return self._column_bound(attr, value, name, one)
        for other in self.job.world.fields:
            rest = name.removeprefix(f"{other}_")
            rows = self._rows(other) if rest != name else []
            if rows and f"{other}.{rest}" in rows[0]:
                return bound(rows[0][f"{other}.{rest}"])
        if name in beside:
            return beside[name]
        if any(c.name == name for r in self.tables.values() for c in r.table.columns):
            return None
        raise Refusal(f"nothing says what :{name} is", one.text)

    def _column_bound(self, attr: str, value: Any, name: str, one: Statement) -> Any:
        for rows in self.tables.values():
            if rows.table.structure.name == one.table:
                column = rows.table.column(name)
                return bound(value, column.type if column is not None and column.attr == attr else "")
        return bound(value)


__all__ = ["Names"]
