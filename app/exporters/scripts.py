"""The store's scripts: collections with validators and indexes, CreateTable requests, CQL, key settings.

One file stands alone, so that it runs as it is. Several are handed over as one shell script that writes them down:
readable, and `sh NAME.sh` gives the files.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from shlex import quote

from app.analysis import ModelReport, Report
from app.exporters.format import Exporter, slug
from app.stores import STORES

LANGUAGES = {"js": "javascript", "json": "json", "sh": "sh", "cql": "sql", "conf": "ini", "redis": "sh"}
"""What a fenced block calls the language of a file, by the end of its name."""
NONE = "# No model has a script yet.\n"


def files(report: Report, made: ModelReport) -> dict[str, str]:
    """File name → text, of every store a model uses."""
    stores = dict.fromkeys([made.model.store, *(made.model.store_of(s) for s in made.model.structures)])
    out: dict[str, str] = {}
    for name in stores:
        if name in STORES:
            out |= STORES[name].script(made.model, report.project, report.world)
    return out


def language(file: str) -> str:
    """The word after the fence of a block with this file."""
    return LANGUAGES.get(file.rpartition(".")[2], "text")


def write(report: Report, models: tuple[ModelReport, ...]) -> str:
    found = _found(report, models)
    if len(found) == 1:
        return found[0][1]
    return "\n".join(_unpacking(report, found)) + "\n" if found else NONE


def filename(report: Report, models: tuple[ModelReport, ...]) -> str:
    """The file's own name where there is one file; the name of what unpacks several otherwise."""
    found = _found(report, models)
    one = f"{slug(models[0].model.name)}-" if len(models) == 1 else ""
    return found[0][0] if len(found) == 1 else f"{slug(report.project.name)}-{one}script.sh"


def _found(report: Report, models: tuple[ModelReport, ...]) -> list[tuple[str, str]]:
    """Path and text of every file; of several models each has a folder."""
    out: dict[str, str] = {}
    folders: set[str] = set()
    for made in models:
        folder = _other(slug(made.model.name), folders) + "/" if len(models) > 1 else ""
        folders.add(folder.rstrip("/"))
        for name, text in files(report, made).items():
            stem, dot, end = _safe(name).partition(".")
            taken = {path.removesuffix(dot + end) for path in out}
            out[_other(folder + stem, taken) + dot + end] = text
    return list(out.items())


def _other(name: str, taken: set[str]) -> str:
    """The name, numbered where it is taken."""
    numbered = (name if n == 1 else f"{name}-{n}" for n in count(1))
    return next(x for x in numbered if x not in taken)


def _safe(name: str) -> str:
    """A file name that stays where it is written, whatever a structure is called."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in name).lstrip(".-") or "script"


def _unpacking(report: Report, found: list[tuple[str, str]]) -> Iterator[str]:
    title = " ".join(report.project.name.split())
    yield f"#!/bin/sh\n# {title}: {len(found)} files. Run this with sh to write them into the current folder:"
    yield from (f"#   {path}" for path, _ in found)
    yield "set -eu"
    for folder in dict.fromkeys(path.rpartition("/")[0] for path, _ in found):
        if folder:
            yield f"mkdir -p {quote(folder)}"
    for path, text in found:
        end = "END"
        while end in text.splitlines():
            end += "_"
        yield f"\ncat > {quote(path)} <<'{end}'\n{text.rstrip()}\n{end}"


FORMAT = Exporter(
    "script",
    "Store scripts",
    "What creates the structures and indexes in the store; several files as one script that writes them.",
    "text/plain",
    "txt",
    write,
    filename=filename,
)
