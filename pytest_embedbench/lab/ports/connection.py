"""The port of one board while a test runs: open, away for a while, or lost."""

from __future__ import annotations

import errno
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.clock import Deadline, host_now_s, pause
from pytest_embedbench.errors import (
    BenchFault,
    BoardLost,
    BoardUnreachable,
    FirmwareStuck,
)
from pytest_embedbench.lab.ports.discovery import attached, find
from pytest_embedbench.lab.ports.fuser import processes_using
from pytest_embedbench.lab.ports.reader import PortReader, Stalled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.lab.ports.discovery import Attached, ResolvedPort
    from pytest_embedbench.lab.ports.opening import SerialHandle
    from pytest_embedbench.lab.ports.reader import Heard

CLOSES_WITHIN_S = 2.0
_RETRY_S = 0.02
_LEAVES_WITHIN_S = 1.0
"""A port that goes with a reset is gone by then, also on a busy host."""
_DEVICE_GONE = frozenset({errno.EIO, errno.ENODEV, errno.ENXIO})


@dataclass(slots=True, eq=False)
class Connection:
    """Keeps a reader on a board's port, whatever name the port comes back under.

    Args:
        found: Where the board is now.
        open_reader: Opens a port that was found and starts a reader on it.
        reappears_within_s: How long the port may be away after it has vanished, as
            native USB does in a reset; 0 if it never should.
    """

    found: ResolvedPort
    open_reader: Callable[[ResolvedPort], tuple[SerialHandle, PortReader]]
    reappears_within_s: float
    listed: Callable[[], Sequence[Attached]] = attached
    closes_within_s: float = CLOSES_WITHIN_S
    port: SerialHandle = field(init=False)
    _reader: PortReader = field(init=False)
    _node: int | None = field(init=False)
    _away: Deadline | None = field(default=None, init=False)
    _heard: list[Heard] = field(default_factory=list["Heard"], init=False)
    _closed: bool = field(default=False, init=False)
    is_expected_gone: bool = field(default=False, init=False)
    """Whether the port may be away for as long as it likes."""
    _returning: Deadline = field(default=Deadline(0.0), init=False)
    _leaves_by_s: float = field(default=-inf, init=False)
    """Until when it may go because of a reset, in host time."""
    _restarts_by_s: float = field(default=-inf, init=False)
    """The same, once it has gone with that: a bootloader may come and go in between."""
    absences: list[tuple[float, float | None]] = field(
        default_factory=list["tuple[float, float | None]"], init=False
    )
    """From when to when, in host time, it was away without having been sent."""

    def __post_init__(self) -> None:
        try:
            self._open()
        except BoardUnreachable:
            # Flashing may have sent it away for a moment.
            if not self.reappears_within_s:
                raise
            away = Deadline(self.reappears_within_s)
            while not self._is_back(away):
                pause(_RETRY_S)

    @property
    def may_come_back(self) -> bool:
        """Whether the port may be away for a while."""
        return self._away_within_s() > 0

    def begin_reset(self) -> None:
        """Take the port's absence for right until ``end_reset``, and a while after."""
        self._leaves_by_s = self._restarts_by_s = inf

    def end_reset(self) -> None:
        """Take the port's absence for right if it begins about now.

        Once it has gone it may do so again within the time that it may be away.
        """
        now_s = host_now_s()
        self._leaves_by_s = now_s + min(_LEAVES_WITHIN_S, self.reappears_within_s)
        self._restarts_by_s = now_s + self.reappears_within_s

    def expect_gone(self) -> None:
        """Take the port's absence for right from now on, until ``expect_back``."""
        self.is_expected_gone = True

    def expect_back(self, within_s: float) -> None:
        """Have the port back within so many seconds, whether it has gone or will."""
        self.is_expected_gone = False
        self._returning = Deadline(max(within_s, self.reappears_within_s))
        if self._away is not None:
            self._away = self._returning

    def await_back(self) -> None:
        """Wait until the port is there, if it has gone; raises ``BoardLost``."""
        self._reader.settle()
        has_failed = self._reader.failure is not None
        if (
            self._away is None
            and has_failed
            and self._reader.wait(self.closes_within_s)
        ):
            self._ended()
        while self._away is not None:
            self._wait_for_it(self._away)

    def send(self, data: bytes) -> None:
        """Have ``data`` sent; while the port is away it waits here.

        While it is expected to be gone, nobody is there to hear it.
        """
        if self.is_expected_gone and self._away is not None:
            return
        self._reader.send(data)

    def take(self) -> list[Heard]:
        """Return what was heard since the last call, also before a loss."""
        heard = [*self._heard, *self._reader.take()]
        self._heard.clear()
        return heard

    def settle(self) -> None:
        """Have all that has come in by now ready for ``take``."""
        self._reader.settle()

    def wait(self, duration_s: float) -> None:
        """Let host time pass.

        Raises:
            BoardLost: the port is gone for good, or someone else reads from it, or we
                ourselves have let it go.
            FirmwareStuck: the board takes nothing of what is sent to it.
        """
        deadline = Deadline(duration_s)
        while True:
            if self._closed:
                raise BoardLost(f"{self.found} was closed while a thread waited on it")
            if self._away is not None:
                self._wait_for_it(self._away)
            elif self._reader.wait(deadline.remaining_s()) and not self._closed:
                self._ended()
            if deadline.passed() and not self._closed:
                return

    def close(self) -> None:
        """Let the port go.

        Raises:
            BoardLost: it does not close.
        """
        self._closed = True
        if not self._reader.stop(self.closes_within_s):
            raise BoardLost(
                f"{self.found} does not close within {self.closes_within_s:g} s; it "
                "stays open until this process ends"
            )

    def _open(self) -> None:
        self.port, self._reader = self.open_reader(self.found)
        self._node = _node(self.found.address)

    def _away_within_s(self) -> float:
        if self.is_expected_gone:
            return inf
        return max(self.reappears_within_s, self._returning.remaining_s())

    def _wait_for_it(self, away: Deadline) -> None:
        if self.is_expected_gone:
            pause(_RETRY_S)
            return
        unsent = self._reader.unsent()
        if self._is_back(away):
            if self._closed:
                # Whoever closed us has stopped the reader before this one.
                self._reader.stop(self.closes_within_s)
                return
            self._away = None
            if self.absences and self.absences[-1][1] is None:
                self.absences[-1] = (self.absences[-1][0], host_now_s())
            self._reader.send(unsent)
        else:
            pause(_RETRY_S)

    def _is_back(self, away: Deadline) -> bool:
        """Open the port if it is there, under whatever name.

        Raises:
            BoardLost: it has been away for too long.
        """
        try:
            self.found = find(self.found.reconnect, self.listed())
            self._open()
        except BenchFault as error:
            if away.passed():
                raise BoardLost(
                    f"{self.found} vanished and did not come back within "
                    f"{away.budget_s:g} s: {error}"
                ) from error
            return False
        return True

    def _ended(self) -> None:
        """Decide what the end of the reader means."""
        failure = self._reader.failure
        self._heard += self._reader.take()
        if isinstance(failure, Stalled):
            raise FirmwareStuck(
                f"the board on {self.found} took nothing for "
                f"{self._reader.takes_within_s:g} s: {failure}"
            )
        gone = self._is_gone(failure)
        if gone and self.may_come_back:
            self._away = Deadline(self._away_within_s())
            if not self._is_sent_away(self._reader.failed_s):
                self.absences.append((self._reader.failed_s, None))
            return
        raise BoardLost(self._why(failure, gone=gone)) from failure

    def _is_sent_away(self, gone_s: float) -> bool:
        """Say whether somebody of ours has made the port go at that time."""
        if gone_s <= self._leaves_by_s:
            self._leaves_by_s = max(self._leaves_by_s, self._restarts_by_s)
            return True
        return self.is_expected_gone or not self._returning.passed()

    def _is_gone(self, failure: Exception | None) -> bool:
        """Say whether the port may come back; a connection may be made again."""
        if self.is_expected_gone or not self._returning.passed():
            return True
        if self._node is None or getattr(failure, "errno", None) in _DEVICE_GONE:
            return True
        return self._node != _node(self.found.address)

    def _why(self, failure: Exception | None, *, gone: bool) -> str:
        if self._node is None:
            return f"the connection to {self.found} broke: {failure}"
        if gone:
            return f"{self.found} was unplugged, or the board switched its USB off"
        others = (
            ", ".join(processes_using(self.found.address)) or "one that cannot be named"
        )
        return (
            f"another program reads from {self.found} and takes part of what the "
            f"board says: {others} ({failure})"
        )


def _node(address: str) -> int | None:
    """Return what tells a device node from the next one of its name."""
    try:
        return Path(address).stat().st_ino
    except OSError:
        return None
