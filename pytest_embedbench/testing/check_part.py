"""What the model of a part has promised."""

from __future__ import annotations

import math
from functools import partial
from itertools import cycle, islice
from typing import TYPE_CHECKING, NamedTuple, cast

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.pins import Level
from pytest_embedbench.testing.fake_wires import FakeWires
from pytest_embedbench.testing.insist import insist, insist_on_all, insist_on_refusal
from pytest_embedbench.wiring.part_model import (
    Controlled,
    Observed,
    ShiftsIn,
    TakesBytes,
)
from pytest_embedbench.wiring.part_type import HANDLES, PinRole
from pytest_embedbench.wiring.placed_part import PlacedPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.testing.fake_wires import Broadcast, WireEvent
    from pytest_embedbench.wiring.part_model import (
        I2cDevice,
        MakeModel,
        Reading,
        SpiDevice,
    )
    from pytest_embedbench.wiring.part_type import PartControl, PartType

_HEARD = {
    *(PinRole.INPUT, PinRole.PULLED, PinRole.BOTH),
    *(PinRole.OPEN_DRAIN, PinRole.PASSIVE),
}
_PULSES_US = (1, 12, 600, 1500, 20_000)
_BYTES = (0x00, 0xFF, 0x80, 0x01, 0x55, 0xAA, 0x40, 0x7F)
_A_BYTE = range(0x100)
_I2C_BYTE_US = 90
_SPI_BYTE_US = 2
_SENT = (0, 1, 0xFF, 0x1FF)
_PWM_TICKS = ((16_320, 8_000), (16_320, 16_320), (16_320, 0), (0, 0))


def check_part(
    kind: PartType, make: MakeModel, attrs: Mapping[str, str] | None = None
) -> None:
    """Insist that a model does what its type says, on wires without a simulator.

    Its inputs get pulses and PWM, its devices on buses bytes, its controls the ends and
    the middle of their ranges.

    Args:
        kind: The type, with the controls and observables that it promises.
        make: What makes the model.
        attrs: Attributes of the part that is made.

    Raises:
        ContractViolation: naming the promise that was broken.
    """
    given = attrs or {}
    wires, part = _placed(kind, make, given)
    if kind.controls:
        insist_on_all(part.model, Controlled)
    hidden = ", ".join(sorted(HANDLES & kind.observables.keys()))
    insist(not hidden, f"tests have something else by the name of {hidden}")
    if kind.observables:
        insist_on_all(part.model, Observed)
    for name, control in kind.controls.items():
        _insist_on_limits(part, name, control)
    one = _exercise(wires, part)
    other = _exercise(*_placed(kind, make, given))
    insist(one == other, "two equal runs differ: the model is not deterministic")
    late = _exercise(*_placed(kind, make, given), is_late=True)
    insist(
        (late.events, late.seen) == (one.events, one.seen),
        "bytes of a bus that are told late do something else than those told in time",
    )


def _placed(
    kind: PartType, make: MakeModel, attrs: Mapping[str, str]
) -> tuple[FakeWires, PlacedPart]:
    wires = FakeWires(kind, attrs)
    return wires, PlacedPart("part", kind, make=make, wires=wires, attrs=attrs)


def _insist_on_limits(part: PlacedPart, name: str, control: PartControl) -> None:
    for value in (control.lowest - 1, control.highest + 1, math.nan):
        setting = partial(part.control, 0, name, value)
        insist_on_refusal(f"setting {name} to {value:g}", setting, ConfigError)


class _Done(NamedTuple):
    """What a model did at its pins, in the air and on buses, and was seen to be."""

    events: list[WireEvent]
    sent: list[Broadcast]
    answers: list[int]
    seen: list[Mapping[str, Reading]]


def _exercise(wires: FakeWires, part: PlacedPart, *, is_late: bool = False) -> _Done:
    seen = [_observe_all(wires, part)]
    _exercise_pins(wires, part, seen)
    answers: list[int] = []
    for i2c in wires.i2c.values():
        answers += _exercise_i2c(wires, i2c, is_late=is_late)
        seen.append(_observe_all(wires, part))
    for spi in wires.spi.values():
        answers += _exercise_spi(wires, spi, is_late=is_late)
        seen.append(_observe_all(wires, part))
    for topic in wires.topics:
        for value in _SENT:
            wires.hear(topic, value)
            wires.advance_us(_PULSES_US[-1])
            seen.append(_observe_all(wires, part))
    _exercise_controls(wires, part, seen)
    return _Done(wires.events, wires.sent, answers, seen)


