"""Parts in circuits round a simulated Uno, driven by C that reads their datasheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.avr_circuit import circuit, powered, said, wired
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from tests.e2e.avr_circuit import Wired

__all__ = ["avr_image", "boot", "simavr", "wired"]


def test_two_thermometers_are_found_and_read(wired: Wired) -> None:
    board = wired(
        "thermometer",
        {"t1": "wokwi-ds18b20", "t2": "board-ds18b20", "r1": "wokwi-resistor"},
        *("uno:2 - t1:DQ", "uno:2 - t2:DQ", "uno:2 - r1:1", "uno:5V - r1:2"),
        *powered("t1", "t2"),
        attrs={
            "t1": {"temperature": "-10.125"},
            "t2": {"temperature": "25.5", "deviceID": "a1b2c3d4e5f6"},
        },
    )
    lines = said(board, 1600)
    assert lines[:3] == ["FOUND 2", "SIXTEENTHS 1360", "SIXTEENTHS 1360"]
    word, ms = lines[3].split()
    assert word == "MEASURED_MS"
    assert int(ms) == pytest.approx(750, abs=8)
    assert lines[4:6] == [f"SIXTEENTHS {0x10000 - 162}", "SIXTEENTHS 408"]
    assert circuit(board).observe("t1", "measured_c") == -10.125


def test_a_scale_has_ten_readings_a_second(wired: Wired) -> None:
    board = wired(
        "scale",
        {"hx1": "wokwi-hx711"},
        *("uno:2 - hx1:DT", "uno:3 - hx1:SCK", *powered("hx1")),
        attrs={"hx1": {"type": "5kg", "weight": "2.5"}},
    )
    assert said(board, 450)[1] == "RAW 1050"
    circuit(board).control("hx1", "load", 5)
    lines = said(board, 1000)
    assert lines[1::2] == ["RAW 2100"] * 10
    assert {int(line.split()[1]) for line in lines[2::2]} <= {95, 96, 97, 98, 99, 100}


def test_a_clock_display_acknowledges_and_shows(wired: Wired) -> None:
    board = wired(
        "digits",
        {"d1": "wokwi-tm1637-7segment"},
        *("uno:2 - d1:CLK", "uno:3 - d1:DIO", *powered("d1")),
    )
    assert said(board, 200) == ["SILENT 0"]
    assert circuit(board).observe("d1", "text") == "12:34"
    assert circuit(board).observe("d1", "brightness") == 4 / 16


def test_pixels_pass_on_what_is_not_theirs(wired: Wired) -> None:
    board = wired(
        "pixels",
        {"ring": "wokwi-led-ring", "last": "wokwi-neopixel"},
        *("uno:8 - ring:DIN", "ring:DOUT - last:DIN", *powered("ring")),
        *("uno:5V - last:VDD", "uno:GND.1 - last:VSS"),
        attrs={"ring": {"pixels": "4"}},
    )
    board.advance(5)
    first = [(2, 1, 3), (0, 255, 0), (255, 0, 0), (0, 0, 255)]
    assert circuit(board).observe("ring", "pixels") == tuple(first)
    assert circuit(board).observe("last", "pixels") == ((8, 9, 7),)
    board.advance(100)
    seen = circuit(board).observe("ring", "pixels")
    assert isinstance(seen, tuple)
    assert seen[0] in {(2, green, 3) for green in range(8, 13)}


def test_a_knob_is_counted_by_interrupt(wired: Wired) -> None:
    board = wired(
        "knob",
        {"k1": "wokwi-ky-040"},
        *("uno:2 - k1:CLK", "uno:3 - k1:DT", "uno:4 - k1:SW", *powered("k1")),
    )
    board.advance(10)
    circuit(board).control("k1", "turn", 3)
    assert said(board, 100) == ["COUNT 101", "COUNT 102", "COUNT 103"]
    circuit(board).control("k1", "turn", -2)
    circuit(board).control("k1", "pressed", 1)
    assert said(board, 100) == ["SW 0", "COUNT 102", "COUNT 101"]


def test_a_relay_takes_its_time(wired: Wired) -> None:
    board = wired(
        "switched",
        {"relay1": "wokwi-relay-module"},
        *("uno:2 - relay1:IN", "uno:3 - relay1:NO", "uno:GND.2 - relay1:COM"),
        *powered("relay1"),
    )
    on, off = (line.split() for line in said(board, 100))
    assert (on[0], off[0]) == ("ON", "OFF")
    assert int(on[1]) == pytest.approx(100, abs=2)
    assert int(off[1]) == pytest.approx(50, abs=2)


def test_a_driver_turns_a_motor_to_and_fro(wired: Wired) -> None:
    board = wired(
        "steps",
        {"drv": "wokwi-a4988", "m1": "wokwi-stepper-motor"},
        *("uno:2 - drv:STEP", "uno:3 - drv:DIR", "drv:RESET - drv:SLEEP"),
        *("drv:1A - m1:B+", "drv:1B - m1:B-", "drv:2A - m1:A+", "drv:2B - m1:A-"),
        *("uno:5V - drv:VDD", "uno:GND.1 - drv:GND.1"),
    )
    board.advance(200)
    assert circuit(board).observe("m1", "steps") == 150
    board.advance(200)
    assert circuit(board).observe("m1", "angle_deg") == 180


def test_4076_half_steps_turn_a_geared_motor_once(wired: Wired) -> None:
    channels = zip((1, 2, 3, 4), ("BLUE", "PINK", "YELLOW", "ORANGE"), strict=True)
    board = wired(
        "turns",
        {"u1": "embedbench-uln2003", "m1": "embedbench-28byj-48"},
        *(f"uno:{index + 7} - u1:IN{index}" for index in range(1, 5)),
        *(f"u1:OUT{index} - m1:{color}" for index, color in channels),
        *("uno:5V - m1:RED", *powered("u1")),
    )
    board.advance(4000)
    angle_deg = circuit(board).observe("m1", "angle_deg")
    assert angle_deg == pytest.approx(360, abs=0.1)


def test_a_remote_is_received_with_its_repeats(wired: Wired) -> None:
    board = wired(
        "infrared",
        {"ir1": "wokwi-ir-receiver", "remote": "wokwi-ir-remote"},
        *("uno:2 - ir1:DAT", *powered("ir1")),
    )
    board.advance(10)
    circuit(board).control("remote", "repeats", 2)
    circuit(board).control("remote", "command", 162)
    lines = ["ADDRESS 0", "COMMAND 162", "REPEAT 1", "REPEAT 2"]
    assert said(board, 400) == lines


def test_gas_is_a_voltage(wired: Wired) -> None:
    board = wired(
        "adc",
        {"gas": "wokwi-gas-sensor"},
        *("uno:A0 - gas:AOUT", *powered("gas")),
        flags=["-DCHANNEL=0", "-DREFERENCE=1"],
    )
    # 10 kOhm under 3 kOhm at 1000 ppm, and under 0.6 of that at 3000.
    for ppm, share in ((1000, 10 / 13), (3000, 10 / 11.8)):
        circuit(board).control("gas", "ppm", ppm)
        line = said(board, 20)[-2]  # the last one may not be whole
        assert int(line.split()[1]) == pytest.approx(1024 * share, abs=1.5)
