"""A board that is what every board is, and nothing beyond."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.testing import LOOPBACK_SPEC, Loopback, loopback_image

if TYPE_CHECKING:
    from pytest_embedbench.contracts import Link
    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.testing import Firmware, LoopbackBoard


class PlainBoard:
    """Five methods around a board that can more."""

    def __init__(self, firmware: Firmware, spec: BoardSpec = LOOPBACK_SPEC) -> None:
        self.inner: LoopbackBoard = Loopback(firmware).boot(spec, loopback_image())

    @property
    def spec(self) -> BoardSpec:
        return self.inner.spec

    def link(self, uart: str = "") -> Link:
        return self.inner.link(uart)

    def now_us(self) -> int:
        return self.inner.now_us()

    def advance(self, duration_ms: int) -> None:
        self.inner.advance(duration_ms)

    def close(self) -> None:
        self.inner.close()


class PlainBoardWithReset(PlainBoard):
    """One more."""

    def reset(self) -> None:
        self.inner.reset()
