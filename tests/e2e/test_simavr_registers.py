"""Registers of simulated AVRs with flags, and with orders of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.model import Level
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from tests.e2e.avr_firmware import Boot, SimavrBoard

__all__ = ["avr_image", "boot", "simavr"]

BOARDS = ["uno", "mega", "pro-mini-8mhz", "nano-168", "atmega1284p"]


def said(board: SimavrBoard, duration_ms: int = 100) -> dict[str, int]:
    """Return the numbers that the firmware says, by their names."""
    board.advance(duration_ms)
    words = b"".join(each.data for each in board.link().receive()).split()
    return {n.decode(): int(v) for n, v in zip(words[::2], words[1::2], strict=True)}


@pytest.mark.parametrize("name", BOARDS)
def test_a_flag_of_a_pin_is_cleared_by_one_and_interrupts_when_enabled(
    boot: Boot, name: str
) -> None:
    """ATmega328P, 13.2.3 and 13.2.5, with INT0 (1) and a pin change (2, 16)."""
    assert said(boot("registers", "-DWAY=PIN_FLAGS", board=name)) == {
        "both": 3,
        "others": 3,
        "cleared": 0,
        "none": 0,
        "late": 17,
    }


def test_the_megas_ports_j_and_k_interrupt_on_changes(boot: Boot) -> None:
    """ATmega2560, 15.2.6 to 15.2.8: PCINT9 is PJ0 (D15), PCINT16 PK0 (A8)."""
    board = boot("registers", "-DWAY=MEGA", board="mega")
    board.drive_pin("D15", Level.LOW)
    board.drive_pin("A8", Level.LOW)
    # One change of each port while interrupts are off is one interrupt.
    assert said(board, 4) == {"outputs": 1 + 17}
    board.drive_pin("D15", Level.HIGH)
    board.drive_pin("A9", Level.HIGH)  # not in the mask
    for _ in range(2):
        board.drive_pin("A8", Level.HIGH)
        board.drive_pin("A8", Level.LOW)
        board.advance(1)
    assert said(board, 8) == {"inputs": 17 + 1 + 2 * 16}


@pytest.mark.parametrize("name", BOARDS)
def test_the_adcs_flag_goes_the_same_way_and_it_runs_freely(
    boot: Boot, name: str
) -> None:
    """ATmega328P, 24.9.2 (ADIF), and 24.4: 13 clocks for a conversion."""
    seen = said(boot("registers", "-DWAY=ADC_FLAG", board=name))
    assert seen.pop("hundred") == pytest.approx(100 * 13 * 128 / 8, rel=0.005)
    assert seen == {"up": 1, "late": 1, "cleared": 0}


@pytest.mark.parametrize("name", BOARDS)
def test_a_byte_goes_into_the_eeprom_as_its_mode_says(boot: Boot, name: str) -> None:
    """ATmega328P, 8.4 and table 8-1: 26,368 clocks of 8 MHz, or half of that."""
    board = boot("registers", "-DWAY=EEPROM", board=name)
    seen = said(board)
    clock_hz = board.spec.cpu_hz / 8
    assert seen.pop("time") == pytest.approx(26_368 / 8e6 * clock_hz, rel=0.005)
    assert seen.pop("half") == pytest.approx(13_184 / 8e6 * clock_hz, rel=0.005)
    assert seen == {
        "byte": 0x3C,
        "and": 0x30,
        "erased": 0xFF,
        "unarmed": 0xFF,
        "late": 0xFF,
        "again": 3,
    }


def test_what_is_in_the_eeprom_outlives_a_reset(boot: Boot) -> None:
    board = boot("registers", "-DWAY=EEPROM")
    said(board)
    board.reset()
    # Erased by now; the byte is written anew.
    assert said(board)["byte"] == 0x3C


@pytest.mark.parametrize("name", ["uno", "atmega1284p"])
def test_the_comparator_looks_at_a_channel_of_the_adc(boot: Boot, name: str) -> None:
    """ATmega328P, 23.2: the band gap (1.1 V) against ADC0; each toggle interrupts."""
    board = boot("registers", "-DWAY=COMPARATOR", board=name)
    analog = "A0" if name == "uno" else "PA0"
    board.set_analog(analog, 2_000)
    board.advance(2)
    board.link().receive()
    assert said(board, 6)["ACO"] % 10 == 0
    board.set_analog(analog, 500)
    first = said(board, 6)["ACO"]
    board.set_analog(analog, 2_000)
    second = said(board, 6)["ACO"]
    assert (first % 10, second % 10, second // 10 - first // 10) == (1, 0, 1)


def test_the_comparator_looks_at_its_own_pins(boot: Boot) -> None:
    """ATmega328P, 23.1: ACO is set while AIN0 is above AIN1."""
    board = boot("registers", "-DWAY=COMPARATOR", "-DPINS")
    board.set_analog("D6", 1_500)
    board.set_analog("D7", 1_600)
    board.advance(2)
    board.link().receive()
    assert said(board, 6)["ACO"] % 10 == 0
    board.set_analog("D7", 1_400)
    assert said(board, 6)["ACO"] % 10 == 1


def test_the_clocks_prescaler_is_guarded_and_its_use_is_noted(boot: Boot) -> None:
    """ATmega328P, 9.12.2. Everything would take twice as long on a real board."""
    board = boot("registers", "-DWAY=CLOCK")
    assert said(board, 20) == {"closed": 0, "open": 1}
    assert any("divides its clock by 2 (CLKPR)" in note for note in board.notes)
