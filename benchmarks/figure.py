"""One measured figure, and the table of all."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` in `unit`; `aim`: the most it should be (None: only reported)."""

    what: str
    value: float
    unit: str
    aim: float | None = None
    note: str = ""

    @property
    def met(self) -> str:
        return "" if self.aim is None else "yes" if self.value <= self.aim else "NO"


def seconds(run: Callable[[], object]) -> float:
    """How long one run takes on the wall clock."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measured(run: Callable[[], object]) -> tuple[float, float]:
    """Wall clock and processor time of one run: where they differ, something else kept the processor busy."""
    busy = time.process_time()
    wall = seconds(run)
    return wall, time.process_time() - busy


def p95(values: Iterable[float]) -> float:
    """The 95th percentile, by the nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, -(-95 * len(ordered) // 100) - 1)]


def machine() -> str:
    """What the figures were measured on."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{_processor()}, {os.cpu_count()} cores{load}; {platform.system()}; Python {platform.python_version()}"


def busy() -> bool:
    """Whether others use so much of the machine that the wall clock says little."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > (os.cpu_count() or 1) / 2


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def table(figures: Iterable[Figure]) -> str:
    """Markdown, so that it can be pasted into a report."""
    lines = ["| What | Measured | Aim | Met | |", "| --- | ---: | ---: | --- | --- |"]
    for f in figures:
        aim = "" if f.aim is None else f"≤ {_number(f.aim)} {f.unit}"
        lines.append(f"| {f.what} | {_number(f.value)} {f.unit} | {aim} | {f.met} | {f.note} |")
    return "\n".join(lines)


def _number(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 or x == int(x) else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


__all__ = ["Figure", "busy", "machine", "measured", "median", "p95", "seconds", "table"]
