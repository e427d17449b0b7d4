"""LED matrices of 8 x 8, each with a MAX7219, in a chain.

By Maxim's datasheet "MAX7219/MAX7221" (19-4452), tables 2 to 10: 16 bits are shifted in
whether or not it is selected, and count as CS rises; what falls out at DOUT is for the
next chip. After power-on it is shut down, scans one digit and decodes none.

Chips and LEDs by the pages "Parola Custom Module" and "FC-16 Module" of MajicDesigns'
MD_MAX72xx, to which Wokwi's page of the part points: DIN is at the right, so the first
chip is the rightmost one; digit 0 is the row at the top; segment DP, the highest bit,
is at the left with ``fc16``, at the right with ``parola``.

``pixels`` takes no account of intensity: the lowest one is seen, too. DOUT is let go
while CS is high, which is when the chain is not clocked; what does not fill a byte as
CS rises is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_SIZE = 8
_WORD = 2
_DIGITS = range(1, 9)
_DECODE, _INTENSITY, _SCAN_LIMIT, _SHUTDOWN, _TEST = 0x9, 0xA, 0xB, 0xC, 0xF
_REGISTERS = 16
_POINT, _CODE_MASK = 0x80, 0x0F
_CODE_B = bytes.fromhex("7e306d79335b5f707f7b014f370e6700")
"""Segments A to G, A in bit 6, of 0 to 9, -, E, H, L, P and blank."""


class Max7219Matrix:
    """A chain of matrices."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        count = int(float(attrs["chain"]))
        self._points_left = attrs["layout"] == "fc16"
        # By chip, the first one of the chain first.
        self._chips = [bytearray(_REGISTERS) for _ in range(count)]
        # What was shifted in: the oldest byte is about to fall out.
        self._shifted = bytearray(_WORD * count)
        wires.on_spi("CLK", "DIN", "CS", self, data_out="DOUT")

    def power_on(self, _at_ticks: int) -> None:
        """Be off, with nothing in any register."""
        for chip in (*self._chips, self._shifted):
            chip[:] = bytes(len(chip))

    def observe(self, _at_ticks: int, name: str) -> Reading:
        """Return rows of pixels, or the intensity of each matrix, from the left."""
        if name == "intensity":
            return tuple(chip[_INTENSITY] & 0x0F for chip in reversed(self._chips))
        return tuple(self._row(digit) for digit in range(_SIZE))

    def select(self, _at_ticks: int, *, is_selected: bool) -> int:
        """Let all chips take their word as CS rises."""
        if not is_selected:
            for index, chip in enumerate(reversed(self._chips)):
                register, byte = self._shifted[_WORD * index : _WORD * (index + 1)]
                chip[register & 0x0F] = byte
        return self._shifted[0]

    def transfer(self, _at_ticks: int, byte: int) -> int:
        """Shift a byte in."""
        shifted = self._shifted
        del shifted[0]
        shifted.append(byte)
        return shifted[0]

    def shift_in(self, data: bytes) -> int:
        """Shift bytes in."""
        shifted = self._shifted
        shifted += data
        del shifted[: len(data)]
        return shifted[0]

    def _row(self, digit: int) -> tuple[bool, ...]:
        bits: list[bool] = []
        for chip in reversed(self._chips):
            lit = _segments(chip, digit)
            from_right = [bool(lit >> bit & 1) for bit in range(_SIZE)]
            bits += reversed(from_right) if self._points_left else from_right
        return tuple(bits)


def _segments(chip: bytearray, digit: int) -> int:
    """Return which segments of a digit are lit: DP is bit 7, A 6, G 0."""
    if chip[_TEST] & 1:
        return 0xFF
    if not chip[_SHUTDOWN] & 1 or digit > chip[_SCAN_LIMIT] & 0x07:
        return 0
    byte = chip[_DIGITS[digit]]
    if chip[_DECODE] >> digit & 1:
        return byte & _POINT | _CODE_B[byte & _CODE_MASK]
    return byte
