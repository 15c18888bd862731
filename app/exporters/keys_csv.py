"""The key catalog as CSV, for a spreadsheet."""

from __future__ import annotations

import csv
from io import StringIO

from app.analysis import ModelReport, Report
from app.exporters.format import Exporter
from app.exporters.keys import families

HEAD = (
    "model",
    "key pattern",
    "example",
    "type",
    "purpose",
    "ttl",
    "owner",
    "truth",
    "invalidated by",
    "keys",
    "bytes per key",
    "commands",
    "notes",
)
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def write(report: Report, models: tuple[ModelReport, ...]) -> str:
    out = StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(HEAD)
    for family in families(report, models):
        e = family.entry
        cells = (
            family.model,
            e.pattern,
            e.example,
            e.type,
            e.purpose,
            e.ttl,
            e.owner,
            e.truth,
            "; ".join(e.invalidated_by),
            f"{e.keys:.0f}" if e.keys else "",
            f"{e.bytes:.0f}" if e.bytes else "",
            "\n".join(e.commands),
            "; ".join(e.notes),
        )
        rows.writerow([harmless(cell) for cell in cells])
    return out.getvalue()


def harmless(cell: str) -> str:
    """A cell that a spreadsheet would run as a formula is marked as text. Full-width signs count in some locales."""
    return f"'{cell}" if cell.startswith(("\t", "\r")) or cell.lstrip().startswith(FORMULA) else cell


FORMAT = Exporter("keys-csv", "Key catalog (CSV)", "Every key family, one per row.", "text/csv", "csv", write)
