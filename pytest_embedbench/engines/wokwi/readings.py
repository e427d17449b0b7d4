"""What a service tells of a pin: official clients know two shapes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.model import Level

if TYPE_CHECKING:
    from pytest_embedbench.wokwi.fields import Fields

_VALUE = "value"


def level_in(pin: Fields) -> Level:
    """Return the level in ``pin:read`` or ``pin:change``: true or false, or a number.

    Raises:
        BadFrame: there is none.
    """
    value: object = pin.values.get(_VALUE)
    if not isinstance(value, bool):
        value = pin.number(_VALUE)
    return Level.HIGH if value else Level.LOW


def voltage_mv_in(pin: Fields) -> float | None:
    """Return the voltage in ``pin:read``, in mV, if it has one; it is told in V.

    Raises:
        BadFrame: it is no number.
    """
    return pin.number("voltage") * 1000 if "voltage" in pin else None
