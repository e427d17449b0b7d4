"""Infrared remote control and its receivers, which see it wherever they are.

The remote sends by NEC's protocol, on a carrier that is not told: light for 9 ms, dark
for 4.5 ms, then address, its complement, command and its complement, lowest bits first,
each a light of 562.5 us and as much darkness for 0, three times as much for 1; and a
last light. While a key is held a repeat follows every 108 ms: light for 9 ms, dark for
2.25 ms, light. The address is 0, unless it is another remote's, and keys have the
commands of docs.wokwi.com/parts/wokwi-ir-remote, 162 for Power; lowest bits first is
what sketches want that find 162 by Arduino's IRremote from version 3 on.

A receiver holds DAT low while there is light, pulled up inside, as Vishay's TSOP382 has
it; that real ones take some periods of the carrier to see it is left out.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_embedbench.wiring.part_model import Wires

TOPIC = "infrared"
"""What goes through the air: 1 as a light begins, 0 as it ends."""
_LEADER_US, _GAP_US, _REPEAT_GAP_US = 9000, 4500, 2250
_UNIT_US = 562.5
_ONE_US = 3 * _UNIT_US
_PERIOD_US = 108_000
_LOW = drive(Strength.OUTPUT, Level.LOW)
_PULL_UP = drive(Strength.PULL, Level.HIGH)


class RemoteControl:
    """A remote; a key waits until the one before is done."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self._wires = wires
        self._settings = {"address": 0, "repeats": 0}
        self._free_at_ticks = 0

    def control(self, at_ticks: int, name: str, value: float) -> None:
        """Press a key by its command; or say what address and repeats keys have."""
        if name in self._settings:
            self._settings[name] = round(value)
            return
        address, repeats = self._settings["address"], self._settings["repeats"]
        begin_ticks = max(at_ticks, self._free_at_ticks)
        period_ticks = _PERIOD_US * self._wires.ticks_per_us
        self._send(begin_ticks, _frame_us(address, round(value)))
        for turn in range(1, repeats + 1):
            self._send(begin_ticks + turn * period_ticks, _repeat_us())
        self._free_at_ticks = begin_ticks + (1 + repeats) * period_ticks

    def _send(self, begin_ticks: int, widths_us: Iterator[float]) -> None:
        """Send widths of light and darkness by turns."""
        passed_us = 0.0
        for index, width_us in enumerate(widths_us):
            at_ticks = begin_ticks + round(passed_us * self._wires.ticks_per_us)
            self._wires.at(at_ticks, partial(self._shine, 1 - index % 2))
            passed_us += width_us

    def _shine(self, light: int, _at_ticks: int) -> None:
        self._wires.broadcast(TOPIC, light)


class InfraredReceiver:
    """A receiver; light of two remotes at once is light."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self._wires = wires
        self._lights = 0
        wires.drive("DAT", _PULL_UP)
        wires.on_broadcast(TOPIC, self._on_light)

    def _on_light(self, _at_ticks: int, light: int) -> None:
        self._lights = max(0, self._lights + (1 if light else -1))
        self._wires.drive("DAT", _LOW if self._lights else _PULL_UP)


def _frame_us(address: int, command: int) -> Iterator[float]:
    """Yield widths of light and darkness; what follows the last one is its end."""
    yield from (_LEADER_US, _GAP_US)
    for byte in (address, address ^ 0xFF, command, command ^ 0xFF):
        for index in range(8):
            yield _UNIT_US
            yield _ONE_US if byte >> index & 1 else _UNIT_US
    yield from (_UNIT_US, 0)


def _repeat_us() -> Iterator[float]:
    yield from (_LEADER_US, _REPEAT_GAP_US, _UNIT_US, 0)
