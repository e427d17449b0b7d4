"""What each command of a scenario does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_embedbench.circuits import scenario_values as values
from pytest_embedbench.circuits.screenshots import check_screenshot
from pytest_embedbench.contracts import TakesTouches
from pytest_embedbench.errors import ConfigError, NotSupported
from pytest_embedbench.model import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_embedbench.circuits.circuit import Circuit
    from pytest_embedbench.circuits.scenario_values import (
        PartValue,
        Screenshot,
        TouchPoint,
    )

LIMIT_S = 30
"""Up to when what a scenario waits for has to come, as by Wokwi's command line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPlace:
    """Where a step is done: in a circuit, with files in a folder."""

    circuit: Circuit
    folder: Path
    where: str
    """What messages call the step."""
    limit_s: int = LIMIT_S
    """Up to when what is waited for has to come, in seconds of simulated time."""


def _delay(place: StepPlace, lasts_ns: int) -> None:
    place.circuit.run_until(place.circuit.now_ns + lasts_ns)


def _wait_serial(place: StepPlace, text: str) -> None:
    left_ms = place.limit_s * 1000 - place.circuit.bench.uart.now_us // 1000
    if left_ms <= 0:
        raise ConfigError(
            f"the scenario's {place.limit_s} s are over before this step: give it more "
            "by --embedbench-scenario-limit-s"
        )
    place.circuit.wait_serial(text, within_ms=left_ms)


def _write_serial(place: StepPlace, data: bytes) -> None:
    place.circuit.bench.uart.send_bytes(data)


def _set_control(place: StepPlace, given: PartValue) -> None:
    place.circuit[given.part].set(**{given.name: given.value})


def _expect_pin(place: StepPlace, given: PartValue) -> None:
    pin = f"{given.part}:{given.name}"
    shown = place.circuit.level(pin)
    wanted = Level.HIGH if given.value else Level.LOW
    if (shown is Level.HIGH) != bool(given.value):
        now_s = place.circuit.now_ns / 1e9
        raise AssertionError(
            f"{place.where}: {pin} is {shown.name} at {now_s:.6f} s, and "
            f"{wanted.name} is expected"
        )


def _screenshot(place: StepPlace, given: Screenshot) -> None:
    check_screenshot(place.circuit, given, place.folder, place.where)


def _touch(place: StepPlace, given: TouchPoint) -> None:
    _touched(place, given, "press")
    if given.waits and given.lasts_ns is not None:
        _delay(place, given.lasts_ns)


def _touch_press(place: StepPlace, given: TouchPoint) -> None:
    _touched(place, given, "press")


def _touch_move(place: StepPlace, given: TouchPoint) -> None:
    _touched(place, given, "move")


def _touch_release(place: StepPlace, given: TouchPoint) -> None:
    _touched(place, given, "release")


def _touched(place: StepPlace, given: TouchPoint, event: str) -> None:
    circuit = place.circuit.board_circuit
    kind = place.circuit[given.part].type
    if not isinstance(circuit, TakesTouches):
        raise NotSupported(f"{given.part}: a {kind} cannot be touched here")
    circuit.touch(given.part, event, x=given.x, y=given.y, lasts_ns=given.lasts_ns)


class StepKind(NamedTuple):
    """A command: how its value is read, and what is done with that.

    ``read`` raises ``TypeError`` or ``ValueError`` for what makes no sense.
    """

    read: Callable[[object], Any]
    do: Callable[[StepPlace, Any], None]


STEP_KINDS: Mapping[str, StepKind] = {
    "delay": StepKind(values.duration_ns, _delay),
    "wait-serial": StepKind(values.serial_text, _wait_serial),
    "write-serial": StepKind(values.serial_bytes, _write_serial),
    "set-control": StepKind(values.control_value, _set_control),
    "expect-pin": StepKind(values.pin_value, _expect_pin),
    "take-screenshot": StepKind(values.screenshot, _screenshot),
    "touch": StepKind(values.touch, _touch),
    "touch-press": StepKind(values.touch_point, _touch_press),
    "touch-move": StepKind(values.touch_point, _touch_move),
    "touch-release": StepKind(values.touched_part, _touch_release),
}
