"""Wokwi's scenarios on a simulated board, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.circuits.png_file import Picture, encode_png
from pytest_embedbench.circuits.scenario import read_scenario
from pytest_embedbench.errors import (
    ConfigError,
    ExpectTimeout,
    NotSupported,
    UnknownName,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.circuits.circuit import Circuit
    from tests.e2e.circuit_bench import Wired

LIT = {"expect-pin": {"part-id": "led", "pin": "A", "value": 1}}
DARK = {"expect-pin": {"part-id": "led", "name": "A", "value": 0}}


def pressed(value: int) -> dict[str, Any]:
    return {"set-control": {"part-id": "btn", "control": "pressed", "value": value}}


@pytest.fixture
def circuit(wired: Wired) -> Circuit:
    """A button at 2 that switches a light at 13."""
    _, circuit = wired(
        "b",
        {"btn": "wokwi-pushbutton", "led": "wokwi-led"},
        *("uno:2 - btn:1.l", "btn:2.l - uno:GND.1"),
        *("uno:13 - led:A", "led:C - uno:GND.2"),
        attrs={"btn": {"bounce": "0"}},
    )
    return circuit


def run(circuit: Circuit, *steps: dict[str, Any]) -> None:
    document = {"version": 1, "name": "it", "steps": list(steps)}
    read_scenario(document, "it.test.yaml").run(circuit)


def test_steps_are_done_and_take_the_time_that_they_say(circuit: Circuit) -> None:
    begun_us = circuit.bench.uart.now_us
    run(circuit, {"delay": "20ms"}, DARK, pressed(1), {"delay": "5ms"}, LIT)
    assert circuit.bench.uart.now_us - begun_us == 25_000
    run(circuit, pressed(0), {"delay": "5ms"}, DARK)


def test_a_pin_that_is_something_else_is_told_with_its_step(circuit: Circuit) -> None:
    with pytest.raises(AssertionError, match=r"step 2 \(expect-pin\): led:A is LOW"):
        run(circuit, {"delay": "20ms"}, LIT)


def test_words_that_never_come_are_told_with_their_step(circuit: Circuit) -> None:
    with pytest.raises(ExpectTimeout, match="did not say 'never'") as caught:
        run(circuit, {"wait-serial": "never"})
    assert "in it.test.yaml, step 1 (wait-serial)" in caught.value.__notes__
    assert circuit.bench.uart.now_us == 30_000_000


@pytest.mark.parametrize(
    ("step", "error", "told"),
    [
        (
            {"set-control": {"part-id": "bnt", "name": "pressed", "value": 1}},
            UnknownName,
            "bnt",
        ),
        (
            {"set-control": {"part-id": "btn", "name": "presed", "value": 1}},
            UnknownName,
            "presed",
        ),
        (
            {"set-control": {"part-id": "btn", "name": "pressed", "value": 7}},
            ConfigError,
            "pressed cannot be 7",
        ),
        ({"expect-pin": {"part-id": "led", "pin": "B", "value": 1}}, UnknownName, "B"),
    ],
)
def test_what_is_not_there_is_told_with_its_step(
    circuit: Circuit, step: dict[str, Any], error: type[ConfigError], told: str
) -> None:
    with pytest.raises(error, match=told) as caught:
        run(circuit, step)
    assert any("step 1" in note for note in caught.value.__notes__)


def test_words_are_waited_for_to_their_last_byte(wired: Wired) -> None:
    """A byte at 115,200 baud takes 86.8 us; what follows is not there yet."""
    bench, circuit = wired("j", {}, "uno:9 - uno:2")
    run(circuit, {"wait-serial": "high_us"})
    assert bench.uart.heard()[-1] == "ready"
    begun_us = bench.uart.now_us
    at_us = circuit.wait_serial("low_us", within_ms=200)
    assert at_us == bench.uart.now_us > begun_us
    bench.expect("low_us", within_ms=20)


def test_delays_are_exact_and_words_in_between(circuit: Circuit) -> None:
    begun_ns = circuit.now_ns
    run(circuit, {"delay": "1500us"}, {"delay": "250ns"}, {"delay": "0.5us"})
    assert circuit.now_ns - begun_ns == 1_500_750


def test_a_touch_is_refused_with_its_step(circuit: Circuit) -> None:
    with pytest.raises(NotSupported, match="led: a wokwi-led cannot be touched here"):
        run(circuit, {"touch": {"part-id": "led", "x": 1, "y": 1}})


def test_pictures_are_kept_and_compared(wired: Wired, tmp_path: Path) -> None:
    parts = {"px": "wokwi-neopixel", "led": "wokwi-led"}
    bench, circuit = wired("p", parts, "uno:8 - px:DIN")

    def shot(part: str = "px", **files: str) -> None:
        step = {"take-screenshot": {"part-id": part, **files}}
        document = {"version": 1, "steps": [{"delay": "20ms"}, step]}
        read_scenario(document, "it.test.yaml", tmp_path).run(circuit)

    shot(**{"save-to": "shots/px.png"})
    shot(**{"compare-with": "shots/px.png"})
    black = Picture(8, 8, bytes((0, 0, 0, 255)) * 64)
    (tmp_path / "black.png").write_bytes(encode_png(black))
    (tmp_path / "small.png").write_bytes(encode_png(Picture(1, 1, b"1234")))
    with pytest.raises(AssertionError, match="64 of 64 pixels are others"):
        shot(**{"compare-with": "black.png"})
    shown = (bench.folder / "px-shown.png").read_bytes()
    assert shown == (tmp_path / "shots" / "px.png").read_bytes()
    with pytest.raises(AssertionError, match="8 x 8 pixels large, and 1 x 1 are"):
        shot(**{"compare-with": "small.png"})
    with pytest.raises(ConfigError, match=r"none\.png: cannot be read"):
        shot(**{"compare-with": "none.png"})
    with pytest.raises(NotSupported, match="no picture is made of a wokwi-led here"):
        shot("led", **{"compare-with": "black.png"})
