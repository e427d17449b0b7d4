"""A program on a target, as a test sees it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.console import output
from pytest_embedbench.errors import (
    BenchFault,
    BoardLost,
    FirmwareCrash,
    FirmwareFault,
    FirmwareStuck,
)
from pytest_embedbench.lab.leases.lease import LeasedBoard
from pytest_embedbench.lab.ports.link import SingleUart, single_uart, split_chunks
from pytest_embedbench.lab.ports.reader import Stalled
from pytest_embedbench.support.validation import whole_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from pytest_embedbench.console import Console
    from pytest_embedbench.engines.linux.target import LinuxTarget, Running
    from pytest_embedbench.lab.leases.lease import Lease
    from pytest_embedbench.lab.ports.connection import Connection
    from pytest_embedbench.lab.ports.reader import Heard
    from pytest_embedbench.model import BoardSpec, Chunk

_SAID_BYTES = 2000


@dataclass(slots=True, eq=False)
class LinuxBoard(LeasedBoard):
    """A program on a Linux target; its time is the host's, so tests need margins.

    Its UART is a wire between a port of the target and one of the bench, or else its
    standard input and output. Its reset button starts it anew.
    """

    spec: BoardSpec
    lease: Lease
    target: LinuxTarget
    open_uart: Callable[[], Connection] | None
    """Opens the bench's end of a wire, if there is one."""
    needs_recovery: bool = field(default=False, init=False)
    _uart: Connection | None = field(default=None, init=False)
    _running: Running | None = field(default=None, init=False)
    started_s: float = field(default_factory=host_now_s, init=False)
    """The host time that is time 0."""
    _heard: list[Heard] = field(default_factory=list["Heard"], init=False)
    _said: bytearray = field(default_factory=bytearray, init=False)
    """What the program said on its terminal, where that is not its UART."""
    _fault: FirmwareFault | None = field(default=None, init=False)
    _lost: bool = field(default=False, init=False)
    _closed: bool = field(default=False, init=False)

    def __repr__(self) -> str:
        return f"<LinuxBoard {self.spec.name} at {self.now_us() / 1e6:.6f} s>"

    @property
    def notes(self) -> list[str]:
        """What the program said on standard output, where its UART is a wire."""
        said = output.tail(bytes(self._said))
        return [f"the program said: {line}" for line in said.splitlines()[-5:]]

    def start(self) -> None:
        """Start the program at time 0."""
        if self.open_uart is not None and self._uart is None:
            self._uart = self.open_uart()
        with self._losing():
            self._running = self.target.start()
        self._fault = None
        self.started_s = host_now_s()

    def count_from(self, started_s: float) -> None:
        """Make that host time time 0."""
        self.started_s = started_s

    def link(self, uart: str = "") -> SingleUart:
        """Return the link of the program's UART: the datasheet's first."""
        return single_uart(self, uart)

    def now_us(self) -> int:
        """Return host time since time 0."""
        return int((host_now_s() - self.started_s) * 1_000_000)

    def advance(self, duration_ms: int) -> None:
        """Wait; what the program said until then can be received."""
        duration_s = whole_ms("duration_ms", duration_ms) / 1000
        running = self._insist_on_running()
        with self._losing():
            if self._uart is not None:
                self._uart.wait(duration_s)
            has_ended = running.reader.wait(0 if self._uart is not None else duration_s)
            self._insist_on_being_open()
            self._listen()
            if running.listener.status is not None:
                self._fault = self._death(running, running.listener.status)
                raise self._fault
            if running.listener.restarted:
                raise BoardLost(f"{self.spec.name} has started anew: {self._tail()}")
            if has_ended:
                raise self._why_it_ended(running)

    def send(self, data: bytes) -> None:
        """Hand ``data`` to the program."""
        running = self._insist_on_running()
        if data:
            (self._uart or running.reader).send(data)

    def receive(self) -> Sequence[Chunk]:
        """Return what the program said up to the end of the last ``advance``."""
        heard, self._heard = self._heard, []
        return list(split_chunks(heard, since_s=self.started_s))

    def catch_up(self) -> None:
        """Have ready what the program has said by now."""
        self._settle()

    def await_back(self) -> None:
        """Have the way to it be there; what its program has done is no matter.

        Raises:
            BoardLost: it is gone.
        """
        if not (self._closed or self._lost):
            with contextlib.suppress(FirmwareFault):
                self._settle()
                self.advance(0)

    def reset(self) -> None:
        """Start the program anew; what it said up to then can be received."""
        self._insist_on_being_open()
        self.lease.tally.resets += 1
        with self._losing():
            self._settle()
            self._stop()
            started_s = self.started_s
            self.start()
            self.started_s = started_s

    def close(self) -> None:
        """End the program, remove it, and let the target go."""
        if self._closed:
            return
        self._closed = True
        try:
            with contextlib.ExitStack() as stack:
                stack.callback(self.target.close)
                if self._uart is not None:
                    stack.callback(self._uart.close)
                self._settle()
                self._stop()
        except BenchFault as trouble:
            self.lease.give_up(f"{self.spec.name}: {trouble}")
            # What has failed already is told; that the target went with it is for
            # whoever wants it next.
            if not (self._lost or self._fault or self.needs_recovery):
                raise
        finally:
            self.lease.release()

    def _listen(self) -> None:
        """Take what has come in by now."""
        running = self._running
        said = running.take() if running is not None else []
        if self._uart is None:
            self._heard += said
        else:
            self._said += b"".join(data for _, data in said)
            del self._said[:-_SAID_BYTES]
            self._heard += self._uart.take()

    def _settle(self) -> None:
        if self._uart is not None:
            self._uart.settle()
        if self._running is not None:
            self._running.reader.settle()
        self._listen()

    def _stop(self) -> None:
        if self._running is not None:
            running, self._running = self._running, None
            running.stop()

    def _death(self, running: Running, status: int) -> FirmwareCrash:
        """Say how the program ended, and what it said last."""
        running.stop()
        self._running = None
        words = self.target.last_words()
        said = f"; on standard error it said:\n{words}" if words else ""
        return FirmwareCrash(
            f"the program on {self.spec.name} {self.target.why(status)}{said}"
        )

    def _why_it_ended(self, running: Running) -> FirmwareFault | BoardLost:
        failure = running.reader.failure
        if isinstance(failure, Stalled):
            self._fault = FirmwareStuck(
                f"the program on {self.spec.name} took nothing for "
                f"{running.reader.takes_within_s:g} s: {failure}"
            )
            return self._fault
        location = self.target.console.location
        return BoardLost(
            f"the connection to {self.spec.name} on {location} is gone ({failure}): "
            f"{self._tail()}"
        )

    def _tail(self) -> str:
        said = b"".join(data for _, data in self._heard[-20:]) or bytes(self._said)
        return output.tail(said) or "it said nothing"

    @contextlib.contextmanager
    def _losing(self) -> Generator[None]:
        """Have later tests skip a target that is lost in here."""
        try:
            yield
        except BoardLost as loss:
            if self._closed:  # it was let go while another thread waited on it
                raise
            self._lost = True
            self.lease.give_up(f"{self.spec.name}: {loss}")
            raise

    def _insist_on_running(self) -> Running:
        self._insist_on_being_open()
        if self._fault is not None:
            raise self._fault
        assert self._running is not None, "an open board has a program"
        return self._running

    def _insist_on_being_open(self) -> None:
        if self._closed:
            raise BoardLost(f"{self.spec.name} is closed")


class LinuxBoardWithConsole(LinuxBoard):
    """A program beside which there is room for a shell, as there is over SSH."""

    __slots__ = ()

    @property
    def console(self) -> Console:
        """The target's shell."""
        return self.target.console
