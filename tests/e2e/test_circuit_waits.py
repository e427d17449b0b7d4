"""Waits in circuits: exact, told right, and without a trace in what comes after."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.contracts import ShowsDrives
from pytest_embedbench.errors import (
    ConfigError,
    ExpectTimeout,
    NotSupported,
    UnknownName,
)
from pytest_embedbench.model import Level
from pytest_embedbench.wiring.chip_pin import PinDrive
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wiring.stops import PinBecomes, TimeReaches, UartSays

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.circuits.circuit import Circuit
    from pytest_embedbench.wiring.stops import Stop, StopMet
    from tests.e2e.circuit_bench import Wired

LED_WIRES = "uno:13 - led1:A", "led1:C - uno:GND.1"
LED = {"led1": "wokwi-led", "pot1": "wokwi-potentiometer"}


def test_a_wait_ends_at_the_edge_itself(wired: Wired) -> None:
    bench, circuit = wired("t", LED, *LED_WIRES)
    found = [
        circuit.wait_pin("uno:13", level, within_ms=40)
        for level in (Level.HIGH, Level.LOW) * 3
    ]
    edges = [
        each for each in circuit.edges("uno:13") if each.level is not Level.FLOATING
    ]
    at_us = [each.at_ns // 1000 for each in edges if each.at_ns // 1000 >= found[0]]
    assert found == at_us
    assert bench.uart.now_us == found[-1]
    # It is so already: no time passes.
    assert circuit.wait_pin("uno:13", Level.LOW, within_ms=40) == found[-1]
    # And what was said meanwhile can be expected, in the midst of it all.
    line = bench.expect(r"^\d+$", within_ms=5)
    circuit.wait_pin("led1:A", Level.HIGH, within_ms=40)
    assert int(line.group()) < bench.uart.now_us / 1000


def test_a_wait_in_vain_leaves_no_stop(wired: Wired) -> None:
    bench, circuit = wired("t", LED, *LED_WIRES)
    circuit.wait_pin("uno:13", Level.HIGH, within_ms=40)
    circuit.wait_pin("uno:13", Level.LOW, within_ms=40)
    begins_us = bench.uart.now_us
    with pytest.raises(ExpectTimeout, match="uno:13 did not become HIGH within 5 ms"):
        circuit.wait_pin("uno:13", Level.HIGH, within_ms=5)
    assert bench.uart.now_us == begins_us + 5000
    bench.run_for(50)  # over edges of all kinds
    assert bench.uart.now_us == begins_us + 55000


def test_a_file_that_cannot_be_put_is_refused(wired: Wired) -> None:
    _, circuit = wired("t", {**LED, "sd1": "wokwi-microsd-card"}, *LED_WIRES)
    circuit["sd1"].put_file("SET.TXT", "9")
    assert circuit["sd1"].files == (("SET.TXT", b"9"),)
    with pytest.raises(ConfigError, match="sd1: 'too-long-a-name' is no name"):
        circuit["sd1"].put_file("too-long-a-name", "")
    with pytest.raises(ConfigError, match="led1: a wokwi-led takes no files"):
        circuit["led1"].put_file("A", b"")
    content: Any = 5
    with pytest.raises(ConfigError, match=r"sd1: put_file\('A', 5\): give text or"):
        circuit["sd1"].put_file("A", content)


def test_nobody_waits_for_edges_of_i2c_in_hardware(wired: Wired) -> None:
    wires = "uno:A4 - rtc1:SDA", "uno:A5 - rtc1:SCL", "uno:5V - rtc1:5V"
    bench, circuit = wired("o", {"rtc1": "wokwi-ds1307"}, *wires)
    bench.run_for(30)
    with pytest.raises(NotSupported, match="uno:A4: the firmware has I2C in hardware"):
        circuit.wait_pin("uno:A4", Level.LOW, within_ms=5)
    assert circuit.edges("rtc1:SDA")


def test_waits_and_steps_leave_no_trace_in_waves(wired: Wired) -> None:
    """Ten waits, steps of 1 ms, and none: the same edges and the same words."""

    def waits(circuit: Circuit) -> None:
        for level in (Level.HIGH, Level.LOW) * 5:
            circuit.wait_pin("uno:13", level, within_ms=40)

    def steps(circuit: Circuit) -> None:
        for _ in range(40):
            circuit.bench.run_for(1)

    seen = []
    for go in (waits, steps, lambda _: None):
        bench, circuit = wired("t", LED, *LED_WIRES)
        go(circuit)
        bench.run_for(-(-(400_000 - bench.uart.now_us) // 1000))
        edges = [it for it in circuit.edges("uno:13") if it.at_ns < 390_000_000]
        lines = [it for it in bench.uart.heard() if not it.isdigit() or int(it) < 390]
        seen.append((edges, lines))
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0][0]) > 20


def test_a_wait_for_pwm_sees_its_edges(wired: Wired) -> None:
    wires = "uno:9 - led1:A", "led1:C - uno:GND.1"
    bench, circuit = wired("w", LED, *wires)
    bench.run_for(20)
    low_us = circuit.wait_pin("uno:9", Level.LOW, within_ms=5)
    high_us = circuit.wait_pin("uno:9", Level.HIGH, within_ms=5)
    assert circuit.wait_pin("uno:9", Level.LOW, within_ms=5) - high_us == 512
    assert 0 <= high_us - low_us <= 1528


BAD: dict[str, tuple[Callable[[Circuit], object], type[Exception], str]] = {
    "part": (lambda it: it["nope"], UnknownName, "known parts of the circuit: btn1"),
    "range": (lambda it: it["pot1"].set(position=2), ConfigError, "it is 0 to 1"),
    "control": (lambda it: it["pot1"].set(nope=1), UnknownName, "known controls of"),
    "button": (lambda it: it["pot1"].press(), UnknownName, "'pressed'"),
    "key": (lambda it: it["pot1"].press(50), ConfigError, "press(duration_ms=...)"),  # type: ignore[arg-type]
    "no key": (lambda it: it["pot1"].hold(None), ConfigError, "None is no key"),  # type: ignore[arg-type]
    "key of a button": (
        lambda it: it["btn1"].press("5"),
        ConfigError,
        "btn1: a wokwi-pushbutton has no keys, so '5' is none",
    ),
    "duration": (
        lambda it: it["btn1"].press(duration_ms="50ms"),  # type: ignore[arg-type]
        ConfigError,
        "duration_ms = '50ms': must be a whole number of milliseconds",
    ),
    "one of two": (
        lambda it: it["pot1"].set(position=0.5, nope=1),
        UnknownName,
        "known controls of",
    ),
    "assigned": (
        lambda it: setattr(it["pot1"], "position", 0.5),
        AttributeError,
        "set(...) sets controls, which are: position",
    ),
    "no file": (
        lambda it: it["led1"].put_file("A", b""),
        ConfigError,
        "led1: a wokwi-led takes no files",
    ),
    "nothing": (
        lambda it: it.wait_serial("", within_ms=1),
        ConfigError,
        "give what the firmware has to say",
    ),
    "within": (
        lambda it: it.wait_pin("uno:13", it.level("uno:13"), within_ms=-1),
        ConfigError,
        "within_ms = -1",
    ),
    "drive": (
        lambda it: under_test(it.bench.board).drive_pin("D13", Level.LOW),
        ConfigError,
        "its net uno:13 has led1:A",
    ),
    "seen": (lambda it: it["led1"].text, AttributeError, "brightness; not 'text'"),
    "pin": (lambda it: it.level("13"), ConfigError, "write part:pin"),
    "no pin": (lambda it: it.level("uno:99"), UnknownName, "known pins of uno: 0, 1"),
    "level": (
        lambda it: it.wait_pin("uno:13", "HIGH", within_ms=1),  # type: ignore[arg-type]
        ConfigError,
        "Level.HIGH, Level.FLOATING, not 'HIGH'",
    ),
    "since": (
        lambda it: it.edges("uno:13", since_us="x"),  # type: ignore[arg-type]
        ConfigError,
        "since_us = 'x'",
    ),
}


NO_NUMBERS: tuple[Any, ...] = ("5ms", None, math.nan, math.inf, -1, [1], b"1")
NO_TIMES: tuple[Any, ...] = (*NO_NUMBERS, 1.5, True, 1 << 80)
TIMED: dict[str, Callable[[Circuit, Any], object]] = {
    "at_ns": lambda it, value: it.run_until(value),
    "within_ms": lambda it, value: it.wait_pin("uno:13", Level.HIGH, within_ms=value),
    "within_ms of words": lambda it, value: it.wait_serial("a", within_ms=value),
    "within_ms of a light": lambda it, value: it["led1"].blinks(within_ms=value),
    "duration_ms": lambda it, value: it["btn1"].press(duration_ms=value),
}


def check_what_is_no_number(circuit: Circuit) -> None:
    """All that takes a time or a control refuses it by name, and nothing has moved."""
    begins_ns = circuit.now_ns
    for value in NO_TIMES:
        for what, call in TIMED.items():
            with pytest.raises(ConfigError, match=f"^{what.split()[0]} = "):
                call(circuit, value)
    for part in circuit.parts:
        for control in part._kind.controls:
            for value in NO_NUMBERS:
                lowest = part._kind.controls[control].lowest
                if value != -1 or lowest > -1:
                    with pytest.raises(ConfigError, match=f"^{part.id}: {control} can"):
                        part.set(**{control: value})
    assert circuit.now_ns == begins_ns
    assert all(not part.controls for part in circuit.parts)


def test_what_makes_no_sense_is_told_in_a_sentence(wired: Wired) -> None:
    parts = {**LED, "btn1": "wokwi-pushbutton", "joy1": "wokwi-analog-joystick"}
    bench, circuit = wired("t", parts, *LED_WIRES, "uno:A0 - pot1:SIG")
    check_what_is_no_number(circuit)
    for call, kind, words in BAD.values():
        with pytest.raises(kind, match=re.escape(words)) as caught:
            call(circuit)
        assert "\n" not in str(caught.value)
    assert "led1" in circuit
    assert {*circuit} == {"uno", *parts}
    bench.run_for(10)


def test_time_can_stop_between_two_microseconds(wired: Wired) -> None:
    """Of a clock of 16 MHz; and what it is cut into leaves no trace."""
    bench, circuit = wired("t", LED, *LED_WIRES)
    begins_ns = circuit.now_ns
    circuit.run_until(begins_ns + 1_250)
    assert (circuit.now_ns - begins_ns, bench.uart.now_us * 1000 - begins_ns) == (
        1_250,
        1_000,
    )
    for _ in range(100):
        circuit.run_until(circuit.now_ns + 10)  # less than a tick, and none is lost
    assert circuit.now_ns == begins_ns + 2_250
    circuit.run_until(begins_ns + 300_000_000)
    assert circuit.now_ns == begins_ns + 300_000_000
    whole, other = wired("t", LED, *LED_WIRES)
    whole.run_for(310)
    edges = [it for it in circuit.edges("uno:13") if it.at_ns < 290_000_000]
    assert len(edges) > 10
    assert edges == [it for it in other.edges("uno:13") if it.at_ns < 290_000_000]


def test_words_half_said_count_on_when_another_stop_comes_first(wired: Wired) -> None:
    """And of stops that are met together, all are told."""
    before, _ = wired("t", LED, *LED_WIRES)
    before.run_for(150)
    lasting_30_ms = "\r\n".join(before.uart.heard()[100:180]).encode()
    bench, circuit = wired("t", LED, *LED_WIRES)
    board = circuit.board_circuit
    words, light = UartSays(lasting_30_ms), Endpoint("uno", "13")
    edges = [PinBecomes(light, level) for level in Level]
    seen = [board_stops(circuit, words, *edges)]
    while seen[-1].stop != words:
        seen.append(board_stops(circuit, words, *edges))
    assert len(seen) > 4
    at_ns = (bench.uart.now_us + 1_000) * 1_000
    board.look_out([TimeReaches(at_ns), TimeReaches(at_ns + 10)])
    bench.board.advance(2)
    told = [board.take_met(), board.take_met(), board.take_met()]
    assert [it and it.at_ns for it in told] == [at_ns, at_ns + 10, None]


def board_stops(circuit: Circuit, *stops: Stop) -> StopMet:
    """Let time pass up to the first of them."""
    board = circuit.board_circuit
    board.look_out(stops)
    circuit.bench.board.advance(100)
    met = board.take_met()
    assert met is not None
    return met


def test_pins_with_nothing_wired_to_them_can_be_waited_for(wired: Wired) -> None:
    _, circuit = wired("t", {"pot1": "wokwi-potentiometer"})
    board = circuit.board_circuit
    assert isinstance(board, ShowsDrives)
    light, knob = Endpoint("uno", "13"), Endpoint("pot1", "SIG")
    assert board.pin_drive(light) is PinDrive.RELEASED
    rose_us = circuit.wait_pin("uno:13", Level.HIGH, within_ms=40)
    assert circuit.wait_pin("uno:13", Level.LOW, within_ms=40) - rose_us < 17_000
    assert board.pin_drive(light) is PinDrive.LOW
    assert board.pin_drive(knob) is None
    assert [it.level for it in circuit.edges("uno:13")][-2:] == [Level.HIGH, Level.LOW]
