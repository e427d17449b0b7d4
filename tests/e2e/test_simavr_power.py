"""Power of AVR boards: what outlives its loss, and what a reset leaves alone.

Source: ATmega328P data sheet, 11.9.1 (MCUSR: PORF is 1, EXTRF is 2), 8.4 (a byte takes
3.3 ms to be written).
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.avr_firmware import Boot

__all__ = ["avr_image", "boot", "simavr"]


@pytest.fixture
def bench(boot: Boot, tmp_path: Path) -> Iterator[Bench]:
    with closing(Bench(boot("power"), tmp_path)) as opened:
        opened.uart.poll_ms = 1
        yield opened


def starts(bench: Bench) -> list[str]:
    names = ("MCUSR", "RAM", "CELL")
    said = [bench.expect(f"^{name} (.*)$", within_ms=20) for name in names]
    return [match[1] for match in said]


def test_eeprom_outlives_a_loss_of_power_and_ram_does_not(bench: Bench) -> None:
    assert starts(bench) == ["1", "0", "255"]
    bench.expect("^written$", within_ms=30)
    bench.power_cycle()
    assert starts(bench) == ["1", "0", "42"]


def test_ram_outlives_a_reset(bench: Bench) -> None:
    starts(bench)
    bench.expect("^written$", within_ms=30)
    bench.reset()
    assert starts(bench) == ["2", "1", "42"]


def test_a_byte_that_is_being_written_is_lost_with_the_power(bench: Bench) -> None:
    starts(bench)
    bench.expect("^written$", within_ms=30)
    bench.power_cycle()
    starts(bench)  # it waits 10 ms before it writes
    bench.run_for(11)
    bench.power_cycle()
    assert starts(bench) == ["1", "0", "255"]


def test_time_goes_on_when_the_power_comes_back(bench: Bench) -> None:
    bench.run_for(50)
    bench.power_cycle()
    assert bench.uart.now_us == 50_000
    starts(bench)
    assert 50_000 < bench.uart.now_us < 80_000
