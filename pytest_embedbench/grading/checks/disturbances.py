"""Faults that make sense for any task, from when its actuators work to 15 s.

The rows are for a test's parameters: a name, and faults that happen together.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.faults import (
    BitErrors,
    Coalesce,
    Delay,
    Drop,
    DutyLimit,
    Fault,
    Fragment,
    InjectionPoint,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Rows = dict[str, list[Fault]]

UNTIL_MS = 15_000
RESETS_MS = (300, 1_050, 7_777, 7_900, 14_000)
"""When the reset button is pressed."""


def at(place: InjectionPoint, *, from_ms: int = 200) -> Callable[..., Fault]:
    """Return what makes faults of a place out of effects."""
    return partial(Fault, place, from_ms=from_ms, until_ms=UNTIL_MS)


def of_readings(*, streams: int = 1, from_ms: int = 200) -> Rows:
    """Return faults of whatever lines sensors send.

    Lines of several streams come together, so more of them are merged, and they are
    not torn apart so far that one goes into the next ones.
    """
    sensors, wire = (
        at(each, from_ms=from_ms)
        for each in (InjectionPoint.SENSORS, InjectionPoint.WIRE)
    )
    return {
        "frames-lost": [sensors(Drop(one_in=10))],
        "silence": [sensors(Drop())],
        "late-frames": [sensors(Delay(by_ms=100, jitter_ms=100))],
        "byte-errors": [wire(BitErrors(one_in=100))],
        "split-writes": [wire(Fragment(gap_ms=60 if streams == 1 else 10))],
        "merged-writes": [wire(Coalesce(count=3 * streams))],
    }


def of_commands(actuator: str, *noise: Fault, from_ms: int = 200) -> Rows:
    """Return faults of actuators, one of which has half its power.

    ``noise`` is what the sensors do when all goes wrong at once.
    """
    sensors, wire, actuators = (
        at(each, from_ms=from_ms)
        for each in (
            InjectionPoint.SENSORS,
            InjectionPoint.WIRE,
            InjectionPoint.ACTUATORS,
        )
    )
    half = DutyLimit(
        on=f"ACT {actuator} ON", off=f"ACT {actuator} OFF", on_ticks=1, of_ticks=2
    )
    return {
        "commands-lost": [actuators(Drop(one_in=10))],
        "actuators-lag": [actuators(Delay(by_ms=200))],
        "half-power": [actuators(half)],
        "all-at-once": [
            *noise,
            sensors(Drop(one_in=20)),
            wire(BitErrors(one_in=300)),
            wire(Fragment(gap_ms=10)),
            actuators(Drop(one_in=20)),
        ],
    }
