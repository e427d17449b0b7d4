"""Restarts of AVR firmware: by its watchdog, by a jump to 0; with and without Optiboot.

Sources: ATmega328P data sheet, 11.9.1 and 11.9.2 (after a watchdog reset WDRF is set
and the watchdog runs on at 16 ms); Optiboot's source, from version 5 on (it clears
MCUSR, hands it over in r2, and switches the watchdog off).
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.errors import FirmwareReset
from pytest_embedbench.model import Level
from tests.e2e.avr_firmware import avr_image, board_spec, boot, simavr

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.avr_firmware import Boot

__all__ = ["avr_image", "boot", "simavr"]


@pytest.mark.parametrize("name", ["uno", "nano", "mega"])
def test_boards_with_optiboot_come_up_again_after_the_watchdog_has_bitten(
    boot: Boot, tmp_path: Path, name: str
) -> None:
    assert board_spec(name).options == {"bootloader": True}
    board = boot("restarts", "-DWAY=BY_WATCHDOG", board=name, bootloader=True)
    with closing(Bench(board, tmp_path)) as bench:
        bench.expect("^MCUSR 0$", within_ms=10)
        bench.expect("^R2 1$", within_ms=10)
        at_us = bench.expect_restart(within_ms=100)
        assert 37_000 <= at_us <= 40_000  # 20 ms, 16 ms, and what it has said
        bench.expect("^MCUSR 0$", within_ms=10)
        bench.expect("^R2 8$", within_ms=10)
        for _ in range(5):
            bench.expect("^up$", within_ms=60)


def test_without_a_bootloader_the_watchdog_runs_on(boot: Boot, tmp_path: Path) -> None:
    board = boot("restarts", "-DWAY=BY_WATCHDOG")
    with closing(Bench(board, tmp_path)) as bench:
        bench.expect("^MCUSR 1$", within_ms=10)
        bench.expect_restart(within_ms=100)
        bench.expect("^MCUSR 8$", within_ms=10)
        bench.expect_restart(within_ms=20)
        with pytest.raises(FirmwareReset, match="watchdog"):
            bench.run_for(50)


def test_a_jump_to_address_0_is_a_restart_that_can_be_expected(
    boot: Boot, tmp_path: Path
) -> None:
    board = boot("restarts", "-DWAY=BY_JUMP", bootloader=True)
    with closing(Bench(board, tmp_path)) as bench:
        bench.expect("^MCUSR 0$", within_ms=10)
        bench.expect_restart(within_ms=100)
        bench.expect("^MCUSR 0$", within_ms=10)
        bench.expect("^up$", within_ms=100)
        bench.run_for(500)


def test_pins_and_uart_go_on_after_an_expected_restart(
    boot: Boot, tmp_path: Path
) -> None:
    board = boot("faults", "-DFAULT=WATCHDOG")
    with closing(Bench(board, tmp_path)) as bench:
        bench.expect_restart(within_ms=100)
        bench.expect("^BOOT 8$", within_ms=10)
        bench.send("hello")
        bench.expect("^PIN 1$", within_ms=10)  # pulled up
        board.drive_pin("D8", Level.LOW)
        bench.send("hello")
        bench.expect("^PIN 0$", within_ms=10)
