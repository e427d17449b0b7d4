"""Who said at which speed the other end of a UART speaks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.model import BoardSpec

SLOWEST_BPS, FASTEST_BPS = 50, 20_000_000


def at_speeds(
    spec: BoardSpec, speeds_bps: Mapping[str, int], *, said_by: str
) -> BoardSpec:
    """Return a board with other speeds by UART; that of the first one by ``""``."""
    first = spec.uarts[0].name
    named = {name or first: baud_bps for name, baud_bps in speeds_bps.items()}
    uarts = (
        replace(uart, baud_bps=named[uart.name], said_by=said_by)
        if uart.name in named
        else uart
        for uart in spec.uarts
    )
    return replace(spec, uarts=tuple(uarts))


def spoken_at(spec: BoardSpec, baud_bps: int) -> BoardSpec:
    """Return a board of which a test says how fast its first UART is.

    Raises:
        ConfigError: no UART can be that fast, or that slow.
    """
    if not _is_whole(baud_bps) or not SLOWEST_BPS <= baud_bps <= FASTEST_BPS:
        raise ConfigError(
            f"{spec.name}: baud_bps must be from {SLOWEST_BPS} to {FASTEST_BPS}, is "
            f"{baud_bps!r}"
        )
    return at_speeds(spec, {"": baud_bps}, said_by="test")


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)
