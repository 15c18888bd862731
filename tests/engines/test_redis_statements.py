"""Commands of Redis models on a real server: every command is accepted, in the order in which it is written.

Lines are read by a shell, as their reader would paste them; every parameter is a whole number.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from tests.engines.models import Statements, names, statements


def commands(text: str) -> Iterator[str]:
    """Commands without comments; one goes on until its quotes are closed."""
    whole = ""
    for line in text.splitlines():
        if not whole and (not line.strip() or line.lstrip().startswith("#")):
            continue
        whole = f"{whole}\n{line}" if whole else line
        if whole.count('"') % 2 == 0 and whole.count("'") % 2 == 0 and not whole.endswith("\\"):
            yield whole
            whole = ""
    if whole:
        yield whole


def spoken(lines: list[str], values: Mapping[str, str] = MappingProxyType({})) -> list[list[str]]:
    """The words of each command as a shell makes them; a parameter without a value is 1."""
    named = {n for line in lines for n in re.findall(r"\$\{?([A-Za-z_]\w*)", line)}
    names_ = {n: values.get(n, "1") for n in named} | {"RANDOM": "7"}
    script = "\n".join(f"printf '%s\\0' {line}\nprintf '\\001\\0'" for line in lines)
    done = subprocess.run(
        ["bash", "-eu", "-c", script], env={**os.environ, **names_}, capture_output=True, text=True, check=True
    )
    out: list[list[str]] = [[]]
    for word in done.stdout.split("\0")[:-1]:
        if word == "\1":
            out.append([])
        else:
            out[-1].append(word)
    return out[:-1]


def refusals(model: Statements, client: Any) -> dict[str, str]:
    from valkey.exceptions import ResponseError  # noqa: PLC0415 (only where an engine is used)

    found: dict[str, str] = {}
    texts = [t for name, t in model.scripts.items() if name.endswith(".redis")] + list(model.queries.values())
    for text in texts:
        client.flushdb()
        lines = list(commands(text))
        connection = client.connection_pool.get_connection("_")
        for line, words in zip(lines, spoken(lines), strict=True):
            connection.send_command(*words)
            try:
                answer = connection.read_response()
                for one in answer if isinstance(answer, list) else []:
                    if isinstance(one, ResponseError):
                        raise one
            except ResponseError as refused:
                found[line] = str(refused)
        client.connection_pool.release(connection)
    return found


@pytest.mark.parametrize("model", names("redis"))
def test_every_command_is_accepted(model: str, valkey: Any) -> None:
    mine = next(s for s in statements("redis") if s.name == model)
    assert refusals(mine, valkey) == {}
