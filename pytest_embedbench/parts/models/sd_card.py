"""microSD card in SPI mode: 8 MB of standard capacity, with addresses of bytes.

By the SD Association's "Physical Layer Simplified Specification", version 2.00, chapter
7. It answers nothing before CMD0 with CS low, and but for its identity and OCR nothing
before ACMD41 (or CMD1) has made it ready. Checksums are asked for in CMD0 and CMD8, and
in all commands and data after CMD59. A command has its answer in the second byte after
it. Blocks are written whole and read whole or in part (CMD16). Of commands that it does
not have (locks, protection, SD status) it says that they are illegal.

What cards differ in is fixed: it is ready 10 ms after the first ACMD41, has a block to
read 100 us after the command and the next one 20 us after the last, and is busy for
500 us with each block that is written, or with what is erased. The 74 clocks before
CMD0 are not counted. CD is not connected.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.fat16 import blank_card, files_of
from pytest_embedbench.parts.models.fat16_files import put_file
from pytest_embedbench.parts.models.sd_blocks import SdBlocks, framed
from pytest_embedbench.parts.models.sd_registers import (
    OCR_READY,
    OCR_VOLTAGES,
    cid,
    crc7,
    csd,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_INIT_US = 10_000
_IDLE, _ILLEGAL, _BAD_CRC = 0x01, 0x04, 0x08
_FILL, _BUSY = 0xFF, 0x00
_START_MASK, _START, _INDEX_MASK = 0xC0, 0x40, 0x3F
_COMMAND_SIZE = 6
_GO_IDLE, _INTERFACE, _STOP = 0, 8, 12
_VOLTAGE_MASK, _VOLTAGE = 0xF00, 0x100
_WHILE_IDLE = {0, 1, 8, 41, 55, 58, 59}
_APPLICATION = {23, 41}


class SdCard:
    """A card, and the slot that it is in."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self._ticks_per_us = wires.ticks_per_us
        self._memory = blank_card()
        self._blocks = SdBlocks(wires.ticks_per_us, self._memory)
        self._is_selected = False
        self.power_on(0)
        self._does = self._commands()
        wires.on_spi("SCK", "DI", "CS", self, data_out="DO")

    def power_on(self, _at_ticks: int) -> None:
        """Keep what the blocks hold, and be no card in SPI mode yet."""
        self._is_spi = self._is_application = False
        self._ready_ticks: int | None = None
        self._offered = _FILL
        self._out: deque[int] = deque()
        self._command = bytearray()
        self._blocks.reset()
        self._blocks.busy_until_ticks = 0

    def observe(self, _at_ticks: int, _: str) -> Reading:
        """Return paths and contents of all files."""
        return files_of(self._memory)

    def put_file(self, path: str, content: bytes) -> None:
        """Write a file past the bus, as into a card that is in a computer."""
        put_file(self._memory, path, content)

    # -------------------------------------------------------------------- SPI

    def select(self, _at_ticks: int, *, is_selected: bool) -> int:
        """Go on with what it was at, but for half a command."""
        self._is_selected = is_selected
        self._command.clear()
        return self._offered

    def transfer(self, at_ticks: int, byte: int) -> int:
        """Take a byte, if it is selected."""
        if self._is_selected:
            is_wanted = byte != _FILL or self._command or self._blocks.is_gathering
            if is_wanted and at_ticks >= self._blocks.busy_until_ticks:
                self._take(at_ticks, byte)
            self._offered = self._out.popleft() if self._out else self._next(at_ticks)
        return self._offered

    def _next(self, at_ticks: int) -> int:
        """Return what goes out when there is nothing left to send."""
        self._out.extend(self._blocks.next_block(at_ticks))
        if self._out:
            return self._out.popleft()
        return _BUSY if at_ticks < self._blocks.busy_until_ticks else _FILL

    def _take(self, at_ticks: int, byte: int) -> None:
        """Take a byte of a command, or of what is written."""
        if self._blocks.is_gathering:
            self._out.extend(self._blocks.take(at_ticks, byte))
        elif self._command or byte & _START_MASK == _START:
            self._command.append(byte)
            if len(self._command) == _COMMAND_SIZE:
                command = bytes(self._command)
                self._command.clear()
                self._obey(at_ticks, command)
        else:
            self._out.extend(self._blocks.take(at_ticks, byte))

    # --------------------------------------------------------------- commands

    def _obey(self, at_ticks: int, command: bytes) -> None:
        index = command[0] & _INDEX_MASK
        has_crc = command[5] == crc7(command[:5])
        self._is_spi = self._is_spi or (index == _GO_IDLE and has_crc)
        if not self._is_spi:
            return
        is_application, self._is_application = self._is_application, False
        self._blocks.stop()
        name = f"A{index}" if is_application and index in _APPLICATION else str(index)
        answer: bytes | int
        if (self._blocks.checks or index == _INTERFACE) and not has_crc:
            answer = _BAD_CRC
        elif name not in self._does or not self._may(at_ticks, index):
            answer = _ILLEGAL
        else:
            answer = self._does[name](at_ticks, int.from_bytes(command[1:5]))
        self._answer(at_ticks, answer, has_stuffing=index == _STOP)

    def _answer(
        self, at_ticks: int, answer: bytes | int, *, has_stuffing: bool
    ) -> None:
        """Send R1 and what follows it; a number has error bits."""
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
        """Return what does which: it returns what follows R1, or error bits."""
        blocks = self._blocks
        return {
            "0": self._go_idle,
            "1": self._initialize,
            "8": self._tell_interface,
            "9": lambda _, __: _sent(csd(self._memory.blocks)),
            "10": lambda _, __: _sent(cid()),
            "12": lambda _, __: 0,
            "13": lambda _, __: b"\0",
            "16": lambda _, size: blocks.set_size(size),
            "17": lambda at, address: blocks.read(at, address, is_many=False),
            "18": lambda at, address: blocks.read(at, address, is_many=True),
            "24": lambda _, address: blocks.write(address, is_many=False),
            "25": lambda _, address: blocks.write(address, is_many=True),
            "32": lambda _, address: blocks.erase_from(address),
            "33": lambda _, address: blocks.erase_to(address),
            "38": lambda at, _: blocks.erase(at),
            "55": self._expect_application,
            "58": self._send_ocr,
            "59": self._set_checks,
            "A23": lambda _, __: 0,
            "A41": self._initialize,
        }

    def _go_idle(self, _at_ticks: int, _argument: int) -> bytes:
        self._ready_ticks = None
        self._blocks.reset()
        return b""

    def _initialize(self, at_ticks: int, _argument: int) -> bytes:
        if self._ready_ticks is None:
            self._ready_ticks = at_ticks + _INIT_US * self._ticks_per_us
        return b""

    def _tell_interface(self, _at_ticks: int, argument: int) -> bytes:
        accepts = argument & _VOLTAGE_MASK == _VOLTAGE
        return (_VOLTAGE * accepts | argument & 0xFF).to_bytes(4)

    def _expect_application(self, _at_ticks: int, _argument: int) -> bytes:
        self._is_application = True
        return b""

    def _send_ocr(self, at_ticks: int, _argument: int) -> bytes:
        ready = OCR_READY if self._is_ready(at_ticks) else 0
        return (ready | OCR_VOLTAGES).to_bytes(4)

    def _set_checks(self, _at_ticks: int, argument: int) -> bytes:
        self._blocks.checks = bool(argument & 1)
        return b""


def _sent(register: bytes) -> bytes:
    return bytes((_FILL, *framed(register)))
