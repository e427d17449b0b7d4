"""microSD card in SPI mode: 8 MB of standard capacity, with addresses of bytes.

By the SD Association's "Physical Layer Simplified Specification", version 2.00, chapter
7. It answers nothing before CMD0 with CS low, and but for its identity and OCR nothing
before ACMD41 (or CMD1) has made it ready. Checksums are asked for in CMD0 and CMD8, and
in all commands and data after CMD59. A command has its answer in the second byte after
it. Blocks are written whole and read whole or in part (CMD16). Of commands that it does
not have (locks, protection, SD status) it says that they are illegal.

What cards differ in is fixed: it is ready 10 ms after the first ACMD41, has a block to
read 100 us after the command and the next one 20 us after the last, and is busy for
500 us with each block that is written or erased. The 74 clocks before CMD0 are not
counted. CD is not connected.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.parts.models.card_memory import BLOCK
from pytest_embedbench.parts.models.fat16 import blank_card, files_of
from pytest_embedbench.parts.models.sd_registers import (
    OCR_READY,
    OCR_VOLTAGES,
    cid,
    crc7,
    crc16,
    csd,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_INIT_US, _ACCESS_US, _NEXT_US, _PROGRAM_US = 10_000, 100, 20, 500
_IDLE, _ILLEGAL, _BAD_CRC, _BAD_SEQUENCE = 0x01, 0x04, 0x08, 0x10
_BAD_ADDRESS, _BAD_PARAMETER = 0x20, 0x40
_FILL, _BUSY = 0xFF, 0x00
_START_MASK, _START, _INDEX_MASK = 0xC0, 0x40, 0x3F
_COMMAND_SIZE, _CRC_SIZE = 6, 2
_TOKEN, _TOKEN_OF_MANY, _STOP_TOKEN = 0xFE, 0xFC, 0xFD
_ERROR_TOKEN, _OUT_OF_RANGE_TOKEN = 0x01, 0x08
_ACCEPTED, _DATA_CRC_ERROR, _WRITE_ERROR = 0xE5, 0xEB, 0xED
_RESET, _INTERFACE, _STOP = 0, 8, 12
_VOLTAGE_MASK, _VOLTAGE = 0xF00, 0x100
_WHILE_IDLE = {0, 1, 8, 41, 55, 58, 59}
_APPLICATION = {23, 41}


class _Reading(NamedTuple):
    """What is being read: from an address, of a size; many blocks, or one.

    ``ready_ticks`` is when the next block is there; ``None`` while one is sent.
    """

    address: int
    size: int
    is_many: bool
    ready_ticks: int | None


class SdCard:
    """A card, and the slot that it is in."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self._ticks_per_us = wires.ticks_per_us
        self._memory = blank_card()
        self._bytes = self._memory.blocks * BLOCK
        self._is_spi = self._is_selected = False
        self._ready_ticks: int | None = None
        self._busy_until_ticks = 0
        self._offered = _FILL
        self._out: deque[int] = deque()
        self._command = bytearray()
        self._data: bytearray | None = None
        self._reset()
        self._does = self._commands()
        wires.on_spi("SCK", "DI", "CS", self, data_out="DO")

    def observe(self, _at_ticks: int, _: str) -> Reading:
        """Return paths and contents of all files."""
        return files_of(self._memory)

    def _reset(self) -> None:
        self._ready_ticks = None
        self._checks = self._is_application = False
        self._block_size = BLOCK
        self._reading: _Reading | None = None
        self._writing: tuple[int, bool] | None = None  # address, many
        self._erased: dict[int, int] = {}
        self._stop_writing()

    # -------------------------------------------------------------------- SPI

    def select(self, _at_ticks: int, *, is_selected: bool) -> int:
        """Go on with what it was at, but for half a command."""
        self._is_selected = is_selected
        self._command.clear()
        return self._offered

    def transfer(self, at_ticks: int, byte: int) -> int:
        """Take a byte, if it is selected."""
        if self._is_selected:
            if self._data is not None:
                self._gather(at_ticks, byte)
            elif at_ticks >= self._busy_until_ticks:
                self._listen(at_ticks, byte)
            self._offered = self._next(at_ticks)
        return self._offered

    def _next(self, at_ticks: int) -> int:
        if not self._out and self._reading:
            self._load(at_ticks, self._reading)
        if self._out:
            return self._out.popleft()
        return _BUSY if at_ticks < self._busy_until_ticks else _FILL

    def _listen(self, at_ticks: int, byte: int) -> None:
        """Take a byte of a command, or what is before data."""
        if self._command or byte & _START_MASK == _START:
            self._command.append(byte)
            if len(self._command) == _COMMAND_SIZE:
                command = bytes(self._command)
                self._command.clear()
                self._obey(at_ticks, command)
        elif self._writing:
            is_many = self._writing[1]
            if byte == (_TOKEN_OF_MANY if is_many else _TOKEN):
                self._data = bytearray()
            elif is_many and byte == _STOP_TOKEN:
                self._writing = None
                self._out.append(_FILL)
                self._work(at_ticks)

    def _work(self, at_ticks: int) -> None:
        self._busy_until_ticks = at_ticks + _PROGRAM_US * self._ticks_per_us

    # --------------------------------------------------------------- commands

    def _obey(self, at_ticks: int, command: bytes) -> None:
        index = command[0] & _INDEX_MASK
        has_crc = command[5] == crc7(command[:5])
        self._is_spi = self._is_spi or (index == _RESET and has_crc)
        if not self._is_spi:
            return
        is_application, self._is_application = self._is_application, False
        self._reading = None
        self._stop_writing()
        name = f"A{index}" if is_application and index in _APPLICATION else str(index)
        answer: bytes | int
        if (self._checks or index == _INTERFACE) and not has_crc:
            answer = _BAD_CRC
        elif name not in self._does or not self._may(at_ticks, index):
            answer = _ILLEGAL
        else:
            answer = self._does[name](at_ticks, int.from_bytes(command[1:5]))
        self._answer(at_ticks, answer, has_stuffing=index == _STOP)

    def _answer(
        self, at_ticks: int, answer: bytes | int, *, has_stuffing: bool
    ) -> None:
        """Send R1 and what follows it; a number says what went wrong."""
        error, more = (answer, b"") if isinstance(answer, int) else (0, answer)
        idle = 0 if self._is_ready(at_ticks) else _IDLE
        self._out.clear()
        self._out.extend((_FILL,) * (1 + has_stuffing))
        self._out.append(error | idle)
        self._out.extend(more)

    def _is_ready(self, at_ticks: int) -> bool:
        return self._ready_ticks is not None and at_ticks >= self._ready_ticks

    def _may(self, at_ticks: int, index: int) -> bool:
        return index in _WHILE_IDLE or self._is_ready(at_ticks)

    def _commands(self) -> Mapping[str, Callable[[int, int], bytes | int]]:
        """Return what does which; it returns what follows R1, or an error."""
        return {
            "0": self._go_idle,
            "1": self._initialize,
            "8": self._tell_interface,
            "9": self._send_csd,
            "10": self._send_cid,
            "12": self._accept,
            "13": self._send_status,
            "16": self._set_block_size,
            "17": self._read_one,
            "18": self._read_many,
            "24": self._write_one,
            "25": self._write_many,
            "32": self._erase_from,
            "33": self._erase_to,
            "38": self._erase,
            "55": self._expect_application,
            "58": self._send_ocr,
            "59": self._set_checks,
            "A23": self._accept,
            "A41": self._initialize,
        }

    def _accept(self, _at_ticks: int, _argument: int) -> bytes:
        return b""

    def _go_idle(self, _at_ticks: int, _argument: int) -> bytes:
        self._reset()
        return b""

    def _initialize(self, at_ticks: int, _argument: int) -> bytes:
        if self._ready_ticks is None:
            self._ready_ticks = at_ticks + _INIT_US * self._ticks_per_us
        return b""

    def _tell_interface(self, _at_ticks: int, argument: int) -> bytes:
        accepted = argument & _VOLTAGE_MASK
        return (_VOLTAGE * (accepted == _VOLTAGE) | argument & 0xFF).to_bytes(4)

    def _expect_application(self, _at_ticks: int, _argument: int) -> bytes:
        self._is_application = True
        return b""

    def _send_ocr(self, at_ticks: int, _argument: int) -> bytes:
        ready = OCR_READY if self._is_ready(at_ticks) else 0
        return (ready | OCR_VOLTAGES).to_bytes(4)

    def _send_status(self, _at_ticks: int, _argument: int) -> bytes:
        return b"\0"

    def _send_csd(self, _at_ticks: int, _argument: int) -> bytes:
        return bytes((_FILL, *_framed(csd(self._memory.blocks))))

    def _send_cid(self, _at_ticks: int, _argument: int) -> bytes:
        return bytes((_FILL, *_framed(cid())))

    def _set_checks(self, _at_ticks: int, argument: int) -> bytes:
        self._checks = bool(argument & 1)
        return b""

    def _set_block_size(self, _at_ticks: int, argument: int) -> bytes | int:
        if not 0 < argument <= BLOCK:
            return _BAD_PARAMETER
        self._block_size = argument
        return b""

    # ---------------------------------------------------------------- reading

    def _read_one(self, at_ticks: int, address: int) -> bytes | int:
        return self._read(at_ticks, address, is_many=False)

    def _read_many(self, at_ticks: int, address: int) -> bytes | int:
        return self._read(at_ticks, address, is_many=True)

    def _read(self, at_ticks: int, address: int, *, is_many: bool) -> bytes | int:
        if address + self._block_size > self._bytes:
            return _BAD_PARAMETER
        if address % BLOCK + self._block_size > BLOCK:
            return _BAD_ADDRESS
        ready_ticks = at_ticks + _ACCESS_US * self._ticks_per_us
        self._reading = _Reading(address, self._block_size, is_many, ready_ticks)
        return b""

    def _load(self, at_ticks: int, reading: _Reading) -> None:
        """Send a block, once it is there."""
        address, size, is_many, ready_ticks = reading
        if ready_ticks is None:
            ready_ticks = at_ticks + _NEXT_US * self._ticks_per_us
            self._reading = reading._replace(ready_ticks=ready_ticks)
        if at_ticks < ready_ticks:
            return
        self._reading = None
        block, first = divmod(address, BLOCK)
        if address + size > self._bytes:
            self._out.append(_OUT_OF_RANGE_TOKEN)
        elif first + size > BLOCK:  # of many that do not fill a block
            self._out.append(_ERROR_TOKEN)
        else:
            data = self._memory.read(block)[first : first + size]
            self._out.extend(_framed(data))
            if is_many:
                self._reading = _Reading(address + size, size, is_many, None)

    # ---------------------------------------------------------------- writing

    def _write_one(self, _at_ticks: int, address: int) -> bytes | int:
        return self._write(address, is_many=False)

    def _write_many(self, _at_ticks: int, address: int) -> bytes | int:
        return self._write(address, is_many=True)

    def _write(self, address: int, *, is_many: bool) -> bytes | int:
        if self._block_size != BLOCK or address + BLOCK > self._bytes:
            return _BAD_PARAMETER
        if address % BLOCK:
            return _BAD_ADDRESS
        self._writing = (address, is_many)
        return b""

    def _gather(self, at_ticks: int, byte: int) -> None:
        """Take a byte of a block or of its checksum."""
        assert self._data is not None
        self._data.append(byte)
        if len(self._data) == BLOCK + _CRC_SIZE:
            data, crc = bytes(self._data[:BLOCK]), bytes(self._data[BLOCK:])
            self._data = None
            self._out.append(self._store(at_ticks, data, crc))

    def _store(self, at_ticks: int, data: bytes, crc: bytes) -> int:
        """Write a block, and return the answer to it."""
        assert self._writing is not None
        address, is_many = self._writing
        self._writing = (address + BLOCK, True) if is_many else None
        if self._checks and crc != crc16(data):
            return _DATA_CRC_ERROR
        if address + BLOCK > self._bytes:
            return _WRITE_ERROR
        self._memory.write(address // BLOCK, data)
        self._work(at_ticks)
        return _ACCEPTED

    def _stop_writing(self) -> None:
        self._writing = None
        self._data = None

    # ---------------------------------------------------------------- erasing

    def _erase_from(self, _at_ticks: int, address: int) -> bytes | int:
        return self._note_erased(0, address)

    def _erase_to(self, _at_ticks: int, address: int) -> bytes | int:
        return self._note_erased(1, address)

    def _note_erased(self, end: int, address: int) -> bytes | int:
        if address >= self._bytes:
            return _BAD_PARAMETER
        self._erased[end] = address // BLOCK
        return b""

    def _erase(self, at_ticks: int, _argument: int) -> bytes | int:
        erased, self._erased = self._erased, {}
        if {*erased} != {0, 1} or erased[0] > erased[1]:
            return _BAD_SEQUENCE
        self._memory.erase(erased[0], erased[1])
        self._work(at_ticks)
        return b""


def _framed(data: bytes) -> Iterable[int]:
    """Return a block as it is sent: token, data, checksum."""
    return (_TOKEN, *data, *crc16(data))