def _exercise_i2c(wires: FakeWires, device: I2cDevice, *, is_late: bool) -> list[int]:
    """Write and read, and return all that it answered."""
    answers: list[int] = []
    for reads in (False, True, False, True):
        is_there = device.begin(wires.now_ticks, reads=reads)
        _insist_on(bool, is_there)
        answers.append(is_there)
        wires.advance_us(_I2C_BYTE_US)
        if not is_there:
            continue
        takes_late = not reads and isinstance(device, TakesBytes)
        if is_late and not reads and isinstance(device, TakesBytes):
            wires.advance_us(_I2C_BYTE_US * len(_BYTES))
            device.take_bytes(bytes(_BYTES))
            device.end(wires.now_ticks)
            continue
        for byte in _BYTES:
            now_ticks = wires.now_ticks
            answer = device.read(now_ticks) if reads else device.write(now_ticks, byte)
            _insist_on(int if reads else bool, answer)
            insist(answer or not takes_late, "a device that takes bytes refuses one")
            answers.append(answer)
            wires.advance_us(_I2C_BYTE_US)
        device.end(wires.now_ticks)
    return answers


def _exercise_spi(wires: FakeWires, device: SpiDevice, *, is_late: bool) -> list[int]:
    """Send bytes, selected or not, and return all that it answered."""
    answers: list[int] = []
    for is_selected in (False, True, False, True, False):
        answers.append(device.select(wires.now_ticks, is_selected=is_selected))
        if is_late and isinstance(device, ShiftsIn):
            wires.advance_us(_SPI_BYTE_US * len(_BYTES))
            answers.append(device.shift_in(bytes(_BYTES)))
            continue
        for byte in _BYTES:
            wires.advance_us(_SPI_BYTE_US)
            answers.append(device.transfer(wires.now_ticks, byte))
    for answer in answers:
        _insist_on(int, answer)
    return answers


def _insist_on(kind: type, answer: object) -> None:
    is_one = type(answer) is kind and answer in _A_BYTE
    what = "byte" if kind is int else kind.__name__
    insist(is_one, f"a device on a bus answers {answer!r}, which is no {what}")


def _exercise_pins(
    wires: FakeWires, part: PlacedPart, seen: list[Mapping[str, Reading]]
) -> None:
    heard = [name for name, pin in wires.pins.items() if pin.role in _HEARD]
    for turn, level in enumerate((Level.LOW, Level.HIGH, Level.FLOATING)):
        for index, pin in enumerate(heard):
            wires.show_all({pin: level})
            for width_us in islice(cycle(_PULSES_US), index + turn, index + turn + 4):
                wires.show_all({pin: Level.HIGH})
                wires.advance_us(width_us)
                wires.show_all({pin: Level.LOW})
                wires.advance_us(width_us)
                seen.append(_observe_all(wires, part))
            wires.show_all({pin: level})
    for pin in heard:
        for period_ticks, high_ticks in _PWM_TICKS:
            wires.pwm(pin, period_ticks, high_ticks)
            seen.append(_observe_all(wires, part))
            wires.advance_us(_PULSES_US[-1])


def _exercise_controls(
    wires: FakeWires, part: PlacedPart, seen: list[Mapping[str, Reading]]
) -> None:
    for name, control in part.kind.controls.items():
        middle = (control.lowest + control.highest) / 2
        for value in (control.lowest, control.highest, middle):
            part.control(wires.now_ticks, name, value)
            seen.append(_observe_all(wires, part))
            wires.advance_us(_PULSES_US[-1])
            seen.append(_observe_all(wires, part))


def _observe_all(wires: FakeWires, part: PlacedPart) -> Mapping[str, Reading]:
    def read() -> dict[str, Reading]:
        return {
            name: part.observe(wires.now_ticks, name) for name in part.kind.observables
        }

    before = len(wires.events)
    readings = read()
    is_pure = readings == read() and len(wires.events) == before
    insist(is_pure, "looking at it changes it")
    for name, reading in readings.items():
        # A picture takes long to be written down.
        shown = "" if _is_reading(reading) else repr(reading)
        insist(not shown, f"{name} is {shown}, which is no reading")
    return readings


def _is_reading(value: object) -> bool:
    if isinstance(value, tuple):
        parts = cast("tuple[object, ...]", value)
        return all(map(_is_reading, {id(part): part for part in parts}.values()))
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, bool | int | str | bytes)
