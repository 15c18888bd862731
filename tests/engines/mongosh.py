"""Cases run in the real shell of MongoDB, all in one process: what each of them printed."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.engines.conftest import absent
from tests.engines.server import Missing, node, node_package, once

Program = Callable[[Any, int, Path], Iterator[str]]
"""Lines of mongosh for one case; they print `@` and a JSON object with the `name` of the case."""


def said(url: str, folder: Path, head: str, cases: Iterable[Any], program: Program) -> Mapping[str, Any]:
    """What was printed, by case. The first process of a test run does it for all."""
    try:
        shell = [node(), str(node_package("mongosh") / "bin" / "mongosh.js")]
    except Missing as missing:
        absent(f"no MongoDB shell: {missing}. Run `make engines`.")

    def made() -> Mapping[str, Any]:
        lines = [line for n, case in enumerate(cases) for line in program(case, n, folder)]
        return _run([*shell, url], folder, head + "\n".join(lines))

    return once(folder, "outcome", made)


def _run(shell: Sequence[str], home: Path, text: str) -> dict[str, Any]:
    file = home / "all.js"
    file.write_text(text)
    done = subprocess.run(
        [*shell, "--quiet", "--norc", str(file)],
        env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    found = [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("@")]
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    return {one["name"]: one for one in found}
