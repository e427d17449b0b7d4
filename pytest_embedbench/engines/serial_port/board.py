"""A board on a port, as a test sees it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.clock import Deadline, host_now_s
from pytest_embedbench.engines.serial_port.more_uarts import (
    WiredUart,
    WiredUarts,
    shifted,
)
from pytest_embedbench.errors import BenchFault, BoardLost, FirmwareFault
from pytest_embedbench.flashing import reset_until_heard
from pytest_embedbench.lab.leases.lease import LeasedBoard
from pytest_embedbench.lab.ports.link import SingleUart, single_uart, split_chunks
from pytest_embedbench.model import Absence
from pytest_embedbench.support.validation import whole_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.lab.inventory.controls import BoardControls, ControlAction
    from pytest_embedbench.lab.leases.lease import Lease
    from pytest_embedbench.lab.ports.connection import Connection
    from pytest_embedbench.model import BoardSpec, Chunk

_POLL_MS = 10
_LAST_WORDS_S = 0.1
_POWERED_WITHIN_S = 10.0
"""How long a port that went with the power may take to be listed again."""
_LATE_MS = 50
_NOTES_KEPT = 5
_DTR_HINT = "; its option 'dtr' is false, and some boards speak only while DTR is on"


@dataclass(slots=True, eq=False)
class SerialBoard(LeasedBoard):
    """A real board; its time is the host's, so tests need margins.

    Bytes are stamped when they are read, whatever the test is doing then. What was
    said before time 0 is not heard.
    """

    spec: BoardSpec
    lease: Lease
    connection: Connection
    controls: BoardControls
    park: Callable[[], None] | None = None
    """Puts the board back on its parking image; the port is closed then."""
    more: WiredUarts = field(default_factory=WiredUarts)
    """Its UARTs on other ports."""
    ran_before: bool = field(default=True, init=False)
    """Whether nothing has started its firmware for this test."""
    needs_recovery: bool = field(default=False, init=False)
    """Whether something went wrong on the board, so that closing parks it."""
    notes: list[str] = field(default_factory=list[str], init=False)
    """What a reader of a failure should know: when this host was slow."""
    started_s: float = field(default_factory=host_now_s, init=False)
    """The host time that is time 0."""
    _chunks: list[Chunk] = field(default_factory=list["Chunk"], init=False)
    _is_lost: bool = field(default=False, init=False)
    _closed: bool = field(default=False, init=False)

    def __repr__(self) -> str:
        return f"<SerialBoard {self.spec.name} at {self.now_us() / 1e6:.6f} s>"

    @property
    def absences(self) -> list[Absence]:
        """When its port was away since time 0 and nobody had sent it."""
        spans = [
            (self._us(from_s), None if to_s is None else self._us(to_s))
            for from_s, to_s in self.connection.absences
        ]
        return [Absence(*span) for span in spans if span[0] >= 0]

    def start(self, *, answers_within_s: float, fresh: bool) -> None:
        """Begin at time 0: fresh from a reset, if there is a way to press it.

        Args:
            answers_within_s: By when the board has said something; 0 if it need not.
            fresh: The firmware has just been started, so what it said already counts.

        Raises:
            BoardLost: it does not answer, whatever is done to it.
        """
        ways = (self.controls.reset, self.controls.power_cycle)
        self.ran_before = not fresh and ways == (None, None)
        if not answers_within_s:
            self._restart(self.controls.reset, fresh=fresh)
            return
        silence = self._silence(self.controls.reset, answers_within_s, fresh=fresh)
        if silence and self.controls.power_cycle is not None:
            silence = self._silence(
                self.controls.power_cycle, answers_within_s, fresh=False
            )
        if silence:
            hint = "" if self.spec.options.get("dtr", True) else _DTR_HINT
            place = f"{self.spec.name} on {self.connection.found}"
            raise self._lost(f"{place}: {silence}{hint}")

    def count_from(self, started_s: float) -> None:
        """Make that host time time 0, also for what it has said."""
        later_us = int((self.started_s - started_s) * 1_000_000)
        self._chunks = shifted(self._chunks, later_us)
        self.more.shift(later_us)
        self.started_s = started_s

    def link(self, uart: str = "") -> SingleUart | WiredUart:
        """Return the link of the UART on the board's port, its first, or of another."""
        return self.more.get(uart) or single_uart(self, uart)

    def now_us(self) -> int:
        """Return host time since time 0."""
        return self._us(host_now_s())

    def _us(self, at_s: float) -> int:
        return int((at_s - self.started_s) * 1_000_000)

    def advance(self, duration_ms: int) -> None:
        """Wait; what came in until then can be received."""
        self._insist_on_being_open()
        due_us = self.now_us() + whole_ms("duration_ms", duration_ms) * 1000
        try:
            self.connection.wait(duration_ms / 1000)
            self.more.wait(0, since_s=self.started_s)
        except BoardLost as loss:
            raise self._lost(f"{self.spec.name}: {loss}") from loss
        finally:
            # On a busy host our reader may not have had its turn yet.
            self.catch_up()
        self._note_delay((self.now_us() - due_us) // 1000)

    def send(self, data: bytes) -> None:
        """Hand ``data`` to the port."""
        self._insist_on_being_open()
        if data:
            self.connection.send(data)

    def receive(self) -> Sequence[Chunk]:
        """Return what came in up to the end of the last ``advance``."""
        chunks, self._chunks = self._chunks, []
        return chunks

    def press(self, way: ControlAction) -> None:
        """Do something to the board; what was said up to then can be received."""
        tally = self.lease.tally
        tally.resets += way is self.controls.reset
        tally.power_cycles += way in (self.controls.power_on, self.controls.power_cycle)
        self._touch(way, self.catch_up)

    def close(self) -> None:
        """Let go of the port and of the board; one that is suspect is parked first."""
        if self._closed:
            return
        self._closed = True
        try:
            try:
                if self.needs_recovery:
                    self._hear_last_words()
                self._leave_powered()
                self._insist_on_being_there()
            finally:
                self.connection.close()
            if self.needs_recovery and self.park is not None:
                self.park()
        except BoardLost as loss:
            cause = f"{self.spec.name}: {loss}"
            self.lease.give_up(cause)
            raise BoardLost(cause) from loss
        except BenchFault as trouble:
            self.lease.give_up(f"{self.spec.name}: {trouble}")
            raise
        finally:
            self._publish()
            self.more.close(since_s=self.started_s)
            if self.needs_recovery and self.absences and not self._is_lost:
                self.lease.note_fault(f"{self.spec.name} was {self.absences[-1]}")
            self.lease.release()

    def _leave_powered(self) -> None:
        """Give the power back that a test has taken: others want the board, too."""
        if self.connection.is_expected_gone and self.controls.power_on is not None:
            address = self.connection.found.address
            self.connection.expect_back(_POWERED_WITHIN_S)
            self.controls.power_on(self.connection.port, address, self._publish)
            self.connection.await_back()

    def await_back(self) -> None:
        """Wait until its ports are there, if they have gone.

        Raises:
            BoardLost: they do not come back, or somebody else reads from them.
        """
        if self._closed or self.connection.is_expected_gone:
            return
        try:
            self._insist_on_being_there()
        except BoardLost as loss:
            raise self._lost(f"{self.spec.name}: {loss}") from loss

    def _insist_on_being_there(self) -> None:
        """Let no test pass that has ended without its board, whoever looked or not."""
        if not self._is_lost:
            with contextlib.suppress(FirmwareFault):  # it is there, and told already
                for each in self._connections():
                    each.await_back()

    def _hear_last_words(self) -> None:
        """Wait a moment: a crash takes longer to report than a test to fail."""
        with contextlib.suppress(BenchFault, FirmwareFault):
            self.connection.wait(_LAST_WORDS_S)

    def _silence(
        self, way: ControlAction | None, within_s: float, *, fresh: bool
    ) -> str:
        """Restart the board up to twice; say what is wrong if it does not answer."""

        def restart() -> None:
            self._restart(way, fresh=fresh)

        try:
            reset_until_heard(restart, self._first_words, within_s=within_s)
        except BoardLost as silence:
            return str(silence)
        return ""

    def _restart(self, way: ControlAction | None, *, fresh: bool) -> None:
        """Make now time 0; what was said before is not heard, unless it is fresh."""
        if way is not None:
            self._touch(way, self._forget)
        elif not fresh:
            self._forget()
        self.started_s = host_now_s()

    def _connections(self) -> list[Connection]:
        return [self.connection, *(uart.connection for uart in self.more.values())]

    def expect_gone(self) -> None:
        """Take it for right that ports go, until power is given back."""
        for each in self._connections():
            each.expect_gone()

    def _touch(self, way: ControlAction, hold: Callable[[], None]) -> None:
        self._insist_on_being_open()
        if way in (self.controls.power_on, self.controls.power_cycle):
            for each in self._connections():
                each.expect_back(_POWERED_WITHIN_S)
        self.connection.begin_reset()
        try:
            way(self.connection.port, self.connection.found.address, hold)
        except BoardLost as loss:
            # A board with native USB takes its port along; ``wait`` follows it.
            if not self.connection.may_come_back:
                place = f"{self.spec.name}: {self.connection.found}"
                raise self._lost(f"{place}: {loss}") from loss
        finally:
            self.connection.end_reset()

    def _note_delay(self, late_ms: int) -> None:
        if late_ms >= _LATE_MS:
            at_s = self.now_us() / 1_000_000
            note = f"this host was {late_ms} ms late at {at_s:.3f} s; a plant waited"
            self.notes = [*self.notes, note][-_NOTES_KEPT:]

    def _first_words(self, within_s: float) -> bytes:
        deadline = Deadline(within_s)
        while not self._chunks and not deadline.passed():
            self.advance(_POLL_MS)
        return b"".join(chunk.data for chunk in self._chunks)

    def _publish(self) -> None:
        self._chunks += split_chunks(self.connection.take(), since_s=self.started_s)

    def catch_up(self) -> None:
        """Have ready what has come in by now."""
        self.connection.settle()
        self._publish()
        self.more.publish(since_s=self.started_s)

    def _forget(self) -> None:
        """Drop what the firmware before said: a test must not take it for news."""
        self.connection.settle()
        self.connection.take()
        self._chunks.clear()
        self.more.forget()

    def _lost(self, cause: str) -> BoardLost:
        if not self._closed:  # else it was let go while another thread waited on it
            self.needs_recovery = self._is_lost = True
            self.lease.give_up(cause)
        return BoardLost(cause)

    def _insist_on_being_open(self) -> None:
        if self._closed:
            raise BoardLost(f"{self.spec.name} is closed")
