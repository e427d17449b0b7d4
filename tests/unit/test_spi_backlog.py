"""Bytes of SPI that are told late: nothing is seen of that."""

from __future__ import annotations

import pytest

from pytest_embedbench.wiring.chip_pin import PinDrive
from tests.support.live import Played, play

MATRIX = "wokwi-max7219-matrix"
WIRES = ("m:DIN - uno:11", "m:CLK - uno:13", "m:CS - uno:10")
LOW, HIGH = PinDrive.LOW, PinDrive.HIGH
BYTE_TICKS = 16
WORDS = ((0x0C, 0x01), (0x0B, 0x07), (0x01, 0xA5), (0x02, 0xFF), (0x0A, 0x04))


def shown(circuit: Played) -> list[object]:
    bus = circuit.live.nets.log.bus
    return [circuit.see("m", name) for name in ("pixels", "intensity")] + [bus.tolist()]


def run(circuit: Played, *, late: bool, is_low_first: bool = False) -> list[object]:
    """Send words, each with CS low, and return all that is seen meanwhile."""
    buses, seen = circuit.live.buses, list[object]()
    buses.backlog.go_over(2, BYTE_TICKS, is_low_first=is_low_first)
    circuit.drive(d10=HIGH)
    for index, word in enumerate(WORDS):
        circuit.run_to(10 * index + 1)
        circuit.drive(d10=LOW)
        for place, byte in enumerate(word):
            begins = circuit.now_ticks + BYTE_TICKS * place
            sent = int(f"{byte:08b}"[::-1], 2) if is_low_first else byte
            if late:
                buses.backlog.begins.append(begins)
                buses.backlog.values.append(sent)
            else:
                ends = begins + BYTE_TICKS
                buses.exchange(ends, byte)
                circuit.live.nets.log.add_byte(2, begins, ends, byte, 0xFF)
        circuit.run_to(10 * index + 5)
        circuit.drive(d10=HIGH)
        if index % 2:
            seen += shown(circuit)
    circuit.run_to(100)
    return [*seen, *shown(circuit)]


@pytest.mark.parametrize("is_low_first", [False, True])
def test_told_late_is_told_all_the_same(*, is_low_first: bool) -> None:
    kept = run(play({"m": MATRIX}, *WIRES), late=True, is_low_first=is_low_first)
    told = run(play({"m": MATRIX}, *WIRES), late=False)
    assert kept == told
    assert str(kept[-3]).count("True") == 12


@pytest.mark.parametrize(
    ("parts", "extra", "patient"),
    [
        ({}, (), True),
        ({"m": MATRIX}, (), True),
        ({"m": MATRIX}, ("m:DOUT - uno:12",), False),
        ({"m": MATRIX, "c": "wokwi-microsd-card"}, ("c:SCK - uno:13",), True),
        (
            {"c": "wokwi-microsd-card"},
            ("c:SCK - uno:13", "c:DI - uno:11", "c:CS - uno:9"),
            False,
        ),
    ],
)
def test_only_who_shifts_in_and_does_not_answer_waits(
    parts: dict[str, str], extra: tuple[str, ...], *, patient: bool
) -> None:
    wires = WIRES if "m" in parts else ()
    assert play(parts, *wires, *extra).live.buses.is_patient is patient
