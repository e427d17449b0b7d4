"""The edges that bytes on a bus in hardware stand for, which moved no pin.

Of SPI by the four modes of CPOL and CPHA, the highest bit first; of I2C by NXP's
UM10204, "I2C-bus specification and user manual", chapter 3. All is within the time that
a byte took. Of a START it is not known when it was, so it is right before its byte; of
a STOP, that it ended then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.wiring.net_log import BusKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.wiring.net_log import BusByte

    Change = tuple[int, int]
    """A tick, and a level from there on."""

SCK, MOSI, MISO = range(3)
SDA, SCL = range(2)
_BITS = 8
_I2C_CLOCKS = 9
_LOW, _HIGH = 0, 1


def spi_edges(byte: BusByte, before: BusByte | None, line: int) -> Iterator[Change]:
    """Yield what a line does for a byte; ``before`` is the byte before it."""
    clock_idles, is_late = byte.kind >> 1 & 1, byte.kind & 1
    begins, lasts = byte.begins_ticks, byte.ends_ticks - byte.begins_ticks
    if line == SCK:
        # The clock rests before the first edge; for how long is not known.
        rests = begins - lasts // _BITS
        if before is None or before.ends_ticks <= rests:
            yield rests, clock_idles
        else:
            yield before.ends_ticks, clock_idles
    value = byte.value if line == MOSI else byte.other
    for index in range(_BITS):
        at_ticks = begins + index * lasts // _BITS
        middle = begins + (2 * index + 1) * lasts // (2 * _BITS)
        if line != SCK:
            yield at_ticks, value >> (_BITS - 1 - index) & 1
        elif is_late:
            yield at_ticks, 1 - clock_idles
            yield middle, clock_idles
        else:
            yield middle, 1 - clock_idles
            yield begins + (index + 1) * lasts // _BITS, clock_idles


def i2c_edges(it: BusByte, before: BusByte | None, line: int) -> Iterator[Change]:
    """Yield what a line does for a byte or a STOP; a 1 says that nobody holds it."""
    is_held = before is not None and before.kind is not BusKind.I2C_STOP
    # A byte leaves SCL low: the master stretches it until it goes on.
    free_ticks = it.begins_ticks - before.ends_ticks if before else None
    if it.kind is BusKind.I2C_STOP:
        if is_held and before is not None:
            clock_ticks = (before.ends_ticks - before.begins_ticks) // _I2C_CLOCKS
            ends = it.ends_ticks
            lasts = min(ends - before.ends_ticks, clock_ticks)
            if line == SDA:
                yield ends - lasts * 3 // 4, _LOW
                yield ends, _HIGH
            else:
                yield ends - lasts // 2, _HIGH
        return
    if it.other:
        yield from _start(it, free_ticks, line, is_held=is_held)
    yield from _byte(it, line)


def _start(
    it: BusByte, free_ticks: int | None, line: int, *, is_held: bool
) -> Iterator[Change]:
    """Yield a START that ends as the byte begins, within the time that was free."""
    begins = it.begins_ticks
    lasts = (it.ends_ticks - begins) // _I2C_CLOCKS * 3 // 2
    if free_ticks is not None:
        lasts = min(lasts, free_ticks)
    if is_held and line == SDA:
        yield begins - lasts + lasts // 12, _HIGH
    elif is_held:
        yield begins - lasts * 2 // 3, _HIGH
    if line == SDA:
        yield begins - lasts // 3, _LOW


def _byte(it: BusByte, line: int) -> Iterator[Change]:
    begins, lasts = it.begins_ticks, it.ends_ticks - it.begins_ticks
    bits = it.value << 1 | (it.kind is not BusKind.I2C_ACK)
    if line == SCL:
        yield begins, _LOW
    for index in range(_I2C_CLOCKS):

        def from_quarter(quarter: int, index: int = index) -> int:
            return begins + (4 * index + quarter) * lasts // (4 * _I2C_CLOCKS)

        if line == SDA:
            yield from_quarter(1), bits >> (_I2C_CLOCKS - 1 - index) & 1
        else:
            yield from_quarter(2), _HIGH
            yield from_quarter(4), _LOW
