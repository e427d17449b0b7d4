"""Hygrometers DHT22 and DHT11: 40 bits on one wire, asked for by a long low.

By Aosong's datasheets "AM2302 Digital temperature and humidity sensor" and "DHT11
Humidity & Temperature Sensor": the host holds the line low and lets go of it; 30 us
later (20 to 40) the sensor answers with 80 us low and 80 us high. A bit is 50 us low
and 26 us high for 0, 70 us for 1; after the last one the line is low for 50 us. The
last byte is the sum of the others. DHT22: 0.8 ms of low at least, tenths in 16 bits,
the sign of the temperature in the highest. DHT11: 18 ms, whole units in a byte each,
zeros between.

What is measured is there at once; that sensors want one or two seconds after they get
power and between two readings is left to the firmware, and so is that AM2302's start
should be over after 20 ms.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_embedbench.wiring.drives import Drive
    from pytest_embedbench.wiring.part_model import Reading, Wires

_WAIT_US = 30
_ANSWER_US = 80
_BIT_LOW_US = 50
_ZERO_US, _ONE_US = 26, 70
_DHT22_START_US, _DHT11_START_US = 800, 18_000
_NEGATIVE = 0x8000
_LOW = drive(Strength.OUTPUT, Level.LOW)
_PULL_UP = drive(Strength.PULL, Level.HIGH)


def dht22(wires: Wires, attrs: Mapping[str, str]) -> Hygrometer:
    """Make a DHT22."""
    return Hygrometer(wires, attrs, start_us=_DHT22_START_US, code=_in_tenths)


def dht11(wires: Wires, attrs: Mapping[str, str]) -> Hygrometer:
    """Make a DHT11."""
    return Hygrometer(wires, attrs, start_us=_DHT11_START_US, code=_in_units)


def _in_tenths(humidity_pct: float, temperature_c: float) -> bytes:
    tenths = round(temperature_c * 10)
    temperature = abs(tenths) | (_NEGATIVE if tenths < 0 else 0)
    return round(humidity_pct * 10).to_bytes(2) + temperature.to_bytes(2)


def _in_units(humidity_pct: float, temperature_c: float) -> bytes:
    return bytes((round(humidity_pct), 0, round(temperature_c), 0))


class Hygrometer:
    """A sensor that has a pull-up on its module."""

    def __init__(
        self,
        wires: Wires,
        attrs: Mapping[str, str],
        *,
        start_us: int,
        code: Callable[[float, float], bytes],
    ) -> None:
        self._wires = wires
        self._start_ticks = start_us * wires.ticks_per_us
        self._code = code
        names = ("humidity", "temperature")
        self._values = {name: float(attrs[name]) for name in names}
        self._fell_at_ticks: int | None = None
        self._is_answering = False
        self._readings = 0
        wires.drive("SDA", _PULL_UP)
        wires.on_level("SDA", self._on_level)

    def control(self, _at_ticks: int, name: str, value: float) -> None:
        """Set the temperature in Celsius, or the humidity in percent."""
        self._values[name] = value

    def observe(self, _at_ticks: int, _: str) -> Reading:
        """Return how many readings it has sent, to the end."""
        return self._readings

    def _on_level(self, at_ticks: int, level: Level) -> None:
        if self._is_answering:
            return
        fell_at_ticks, self._fell_at_ticks = self._fell_at_ticks, None
        if level is Level.LOW:
            self._fell_at_ticks = at_ticks
        elif fell_at_ticks is not None:
            self._take(at_ticks, at_ticks - fell_at_ticks)

    def _take(self, at_ticks: int, low_ticks: int) -> None:
        if low_ticks >= self._start_ticks:
            self._answer(at_ticks)

    def _answer(self, at_ticks: int) -> None:
        self._is_answering = True
        data = self._code(self._values["humidity"], self._values["temperature"])
        edge_ticks = at_ticks + _WAIT_US * self._wires.ticks_per_us
        drives = (_LOW, _PULL_UP)
        for index, width_us in enumerate(_widths_us(data)):
            self._wires.at(edge_ticks, partial(self._hold, drives[index % 2]))
            edge_ticks += width_us * self._wires.ticks_per_us
        self._wires.at(edge_ticks, self._end)

    def _hold(self, held: Drive, _at_ticks: int) -> None:
        self._wires.drive("SDA", held)

    def _end(self, at_ticks: int) -> None:
        self._readings += 1
        self._wires.drive("SDA", _PULL_UP)
        self._wires.at(at_ticks + self._wires.ticks_per_us, self._listen)

    def _listen(self, _at_ticks: int) -> None:
        self._is_answering = False


def _widths_us(data: bytes) -> Iterator[int]:
    """Yield how long the line is low, high, low and so on; it is low at the end."""
    yield from (_ANSWER_US, _ANSWER_US)
    for byte in (*data, sum(data) & 0xFF):
        for bit in range(7, -1, -1):
            yield _BIT_LOW_US
            yield _ONE_US if byte >> bit & 1 else _ZERO_US
    yield _BIT_LOW_US
