"""Refuse what makes no sense at the door, where the caller can still be named."""

from __future__ import annotations

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Level


def whole_ms(name: str, value: object) -> int:
    """Return a span of time that an argument gives.

    Raises:
        ConfigError: it is not a whole number of milliseconds, 0 or more.
    """
    return _whole(f"{name} =", value, "milliseconds")


def positive_ms(name: str, value: object) -> int:
    """Return a span of time in which something can happen.

    Raises:
        ConfigError: it is not a whole number of milliseconds, 1 or more.
    """
    return _whole(f"{name} =", value, "milliseconds", lowest=1)


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


def _whole(what: str, value: object, unit: str, lowest: int = 0) -> int:
    if type(value) is int and value >= lowest:
        return value
    message = f"{what} {value!r}: must be a whole number of {unit}, {lowest} or more"
    raise ConfigError(message)
