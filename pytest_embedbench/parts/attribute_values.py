"""What text of attributes means: addresses on I2C, and the time a clock begins at.

Each function raises ``ValueError`` with what its text must be; a check of a diagram and
the model of a part say the same of it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

_ADDRESS, _OLDER_ADDRESS = "i2cAddress", "i2c-address"
_ADDRESSES = range(0x08, 0x78)
"""Those of 7 bits that UM10204 leaves to devices (table 4)."""
_SPECIAL_STARTS = {"now": "2020-01-01T00:00:00", "0": "2000-01-01T00:00:00"}
_YEARS = range(2000, 2100)


def address(text: str) -> int:
    """Return an address of 7 bits."""
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if value not in _ADDRESSES:
        first, last = _ADDRESSES[0], _ADDRESSES[-1]
        raise ValueError(f"must be an address on I2C from 0x{first:02x} to 0x{last:x}")
    return value


def address_or_nothing(text: str) -> int | None:
    """Return an address of 7 bits, if there is one."""
    return address(text) if text else None


def address_of(attrs: Mapping[str, str]) -> int:
    """Return where a part is on its bus; an attribute of the older name goes first.

    Raises:
        ConfigError: nowhere.
    """
    name = _OLDER_ADDRESS if attrs.get(_OLDER_ADDRESS) else _ADDRESS
    try:
        return address(attrs[name])
    except ValueError as error:
        raise ConfigError(f"{name} is {attrs[name]!r}, {error}") from None


def start(text: str) -> datetime:
    """Return when a clock begins, without a time zone: that of UTC, if it has one."""
    try:
        moment = datetime.fromisoformat(_SPECIAL_STARTS.get(text, text))
    except ValueError:
        moment = datetime.min  # noqa: DTZ901 (no time zone is what it is about)
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    if moment.year not in _YEARS:
        raise ValueError(
            "must be 'now', '0', or a date and time of day from 2000 to 2099, "
            "such as '2024-02-29T23:59:58'"
        )
    return moment
