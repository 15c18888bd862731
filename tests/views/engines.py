"""An engine that is none: what a proof of it says is made up, and a test decides when it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.analysis import Report
from app.proof.problem import Cancelled
from app.proof.types import Card, Proof, Request

PASSWORD = "hunter2-and-more"
URL = f"mongodb://keeper:{PASSWORD}@engine.example:27017/?authSource=admin"


@dataclass(frozen=True)
class Missing:
    why: str = ""


@dataclass(frozen=True)
class Step:
    step: str
    done: int
    total: int


def card(operation: str, verdict: str = "agrees", **more: Any) -> Card:
    figures: dict[str, Any] = {
        "level": "key lookup", "planned_requests": 1, "planned_examined": 1, "examined": 1, "returned": 1,
        "rows": "right", "runs": 20, "median_ms": 0.412, "p99_ms": 1.13,
        "requests": (Request(text="db.orders.findOne({_id: 7})", plan='{"stage": "IXSCAN"}', examined=1, returned=1),),
    }  # fmt: skip
    return Card(operation=operation, verdict=verdict, **{**figures, **more})  # type: ignore[arg-type]


def cards_of(report: Report) -> tuple[Card, ...]:
    """The first pattern agrees, the second differs, the others are skipped."""
    first, second, *rest = [p.operation for p in report.project.patterns]
    scan = Request(text="db.orders.find({seller_id: 7})", plan='{"stage": "COLLSCAN"}', examined=9_000, returned=20)
    differs = card(
        second, "differs", why="The engine reads 9,000 records to return 20.", planned_examined=20, examined=9_000,
        returned=20, level="index range", requests=(scan,), median_ms=14.2, p99_ms=1_420,
    )  # fmt: skip
    nothing: dict[str, Any] = {"requests": (), "examined": None, "returned": None, "rows": "not compared", "runs": 0}
    nothing |= {"median_ms": None, "p99_ms": None, "level": "impossible"}
    skipped = (card(name, "skipped", why="Impossible by plan: there is no way in.", **nothing) for name in rest)
    return (card(first), differs, *skipped)


@dataclass
class FakeDoor:
    """Stands for `app.proof.run`. Without `hold` a proof ends at once; `error` is raised at its end."""

    hold: bool = False
    error: BaseException | None = None
    why: str = ""
    cards: Callable[[Report], tuple[Card, ...]] = cards_of
    asked: list[dict[str, Any]] = field(default_factory=list)
    started: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)

    def engines(self) -> Mapping[str, Missing]:
        return {"mongodb": Missing(self.why)}

    def prove(
        self, report: Report, model: str, url: str, *, scale: float | None, seed: int, date: str, change: int,
        progress: Callable[[Any], None], cancelled: Callable[[], bool],
    ) -> Proof:  # fmt: skip
        self.asked.append({"model": model, "url": url, "scale": scale, "change": change})
        progress(Step("loading orders", 120, 400))
        self.started.set()
        while self.hold and not self.go.wait(0.01):
            if cancelled():
                raise Cancelled
        if self.error:
            raise self.error
        return Proof(
            model=model, store="mongodb", engine="MongoDB", version="6.0.5", date=date, scale=scale or 0.001, seed=seed,
            records={"orders": 11_200, "users": 1_145}, change=change, cards=self.cards(report),
        )  # fmt: skip
