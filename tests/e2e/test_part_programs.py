"""Parts on boards at 16 MHz, by C from datasheets and Wokwi's pages alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.avr_circuit import circuit, powered, said, wired
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from tests.e2e.avr_circuit import Wired
    from tests.e2e.avr_firmware import SimavrBoard

__all__ = ["avr_image", "boot", "simavr", "wired"]


def reading(board: SimavrBoard, duration_ms: int = 25) -> list[int]:
    """Let time pass, and return the numbers of the last whole line."""
    return [int(word) for word in said(board, duration_ms)[-2].split()[1:]]


BAR_PINS = ("2", "3", "4", "5", "6", "7", "8", "A0", "A1")


@pytest.mark.parametrize(
    ("common", "joined", "shares"),
    [("cathode", "GND.2", (0.25, 0.5, 1)), ("anode", "5V", (0.75, 0.5, 0))],
)
def test_a_bar_and_three_colors(
    wired: Wired, common: str, joined: str, shares: tuple[float, ...]
) -> None:
    bar = [f"uno:{pin} - bar:A{index}" for index, pin in enumerate(BAR_PINS, 1)]
    board = wired(
        "lamps",
        {"bar": "wokwi-led-bar-graph", "rgb": "wokwi-rgb-led"},
        *(*bar, *(f"bar:C{index} - uno:GND.1" for index in range(1, 10))),
        *("uno:5V - bar:A10", "uno:A2 - bar:C10"),
        *("uno:9 - rgb:R", "uno:10 - rgb:G", "uno:11 - rgb:B"),
        f"rgb:COM - uno:{joined}",
        attrs={"rgb": {"common": common}},
    )
    board.advance(100)
    lit = circuit(board).observe("bar", "brightnesses")
    assert lit == pytest.approx((1, 1, 1, 1, 1, 1, 1, 0, 0.25, 1), abs=0.04)
    assert circuit(board).observe("rgb", "rgb") == pytest.approx(shares, abs=0.01)


@pytest.mark.parametrize("bounce", ["0", "1"])
def test_slides_and_dip_switches(wired: Wired, bounce: str) -> None:
    dip = [
        wire
        for index in range(1, 9)
        for wire in (f"dip:{index}a - uno:GND.1", f"uno:{index + 2} - dip:{index}b")
    ]
    board = wired(
        "contacts",
        {"slide": "wokwi-slide-switch", "dip": "wokwi-dip-switch-8"},
        *("slide:1 - uno:GND.2", "slide:2 - uno:2", "slide:3 - uno:5V", *dip),
        attrs={
            "slide": {"value": "1", "bounce": bounce},
            "dip": {"values": "10000001"},
        },
    )
    # Wokwi: value 1 joins 2 and 3, else 1 and 2.
    assert said(board, 50) == ["SLIDE 1", "DIP 129", "EDGES 0"]
    circuit(board).control("dip", "switch1", 0)
    circuit(board).control("dip", "switch4", 1)
    assert said(board, 50) == ["SLIDE 1", "DIP 136", "EDGES 0"]
    circuit(board).control("slide", "value", 0)
    slide, dips, edges = said(board, 50)
    assert (slide, dips) == ("SLIDE 0", "DIP 136")
    counted = int(edges.split()[1])
    assert counted == 1 if bounce == "0" else 3 <= counted <= 201
    circuit(board).control("slide", "value", 1)
    assert said(board, 50)[0] == "SLIDE 1"


def test_relays_break_before_they_make(wired: Wired) -> None:
    board = wired(
        "coils",
        {"one": "wokwi-relay-module", "two": "wokwi-ks2e-m-dc5"},
        *("uno:2 - one:IN", "uno:3 - one:NC", "uno:4 - one:NO", "one:COM - uno:GND.2"),
        *("uno:5 - two:COIL1", "two:COIL2 - uno:GND.2", *powered("one")),
        *("uno:7 - two:NC1", "uno:6 - two:NO1", "two:P1 - uno:GND.2"),
        *("uno:9 - two:NC2", "uno:8 - two:NO2", "two:P2 - uno:GND.2"),
    )
    board.advance(50)
    assert circuit(board).observe("one", "is_on") is True
    assert circuit(board).observe("two", "is_on") is True
    lines = said(board, 260)
    rest, on, pulled, off, again, short, half = (line.split()[1:] for line in lines)
    assert (rest, pulled, again) == (["21"], ["42"], ["21"])  # bits NC and bits NO
    for moved, latest_ms in ((on, 10), (off, 5)):
        times = [tuple(map(int, word.split(":"))) for word in moved]
        for nc, no in zip(times[::2], times[1::2], strict=True):
            opens, closes = (nc, no) if moved is on else (no, nc)
            assert 0 < opens[0] <= closes[0] <= latest_ms * 10 + 1
            assert opens[1] % 2 == closes[1] % 2 == 1
        assert [count for _, count in times[:2]] == [1, 1]
        assert max(count for _, count in times[2:]) > 1  # it bounces
    assert short == half == ["0:0"] * 6


SENSES = {
    "light": "wokwi-photoresistor-sensor",
    "gas": "wokwi-gas-sensor",
    "slide": "wokwi-slide-potentiometer",
    "pir": "wokwi-pir-motion-sensor",
}
SENSE_WIRES = (
    *("uno:A0 - light:AO", "uno:2 - light:DO", "uno:A1 - gas:AOUT"),
    *("uno:3 - gas:DOUT", "uno:A2 - slide:SIG", "uno:4 - pir:OUT"),
    *powered("light", "gas", "slide", "pir"),
)


@pytest.mark.parametrize("name", ["uno", "mega"])
def test_light_gas_and_slides_are_voltages(wired: Wired, name: str) -> None:
    board = wired("senses", SENSES, *SENSE_WIRES, board=name)
    # docs.wokwi.com/parts/wokwi-photoresistor-sensor: the table of AO, and DO.
    light = [(0.1, 4.96), (1, 4.81), (10, 4.17), (50, 3.09), (99, 2.51), (400, 1.37)]
    light += [(1000, 0.83), (10_000, 0.19), (100_000, 0.04)]
    for lux, volts in light:
        circuit(board).control("light", "lux", lux)
        ao, _, _, do, _, _ = reading(board)
        assert ao == pytest.approx(volts * 1024 / 5, abs=2.1)
        assert do == (ao > 512)
    # It divides 5 V; the module says gas, low, over 4.4 V, if not told otherwise.
    before = -1
    for ppm in (0, 400, 1000, 5000, 6000, 100_000):
        circuit(board).control("gas", "ppm", ppm)
        _, aout, _, _, dout, _ = reading(board)
        assert before < aout < 1024
        assert dout == (aout < 4.4 * 1024 / 5)
        before = aout
    for position, value in ((0, 0), (0.25, 256), (0.5, 512), (1, 1023)):
        circuit(board).control("slide", "position", position)
        assert reading(board)[2] == pytest.approx(value, abs=1)


@pytest.mark.parametrize("retrigger", ["", "0"])
def test_movements_hold_their_output(wired: Wired, retrigger: str) -> None:
    """docs.wokwi.com/parts/wokwi-pir-motion-sensor."""
    pir = {"delayTime": "0.5", "inhibitTime": "0.2", "retrigger": retrigger or "1"}
    board = wired("senses", SENSES, *SENSE_WIRES, attrs={"pir": pir})

    def moves() -> None:
        circuit(board).control("pir", "motion", 1)
        circuit(board).control("pir", "motion", 0)

    assert reading(board)[5] == 0
    moves()
    assert reading(board)[5] == 1
    board.advance(275)
    moves()  # 300 ms after the first
    assert reading(board, 180)[5] == 1
    assert reading(board, 60)[5] == (retrigger != "0")  # 540 ms
    assert reading(board, 240)[5] == (1 if retrigger != "0" else 0)  # 780 ms
    if retrigger != "0":
        assert reading(board, 40)[5] == 0  # 820 ms, and it fell at 800
        moves()  # within the time in which it sees nothing
        assert reading(board, 150)[5] == 0
        board.advance(40)
        moves()  # 1010 ms
        assert reading(board)[5] == 1
