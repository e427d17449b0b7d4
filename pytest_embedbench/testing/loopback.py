"""A board whose firmware is a Python generator on simulated time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BoardLost, FirmwareFault, UnknownName
from pytest_embedbench.model import (
    BoardSpec,
    Chunk,
    FirmwareImage,
    Level,
    PinEvent,
    PinSpec,
    PinTrace,
    UartSpec,
)
from pytest_embedbench.support.validation import pin_level, whole_ms

if TYPE_CHECKING:
    from pytest_embedbench.errors import ToolMissing

LOOPBACK_SPEC = BoardSpec(
    name="loopback",
    engine="loopback",
    mcu="python",
    cpu_hz=1_000_000,
    uarts=(UartSpec(name="uart0", baud_bps=115_200),),
    environments=("loopback",),
    pins={
        "D2": PinSpec(name="D2", port="D2"),
        "A0": PinSpec(name="A0", port="A0", adc=0),
    },
)


def loopback_image() -> FirmwareImage:
    """Return an image for a board that needs none."""
    return FirmwareImage(
        environment="loopback", elf_path=Path("loopback"), sha256="0" * 64, key="0"
    )


@dataclass(slots=True)
class LoopbackUart:
    """One UART, from the firmware's side; bytes take no time."""

    now_us: int = 0
    heard_at_us: int = -1
    """When the last byte arrived; negative before the first."""
    _heard: bytearray = field(default_factory=bytearray, init=False)
    _line: bytearray = field(default_factory=bytearray, init=False)
    _chunks: list[Chunk] = field(default_factory=list[Chunk], init=False)

    def __repr__(self) -> str:
        return f"<LoopbackUart at {self.now_us / 1e6:.6f} s>"

    @property
    def now_ms(self) -> int:
        """Whole milliseconds since boot."""
        return self.now_us // 1000

    def read(self) -> bytes:
        """Return what has arrived since the last read."""
        heard = bytes(self._heard)
        self._heard.clear()
        return heard

    def write(self, data: bytes) -> None:
        """Say something."""
        for piece in data.splitlines(keepends=True):
            self._line += piece
            if piece.endswith(b"\n"):
                self.end_chunk()

    def deliver(self, data: bytes) -> None:
        """Take what the bench sends."""
        self._heard += data
        self.heard_at_us = self.now_us

    def end_chunk(self) -> None:
        """Let the bench have what was said since the last newline."""
        if self._line:
            self._chunks.append(Chunk(self.now_us, bytes(self._line)))
            self._line.clear()

    def drain(self) -> list[Chunk]:
        """Hand over all chunks."""
        chunks, self._chunks = self._chunks, []
        return chunks


Firmware = Callable[[LoopbackUart], Generator[int, None, None]]
"""A generator function; it yields how many ms it sleeps. Its end is an idle for ever;
a ``FirmwareFault`` that it raises is the fault of the board."""


@dataclass(slots=True)
class LoopbackLink:
    """The bench's side of a ``LoopbackUart``."""

    board: LoopbackBoard

    def send(self, data: bytes) -> None:
        """Hand ``data`` over, at once."""
        if self.board.closed:
            raise BoardLost("the loopback board is closed")
        self.board.uart.deliver(data)

    def receive(self) -> list[Chunk]:
        """Return what was said since the last call."""
        return self.board.uart.drain()


@dataclass(slots=True)
class LoopbackBoard:
    """A board that can do all that a simulated one can, in no time."""

    spec: BoardSpec
    firmware: Firmware
    virtual_time: bool = True
    uart: LoopbackUart = field(default_factory=LoopbackUart, init=False)
    closed: bool = field(default=False, init=False)
    analog_mv: dict[str, int] = field(default_factory=dict[str, int], init=False)
    _program: Generator[int, None, None] | None = field(default=None, init=False)
    _wakes_us: int | None = field(default=0, init=False)
    _fault: FirmwareFault | None = field(default=None, init=False)
    _events: list[PinEvent] = field(default_factory=list[PinEvent], init=False)

    def __repr__(self) -> str:
        return f"<LoopbackBoard {self.spec.name} at {self.now_us() / 1e6:.6f} s>"

    def link(self, uart: str = "") -> LoopbackLink:
        """Return the one link."""
        known = [spec.name for spec in self.spec.uarts]
        if uart and uart not in known:
            raise UnknownName("uart", uart, known)
        return LoopbackLink(self)

    def now_us(self) -> int:
        """Return simulated time."""
        return self.uart.now_us

    def advance(self, duration_ms: int) -> None:
        """Wake the firmware whenever it is due."""
        if self.closed:
            raise BoardLost("the loopback board is closed")
        if self._fault is not None:
            raise self._fault
        ends_us = self.uart.now_us + whole_ms("duration_ms", duration_ms) * 1000
        while self._wakes_us is not None and self._wakes_us <= ends_us:
            self.uart.now_us = max(self.uart.now_us, self._wakes_us)
            self._wakes_us = self._wake()
        self.uart.now_us = ends_us
        self.uart.end_chunk()

    def drive_pin(self, pin: str, level: Level) -> None:
        """Record the level."""
        if pin not in self.spec.pins:
            raise UnknownName("pin", pin, self.spec.pins)
        self._events.append(PinEvent(self.uart.now_us, pin, pin_level(pin, level)))

    def set_analog(self, pin: str, millivolts: int) -> None:
        """Keep the voltage in ``analog_mv``."""
        if pin not in self.spec.pins:
            raise UnknownName("pin", pin, self.spec.pins)
        self.analog_mv[pin] = millivolts

    def pin_trace(self) -> PinTrace:
        """Return what was driven."""
        return PinTrace(tuple(self._events))

    def reset(self) -> None:
        """Start the generator afresh, whatever became of the last one."""
        self._fault = None
        self._program = None
        self._wakes_us = self.uart.now_us

    def run_on(self) -> None:
        """Start the generator afresh: its firmware has restarted itself."""
        self.reset()

    def close(self) -> None:
        """Stop the generator."""
        self.closed = True
        if self._program is not None:
            self._program.close()

    def _wake(self) -> int | None:
        """Run the firmware until it sleeps; return when it wants to go on."""
        if self._program is None:
            self._program = self.firmware(self.uart)
        try:
            return self.uart.now_us + next(self._program) * 1000
        except StopIteration:
            return None
        except FirmwareFault as fault:
            self._fault = fault
            self.uart.end_chunk()
            raise


@dataclass(frozen=True, slots=True)
class Loopback:
    """An engine for tests: no build, no process, no wire."""

    firmware: Firmware

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> LoopbackBoard:
        """Start the generator at its first line."""
        del image
        return LoopbackBoard(spec, self.firmware)

    def missing(self) -> ToolMissing | None:
        """Say that nothing is."""
        return None

    def version(self) -> str:
        """Name itself."""
        return "loopback"
