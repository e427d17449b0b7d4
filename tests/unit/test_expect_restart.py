"""A restart of the firmware's own that a test expects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import (
    ExpectTimeout,
    FirmwareCrash,
    FirmwareFault,
    FirmwareReset,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.testing import Firmware, LoopbackUart

    PutOnBench = Callable[[Firmware], Bench]


def dying(fault: FirmwareFault) -> Firmware:
    """Return a firmware that says it is up, and dies when it hears anything."""

    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        uart.write(b"up\n")
        while not uart.read():
            yield 10
        uart.write(b"last wo")
        raise fault

    return firmware


def booting(uart: LoopbackUart) -> Generator[int, None, None]:
    """Boot again and again, without a word of the board's."""
    while True:
        uart.write(b"boot\n")
        yield 100
        uart.write(b"up\n")
        yield 100


def test_a_restart_that_was_expected_is_no_fault(bench_with: PutOnBench) -> None:
    bench = bench_with(dying(FirmwareReset("was reset by its watchdog")))
    bench.wait_for_boot("^up$")
    for _ in range(2):
        bench.send("die")
        at_us = bench.expect_restart(within_ms=100)
        assert bench.expect("^up$", within_ms=10).at_us >= at_us
    assert bench.uart.heard() == ["up", "last wo", "up", "last wo", "up"]
    bench.run_for(100)


def test_one_that_nobody_expects_still_is_one(bench_with: PutOnBench) -> None:
    bench = bench_with(dying(FirmwareReset("was reset by its watchdog")))
    bench.wait_for_boot("^up$")
    bench.send("die")
    bench.expect_restart(within_ms=100)
    bench.send("die")
    with pytest.raises(FirmwareReset, match="watchdog"):
        bench.run_for(100)


def test_one_that_has_been_told_of_can_be_accepted(bench_with: PutOnBench) -> None:
    bench = bench_with(dying(FirmwareReset("was reset by its watchdog")))
    bench.wait_for_boot("^up$")
    bench.send("die")
    with pytest.raises(FirmwareReset):
        bench.run_for(50)
    bench.expect_restart(within_ms=0)
    bench.expect("^up$", within_ms=10)


def test_a_boot_line_that_comes_again_is_a_restart(bench_with: PutOnBench) -> None:
    bench = bench_with(booting)
    bench.wait_for_boot("^boot$")
    assert bench.expect_restart(within_ms=300) == 200_000
    bench.expect("^boot$", within_ms=0)
    with pytest.raises(FirmwareReset):
        bench.run_for(300)


def test_the_roms_report_of_a_boot_is_a_restart(bench_with: PutOnBench) -> None:
    def restarting(uart: LoopbackUart) -> Generator[int, None, None]:
        yield 50
        uart.write(b"rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\nhello\n")

    bench = bench_with(restarting)
    assert bench.expect_restart(within_ms=100) == 50_000
    bench.expect("^hello$", within_ms=10)


def test_a_firmware_that_does_not_restart_fails(bench_with: PutOnBench) -> None:
    bench = bench_with(dying(FirmwareReset("")))
    with pytest.raises(ExpectTimeout, match="did not restart within 100 ms"):
        bench.expect_restart(within_ms=100)


def test_a_crash_is_no_restart(bench_with: PutOnBench) -> None:
    bench = bench_with(dying(FirmwareCrash("ran out of its flash")))
    bench.send("die")
    with pytest.raises(FirmwareCrash, match="ran out"):
        bench.expect_restart(within_ms=100)
