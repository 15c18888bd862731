"""What was analysed before leaves no trace in what is analysed now."""

from app.analysis import Report, analyse
from app.importers import import_text
from app.memory import Memory
from app.model.project import Project
from app.starters import starter

TABLE = """
| # | Operation | Fields needed | Freq | Consistency |
|---|---|---|---|---|
| 1 | Load a parcel by tracking number | tracking_number, status, recipient_name, events | 1,200/s | eventual (5 s) |
| 2 | Find parcels by recipient email | recipient_email, tracking_number, status | 20/s | eventual (5 s) |
| 3 | Register a new parcel | tracking_number, recipient_name, recipient_email, address | 50/s | strong |
"""


def pasted() -> Project:
    project = import_text(TABLE).project
    return project.model_copy(update={"models": (starter(project, "mongodb"), starter(project, "dynamodb"))})


def paths(report: Report) -> list[str]:
    return [
        f"{m.model.store} {name}: {plan.level.name} {[s.path for s in plan.steps]}"
        for m in report.models
        for name, plan in m.plans.items()
    ]


def test_the_same_table_pasted_twice_is_served_alike() -> None:
    memory = Memory()
    first = paths(analyse(pasted(), memory))
    assert paths(analyse(pasted(), memory)) == first
