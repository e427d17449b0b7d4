"""The fake engine keeps the contract that it stands in for."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from pytest_embedbench.testing import (
    LOOPBACK_SPEC,
    Firmware,
    Loopback,
    LoopbackUart,
    check_engine,
    loopback_image,
    tank_firmware,
)


def silent(uart: LoopbackUart) -> Generator[int, None, None]:
    del uart
    yield 1


def dribbling(uart: LoopbackUart) -> Generator[int, None, None]:
    while True:
        uart.write(b"half ")
        yield 7
        uart.write(b"a line\r\nand\n")
        yield 6


@pytest.mark.parametrize("firmware", [silent, dribbling, tank_firmware])
def test_loopback_keeps_the_contract(firmware: Firmware) -> None:
    check_engine(Loopback(firmware), LOOPBACK_SPEC, loopback_image())
