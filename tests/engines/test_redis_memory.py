"""Predicted bytes of a key against MEMORY USAGE of a real server, value by value.

The server is a Valkey 9 with the allocator of the C library. The figures of `app.stores.redis.memory` are those of
Redis up to 8.0 with its own allocator, whose classes are wider, and which keeps each key and field in an allocation
of its own: it takes up to a third more. Of small values, where the two differ by some 24 bytes, only that is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.stores.redis import memory

KEY = "k" * 20
APART = 64
"""Bytes by which small values may differ: entry, header and key in separate allocations."""


TOLERANCE = {
    "string": 0.16, "number": 0.16, "hash": 0.17, "sorted set": 0.14, "set": 0.26, "set of numbers": 0.12,
    "list": 0.24, "stream": 0.03,
}  # fmt: skip
"""By how much a size may differ, by kind: the classes of two allocators. A set of numbers that was just filled may
still have its table before the last growth beside the new one."""


def many(add: Callable[[Any, int], object], count: int) -> Callable[[Any], None]:
    def fill(client: Any) -> None:
        pipe = client.pipeline(transaction=False)
        for n in range(count):
            add(pipe, n)
        pipe.execute()

    return fill


def field(pipe: Any, n: int) -> object:
    return pipe.hset(KEY, f"f{n:07}", "x" * 16)


def score(pipe: Any, n: int) -> object:
    return pipe.zadd(KEY, {f"{n:036}": 1_700_000_000_000 + n})


def member(pipe: Any, n: int) -> object:
    return pipe.sadd(KEY, f"{n:x>36}")


def number(pipe: Any, n: int) -> object:
    return pipe.sadd(KEY, 100_000 + n)


def element(pipe: Any, n: int) -> object:
    return pipe.rpush(KEY, "x" * 100 if n >= 0 else "")


def entry(pipe: Any, n: int) -> object:
    return pipe.xadd(KEY, {"a": "x" * 20, "b": f"{n:020}"})


CASES = [
    *((f"string {n}", lambda c, n=n: c.set(KEY, "x" * n), memory.string(20, n)) for n in (10, 44, 100, 1000, 100_000)),
    ("number", lambda c: c.set(KEY, 123_456), memory.string(20, 6, True)),
    *((f"hash {n}", many(field, n), memory.hash_table(20, [(8, 16)] * n)) for n in (5, 50, 512, 1000)),
    *((f"sorted set {n}", many(score, n), memory.sorted_set(20, n, 36, 13)) for n in (10, 100, 1000, 20_000)),
    *((f"set {n}", many(member, n), memory.plain_set(20, n, 36)) for n in (10, 100, 1000, 20_000)),
    *((f"set of numbers {n}", many(number, n), memory.plain_set(20, n, 6, True)) for n in (10, 500, 20_000)),
    *((f"list {n}", many(element, n), memory.plain_list(20, n, 100)) for n in (10, 1000, 20_000)),
    *((f"stream {n}", many(entry, n), memory.stream(20, n, 2 * memory.packed(20))) for n in (1, 10, 1000, 20_000)),
]


def long_field(pipe: Any, n: int) -> object:
    return pipe.hset(KEY, "f", "x" * n)


ENCODINGS = [
    *((f"number {n}", lambda c, n=n: c.set(KEY, n), memory.string_encoding(len(str(n)), True)) for n in (7, 10**18)),
    *((f"text of {n}", lambda c, n=n: c.set(KEY, "x" * n), memory.string_encoding(n)) for n in (10, 44, 100, 1000)),
    *((f"hash of {n}", many(field, n), memory.hash_encoding(n, 16)) for n in (1, 512, 513)),
    *((f"hash, value of {n}", lambda c, n=n: long_field(c, n), memory.hash_encoding(1, n)) for n in (64, 65)),
    *((f"sorted set of {n}", many(score, n), memory.sorted_set_encoding(n, 36)) for n in (1, 128, 129)),
    *(
        (f"sorted set, member of {n}", lambda c, n=n: c.zadd(KEY, {"x" * n: 1}), memory.sorted_set_encoding(1, n))
        for n in (64, 65)
    ),
    *((f"set of {n}", many(member, n), memory.set_encoding(n, 36)) for n in (1, 128, 129)),
    *((f"set, member of {n}", lambda c, n=n: c.sadd(KEY, "x" * n), memory.set_encoding(1, n)) for n in (64, 65)),
    *((f"set of {n} numbers", many(number, n), memory.set_encoding(n, 6, True)) for n in (1, 512, 513)),
    *((f"list of {n}", many(element, n), memory.list_encoding(n * memory.packed(100))) for n in (1, 79, 81)),
]


@pytest.mark.parametrize(("fill", "predicted"), [pytest.param(f, p, id=name) for name, f, p in ENCODINGS])
def test_encoding(fill: Callable[[Any], object], predicted: str, valkey: Any) -> None:
    """The encoding changes where the size model says it does."""
    valkey.flushdb()
    fill(valkey)
    assert valkey.object("encoding", KEY).decode() == predicted


@pytest.mark.parametrize(("name", "fill", "predicted"), [pytest.param(*c, id=c[0]) for c in CASES])
def test_memory_usage(name: str, fill: Callable[[Any], object], predicted: float, valkey: Any) -> None:
    valkey.flushdb()
    fill(valkey)
    used = valkey.memory_usage(KEY, samples=0)
    assert used == pytest.approx(predicted, rel=TOLERANCE[name.rstrip(" 0123456789")], abs=APART)
