"""Character displays of 16 x 2 and 20 x 4: an HD44780U at pins or behind a PCF8574.

The chip's inputs are pulled up inside, all but E. What is read from it shows while E
and R/W are high. With ``pins`` ``"i2c"`` there is a backpack: NXP's "PCF8574" (rev 5),
whose P0 is RS, P1 R/W, P2 E, P3 the backlight and P4 to P7 D4 to D7. Its port takes a
byte as it is acknowledged, reads low where it was set low or the display pulls, and is
all high when it gets power: so the backlight is on.

The rows of 20 x 4 are halves of the chip's two lines: 00h, 40h, 14h, 54h.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.attribute_values import address_of
from pytest_embedbench.parts.models.averaging import LineShare
from pytest_embedbench.parts.models.hd44780 import Hd44780, LcdRow
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.bit_lines import BitLine
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.drives import Drive
    from pytest_embedbench.wiring.part_model import Reading, Wires

_1602 = (LcdRow(0x00), LcdRow(0x40))
_2004 = (LcdRow(0x00), LcdRow(0x40), LcdRow(0x00, 20), LcdRow(0x40, 20))
_DATA = tuple(f"D{i}" for i in range(8))
_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)
_PULL_UP = drive(Strength.PULL, Level.HIGH)
_RS, _RW, _E, _LIGHT, _UPPER = 0x01, 0x02, 0x04, 0x08, 0xF0


def lcd1602(wires: Wires, attrs: Mapping[str, str]) -> ParallelLcd | BackpackLcd:
    """Make a display of two rows of 16."""
    return _display(wires, attrs, Hd44780(wires.ticks_per_us, rows=_1602, width=16))


def lcd2004(wires: Wires, attrs: Mapping[str, str]) -> ParallelLcd | BackpackLcd:
    """Make a display of four rows of 20."""
    return _display(wires, attrs, Hd44780(wires.ticks_per_us, rows=_2004, width=20))


def _display(
    wires: Wires, attrs: Mapping[str, str], chip: Hd44780
) -> ParallelLcd | BackpackLcd:
    if attrs["pins"] == "full":
        return ParallelLcd(wires, chip)
    backpack = BackpackLcd(chip)
    wires.on_i2c("SDA", "SCL", address_of(attrs), backpack)
    return backpack


def _seen(chip: Hd44780, name: str, *, is_lit: bool) -> Reading:
    if name == "backlight":
        return is_lit
    looks = {"text": chip.text, "cursor": chip.cursor, "glyphs": chip.glyphs}
    return looks[name]()


class ParallelLcd:
    """A display whose chip is at the pins; what floats is high."""

    def __init__(self, wires: Wires, chip: Hd44780) -> None:
        self._wires, self._chip = wires, chip
        pulled = ("RS", "RW", *_DATA)
        self._lines = {pin: BitLine(is_high=True) for pin in pulled}
        self._enable = BitLine(is_high=False)
        self._held: dict[str, Drive] = dict.fromkeys(_DATA, _PULL_UP)
        self._anode, self._cathode = LineShare(wires, "A"), LineShare(wires, "K")
        for pin, line in self._lines.items():
            wires.drive(pin, _PULL_UP)
            self._listen(pin, line)
        wires.on_level("E", self._on_enable)

    def power_on(self, at_ticks: int) -> None:
        """Be blank."""
        self._chip.power_on(at_ticks)
        self._show(at_ticks)

    def observe(self, _at_ticks: int, name: str) -> Reading:
        """Return the text, the cursor, drawn characters, or if the light is on."""
        is_lit = self._anode.high * self._cathode.low > 0
        return _seen(self._chip, name, is_lit=is_lit)

    def _listen(self, pin: str, line: BitLine) -> None:
        def on_level(at_ticks: int, level: Level) -> None:
            line.move(at_ticks, Level.HIGH if level is Level.FLOATING else level)
            if pin in ("RS", "RW"):
                self._show(at_ticks)

        self._wires.on_level(pin, on_level)

    def _on_enable(self, at_ticks: int, level: Level) -> None:
        if not self._enable.move(at_ticks, level):
            return
        if not self._enable.is_high:
            bits = [self._lines[pin].was_high(at_ticks) for pin in _DATA]
            self._chip.latch(
                at_ticks,
                is_data=self._lines["RS"].was_high(at_ticks),
                reads=self._lines["RW"].was_high(at_ticks),
                byte=sum(bit << index for index, bit in enumerate(bits)),
            )
        self._show(at_ticks)

    def _show(self, at_ticks: int) -> None:
        """Drive what is read, or let go."""
        chip, driven, byte = self._chip, 0, 0
        if self._enable.is_high and self._lines["RW"].is_high:
            driven = chip.drives
            byte = chip.shown(at_ticks, is_data=self._lines["RS"].is_high)
            if at_ticks < chip.busy_until_ticks:
                self._wires.at(chip.busy_until_ticks, self._show)
        for index, pin in enumerate(_DATA):
            due = _PULL_UP
            if driven >> index & 1:
                due = _HIGH if byte >> index & 1 else _LOW
            if due != self._held[pin]:
                self._held[pin] = due
                self._wires.drive(pin, due)


class BackpackLcd:
    """A display behind a PCF8574; the lower half of the chip's data floats."""

    def __init__(self, chip: Hd44780) -> None:
        self._chip = chip
        self._port = 0xFF

    def power_on(self, at_ticks: int) -> None:
        """Be blank, with the port all high and so the light on."""
        self._chip.power_on(at_ticks)
        self._port = 0xFF

    def observe(self, _at_ticks: int, name: str) -> Reading:
        """Return the text, the cursor, drawn characters, or if the light is on."""
        return _seen(self._chip, name, is_lit=bool(self._port & _LIGHT))

    def begin(self, _at_ticks: int, *, reads: bool) -> bool:
        """Answer to every address."""
        return True

    def write(self, at_ticks: int, byte: int) -> bool:
        """Set the port."""
        before, self._port = self._port, byte
        if before & _E and not byte & _E:
            self._chip.latch(
                at_ticks,
                is_data=bool(before & _RS),
                reads=bool(before & _RW),
                byte=before | ~_UPPER & 0xFF,
            )
        return True

    def read(self, at_ticks: int) -> int:
        """Return the levels of the port."""
        is_read = self._port & _E and self._port & _RW
        if not is_read:
            return self._port
        shown = self._chip.shown(at_ticks, is_data=bool(self._port & _RS))
        return self._port & (shown | ~_UPPER & 0xFF)

    def end(self, _at_ticks: int) -> None:
        """Keep the port as it is."""
