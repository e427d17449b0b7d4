"""What a wait is for: a level at a pin of a part, or words on a UART."""

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


Stop = PinBecomes | UartSays


class StopMet(NamedTuple):
    """Which stop was met, and when."""

    stop: Stop
    at_us: int
