"""Ask a submission again what checks have asked that others have passed, all at once.

All requests to a copy are in a file that is sealed before the copy is made: nobody
waits for an answer to send the next. So the keeper makes copy after copy, while here
other things are done. What comes back is compared as bytes. Whatever else than known
answers that is, nothing is concluded from it: whoever asked looks for himself.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import struct
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.grading.host.keeper import Refusal, start_keeper
from pytest_embedbench.grading.host.messages import (
    ANSWER,
    ENDED,
    NUMBER,
    REQUEST,
    TOKEN,
    UNTIL_GONE,
    Kind,
)
from pytest_embedbench.grading.host.program import COPY_LIMITS
from pytest_embedbench.processes.channel_errors import ChannelError, Disconnected

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.grading.host.conversation import Answered, Conversation
    from pytest_embedbench.grading.host.keeper import Keeper
    from pytest_embedbench.model import FirmwareImage

MOST_AT_ONCE = 32
"""So many copies may have been asked for: each has two files open."""
_SEALS = (
    fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
)
_ENDURED = 2
"""A submission that crashes or does not come back more often is not asked again."""
_BUFFER_BYTES = 1 << 20
_READ_BYTES = 1 << 18
_SOON = struct.pack("@ll", 0, 250_000)
"""A copy that has nothing to say for 0.25 s is looked at."""


class _EndedOtherwise(Exception):
    """A copy has not ended as it should."""


@dataclass(slots=True)
class _Part:
    """What one copy is asked, and what it has to answer."""

    check: str
    answers: list[bytes]
    """By the known conversations, all that comes through the socket."""
    requests: list[bytes]
    end: socket.socket | None = None


@dataclass(slots=True)
class Rehearsal:
    """Takes conversations with a submission in a process of its own.

    Args:
        image: The host driver with the submission in it.
    """

    image: FirmwareImage
    _keeper: Keeper | None = field(default=None, init=False)
    _is_lost: bool = field(default=False, init=False)
    _waiting: deque[_Part] = field(default_factory=deque["_Part"], init=False)
    _begun: deque[_Part] = field(default_factory=deque["_Part"], init=False)
    _missing: dict[str, int] = field(default_factory=dict[str, int], init=False)
    """How many parts of each check are still to come."""
    _alike: dict[str, set[int]] = field(
        default_factory=dict[str, "set[int]"], init=False
    )
    """Which conversations it may be still."""
    _otherwise_count: int = field(default=0, init=False)

    def knows(self, check: str) -> bool:
        """Say whether a conversation for this check has been prepared."""
        return check in self._missing

    @property
    def is_busy(self) -> bool:
        """Whether enough is under way."""
        return bool(self._waiting)

    def prepare(self, check: str, conversations: Sequence[Conversation]) -> None:
        """Begin to ask for a check; ``conversations`` have the same requests.

        Without any, it does not pass.
        """
        self._missing[check] = len(conversations[0]) if conversations else 0
        self._alike[check] = {*range(len(conversations))}
        for parts in zip(*conversations, strict=True):
            self._waiting.append(_part(check, parts))
        self._go_on()

    def passes(self, check: str) -> bool:
        """Say whether all answers for a check are those of one known conversation."""
        while self._missing[check] and self._alike[check] and not self._is_lost:
            self._go_on()
            self._finish()
        return not self._missing[check] and bool(self._alike[check])

    def stop(self) -> None:
        """End all; safe to call twice."""
        keeper, self._keeper, self._is_lost = self._keeper, None, True
        for part in self._begun:
            if part.end is not None:
                part.end.close()
        self._begun.clear()
        self._waiting.clear()
        if keeper is not None:
            keeper.stop()

    def _go_on(self) -> None:
        while self._waiting and len(self._begun) < MOST_AT_ONCE and not self._is_lost:
            part = self._waiting.popleft()
            if self._alike[part.check]:
                self._begin(part)

    def _begin(self, part: _Part) -> None:
        """Ask for a copy, which ends when it has answered all."""
        try:
            keeper = self._started()
            with contextlib.ExitStack() as opened:
                part.end, theirs = socket.socketpair()
                opened.callback(theirs.close)
                theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
                asked = _sealed(part.requests)
                opened.callback(os.close, asked)
                tokens = TOKEN.pack(0), TOKEN.pack(1)
                commands = (
                    REQUEST.pack(0, Kind.OPEN) + tokens[0],
                    REQUEST.pack(NUMBER.size, Kind.END),
                    NUMBER.pack(UNTIL_GONE) + tokens[1],
                )
                files = [theirs.fileno(), asked]
                socket.send_fds(keeper.control.end, [b"".join(commands)], files)
        except (OSError, BenchFault):
            self.stop()
            return
        self._begun.append(part)

    def _started(self) -> Keeper:
        if self._keeper is None:
            self._keeper = start_keeper(self.image, COPY_LIMITS)
        return self._keeper

    def _finish(self) -> None:
        """Take in what the copy that was asked for first has said."""
        if not self._begun or self._keeper is None:
            self._is_lost = True
            return
        part = self._begun.popleft()
        assert part.end is not None
        alike = set[int]()
        try:
            told = self._heard(self._keeper, part.end)
            alike = {i for i, answers in enumerate(part.answers) if answers == told}
        except _EndedOtherwise:
            self._otherwise_count += 1
        except (Refusal, ChannelError, OSError):
            self._otherwise_count = _ENDURED
        finally:
            part.end.close()
        self._alike[part.check] &= alike
        self._missing[part.check] -= 1
        if self._otherwise_count >= _ENDURED:
            self.stop()

    def _heard(self, keeper: Keeper, end: socket.socket) -> bytes:
        """Return all that a copy says, once it has ended as it should."""
        _, answer = keeper.control.receive((Kind.OPEN,))
        told = b"".join(_pieces(keeper, end, *NUMBER.unpack(answer)))
        keeper.copy = None
        _, answer = keeper.control.receive((Kind.END,))
        wait_status, _, _, left_running, by_us = ENDED.unpack(answer)
        if wait_status or left_running or by_us:
            raise _EndedOtherwise
        return told


def _pieces(keeper: Keeper, end: socket.socket, pid: int) -> Iterator[bytes]:
    """Yield what comes until the copy is gone; it is looked after if that takes long.

    Raises:
        ChannelError: it takes longer than it may.
        Refusal: it uses up memory.
    """
    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _SOON)
    with contextlib.suppress(BlockingIOError):
        while data := end.recv(_READ_BYTES):
            yield data
        return
    channel = keeper.adopt(end, pid)
    with contextlib.suppress(Disconnected):
        while True:
            yield channel.read()


def _part(check: str, parts: Sequence[Sequence[Answered]]) -> _Part:
    """Return what a copy is asked, and what comes back by each conversation."""
    count = len(parts[0]) + 1
    data = os.urandom(count * TOKEN.size)
    tokens = [number for (number,) in TOKEN.iter_unpack(data)]
    requests = [data[: TOKEN.size]]
    for at, (kind, payload, _) in enumerate(parts[0], 1):
        token = data[at * TOKEN.size : (at + 1) * TOKEN.size]
        requests += [REQUEST.pack(len(payload), kind), payload, token]
    return _Part(check, [_stream(part, tokens) for part in parts], requests)


def _stream(part: Sequence[Answered], tokens: Sequence[int]) -> bytes:
    """Return all that comes from a copy which answers like this."""
    pieces = [ANSWER.pack(0, Kind.OPEN, tokens[0])]
    for token, (kind, _, answer) in zip(tokens[1:], part, strict=True):
        pieces += [ANSWER.pack(len(answer), kind, token), answer]
    return b"".join(pieces)


def _sealed(pieces: Sequence[bytes]) -> int:
    """Return an open file with these bytes, which nobody can change any more."""
    file = os.memfd_create("embedbench-asked", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        data = memoryview(b"".join(pieces))
        while data:
            data = data[os.write(file, data) :]
        os.lseek(file, 0, os.SEEK_SET)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, _SEALS)
    except OSError:
        os.close(file)
        raise
    return file
