"""How many bytes a DynamoDB item has: names and values, as the capacity unit rules count them.

Documented: strings and binaries their length, booleans and nulls 1, lists and maps 3 and 1 for each element or
pair. Numbers are documented as "approximately" 1 and 1 for two digits; `number_bytes` is the measured form
(zaccharles/dynamodb-calculator@48e0dd9). Sources: awsdocs/amazon-dynamodb-developer-guide@8229480,
CapacityUnitCalculations.md.
"""

from __future__ import annotations

from decimal import Decimal

from app.plan.types import Encoding
from app.stores.dynamodb.facts import FACTS

CONTAINER = 3.0
"""Bytes of a list or map itself."""
ELEMENT = 1.0
"""Bytes for each element of a list and each pair of a map."""
NUMBER_CAP = 21.0

DIGITS = {"int32": 10, "int64": 19, "float": 9, "double": 17, "decimal": 12}
"""Significant digits of the largest value a type holds; for a decimal, a sum of money with room."""
TEXT = {"uuid": 36.0, "timeuuid": 36.0, "objectid": 24.0, "datetime": 24.0, "date": 10.0}
"""Types the store does not know, kept as text in the form that sorts."""
NUMBERS = frozenset(DIGITS)


def number_bytes(value: Decimal | int | str) -> int:
    """Bytes of one number: digit pairs aligned on the decimal point, without 00 at either end, plus 1.

    Plus 1 if negative; zero is 1; at most 21.
    """
    number = Decimal(value)
    if number == 0:
        return 1
    whole, _, part = format(number.copy_abs(), "f").partition(".")
    whole = whole.zfill(len(whole) + len(whole) % 2)
    part = part.ljust(len(part) + len(part) % 2, "0")
    digits = whole + part
    pairs = [digits[i : i + 2] for i in range(0, len(digits), 2)]
    while pairs and pairs[0] == "00":
        pairs.pop(0)
    while pairs and pairs[-1] == "00":
        pairs.pop()
    return min(len(pairs) + 1 + (number < 0), int(NUMBER_CAP))


def value_bytes(kind: str, size: float) -> float:
    """One value of a workload type; `size`: its bytes as text, used where the type does not say."""
    kind = kind.removesuffix("[]")
    if kind in DIGITS:
        return min(1.0 + (DIGITS[kind] + 1) // 2, NUMBER_CAP)
    if kind in TEXT:
        return TEXT[kind]
    if kind == "bool":
        return 1.0
    if kind == "point":
        return CONTAINER + 2 * (ELEMENT + 3 + value_bytes("double", 8))
    if kind.startswith("vector("):
        count = kind.removeprefix("vector(").removesuffix(")")
        each = ELEMENT + value_bytes("float", 4)
        return CONTAINER + each * (int(count) if count.isdigit() else size / 4)
    if kind in ("json", "object"):
        return CONTAINER + size
    return size


def name_bytes(name: str) -> float:
    return float(len(name.encode()))


ENCODING = Encoding(
    field=lambda name, kind, size: name_bytes(name) + value_bytes(kind, size),
    record=0.0,
    element=lambda _i, size: ELEMENT + size,
    nested=lambda name, size: name_bytes(name) + CONTAINER + size,
    array=lambda name, size: name_bytes(name) + CONTAINER + size,
    entry=lambda size: size,
    limit=FACTS["max_record_bytes"].value,
    pair=ELEMENT,
    inner=CONTAINER,
)
"""What storage adds to each item and index entry counts neither for units nor for the limit: see the fact
`storage_overhead_bytes`."""
