"""How a figure is printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value beside what is aimed at."""

    name: str
    value: str
    aim: str = ""


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.1f} ms" if seconds < 0.1 else f"{1000 * seconds:,.0f} ms"


def line(figure: Figure) -> str:
    return f"{figure.name:64} {figure.value:>30}   {figure.aim}"
