"""How many bytes a Redis key takes with its value, by type and encoding.

The figures are those of `MEMORY USAGE` up to Redis 8.0, plus the slot in the main dictionary (and in that of
expiring keys) which the command leaves out. From 8.2 on the layout of keys changed and nothing here was checked.
Sizes step up in allocator classes: eight bytes at first, then four classes per doubling.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, log2

from app.stores.redis.facts import FACTS

DICT_ENTRY = 24
OBJECT = 16
SKIPLIST_NODE = 45
"""Average of a skip list node whose height is geometric with p = 1/4."""
SKIPLIST_HEAD = 16 + 32 + 56 + 640
STREAM_ENTRY = 8
"""What one entry of a stream adds to its fields, ids written as differences."""
EMBEDDED = FACTS["embedded_string_bytes"].value


def allocated(size: float, step: int = 8) -> float:
    """The allocator class that holds `size` bytes; `step` 16 for a system allocator without small classes."""
    if size <= 8:
        return 8
    if size <= 128:
        return float(ceil(size / 16) * 16 if step == 16 or size > 64 else ceil(size / 8) * 8)
    group: float = 2 ** (ceil(log2(size)) - 3)
    return float(ceil(size / group) * group)


def text(length: float) -> float:
    """A string with its header, as keys, fields and members are kept."""
    header = 1 if length < 32 else 3 if length < 256 else 5 if length < 65536 else 9
    return allocated(header + length + 1)


def value(length: float, number: bool = False) -> float:
    """The value of a string key: whole numbers live in the object itself, short text beside it."""
    if number and length <= 20:
        return OBJECT
    if length <= EMBEDDED:
        return allocated(OBJECT + 3 + length + 1)
    header = 3 if length < 256 else 5 if length < 65536 else 9
    return OBJECT + allocated(header + length + 1)


def packed(length: float, number: bool = False) -> float:
    """One entry of a listpack, its way back included."""
    if number:
        body: float = 1 if length <= 2 else 2 if length <= 4 else 5 if length <= 10 else 9
    else:
        body = (1 if length < 64 else 2 if length < 4096 else 5) + length
    return body + (1 if body <= 127 else 2 if body < 16384 else 3)


def slot(expires: bool = False, keys: float = 0) -> float:
    """What one key takes in the main dictionary, and in that of expiring keys."""
    buckets: float = 8 * 2 ** ceil(log2(keys)) / keys if keys > 1 else 12.0
    return buckets + (DICT_ENTRY + buckets if expires else 0)


def key(length: float) -> float:
    return text(length) + DICT_ENTRY


def table(entries: float) -> float:
    """Buckets of a hash table with `entries` in it."""
    return 56 + 8 * 2.0 ** ceil(log2(max(4.0, entries)))


# ---------------------------------------------------------------- encodings, as OBJECT ENCODING names them


def string_encoding(length: float, number: bool = False) -> str:
    if number and length <= 20:
        return "int"
    return "embstr" if length <= EMBEDDED else "raw"


def hash_encoding(fields: float, longest: float) -> str:
    """`longest`: bytes of the longest field or value."""
    few = fields <= FACTS["hash_listpack_entries"].value and longest <= FACTS["hash_listpack_value"].value
    return "listpack" if few else "hashtable"


def sorted_set_encoding(members: float, longest: float) -> str:
    few = members <= FACTS["zset_listpack_entries"].value and longest <= FACTS["zset_listpack_value"].value
    return "listpack" if few else "skiplist"


def set_encoding(members: float, longest: float, number: bool = False, old: bool = False) -> str:
    """`old`: before 7.2, where a set of text is a hash table from its first member on."""
    if number and members <= FACTS["set_intset_entries"].value:
        return "intset"
    few = members <= FACTS["set_listpack_entries"].value and longest <= FACTS["hash_listpack_value"].value
    return "listpack" if few and not old else "hashtable"


def list_encoding(content: float, old: bool = False) -> str:
    """`content`: bytes of all elements, packed. `old`: before 7.2."""
    return "listpack" if content <= FACTS["list_node_bytes"].value and not old else "quicklist"


# ---------------------------------------------------------------- whole values


def string(key_length: float, length: float, number: bool = False) -> float:
    return key(key_length) + value(length, number)


def hash_table(key_length: float, fields: Iterable[tuple[float, float]]) -> float:
    """A hash of (field bytes, value bytes): one listpack while it is short, a hash table then."""
    pairs = list(fields)
    longest = max((max(p) for p in pairs), default=0)
    if hash_encoding(len(pairs), longest) == "listpack":
        body = allocated(7 + sum(packed(f) + packed(v) for f, v in pairs))
    else:
        body = table(len(pairs)) + sum(DICT_ENTRY + text(f) + text(v) for f, v in pairs)
    return key(key_length) + OBJECT + body


def sorted_set(key_length: float, members: float, member: float, score: float = 8) -> float:
    """`members` members of `member` bytes with scores of `score` digits."""
    if sorted_set_encoding(members, member) == "listpack":
        body = allocated(7 + members * (packed(member) + packed(score, number=True)))
    else:
        body = SKIPLIST_HEAD + table(members) - 56
        body += members * (DICT_ENTRY + text(member) + SKIPLIST_NODE)
    return key(key_length) + OBJECT + body


def plain_set(key_length: float, members: float, member: float, number: bool = False, old: bool = False) -> float:
    """A set; `old`: before 7.2, where a set of text is a hash table from its first member on."""
    kind = set_encoding(members, member, number, old)
    if kind == "intset":
        width = 2 if member <= 4 else 4 if member <= 9 else 8  # as wide as the widest number
        body = allocated(8 + members * width)
    elif kind == "listpack":
        body = allocated(7 + members * packed(member, number))
    else:
        body = table(members) + members * (DICT_ENTRY - 8 + text(member))
    return key(key_length) + OBJECT + body


def plain_list(key_length: float, elements: float, element: float) -> float:
    """A list: one listpack, then nodes of 8 KB."""
    content = elements * packed(element)
    node = FACTS["list_node_bytes"].value
    nodes = ceil(max(1.0, content) / node)
    body = allocated(7 + content) if nodes == 1 else 40 + nodes * 32 + content + nodes * 7
    return key(key_length) + OBJECT + body


def stream(key_length: float, entries: float, entry: float) -> float:
    """A stream of `entries` whose fields and values have `entry` bytes packed; the node that grows has its full size
    from the first entry on."""
    each = STREAM_ENTRY + entry
    nodes = ceil(max(1.0, entries) / FACTS["stream_node_entries"].value)
    last = (entries - (nodes - 1) * FACTS["stream_node_entries"].value) * each
    content = entries * each + max(0.0, FACTS["stream_node_bytes"].value - last)
    return key(key_length) + OBJECT + 96 + nodes * 48 + content
