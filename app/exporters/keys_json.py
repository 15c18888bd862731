"""The key catalog as JSON, for programs."""

from __future__ import annotations

import json
from dataclasses import asdict

from app.analysis import ModelReport, Report
from app.exporters.format import Exporter
from app.exporters.keys import families


def write(report: Report, models: tuple[ModelReport, ...]) -> str:
    entries = [
        {
            "model": f.model,
            **asdict(f.entry),
            "findings": [{"rule": x.rule, "severity": x.severity, "message": x.message} for x in f.findings],
        }
        for f in families(report, models)
    ]
    return json.dumps({"project": report.project.name, "keys": entries}, ensure_ascii=False, indent=2) + "\n"


FORMAT = Exporter(
    "keys-json", "Key catalog (JSON)", "Every key family with commands and findings.", "application/json", "json", write
)
