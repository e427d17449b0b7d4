"""Parts round an Uno and a Mega that run at 16 MHz, as people wire and program them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.contracts import HasPinUse
from pytest_embedbench.model import Level

if TYPE_CHECKING:
    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.contracts import HasPinUse
    from tests.e2e.circuit_bench import Wired

BUTTON = "wokwi-pushbutton"
LED = "wokwi-led"
R = "wokwi-resistor"


def said(bench: Bench, name: str) -> int:
    return int(bench.expect(rf"{name} (-?\d+)", within_ms=500).group(1))


def notes(bench: Bench) -> object:
    return under_test(bench.board).notes


def test_a_button_switches_a_light(wired: Wired) -> None:
    bench, circuit = wired(
        "b",
        {"btn": BUTTON, "led": LED, "r": R},
        *("uno:2 - btn:1.l", "btn:2.l - uno:GND.1"),
        *("uno:13 - led:A", "led:C - r:1", "r:2 - uno:GND.2"),
        attrs={"r": {"value": "220"}, "btn": {"bounce": "0"}},
    )
    bench.run_for(50)
    assert circuit["led"].brightness == 0
    assert circuit.level("uno:2") is Level.HIGH  # the pull-up
    pressed_us = bench.uart.now_us
    circuit["btn"].hold()
    lit_us = circuit.wait_pin("uno:13", Level.HIGH, within_ms=5)
    assert 0 < lit_us - pressed_us < 50
    assert circuit.level("led:A") is Level.HIGH
    bench.run_for(50)
    assert circuit["led"].brightness == 1
    circuit["btn"].release()
    circuit.wait_pin("led:A", Level.LOW, within_ms=5)


def test_a_button_is_read_alike_while_pins_are_watched(wired: Wired) -> None:
    """Two inputs of a port float, and one ceases to: both look at each read."""
    bench, circuit = wired(
        "b",
        {"btn": BUTTON, "free": BUTTON},
        *("uno:2 - btn:1.l", "btn:2.l - uno:GND.1"),
        *("uno:4 - free:1.l", "free:2.l - uno:GND.1"),
        attrs={"btn": {"bounce": "0"}},
    )
    assert isinstance(bench.board, HasPinUse)
    bench.board.watch_pins()
    bench.run_for(50)
    assert circuit.level("uno:13") is Level.LOW
    circuit["btn"].hold()
    bench.run_for(50)
    assert circuit.level("uno:13") is Level.HIGH


def test_a_button_that_bounces_interrupts_often(wired: Wired) -> None:
    wires = "uno:2 - btn:1.l", "btn:2.l - uno:GND.1"
    counts = []
    for bounce in ("0", "1"):
        bench, circuit = wired(
            "i", {"btn": BUTTON}, *wires, attrs={"btn": {"bounce": bounce}}
        )
        bench.run_for(20)
        circuit["btn"].press(duration_ms=100)
        bench.run_for(100)
        bench.uart.skip()
        counts.append(said(bench, "count"))
    assert counts[0] == 1
    assert counts[1] > 1


def test_voltages_are_what_resistors_make_of_them(wired: Wired) -> None:
    """ATmega328P, 24.7: a result is the voltage times 1024 over the reference."""
    divider = {"one": R, "two": R}
    wires = "uno:5V - one:1", "one:2 - uno:A0", "uno:A0 - two:1", "two:2 - uno:GND.1"
    attrs = {"one": {"value": "1000"}, "two": {"value": "3000"}}
    bench, circuit = wired("a", divider, *wires, attrs=attrs)
    assert said(bench, "adc") == 768
    assert circuit.voltage_mv("uno:A0") == pytest.approx(3750, abs=1)


def test_brightness_is_the_share_of_pwm(wired: Wired) -> None:
    bench, circuit = wired(
        "w",
        {"led": LED, "r": R},
        *("uno:9 - r:1", "r:2 - led:A", "led:C - uno:GND.1"),
        attrs={"r": {"value": "220"}},
    )
    bench.run_for(60)
    assert circuit["led"].brightness == pytest.approx(64 / 255, abs=0.01)
    bench.run_for(100)
    assert circuit["led"].brightness == pytest.approx(192 / 255, abs=0.01)
    edges = circuit.edges("uno:9")
    rises = [each.at_ns for each in edges if each.level is Level.HIGH]
    assert rises[5] - rises[4] == pytest.approx(510 * 64 * 62.5, abs=63)
    bench.run_for(100)
    assert circuit["led"].brightness == 1
    assert circuit.edges("led:A")[-1].level is Level.HIGH
    assert circuit.level("uno:9") is Level.HIGH
    bench.run_for(100)
    assert circuit["led"].brightness == 0


def test_pulses_are_read_back_over_a_jumper(wired: Wired) -> None:
    """64 of 255, at 490.2 Hz: 512 us of 2040 (ATmega328P, 16.9.4, f_OCnxPCPWM)."""
    bench, circuit = wired("j", {}, "uno:9 - uno:2")
    assert said(bench, "high_us") == pytest.approx(512, abs=8)
    assert said(bench, "low_us") == pytest.approx(1528, abs=8)
    assert said(bench, "rises") == pytest.approx(49, abs=1)
    assert said(bench, "level") == 0
    assert said(bench, "level") == 1
    assert circuit.level("uno:2") is Level.HIGH


def test_a_servo_goes_where_pulses_say(wired: Wired) -> None:
    wires = "uno:9 - s:PWM", "uno:5V - s:V+", "uno:GND.1 - s:GND"
    bench, circuit = wired("s", {"s": "wokwi-servo"}, *wires)
    bench.run_for(500)
    assert circuit["s"].pulse_us == pytest.approx(1472, rel=0.01)
    assert circuit["s"].angle_deg == pytest.approx(90, abs=2)


def test_an_echo_takes_58_us_for_a_centimetre(wired: Wired) -> None:
    wires = (
        "uno:7 - hc:TRIG",
        "uno:6 - hc:ECHO",
        "uno:5V - hc:VCC",
        "uno:GND.1 - hc:GND",
    )
    bench, circuit = wired("u", {"hc": "wokwi-hc-sr04"}, *wires)
    circuit["hc"].set(distance=100)
    assert said(bench, "echo_us") == pytest.approx(5830, rel=0.01)
    assert notes(bench) == ()


@pytest.mark.parametrize("is_held", [False, True])
def test_reading_what_nothing_holds_is_told_once(wired: Wired, is_held: bool) -> None:  # noqa: FBT001
    parts = {"btn1": "wokwi-pushbutton", "r1": "wokwi-resistor"}
    wires = ["uno:5V - btn1:1.l", "btn1:2.l - uno:2", "r1:1 - uno:GND.1"]
    bench, _ = wired("j", parts, *wires, *["r1:2 - uno:2"] * is_held)
    bench.run_for(200)
    told = "the firmware reads uno:2, which nothing holds: pull it up or down, first"
    seen = notes(bench)
    assert isinstance(seen, tuple)
    assert [told in note for note in seen] == [True] * (not is_held)


def test_a_dht22_tells_bit_by_bit(wired: Wired) -> None:
    wires = "uno:4 - dht:SDA", "uno:5V - dht:VCC", "uno:GND.1 - dht:GND"
    bench, circuit = wired("d", {"dht": "wokwi-dht22"}, *wires)
    circuit["dht"].set(temperature=23.4, humidity=56.7)
    assert said(bench, "dht") == 567 * 10000 + 234
    assert notes(bench) == ()


def test_parts_lose_their_state_with_the_power(wired: Wired) -> None:
    wires = "uno:8 - p:DIN", "uno:5V - p:VCC", "uno:GND.1 - p:GND"
    bench, circuit = wired("p", {"p": "wokwi-led-ring"}, *wires)
    bench.expect("^shown$", within_ms=100)
    bench.run_for(1)
    lit = circuit["p"].pixels
    assert isinstance(lit, tuple)
    bench.power_cycle()
    assert circuit["p"].pixels == ((0, 0, 0),) * len(lit) != lit


SHIFTER = (
    *("uno:11 - sr:DS", "uno:13 - sr:SHCP", "uno:10 - sr:STCP", "sr:OE - uno:GND.1"),
    *("sr:MR - uno:5V", "sr:VCC - uno:5V", "sr:GND - uno:GND.2"),
)


@pytest.mark.parametrize(("mode", "byte"), [("r", 0x2C), ("R", 0xA5), ("Q", 0x2C)])
def test_a_shift_register_takes_bits(wired: Wired, mode: str, byte: int) -> None:
    bench, circuit = wired(mode, {"sr": "wokwi-74hc595"}, *SHIFTER)
    bench.expect("shifted", within_ms=50)
    outputs = circuit["sr"].outputs
    assert outputs == tuple(bool(byte >> bit & 1) for bit in range(8))


def test_a_max7219_takes_bytes(wired: Wired) -> None:
    wires = (
        *("uno:11 - m:DIN", "uno:13 - m:CLK", "uno:10 - m:CS"),
        *("uno:5V - m:V+", "uno:GND.1 - m:GND"),
    )
    bench, circuit = wired("m", {"m": "wokwi-max7219-matrix"}, *wires)
    bench.expect("sent", within_ms=50)
    assert circuit["m"].intensity == (8,)
    assert str(circuit["m"].pixels).count("True") == 6


@pytest.mark.parametrize(("mode", "sda", "scl"), [("o", "A4", "A5"), ("O", "8", "7")])
def test_i2c_in_hardware_and_in_software(
    wired: Wired, mode: str, sda: str, scl: str
) -> None:
    wires = (
        f"uno:{sda} - rtc:SDA",
        f"uno:{scl} - rtc:SCL",
        "uno:5V - rtc:5V",
        "uno:GND.1 - rtc:GND",
    )
    bench, _ = wired(mode, {"rtc": "wokwi-ds1307"}, *wires)
    assert said(bench, "error") == 0
    assert said(bench, "ram") == 0x5A
    assert said(bench, "error") == 2
    assert notes(bench) == ()


def test_a_digit_is_read(wired: Wired) -> None:
    pins = zip("ABCDEFG", (2, 3, 4, 5, 6, 7, 8), strict=True)
    wires = [f"uno:{pin} - d:{segment}" for segment, pin in pins]
    bench, circuit = wired(
        "7",
        {"d": "wokwi-7segment"},
        *wires,
        "d:COM.1 - uno:GND.1",
        attrs={"d": {"common": "cathode"}},
    )
    bench.run_for(60)
    assert circuit["d"].text == "2"


PIXELS = ((128, 10, 255), (128, 11, 254), (128, 12, 253), (128, 13, 252))


@pytest.mark.parametrize(("board", "pin"), [("uno", "8"), ("mega", "13")])
def test_pixels_are_bits_of_800_khz(wired: Wired, board: str, pin: str) -> None:
    wires = f"{board}:{pin} - p:DIN", f"{board}:5V - p:VCC", f"{board}:GND.1 - p:GND"
    parts = {"p": "wokwi-led-ring"}
    bench, circuit = wired(
        "p", parts, *wires, attrs={"p": {"pixels": "4"}}, board=board
    )
    bench.expect("shown", within_ms=50)
    bench.run_for(1)
    assert circuit["p"].pixels == PIXELS


@pytest.mark.parametrize("is_watched", [False, True])
def test_keys_are_found_by_scanning(wired: Wired, *, is_watched: bool) -> None:
    rows = [f"uno:{9 - row} - k:R{row + 1}" for row in range(4)]
    columns = [f"uno:{5 - column} - k:C{column + 1}" for column in range(4)]
    bench, circuit = wired("k", {"k": "wokwi-membrane-keypad"}, *rows, *columns)
    if is_watched:
        # Rows float by turns; who watches reads must not change what is read.
        cast("HasPinUse", bench.board).watch_pins()
    bench.run_for(20)
    for key, name in (("5", "row2column2"), ("D", "row4column4"), ("1", "row1column1")):
        circuit["k"].set(**{name: 1})
        bench.expect(f"^{key}$", within_ms=100)
        circuit["k"].set(**{name: 0})
        bench.run_for(50)
    assert notes(bench) == ()


def test_a_button_wakes_from_power_down(wired: Wired) -> None:
    bench, circuit = wired(
        "z",
        {"btn": BUTTON, "led": LED},
        *("uno:2 - btn:1.l", "btn:2.l - uno:GND.1"),
        *("uno:13 - led:A", "led:C - uno:GND.2"),
        attrs={"btn": {"bounce": "0"}},
    )
    bench.expect("asleep", within_ms=100)
    bench.run_for(1000)
    assert circuit.level("led:A") is Level.LOW
    circuit["btn"].hold()
    circuit.wait_pin("led:A", Level.HIGH, within_ms=20)


def test_after_a_reset_parts_are_as_they_were(wired: Wired) -> None:
    bench, circuit = wired(
        "r",
        {"sr": "wokwi-74hc595", "pot": "wokwi-potentiometer"},
        *SHIFTER,
        "uno:A0 - pot:SIG",
        "uno:5V - pot:VCC",
        "uno:GND.1 - pot:GND",
    )
    bench.expect("shifted", within_ms=50)
    circuit["pot"].set(position=0.5)
    before = circuit["sr"].outputs
    bench.reset()
    assert circuit.level("uno:10") is Level.FLOATING
    assert circuit["sr"].outputs == before
    bench.expect("ready", within_ms=100)
    bench.uart.send_bytes(b"a")
    assert said(bench, "adc") == 512


def test_a_pin_floats_after_a_watchdog(wired: Wired) -> None:
    _, circuit = wired(
        "x", {"led": LED}, "uno:13 - led:A", "led:C - uno:GND.1", allow_resets=True
    )
    circuit.wait_pin("led:A", Level.HIGH, within_ms=50)
    circuit.wait_pin("led:A", Level.FLOATING, within_ms=50)
