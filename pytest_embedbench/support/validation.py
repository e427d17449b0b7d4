"""Refuse what makes no sense at the door, where the caller can still be named."""

from __future__ import annotations

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Level

YEAR_MS = 366 * 24 * 3600 * 1000
"""Whoever asks for more has taken one unit for another, and would wait for ever."""


def whole_ms(name: str, value: object) -> int:
    """Return a span of time that an argument gives.

    Raises:
        ConfigError: it is not a whole number of milliseconds, from 0 to a year.
    """
    return _span_ms(name, value, lowest=0)


def positive_ms(name: str, value: object) -> int:
    """Return a span of time in which something can happen.

    Raises:
        ConfigError: it is not a whole number of milliseconds, from 1 to a year.
    """
    return _span_ms(name, value, lowest=1)


def whole_us(name: str, value: object) -> int:
    """Return a time in whole microseconds.

    Raises:
        ConfigError: it is none.
    """
    return _whole(f"{name} =", value, "microseconds")


def moment_ns(name: str, value: object) -> int:
    """Return a moment of simulated time that an argument gives.

    Raises:
        ConfigError: it is not a whole number of nanoseconds, from 0 to a year.
    """
    at_ns = _whole(f"{name} =", value, "nanoseconds")
    if at_ns <= YEAR_MS * 1_000_000:
        return at_ns
    raise ConfigError(
        f"{name} = {value}: must be {YEAR_MS}_000_000 nanoseconds (a year) or less"
    )


def seconds(name: str, value: object) -> float:
    """Return a span of time in seconds; what is below 0 is for the caller to judge.

    Raises:
        ConfigError: it is no number, or more than a year.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        value_s = float(value)
        if value_s <= YEAR_MS / 1000:  # not so of what is no number
            return value_s
    raise ConfigError(
        f"{name} = {value!r}: must be a number of seconds, at most {YEAR_MS // 1000} "
        "(a year)"
    )


def whole_mv(pin: str, value: object) -> int:
    """Return the voltage that an argument puts on a pin.

    Raises:
        ConfigError: it is not a whole number of millivolts, 0 or more.
    """
    return _whole(f"pin {pin} at", value, "millivolts")


def text_or_bytes(what: str, value: object) -> bytes:
    """Return the bytes of what is to be sent; text goes as UTF-8.

    Raises:
        ConfigError: it is neither text nor bytes.
    """
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    kind = type(value).__name__
    raise ConfigError(f"{what} must be text or bytes, is {value!r} ({kind})")


def line_text(call: str, value: object) -> str:
    """Return the text of a line that a call is given.

    Raises:
        ConfigError: it is no text.
    """
    if isinstance(value, str):
        return value
    raise ConfigError(f"{call}({value!r}): give the text of a line")


def pin_level(pin: str, value: object) -> Level:
    """Return the level that an argument gives.

    Raises:
        ConfigError: it is no ``Level``.
    """
    if isinstance(value, Level):
        return value
    known = ", ".join(f"Level.{level.name}" for level in Level)
    raise ConfigError(f"pin {pin} can be {known}, not {value!r}")


def _span_ms(name: str, value: object, lowest: int) -> int:
    span_ms = _whole(f"{name} =", value, "milliseconds", lowest)
    if span_ms <= YEAR_MS:
        return span_ms
    raise ConfigError(
        f"{name} = {value}: must be {YEAR_MS} milliseconds (a year) or less"
    )


def _whole(what: str, value: object, unit: str, lowest: int = 0) -> int:
    if type(value) is int and value >= lowest:
        return value
    message = f"{what} {value!r}: must be a whole number of {unit}, {lowest} or more"
    raise ConfigError(message)
