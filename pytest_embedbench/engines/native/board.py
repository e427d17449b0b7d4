"""A board that is a process: one round trip to it for each ``advance``, or for many."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.engines.native import protocol
from pytest_embedbench.engines.native.ahead import Ahead
from pytest_embedbench.engines.native.diagnosis import RunContext, explain
from pytest_embedbench.engines.native.exit_analysis import ProgramExit, analyse_exit
from pytest_embedbench.engines.native.joined import NativeWire
from pytest_embedbench.engines.native.second_try import AskedSoFar
from pytest_embedbench.errors import BoardLost, FirmwareCrash, UnknownName
from pytest_embedbench.model import Isolation
from pytest_embedbench.processes.channel_errors import Disconnected, NoAnswer
from pytest_embedbench.processes.core_pinning import SHARED_CORE
from pytest_embedbench.support.symbols import load_symbols
from pytest_embedbench.support.validation import whole_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_embedbench.contracts import WireByte
    from pytest_embedbench.engines.native.program import NativeProgram
    from pytest_embedbench.engines.native.protocol import ControlMessage
    from pytest_embedbench.engines.native.second_try import Request
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
        self._said: list[Chunk] = []
        self._last_payload = b""
        self._fault: EmbedbenchError | None = None
        self._interrupted = BoardLost(
            "the board was interrupted in the middle of a step"
        )
        self._closed = False
        self._last_console = ""
        self._asked = AskedSoFar()
        self._joined = NativeWire(spec.uarts[0])
        self._started_us = 0
        self._ahead = Ahead()
        self._answers: deque[ControlMessage] = deque()
        self._exit: ProgramExit | None = None
        self._program = self._power_on()
        SHARED_CORE.pin(self._program.process.pid)

    @property
    def spec(self) -> BoardSpec:
        """The datasheet it was booted from."""
        return self._spec

    @property
    def notes(self) -> tuple[str, ...]:
        """What was printed, which is easily mistaken for what was said."""
        notes = self._joined.notes
        if self._closed or not (printed := self._program.console_text()):
            return notes
        return (*notes, f"what is printed goes to no UART; printed was: {printed}")

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
        self._check_running()
        until_us = self._now_us + whole_ms("duration_ms", duration_ms) * 1000
        stretch = until_us, self._to_send
        # Whatever interrupts the exchange leaves us out of step: usable no more.
        self._fault = self._interrupted
        self._ahead.ask(self._program.control, stretch)
        self._hear_until((protocol.ADVANCE, *stretch))

    def exchange(self, until_us: int, heard: Sequence[WireByte]) -> Sequence[WireByte]:
        """Run to a moment, with bytes of another board; see ``ExchangesBytes``."""
        self._check_running()
        body = self._joined.body(heard, self._to_send, self._now_us, until_us)
        self._fault = self._interrupted
        self._program.control.send(protocol.EXCHANGE, until_us, body)
        self._hear_until((protocol.EXCHANGE, until_us, body))
        return self._joined.begun()

    def _hear_until(self, asked: Request) -> None:
        """Take the answer to what has been asked, which is time to pass."""
        _, until_us, _ = asked
        answer = self._answer()
        if isinstance(answer, ProgramExit):
            raise self._ended(answer, asked)
        if answer.kind == protocol.STOPPED:
            self._ahead.left.clear()
        self._last_payload = answer.payload
        if answer.payload:
            self._keep(answer.payload, until_us)
        if answer.value != until_us:
            raise self._meddled(f"it is at {answer.value} us, and not at {until_us} us")
        self._asked.note(asked)
        self._to_send = b""
        self._now_us = until_us
        self._fault = None

    def foresee(
        self, stretches: Sequence[tuple[bytes, int]], expected: Sequence[bytes]
    ) -> None:
        """Run on by itself through ``stretches``; see ``RunsAhead``."""
        self._ahead.foresee(self._now_us, stretches, expected)

    def is_ahead(self) -> bool:
        """Say whether some of what was foreseen has not been asked for yet."""
        return bool(self._ahead.left)

    def reset(self) -> None:
        """Start the program over; the firmware's own clock starts at 0 again."""
        self._check_open()
        self._program.close()
        self._fault = BoardLost("the board did not come back from its reset")
        self._asked, self._started_us = AskedSoFar(), self._now_us
        self._ahead.left.clear()
        self._joined.begin_anew()
        self._answers.clear()
        self._exit = None
        self._program = self._power_on()
        SHARED_CORE.repin(self._program.process.pid)
        self._fault = None

    def close(self) -> None:
        """End the process; what it said stays readable."""
        if not self._closed:
            self._closed = True
            try:
                self._last_console = self._program.console_text()
                if self._fault is not None:  # it may be anywhere but waiting for us
                    self._program.process.end(0)
                self._program.close()
            finally:
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
        said, self._said = self._said, []
        return said

    def _check_open(self) -> None:
        if self._closed:
            raise BoardLost(f"{self._spec.name} has been closed")

    def _check_running(self) -> None:
        self._check_open()
        if self._fault is not None:
            raise self._fault

    def _answer(self) -> ControlMessage | ProgramExit:
        """Return what comes of the next stretch: it pauses, or ends."""
        if self._answers:
            return self._answers.popleft()
        if self._exit is None:
            answer: ControlMessage | Disconnected | NoAnswer
            try:
                answer = self._program.control.receive()
            except (Disconnected, NoAnswer) as cause:
                answer = cause
            else:
                if answer.kind in protocol.ANSWERS:
                    return answer
            self._exit = analyse_exit(self._program, answer)
            # Until it ended it may have been ahead.
            self._answers.extend(self._exit.paused)
            return self._answer() if self._answers else self._exit
        return self._exit

    def _power_on(self) -> NativeProgram:
        program = self._launch()
        byte_ns = round(_BITS_PER_BYTE * 1e9 / self._spec.uarts[0].baud_bps)
        body = protocol.START_BODY.pack(byte_ns)
        program.control.send(protocol.START, self._started_us, body)
        return program

    def _keep(self, payload: bytes, until_us: int) -> None:
        """Keep what was said from now until ``until_us``.

        Raises:
            FirmwareCrash: it cannot have been, so the program is not what we built.
        """
        try:
            said = self._joined.take(protocol.split_said(payload))
        except ValueError:
            stamps = []
        else:
            stamps = [self._now_us, *[chunk.at_us for chunk in said], until_us]
            if stamps == sorted(stamps):
                self._said += said
                return
        raise self._meddled(
            f"from {self._now_us} to {until_us} us it has spoken at {stamps[1:-1]} us"
        )

    def _meddled(self, how: str) -> FirmwareCrash:
        self._fault = crash = FirmwareCrash(
            f"the firmware meddles with what its board tells the bench: {how}"
        )
        return crash

    def _ended(self, ended: ProgramExit, asked: Request) -> EmbedbenchError:
        """Return, and remember, how the program ended; keep what it said."""
        _, until_us, _ = asked
        program = self._program
        if ended.at_us is not None:
            at_us = min(max(ended.at_us, self._now_us), until_us)
            for payload in ended.said:
                # A signal between telling it and forgetting it has it told again.
                if payload != self._last_payload:
                    self._keep(payload, at_us)
            self._now_us = at_us
        self._fault = explain(
            ended,
            RunContext(
                at_us=self._now_us,
                pid=program.named,
                is_sandboxed=program.isolation is Isolation.BUBBLEWRAP,
                symbols=load_symbols(self._elf_path),
                load_bias=program.load_bias,
                memory_limit_bytes=program.limits.memory_bytes,
                console_text=program.console_text(),
            ),
        )
        if isinstance(self._fault, BoardLost):
            ahead = [(protocol.ADVANCE, *stretch) for stretch in self._ahead.left]
            last = [asked, *ahead]
            self._fault = self._asked.judge(
                self._fault, last, ended.returncode, self._power_on
            )
        return self._fault
