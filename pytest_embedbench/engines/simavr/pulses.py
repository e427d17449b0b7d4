"""When an input is to change: at a moment to come, or as a train of pulses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Level
from pytest_embedbench.support.validation import pin_level

if TYPE_CHECKING:
    from collections.abc import Sequence


class DrivenPins:
    """Which pins a test drives, as far as it has asked for it."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, int]] = {}

    def drive(self, pin: str, edges: Sequence[tuple[int, int]]) -> None:
        """Take note of when a pin is driven, in us, and what to (a level's value)."""
        last = edges[-1]
        if last[0] >= self._last.get(pin, last)[0]:
            self._last[pin] = last

    def is_driven(self, pin: str, now_us: int) -> bool:
        """Say whether a pin is driven, or is going to be."""
        at_us, level = self._last.get(pin, (now_us, Level.FLOATING.value))
        return at_us > now_us or level != Level.FLOATING.value


def moment_us(board: str, at_us: int | None, now_us: int) -> int:
    """Return a moment of simulated time that a test gives; ``None`` is now.

    Raises:
        ConfigError: it is no whole number of microseconds, or has passed.
    """
    if at_us is None:
        return now_us
    if type(at_us) is not int:
        raise ConfigError(f"{board}: at_us = {at_us!r}: must be whole microseconds")
    if at_us < now_us:
        raise ConfigError(
            f"{board}: at_us = {at_us} has passed: it is {now_us} us since boot now"
        )
    return at_us


def pulse_edges(
    pin: str,
    durations_us: Sequence[int],
    first: Level,
    then: Level | None,
    begins_us: int,
) -> list[tuple[int, int]]:
    """Return when a pin changes, in us, and what to (a level's value).

    Raises:
        ConfigError: a duration is no whole number of us above 0, or there is none; or
            it begins floating, which has no other level.
    """
    if first not in (Level.LOW, Level.HIGH):
        raise ConfigError(f"pin {pin}: pulses begin with Level.LOW or HIGH: {first!r}")
    wrong = [each for each in durations_us if type(each) is not int or each < 1]
    if wrong or not durations_us:
        culprit = repr(wrong[0]) if wrong else "none at all"
        raise ConfigError(
            f"pin {pin}: a pulse lasts whole microseconds, 1 or more: {culprit}"
        )
    level, edges = first.value, list[tuple[int, int]]()
    for duration_us in durations_us:
        edges.append((begins_us, level))
        begins_us += duration_us
        level = 1 - level
    edges.append((begins_us, level if then is None else pin_level(pin, then).value))
    return edges
