"""What the commands of a scenario are about, read and checked."""

from __future__ import annotations

import re
from decimal import Decimal
from reprlib import Repr
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Mapping

_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_DURATION = re.compile(r"(\d+(?:\.\d*)?)\s*(ns|us|ms|s)", re.IGNORECASE | re.ASCII)
_NOTHING = re.compile(r"0(?:\.0*)?")
_LONGEST_NS = 366 * 24 * 3600 * 1_000_000_000
_QUOTE = Repr()
_QUOTE.maxlevel, _QUOTE.maxstring, _QUOTE.maxother = 3, 60, 60
_MOST_BYTE = 0xFF
_TOUCH_LASTS = "50ms"


class PartValue(NamedTuple):
    """A control or a pin of a part, and its value."""

    part: str
    name: str
    value: float


class Screenshot(NamedTuple):
    """A part whose picture is taken, and the files that it goes to and has to be."""

    part: str
    save_to: str
    compare_with: str


class TouchPoint(NamedTuple):
    """Where a part is touched, for how long, and whether that is waited for."""

    part: str
    x: float = 0.0
    y: float = 0.0
    lasts_ns: int | None = None
    waits: bool = False


def quoted(value: object) -> str:
    """Return how a message quotes a value: not all of what is long or deep."""
    return _QUOTE.repr(value)


def duration_ns(text: object) -> int:
    """Return a duration such as ``500ms`` in ns, read as wokwi-cli reads it.

    Raises:
        ValueError: it is none.
    """
    given = text.strip() if isinstance(text, str) else ""
    if _NOTHING.fullmatch(given):
        return 0
    found = _DURATION.fullmatch(given)
    if found is None:
        raise ValueError(
            f"{quoted(text)} is no duration: write 500ms, with ns, us, ms or s"
        )
    lasts_ns = Decimal(found[1]) * _NS[found[2].lower()]
    if lasts_ns > _LONGEST_NS:
        raise ValueError(f"{quoted(text)} is too long: a year at most")
    return round(lasts_ns)


def serial_text(value: object) -> str:
    """Return what is waited for, or sent, as text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(f"must be text, is {quoted(value)}")
    if not str(value):
        raise ValueError("must be text, and there is none")
    try:
        str(value).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{quoted(value)} has half a character in it") from error
    return str(value)


def serial_bytes(value: object) -> bytes:
    """Return what is sent, as text or as a list of bytes."""
    if is_list(value):
        found = [it for it in value if type(it) is int and 0 <= it <= _MOST_BYTE]
        if len(found) < len(value) or not found:
            raise TypeError(f"must be text or a list of bytes, is {quoted(value)}")
        return bytes(found)
    return serial_text(value).encode()


def control_value(value: object) -> PartValue:
    """Return what a control is set to."""
    return _part_value(value, "control")


def pin_value(value: object) -> PartValue:
    """Return what a pin is expected to be."""
    read = _part_value(value, "pin")
    if read.value not in (0, 1):
        raise ValueError(f"value must be 0 or 1, is {read.value:g}")
    return read


def screenshot(value: object) -> Screenshot:
    """Return which picture is taken."""
    table = _table(value, {"part-id", "save-to", "compare-with"})
    files = [table.get("save-to") or "", table.get("compare-with") or ""]
    if not any(files) or not all(isinstance(it, str) for it in files):
        raise TypeError("must have save-to or compare-with, the name of a file")
    return Screenshot(_part(table), str(files[0]), str(files[1]))


def touch(value: object) -> TouchPoint:
    """Return a touch that ends by itself."""
    table = _table(value, {"part-id", "x", "y", "duration", "wait"})
    waits = table.get("wait", False)
    if not isinstance(waits, bool):
        raise TypeError(f"wait must be true or false, is {quoted(waits)}")
    lasts_ns = duration_ns(table.get("duration", _TOUCH_LASTS))
    return TouchPoint(_part(table), *_point(table), lasts_ns, waits)


def touch_point(value: object) -> TouchPoint:
    """Return where a touch begins, or moves to."""
    table = _table(value, {"part-id", "x", "y"})
    return TouchPoint(_part(table), *_point(table))


def touched_part(value: object) -> TouchPoint:
    """Return what is touched no more."""
    return TouchPoint(_part(_table(value, {"part-id"})))


def is_list(value: object) -> TypeGuard[list[object]]:
    """Say whether it is one."""
    return isinstance(value, list)


def is_table(value: object) -> TypeGuard[Mapping[str, object]]:
    """Say whether it is one."""
    return isinstance(value, dict)


def _part_value(value: object, older: str) -> PartValue:
    """Return part, pin or control, and value; ``older`` is another key for a name."""
    known = {"part-id", "name", older, "value"}
    table = _table(value, known, "part-id, name and value")
    if "name" in table and older in table:
        raise TypeError(f"name and {older} are the same: leave one out")
    chosen = table.get("name", table.get(older))
    if not isinstance(chosen, str | int) or isinstance(chosen, bool):
        raise TypeError(f"must have part-id, name and value, is {quoted(value)}")
    return PartValue(_part(table), str(chosen), _number(table, "value"))


def _table(
    value: object, known: set[str], needed: str = "part-id"
) -> Mapping[str, object]:
    if not is_table(value):
        raise TypeError(f"must have {needed}, is {quoted(value)}")
    if unknown := value.keys() - known:
        listed = ", ".join(sorted(map(str, unknown)))
        hint = "; the key is value" if {"expected"} == unknown else ""
        raise TypeError(f"must have {needed}, and nobody reads {listed}{hint}")
    return value


def _part(table: Mapping[str, object]) -> str:
    part = table.get("part-id")
    if not isinstance(part, str | int) or isinstance(part, bool) or part == "":
        raise TypeError(
            f"must have part-id, the id of a part, is {quoted(dict(table))}"
        )
    return str(part)


def _point(table: Mapping[str, object]) -> tuple[float, float]:
    return _number(table, "x"), _number(table, "y")


def _number(table: Mapping[str, object], key: str) -> float:
    value = table.get(key)
    if not isinstance(value, int | float):
        raise TypeError(f"{key} must be a number, is {quoted(value)}")
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError(f"{key} is too large: {quoted(value)}") from error
