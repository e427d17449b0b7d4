"""Where a part is on its I2C bus, as a diagram says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMES = ("i2c-address", "i2cAddress")
"""The older name is there only if a diagram has it."""
_ADDRESSES = range(0x08, 0x78)
"""Those of 7 bits that UM10204 leaves to devices (table 4)."""


def i2c_address(attrs: Mapping[str, str]) -> int:
    """Return the address of 7 bits.

    Raises:
        ConfigError: it is no number, or none that a device can have.
    """
    name = next(name for name in _NAMES if attrs.get(name))
    try:
        address = int(attrs[name], 0)
    except ValueError:
        address = -1
    if address not in _ADDRESSES:
        raise ConfigError(
            f"{name} cannot be {attrs[name]!r}: a device on I2C is at "
            f"0x{_ADDRESSES[0]:02x} to 0x{_ADDRESSES[-1]:02x}"
        )
    return address
