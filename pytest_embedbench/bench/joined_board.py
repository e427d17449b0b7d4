"""A board whose UARTs are joined to others', and how it is led through common time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.closed_loop import ClosedLoop
from pytest_embedbench.bench.joined_uart import JoinedUart, TappedLink
from pytest_embedbench.bench.uarts import first_of
from pytest_embedbench.bench.under_test import plain
from pytest_embedbench.contracts import ExchangesBytes, HasVirtualTime, WireByte
from pytest_embedbench.errors import ConfigError, FirmwareFault

if TYPE_CHECKING:
    from pytest_embedbench.bench.joined_time import JoinedTime
    from pytest_embedbench.bench.recorder import Recorder
    from pytest_embedbench.bench.uart_session import UartSession
    from pytest_embedbench.contracts import Board

LOOKAHEAD = 0.85
"""How much of a byte's time boards may be apart.

A byte is known nine tenths of its time before it ends, and a UART that is understood
may be 5 % faster than its nominal speed.
"""


@dataclass(slots=True, eq=False, repr=False)
class JoinedBoard:
    """A board in a group. It is the clock of its recorder."""

    first: UartSession
    """Its first UART: on that one's timebase its plant lives."""
    time: JoinedTime
    uarts: dict[str, JoinedUart] = field(
        default_factory=dict[str, JoinedUart], init=False
    )
    reached_us: int = field(default=0, init=False)
    """How far it has come in common time, within a stretch of it."""
    _board: Board = field(init=False)
    _ahead_us: int = field(init=False)
    """By how much its own time is ahead of common time."""
    _fault: FirmwareFault | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._board = plain(self.recorder.board)
        self._ahead_us = self._board.now_us() - self.time.now_us
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
    def is_simulated(self) -> bool:
        """Whether its time passes only as it is asked to."""
        return isinstance(self._board, HasVirtualTime) and self._board.virtual_time

    def advance(self, duration_ms: int) -> None:
        """Let time pass for all boards; what a follower is asked for has passed.

        Raises:
            FirmwareFault: that of this board.
        """
        if not self.time.is_passing:
            self.time.lead(self, duration_ms)
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def join(self, recorder: Recorder) -> JoinedUart:
        """Return a UART of it that others can hear."""
        tap = None if self.is_exact else TappedLink(recorder.link)
        if tap is not None:
            recorder.link = tap
        uart = JoinedUart(recorder, tap)
        self.uarts[uart.name] = uart
        return uart

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
            self._ahead_us = self._board.now_us() - self.time.now_us

    def run(self, until_us: int) -> None:
        """Run to a moment of common time; a fault of the firmware is kept.

        Raises:
            BoardLost: the engine itself died.
            ConfigError: it speaks faster than its datasheet says.
        """
        self.reached_us = until_us
        if self._fault is not None or self.recorder.is_dead:
            for uart in self.uarts.values():
                uart.take(until_us)
            return
        try:
            if isinstance(self._board, ExchangesBytes):
                self._run_exactly(self._board, until_us)
            else:
                self._run_in_steps(until_us)
        except FirmwareFault as fault:
            self._fault = fault

    def _run_exactly(self, board: ExchangesBytes, until_us: int) -> None:
        ahead_us, heard = self._ahead_us, list[WireByte]()
        for uart in self.uarts.values():
            if uart.coming:
                heard += self._heard(uart, until_us)
        if len(self.uarts) > 1:
            heard.sort(key=lambda byte: byte.ends_us)
        said = board.exchange(until_us + ahead_us, heard)
        furthest_us = self.time.furthest_us(self) if said else 0
        for name, begins_us, ends_us, value in said:
            if name not in self.uarts:
                continue
            byte = WireByte(name, begins_us - ahead_us, ends_us - ahead_us, value)
            if byte.ends_us <= furthest_us:
                raise self._too_fast(self.uarts[name], ends_us - begins_us)
            self.uarts[name].say(byte)

    def _heard(self, uart: JoinedUart, until_us: int) -> list[WireByte]:
        ahead_us = self._ahead_us
        heard = [
            byte._replace(
                begins_us=byte.begins_us + ahead_us, ends_us=byte.ends_us + ahead_us
            )
            for byte in uart.take(until_us)
        ]
        uart.write_down((byte.ends_us, byte.value) for byte in heard)
        return heard

    def _run_in_steps(self, until_us: int) -> None:
        """Give it what it has heard by now, let time pass, and hear it."""
        began_us = self.time.now_us
        now_us = self._board.now_us()
        for uart in self.uarts.values():
            if data := bytes([byte.value for byte in uart.take(began_us)]):
                uart.recorder.link.send(data)
                uart.write_down((now_us, value) for value in data)
        left_us = until_us + self._ahead_us - now_us
        try:
            self._board.advance(max(0, -(-left_us // 1000)))
        finally:
            for uart in self.uarts.values():
                for at_us, data in () if uart.tap is None else uart.tap.overheard():
                    uart.say_chunk(data, at_us - self._ahead_us, began_us)

    def _too_fast(self, uart: JoinedUart, span_us: int) -> ConfigError:
        return ConfigError(
            f"{uart.shown} says a byte in {span_us} us, faster than the "
            f"{uart.recorder.baud_bps} Bd that joined boards reckon with: say how fast "
            "it is, as monitor_speed in platformio.ini or boot(..., baud_bps=)"
        )


def joined_board(session: UartSession) -> JoinedBoard | None:
    """Return what the board of a UART is in its group, if it is in one."""
    clock = first_of(session).recorder.clock
    return clock if isinstance(clock, JoinedBoard) else None
