"""A board that is a process: one round trip to it for each ``advance``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.engines.native import protocol
from pytest_embedbench.engines.native.diagnosis import RunContext, explain
from pytest_embedbench.engines.native.exit_analysis import analyse_exit
from pytest_embedbench.errors import BoardLost, UnknownName
from pytest_embedbench.processes.channel_errors import Disconnected, NoAnswer
from pytest_embedbench.processes.core_pinning import SHARED_CORE
from pytest_embedbench.support.symbols import load_symbols
from pytest_embedbench.support.validation import whole_ms

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.engines.native.program import NativeProgram
    from pytest_embedbench.engines.native.protocol import ControlMessage
    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.model import BoardSpec, Chunk

_BITS_PER_BYTE = 10  # 8N1


@dataclass(slots=True)
class NativeLink:
    """The one UART."""

    _board: NativeBoard

    def send(self, data: bytes) -> None:
        """Let ``data`` start to arrive now."""
        self._board.send(data)

    def receive(self) -> list[Chunk]:
        """Return what was said since the last call."""
        return self._board.receive()


class NativeBoard:
    """Firmware in a process of its own, in lockstep.

    Args:
        spec: The datasheet.
        elf_path: Where names for addresses come from, should it crash.
        launch: Starts a fresh program: at power-on, and for each reset.
    """

    virtual_time = True

    def __repr__(self) -> str:
        return f"<NativeBoard {self.spec.name} at {self.now_us() / 1e6:.6f} s>"

    def __init__(
        self, spec: BoardSpec, elf_path: Path, launch: Callable[[], NativeProgram]
    ) -> None:
        self._spec = spec
        self._elf_path = elf_path
        self._launch = launch
        self._link = NativeLink(self)
        self._now_us = 0
        self._to_send = b""
        self._said: list[bytes] = []
        self._fault: EmbedbenchError | None = None
        self._closed = False
        self._last_console = ""
        self._program = self._power_on()
        SHARED_CORE.pin(self._program.process.pid)

    @property
    def spec(self) -> BoardSpec:
        """The datasheet it was booted from."""
        return self._spec

    @property
    def notes(self) -> tuple[str, ...]:
        """What was printed, which is easily mistaken for what was said."""
        if self._closed or not (printed := self._program.console_text()):
            return ()
        return (f"what is printed goes to no UART; printed was: {printed}",)

    def link(self, uart: str = "") -> NativeLink:
        """Return the link of the one UART."""
        name = self._spec.uarts[0].name
        if uart not in ("", name):
            raise UnknownName("uart", uart, [name])
        return self._link

    def now_us(self) -> int:
        """Return virtual time since boot."""
        return self._now_us

    def advance(self, duration_ms: int) -> None:
        """Let the firmware run up to ``duration_ms`` from now, and no further."""
        self._check_open()
        if self._fault is not None:
            raise self._fault
        until_us = self._now_us + whole_ms("duration_ms", duration_ms) * 1000
        control = self._program.control
        # Whatever interrupts the exchange leaves us out of step: usable no more.
        self._fault = BoardLost("the board was interrupted in the middle of a step")
        try:
            control.send(protocol.ADVANCE, until_us, self._to_send)
            answer = control.receive()
        except (Disconnected, NoAnswer) as cause:
            raise self._ended(cause) from None
        if answer.kind != protocol.PAUSED:
            raise self._ended(answer)
        if answer.payload:
            self._said.append(answer.payload)
        self._to_send = b""
        self._now_us = until_us
        self._fault = None

    def reset(self) -> None:
        """Start the program over; the firmware's own clock starts at 0 again."""
        self._check_open()
        self._program.close()
        self._fault = BoardLost("the board did not come back from its reset")
        self._program = self._power_on()
        SHARED_CORE.repin(self._program.process.pid)
        self._fault = None

    def close(self) -> None:
        """End the process; what it said stays readable."""
        if not self._closed:
            self._closed = True
            self._last_console = self._program.console_text()
            if self._fault is not None:  # it may be anywhere but waiting for us
                self._program.process.end(0)
            self._program.close()
            SHARED_CORE.unpin()

    def console_text(self) -> str:
        """Return what the program wrote to stdout and stderr, shortened in the middle.

        It is evidence, and no part of the UART's conversation.
        """
        return self._last_console if self._closed else self._program.console_text()

    def send(self, data: bytes) -> None:
        """Let ``data`` start to arrive now; see ``Link.send``."""
        self._check_open()
        self._to_send += data

    def receive(self) -> list[Chunk]:
        """Return what was said since the last call; see ``Link.receive``."""
        said = b"".join(self._said)
        self._said.clear()
        return protocol.split_said(said)

    def _check_open(self) -> None:
        if self._closed:
            raise BoardLost(f"{self._spec.name} has been closed")

    def _power_on(self) -> NativeProgram:
        program = self._launch()
        byte_ns = round(_BITS_PER_BYTE * 1e9 / self._spec.uarts[0].baud_bps)
        body = protocol.START_BODY.pack(byte_ns)
        program.control.send(protocol.START, self._now_us, body)
        return program

    def _ended(
        self, cause: ControlMessage | Disconnected | NoAnswer
    ) -> EmbedbenchError:
        """Return, and remember, how the program ended; keep what it said."""
        program = self._program
        ended = analyse_exit(program, cause)
        self._said.extend(ended.said)
        if ended.at_us is not None:
            self._now_us = ended.at_us
        self._fault = explain(
            ended,
            RunContext(
                at_us=self._now_us,
                pid=program.process.pid,
                symbols=load_symbols(self._elf_path),
                load_bias=program.load_bias,
                memory_limit_bytes=program.limits.memory_bytes,
                console_text=program.console_text(),
            ),
        )
        return self._fault
