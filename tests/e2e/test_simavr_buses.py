"""SPI and TWI of simulated AVR boards: how long bytes take, and what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.model import Level
from pytest_embedbench.wiring.diagram import Endpoint
from tests.e2e.avr_circuit import circuit, wired
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from tests.e2e.avr_circuit import Wired
    from tests.e2e.avr_firmware import Boot, SimavrBoard

__all__ = ["avr_image", "boot", "simavr", "wired"]

CPU_MHZ = 16
COUNT = 200


def booted(boot: Boot, way: str, *, rate: int, bytes_: str = "0") -> SimavrBoard:
    flags = f"-DWAY={way}", f"-DRATE={rate}", f"-DCOUNT={COUNT}", f"-DBYTES={bytes_}"
    return boot("buses", *flags)


def busy_us(board: SimavrBoard) -> int:
    """Return for how long D8 was high."""
    board.advance(250)
    edges = [each for each in board.pin_trace().events if each.pin == "D8"]
    (start,) = (each.at_us for each in edges if each.level is Level.HIGH)
    return edges[-1].at_us - start


def said(board: SimavrBoard) -> list[str]:
    return b"".join(each.data for each in board.link().receive()).decode().split()


@pytest.mark.parametrize(
    ("rate", "divisor"),
    [(4, 2), (0, 4), (5, 8), (1, 16), (6, 32), (2, 64), (3, 128)],
)
@pytest.mark.parametrize("way", ["SPI", "SPI_BY_INTERRUPT"])
def test_an_spi_byte_takes_eight_clocks(
    boot: Boot, way: str, rate: int, divisor: int
) -> None:
    """ATmega328P, table 19-5: SCK is F_CPU over 2 to 128, by SPI2X and SPR1:0.

    Between two bytes there is the program, about 20 cycles of it, or an interrupt.
    """
    board = booted(boot, way, rate=rate)
    byte_us = busy_us(board) / COUNT
    between_us = byte_us - 8 * divisor / CPU_MHZ
    assert 0 < between_us < 4
    if divisor == 128:
        # The program's own share is the same at any clock: it is what is left over.
        own_us = busy_us(booted(boot, way, rate=2)) / COUNT - 8 * 64 / CPU_MHZ
        assert byte_us - own_us == pytest.approx(64, rel=0.005)


def flag_after(boot: Boot, bus: str, cycles: int, *, rate: int) -> int:
    """Say whether the flag is up so many cycles after the instruction that begins."""
    flags = f"-DRATE={rate}", "-DCOUNT=0", "-DBYTES=0", f"-D{bus}_CYCLES={cycles}"
    board = boot("buses", "-DWAY=FLAG", *flags)
    board.advance(10)
    return int(said(board)[1])


@pytest.mark.parametrize(
    ("rate", "divisor"),
    [(4, 2), (0, 4), (5, 8), (1, 16), (6, 32), (2, 64), (3, 128)],
)
def test_an_spi_byte_ends_in_the_very_cycle(
    boot: Boot, rate: int, divisor: int
) -> None:
    """ATmega328P, table 19-5, to the cycle: so fast loops have no SPIF to ask for."""
    assert flag_after(boot, "SPI", 8 * divisor - 1, rate=rate) == 0
    assert flag_after(boot, "SPI", 8 * divisor, rate=rate) == 1


@pytest.mark.parametrize(("rate", "scl_cycles"), [(12, 40), (72, 160)])
def test_a_twi_byte_ends_in_the_very_cycle(
    boot: Boot, rate: int, scl_cycles: int
) -> None:
    """ATmega328P, 22.5.2: SCL = F_CPU / (16 + 2 * TWBR), nine of them."""
    assert flag_after(boot, "TWI", 9 * scl_cycles - 1, rate=rate) == 0
    assert flag_after(boot, "TWI", 9 * scl_cycles, rate=rate) == 1


@pytest.mark.parametrize(("level", "read"), [(Level.HIGH, "255"), (Level.LOW, "0")])
def test_spi_reads_what_miso_shows(boot: Boot, level: Level, read: str) -> None:
    board = booted(boot, "SPI", rate=0)
    board.drive_pin("D12", level)
    board.advance(20)
    assert said(board) == ["D", read]


def test_port_writes_do_not_move_the_pins_of_spi(wired: Wired) -> None:
    """ATmega328P, table 19-1: with SPE and MSTR it has SCK, MOSI and MISO, not PORTB.

    In mode 3 SCK rests high, and MISO is an input; SS stays the port's.
    """
    flags = "-DWAY=LENT", "-DRATE=3", "-DCOUNT=0", "-DBYTES=0"
    leds = {f"led{pin}": "wokwi-led" for pin in (10, 11, 12, 13)}
    wires = (f"uno:{led[3:]} - {led}:A" for led in leds)
    board = wired("buses", leds, *wires, flags=flags)
    board.advance(5)
    record = circuit(board).record()
    ss, mosi, miso, sck = (
        record.edges_of(record.netlist.number_of(Endpoint("uno", str(pin))))
        for pin in (10, 11, 12, 13)
    )
    low, high = Level.LOW, Level.HIGH
    assert [it.level for it in sck] == [low, high, *[low, high] * 8, low]
    seen = ""
    for rise in [it.at_ns for it in sck if it.level is high][1:]:
        data = [it.level for it in mosi if it.at_ns <= rise][-1]
        seen += str(data.value)
    assert int(seen, 2) == 0xA5
    assert mosi[-1].level is high  # by PORTB, and MOSI's last bit was, too
    assert miso == [(sck[-1].at_ns, low)]
    assert [it.level for it in ss] == [low, high]


def test_an_spi_byte_that_comes_too_early_is_a_collision(boot: Boot) -> None:
    """ATmega328P, 19.5.2: WCOL is set if SPDR is written during a transfer."""
    board = booted(boot, "COLLISION", rate=3)
    board.advance(20)
    assert said(board) == ["D", "64"]


def statuses(board: SimavrBoard) -> list[int]:
    words = said(board)
    return [
        int(value)
        for name, value in zip(words[::2], words[1::2], strict=True)
        if name == "S"
    ]


def twi_byte_us(boot: Boot, rate: int) -> float:
    """Return how much longer four bytes more take, each."""
    one_us = busy_us(booted(boot, "TWI", rate=rate, bytes_="0x4E"))
    five_us = busy_us(booted(boot, "TWI", rate=rate, bytes_="0x4E,4,4,4,4"))
    return (five_us - one_us) / 4


@pytest.mark.parametrize(("rate", "scl_cycles"), [(72, 160), (255, 526)])
def test_a_twi_byte_takes_nine_clocks(boot: Boot, rate: int, scl_cycles: int) -> None:
    """ATmega328P, 22.5.2: SCL = F_CPU / (16 + 2 * TWBR) with a prescaler of 1.

    What the program takes between two bytes is the same at 400 kHz (40 cycles).
    """
    byte_us, fast_us = twi_byte_us(boot, rate), twi_byte_us(boot, 12)
    clocks_us = 9 * (scl_cycles - 40) / CPU_MHZ
    assert byte_us - fast_us == pytest.approx(clocks_us, rel=0.005)
    assert fast_us == pytest.approx(9 * 40 / CPU_MHZ, abs=4)


def test_an_address_that_nobody_answers_is_told_by_its_status(boot: Boot) -> None:
    """ATmega328P, tables 22-2 and 22-3: START, SLA+W, START again, SLA+R, no ACK."""
    board = booted(boot, "TWI", rate=72, bytes_="0x4E,1,0x4F")
    board.advance(20)
    assert statuses(board) == [0x08, 0x20, 0x10, 0x48]
