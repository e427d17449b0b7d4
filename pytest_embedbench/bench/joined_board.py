"""A board whose UARTs are joined to others', and how it is led through common time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.closed_loop import ClosedLoop
from pytest_embedbench.bench.joined_end import JoinedEnd
from pytest_embedbench.bench.joined_pin import WiredPin
from pytest_embedbench.bench.joined_uart import JoinedUart, TappedLink
from pytest_embedbench.bench.pin_waves import PINS_VCD, pins_vcd
from pytest_embedbench.bench.uarts import first_of
from pytest_embedbench.bench.under_test import plain
from pytest_embedbench.contracts import (
    ExchangesBytes,
    HasVirtualTime,
    JoinsPins,
    ReadsPins,
    RunsTogether,
    WireByte,
)
from pytest_embedbench.errors import (
    BenchFault,
    ConfigError,
    FirmwareFault,
    PinContention,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_embedbench.bench.joined_time import JoinedTime
    from pytest_embedbench.bench.recorder import Recorder
    from pytest_embedbench.bench.uart_session import UartSession
    from pytest_embedbench.contracts import Board, Stretch


@dataclass(slots=True, eq=False, repr=False)
class JoinedBoard:
    """A board in a group. It is the clock of its recorder."""

    first: UartSession
    """Its first UART: on that one's timebase its plant lives."""
    time: JoinedTime
    ends: dict[str, JoinedEnd] = field(default_factory=dict[str, JoinedEnd], init=False)
    reached_us: int = field(default=0, init=False)
    """How far it has come in common time, within a stretch of it."""
    _board: Board = field(init=False)
    ahead_us: int = field(init=False)
    """By how much its own time is ahead of common time."""
    _fault: FirmwareFault | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._board = plain(self.recorder.board)
        self.ahead_us = self._board.now_us() - self.time.now_us
        self.recorder.clock = self

    @property
    def recorder(self) -> Recorder:
        """That of its first UART."""
        return self.first.recorder

    @property
    def is_exact(self) -> bool:
        """Whether it can be led to any microsecond."""
        return isinstance(self._board, ExchangesBytes)

    @property
    def is_running(self) -> bool:
        """Whether its firmware has not died."""
        return self._fault is None and not self.recorder.is_dead

    @property
    def together(self) -> RunsTogether | None:
        """The board, if it can hear others without the bench between."""
        return self._board if isinstance(self._board, RunsTogether) else None

    @property
    def is_simulated(self) -> bool:
        """Whether its time passes only as it is asked to."""
        return isinstance(self._board, HasVirtualTime) and self._board.virtual_time

    def advance(self, duration_ms: int) -> None:
        """Let time pass for all boards; what a follower is asked for has passed.

        Raises:
            FirmwareFault: that of this board.
            BoardLost: it has been closed.
        """
        if self not in self.time.boards:
            self._board.advance(duration_ms)
        if not self.time.is_passing:
            self.time.lead(self, duration_ms)
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def close(self) -> None:
        """Close the board: from then on the others hear nothing of it."""
        self.time.leave(self)
        with suppress(BenchFault):
            self._write_waves()
        self._board.close()

    def _write_waves(self) -> None:
        """Leave beside the transcript what its joined pins did."""
        pins = [end.pin for end in self.ends.values() if isinstance(end, WiredPin)]
        path, board = self.recorder.path, self._board
        if pins and path is not None and isinstance(board, ReadsPins):
            with (path.parent / PINS_VCD).open("w", encoding="ascii") as file:
                file.writelines(pins_vcd(board.pin_trace(), pins, self._board.now_us()))

    def join(self, recorder: Recorder) -> JoinedUart:
        """Return a UART of it that others can hear."""
        tap = None if self.is_exact else TappedLink(recorder.link)
        if tap is not None:
            recorder.link = tap
        uart = JoinedUart(recorder, tap)
        self.ends[uart.port] = uart
        return uart

    def join_pin(self, pin: str, delay_us: int) -> WiredPin:
        """Return a pin of it, of which the other end of a wire is told."""
        joined = WiredPin(self.recorder, pin, delay_us)
        self.ends[joined.port] = joined
        if isinstance(self._board, JoinsPins):
            self._board.join_pin(pin, delay_us)
        return joined

    def begun_tick_ms(self) -> int:
        """Let its plant be sensed; return how long its tick lasts yet, or 0."""
        loop = self.first.timebase
        if not isinstance(loop, ClosedLoop) or self.recorder.fault is not None:
            return 0
        loop.begin_tick()
        return loop.left_in_tick_ms

    def set_out(self) -> None:
        """Compare its time with the common one: a reset may have stopped it."""
        if self.is_simulated:
            self.ahead_us = self._board.now_us() - self.time.now_us

    def run(self, until_us: int) -> None:
        """Run to a moment of common time; a fault of the firmware is kept.

        Raises:
            BoardLost: the engine itself died.
            ConfigError: it speaks faster than its datasheet says.
        """
        self.reached_us = until_us
        if not self.is_running:
            return
        try:
            if isinstance(self._board, ExchangesBytes):
                self._run_exactly(self._board, until_us)
            else:
                self._run_in_steps(until_us)
        except FirmwareFault as fault:
            self._fault = fault

    def begin_together(self, board: RunsTogether, stretch: Stretch) -> None:
        """Begin a stretch of common time; the board has all that is coming."""
        self.reached_us = stretch.ends_us
        heard = [
            byte
            for end in self.ends.values()
            for byte in self._in_own_time(end, end.give_all())
        ]
        board.begin_together(stretch, heard)

    def end_together(self, board: RunsTogether) -> None:
        """Wait for its end; a fault of the firmware is kept.

        Raises:
            BoardLost: the engine itself died.
            ConfigError: it speaks faster than its datasheet says.
        """
        try:
            board.end_together()
        except FirmwareFault as fault:
            self._fault = fault
        for end, byte in self._said(board.begun()):
            end.say(byte, directly=True)

    def write_down(self, until_us: int) -> None:
        """Have in the transcripts what its UARTs have heard, until it died if it has.

        That it drives a wire against another board is a fault of its own, and is kept.
        """
        heard_until_us = until_us
        if not self.is_running:
            heard_until_us = min(until_us, self._board.now_us() - self.ahead_us)
        for end in self.ends.values():
            end.take(until_us)
            try:
                end.write_down_until(heard_until_us, self.ahead_us)
            except PinContention as fault:
                self._fault = self._fault or fault
            if not self.is_running:
                end.miss(until_us)

    def say_before(self, board: RunsTogether) -> None:
        """Have the others know of what a reset or the joining itself has changed."""
        for end, byte in self._said(board.begun()):
            end.say(byte)

    def _run_exactly(self, board: ExchangesBytes, until_us: int) -> None:
        heard = [
            byte
            for end in self.ends.values()
            for byte in self._in_own_time(end, end.take(until_us))
        ]
        if len(self.ends) > 1:
            heard.sort(key=lambda byte: byte.ends_us)
        try:
            said = board.exchange(until_us + self.ahead_us, heard)
        except FirmwareFault as fault:
            self._fault = fault
            said = board.begun() if isinstance(board, RunsTogether) else ()
        for end, byte in self._said(said):
            end.say(byte)

    def _in_own_time(
        self, end: JoinedEnd, heard: Iterable[WireByte]
    ) -> Iterator[WireByte]:
        ahead_us = self.ahead_us
        for _, begins_us, ends_us, value in heard:
            yield WireByte(end.port, begins_us + ahead_us, ends_us + ahead_us, value)

    def _said(self, said: Iterable[WireByte]) -> Iterator[tuple[JoinedEnd, WireByte]]:
        """Yield what an end that is joined has said, in common time."""
        ahead_us = self.ahead_us
        for name, begins_us, ends_us, value in said:
            if (end := self.ends.get(name)) is None:
                continue
            if ends_us - begins_us < self.time.window_us:
                raise self._too_fast(end, ends_us - begins_us)
            yield (
                end,
                WireByte(name, begins_us - ahead_us, ends_us - ahead_us, value),
            )

    def _run_in_steps(self, until_us: int) -> None:
        """Give it what it has heard by now, let time pass, and hear it."""
        began_us = self.time.now_us
        now_us = self._board.now_us()
        uarts = [end for end in self.ends.values() if isinstance(end, JoinedUart)]
        for uart in uarts:
            if data := bytes([byte.value for byte in uart.take(began_us)]):
                uart.recorder.link.send(data)
                uart.given.clear()
                uart.write_down((now_us, value) for value in data)
        left_us = until_us + self.ahead_us - now_us
        try:
            self._board.advance(max(0, -(-left_us // 1000)))
        finally:
            for uart in uarts:
                for at_us, data in () if uart.tap is None else uart.tap.overheard():
                    # Common time may lag behind host time: it is heard now, not then.
                    ended_us = min(at_us - self.ahead_us, until_us)
                    uart.say_chunk(data, ended_us, began_us)

    def _too_fast(self, end: JoinedEnd, span_us: int) -> ConfigError:
        return ConfigError(
            f"{end.shown} says a byte in {span_us} us, faster than the "
            f"{end.recorder.baud_bps} Bd that joined boards reckon with: say how fast "
            "it is, as monitor_speed in platformio.ini or boot(..., baud_bps=)"
        )


def joined_board(session: UartSession) -> JoinedBoard | None:
    """Return what the board of a UART is in its group, if it is in one."""
    clock = first_of(session).recorder.clock
    return clock if isinstance(clock, JoinedBoard) else None
