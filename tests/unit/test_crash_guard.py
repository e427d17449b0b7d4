"""A firmware that reports its own death ends the test at once, on any board."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.errors import (
    BoardLost,
    ExpectTimeout,
    FirmwareCrash,
    FirmwareReset,
)
from pytest_embedbench.testing import LOOPBACK_SPEC, Loopback, loopback_image

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from pytest_embedbench.testing import Firmware, LoopbackUart

PANIC = b"Guru Meditation Error: Core  0 panic'ed (LoadProhibited).\r\n"
BACKTRACE = b"Backtrace: 0x400d31a3:0x3ffb2740 0x400d4c6e:0x3ffb2760\r\n"
BOOT = b"rst:0x3 (SW_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n"


def saying(*lines: bytes, every_ms: int = 10) -> Firmware:
    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        for line in lines:
            yield every_ms
            uart.write(line)
        while True:
            yield 1000

    return firmware


@contextmanager
def esp32(firmware: Firmware, folder: Path) -> Iterator[Bench]:
    spec = replace(LOOPBACK_SPEC, mcu="esp32")
    bench = Bench(Loopback(firmware).boot(spec, loopback_image()), folder)
    try:
        yield bench
    finally:
        bench.close()


def test_a_panic_ends_the_wait_with_the_backtrace(tmp_path: Path) -> None:
    # X8
    firmware = saying(b"ok\n", PANIC, BACKTRACE, b"Rebooting...\r\n")
    with esp32(firmware, tmp_path) as bench:
        with pytest.raises(FirmwareCrash) as crash:
            bench.expect("never", within_ms=60_000)
        assert bench.board.now_us() < 1_000_000
    assert str(crash.value) == (
        "the firmware panicked (LoadProhibited) at 0.020000 s\n"
        "backtrace (no ELF to decode it with): 0x400d31a3 0x400d4c6e"
    )


def test_what_was_said_before_the_panic_still_counts(tmp_path: Path) -> None:
    firmware = saying(b"ok\n", PANIC, b"Rebooting...\r\n", every_ms=1)
    with esp32(firmware, tmp_path) as bench:
        said = bench.expect("ok", within_ms=1000)
        with pytest.raises(FirmwareCrash):
            bench.run_for(1)
    assert said.text == "ok"


def test_a_dump_that_breaks_off_ends_the_test_in_under_a_second(
    tmp_path: Path,
) -> None:
    # X8
    with esp32(saying(PANIC), tmp_path) as bench:
        with pytest.raises(FirmwareCrash, match="LoadProhibited"):
            bench.run_for(60_000)
        assert bench.board.now_us() < 1_000_000


def test_a_boot_loop_does_not_burn_the_whole_window(tmp_path: Path) -> None:
    # X8
    with esp32(saying(*[BOOT] * 20, every_ms=300), tmp_path) as bench:
        with pytest.raises(FirmwareCrash, match="restarts over and over"):
            bench.expect("ready", within_ms=60_000)
        assert bench.board.now_us() < 1_000_000


def test_resets_that_the_test_pressed_are_no_boot_loop(tmp_path: Path) -> None:
    with esp32(saying(BOOT, b"ready\n"), tmp_path) as bench:
        for _ in range(5):
            bench.expect("ready", within_ms=1000)
            bench.reset()


def test_download_mode_is_a_fault_of_the_bench_within_two_seconds(
    tmp_path: Path,
) -> None:
    # B17
    with esp32(saying(BOOT, b"waiting for download\r\n"), tmp_path) as bench:
        with pytest.raises(BoardLost, match="ROM's download mode"):
            bench.expect("ready", within_ms=60_000)
        assert bench.board.now_us() < 2_000_000


def test_a_board_that_dies_within_its_dump_says_both(tmp_path: Path) -> None:
    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        yield 10
        uart.write(PANIC + b"Core  0 register du")
        yield 10
        raise FirmwareReset("the guest has reset itself")

    dies = pytest.raises(FirmwareCrash, match="LoadProhibited")
    with esp32(firmware, tmp_path) as bench, dies:
        bench.run_for(1000)


def test_other_chips_may_say_what_they_like(tmp_path: Path) -> None:
    board = Loopback(saying(PANIC)).boot(LOOPBACK_SPEC, loopback_image())
    bench = Bench(board, tmp_path)
    with pytest.raises(ExpectTimeout):
        bench.expect("never", within_ms=2000)
    bench.close()
