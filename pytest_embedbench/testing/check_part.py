"""What the model of a part has promised."""

from __future__ import annotations

import math
from functools import partial
from itertools import cycle, islice
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.pins import Level
from pytest_embedbench.testing.fake_wires import FakeWires
from pytest_embedbench.testing.insist import insist, insist_on_all, insist_on_refusal
from pytest_embedbench.wiring.part_model import Controlled, Observed
from pytest_embedbench.wiring.part_type import PinRole
from pytest_embedbench.wiring.placed_part import PlacedPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.testing.fake_wires import WireEvent
    from pytest_embedbench.wiring.part_model import MakeModel, Reading
    from pytest_embedbench.wiring.part_type import PartControl, PartType

_HEARD = {
    *(PinRole.INPUT, PinRole.PULLED, PinRole.BOTH),
    *(PinRole.OPEN_DRAIN, PinRole.PASSIVE),
}
_PULSES_US = (1, 12, 600, 1500, 20_000)
_PWM_TICKS = ((16_320, 8_000), (16_320, 16_320), (16_320, 0), (0, 0))


def check_part(
    kind: PartType, make: MakeModel, attrs: Mapping[str, str] | None = None
) -> None:
    """Insist that a model does what its type says, on wires without a simulator.

    Its inputs get pulses and PWM, its controls the ends and the middle of their ranges.

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
    if kind.observables:
        insist_on_all(part.model, Observed)
    for name, control in kind.controls.items():
        _insist_on_limits(part, name, control)
    one = _exercise(wires, part)
    other = _exercise(*_placed(kind, make, given))
    insist(one == other, "two equal runs differ: the model is not deterministic")


def _placed(
    kind: PartType, make: MakeModel, attrs: Mapping[str, str]
) -> tuple[FakeWires, PlacedPart]:
    wires = FakeWires(kind, attrs)
    return wires, PlacedPart("part", kind, make=make, wires=wires, attrs=attrs)


def _insist_on_limits(part: PlacedPart, name: str, control: PartControl) -> None:
    for value in (control.lowest - 1, control.highest + 1, math.nan):
        setting = partial(part.control, 0, name, value)
        insist_on_refusal(f"setting {name} to {value:g}", setting, ConfigError)


def _exercise(
    wires: FakeWires, part: PlacedPart
) -> tuple[list[WireEvent], list[Mapping[str, Reading]]]:
    """Return what a model did at its pins, and all that was seen of it."""
    seen = [_observe_all(wires, part)]
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
    for name, control in part.kind.controls.items():
        middle = (control.lowest + control.highest) / 2
        for value in (control.lowest, control.highest, middle):
            part.control(wires.now_ticks, name, value)
            seen.append(_observe_all(wires, part))
            wires.advance_us(_PULSES_US[-1])
            seen.append(_observe_all(wires, part))
    return wires.events, seen


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
        insist(_is_reading(reading), f"{name} is {reading!r}, which is no reading")
    return readings


def _is_reading(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_reading, value))  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, bool | int | str)
