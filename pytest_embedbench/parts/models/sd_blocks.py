"""Blocks of an SD card that are read, written and erased in SPI mode.

By the SD Association's "Physical Layer Simplified Specification", version 2.00: 7.2.3,
7.2.4 and 7.3.3 (tokens). What cards differ in is fixed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.parts.models.card_memory import BLOCK
from pytest_embedbench.parts.models.sd_registers import crc16

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.parts.models.card_memory import CardMemory

_ACCESS_US, _NEXT_US, _PROGRAM_US = 100, 20, 500
_BAD_SEQUENCE, _BAD_ADDRESS, _BAD_PARAMETER = 0x10, 0x20, 0x40
_FILL = 0xFF
_CRC_SIZE = 2
_TOKEN, _TOKEN_OF_MANY, _STOP_TOKEN = 0xFE, 0xFC, 0xFD
_ERROR_TOKEN, _OUT_OF_RANGE_TOKEN = 0x01, 0x08
_ACCEPTED, _DATA_CRC_ERROR, _WRITE_ERROR = 0xE5, 0xEB, 0xED
_FROM, _TO = 0, 1


class _BlockRead(NamedTuple):
    """What is being read: from an address, of a size; many blocks, or one.

    ``ready_ticks`` is when the next block is there; ``None`` while one is sent.
    """

    address: int
    size: int
    is_many: bool
    ready_ticks: int | None


class _BlockWrite(NamedTuple):
    """Where the next block goes that comes in, and whether there are many."""

    address: int
    is_many: bool


class SdBlocks:
    """What a card does with its blocks.

    A command returns nothing, or the error bits of R1.

    Args:
        ticks_per_us: How fast the clock is.
        memory: The blocks.
    """

    def __init__(self, ticks_per_us: int, memory: CardMemory) -> None:
        self._ticks_per_us, self._memory = ticks_per_us, memory
        self._bytes = memory.blocks * BLOCK
        self.busy_until_ticks = 0
        self.reset()

    def reset(self) -> None:
        """Forget all but what the blocks hold."""
        self.checks = False
        """Whether data that comes in has to have the right checksum."""
        self._size = BLOCK
        self._erased: dict[int, int] = {}
        self.stop()

    def stop(self) -> None:
        """Read and write no more."""
        self._reading: _BlockRead | None = None
        self._writing: _BlockWrite | None = None
        self._data = bytearray()
        self.is_gathering = False
        """Whether bytes that come in are data."""

    def set_size(self, size: int) -> int:
        """Set how much is read at once."""
        if not 0 < size <= BLOCK:
            return _BAD_PARAMETER
        self._size = size
        return 0

    # ---------------------------------------------------------------- reading

    def read(self, at_ticks: int, address: int, *, is_many: bool) -> int:
        """Begin to read."""
        if address + self._size > self._bytes:
            return _BAD_PARAMETER
        if address % BLOCK + self._size > BLOCK:
            return _BAD_ADDRESS
        ready_ticks = at_ticks + _ACCESS_US * self._ticks_per_us
        self._reading = _BlockRead(address, self._size, is_many, ready_ticks)
        return 0

    def next_block(self, at_ticks: int) -> Iterable[int]:
        """Return the next block as it is sent, or nothing if there is none yet."""
        if self._reading is None:
            return ()
        address, size, is_many, ready_ticks = self._reading
        if ready_ticks is None:
            ready_ticks = at_ticks + _NEXT_US * self._ticks_per_us
            self._reading = self._reading._replace(ready_ticks=ready_ticks)
        if at_ticks < ready_ticks:
            return ()
        self._reading = None
        block, first = divmod(address, BLOCK)
        if address + size > self._bytes:
            return (_OUT_OF_RANGE_TOKEN,)
        if first + size > BLOCK:  # of many that do not fill a block
            return (_ERROR_TOKEN,)
        if is_many:
            self._reading = _BlockRead(address + size, size, is_many, None)
        return framed(self._memory.read(block)[first : first + size])

    # ---------------------------------------------------------------- writing

    def write(self, address: int, *, is_many: bool) -> int:
        """Wait for a block to write."""
        if self._size != BLOCK or address + BLOCK > self._bytes:
            return _BAD_PARAMETER
        if address % BLOCK:
            return _BAD_ADDRESS
        self._writing = _BlockWrite(address, is_many)
        return 0

    def take(self, at_ticks: int, byte: int) -> Iterable[int]:
        """Take a byte that is of no command, and return the answer to it."""
        if self.is_gathering:
            self._data.append(byte)
            if len(self._data) < BLOCK + _CRC_SIZE:
                return ()
            data, crc = bytes(self._data[:BLOCK]), bytes(self._data[BLOCK:])
            self.is_gathering = False
            return (self._store(at_ticks, data, crc),)
        is_many = self._writing is not None and self._writing.is_many
        if self._writing and byte == (_TOKEN_OF_MANY if is_many else _TOKEN):
            self._data = bytearray()
            self.is_gathering = True
        elif is_many and byte == _STOP_TOKEN:
            self._writing = None
            self._work(at_ticks)
            return (_FILL,)
        return ()

    def _store(self, at_ticks: int, data: bytes, crc: bytes) -> int:
        assert self._writing is not None
        address, is_many = self._writing
        self._writing = _BlockWrite(address + BLOCK, is_many) if is_many else None
        if self.checks and crc != crc16(data):
            return _DATA_CRC_ERROR
        if address + BLOCK > self._bytes:
            return _WRITE_ERROR
        self._memory.write(address // BLOCK, data)
        self._work(at_ticks)
        return _ACCEPTED

    def _work(self, at_ticks: int) -> None:
        self.busy_until_ticks = at_ticks + _PROGRAM_US * self._ticks_per_us

    # ---------------------------------------------------------------- erasing

    def erase_from(self, address: int) -> int:
        """Say where the first block is that is to be erased."""
        return self._note_erased(_FROM, address)

    def erase_to(self, address: int) -> int:
        """Say where the last one is."""
        return self._note_erased(_TO, address)

    def _note_erased(self, end: int, address: int) -> int:
        if address >= self._bytes:
            return _BAD_PARAMETER
        self._erased[end] = address // BLOCK
        return 0

    def erase(self, at_ticks: int) -> int:
        """Erase them."""
        erased, self._erased = self._erased, {}
        if {*erased} != {_FROM, _TO} or erased[_FROM] > erased[_TO]:
            return _BAD_SEQUENCE
        self._memory.erase(erased[_FROM], erased[_TO])
        self._work(at_ticks)
        return 0


def framed(data: bytes) -> Iterable[int]:
    """Return a block as it is sent: token, data, checksum."""
    return (_TOKEN, *data, *crc16(data))
