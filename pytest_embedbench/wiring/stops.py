"""What a wait is for: a level at a pin of a part, words on a UART, or a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pytest_embedbench.pins import Level
    from pytest_embedbench.wiring.diagram import Endpoint


class PinBecomes(NamedTuple):
    """That the net of a pin shows another level than before, and this one."""

    pin: Endpoint
    level: Level


class UartSays(NamedTuple):
    """That these bytes have just been said, whatever was before and comes behind."""

    data: bytes
    uart: str = ""


class TimeReaches(NamedTuple):
    """That so much time has passed since boot, to the tick of the board's clock."""

    at_ns: int


Stop = PinBecomes | UartSays | TimeReaches


class StopMet(NamedTuple):
    """Which stop was met, and when; of a moment, just what was asked for."""

    stop: Stop
    at_ns: int

    @property
    def at_us(self) -> int:
        """When, in whole us."""
        return self.at_ns // 1000
