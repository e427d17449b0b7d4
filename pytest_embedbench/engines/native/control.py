"""Our end of the socket to the program: one message out, one message in."""

from __future__ import annotations

import contextlib
import socket
from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING

from pytest_embedbench.clock import Deadline
from pytest_embedbench.engines.native.protocol import HEADER, ControlMessage
from pytest_embedbench.processes import IdleWatch, cpu_used_s, wait_gone

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOK_EVERY_S = 0.25
_TIMEVAL = Struct("@ll")
_READ_BYTES = 65536


class HungUp(Exception):
    """The program closed its end, or is gone."""


@dataclass(slots=True)
class Silent(Exception):
    """The program used up its time to answer.

    ``cpu_s`` is the CPU time that it used meanwhile, where that can be known;
    ``asleep`` says that it waited for something of the host's.
    """

    cpu_s: float | None
    wall_s: float
    asleep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What a program may use: time for each answer, memory in all.

    ``asleep_s`` is how long it may do nothing at all: only we wake it.
    """

    cpu_s: float
    wall_s: float
    asleep_s: float
    memory_bytes: int | None


class Control:
    """Talk with the program behind ``end``, whose process is ``pid``."""

    def __init__(self, end: socket.socket, pid: int, allowance: Allowance) -> None:
        # A receive timeout of the kernel's costs nothing when the answer is quick;
        # ``settimeout`` would cost a poll for each.
        timeval = _TIMEVAL.pack(0, int(_LOOK_EVERY_S * 1_000_000))
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval)
        self._socket = end
        self._sendall = end.sendall
        self._recv = end.recv
        self._pid = pid
        self._allowance = allowance
        self._rest = b""

    def send(self, kind: int, value: int = 0, payload: bytes = b"") -> None:
        """Send one message; a program that is gone is noticed at the answer."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._sendall(HEADER.pack(len(payload), kind, value) + payload)

    def send_files(self, kind: int, files: Sequence[int]) -> None:
        """Send a message without payload that hands over open files."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            socket.send_fds(self._socket, [HEADER.pack(0, kind, 0)], files)

    def receive(self) -> ControlMessage:
        """Wait for one message.

        Raises:
            HungUp: there will be none.
            Silent: none came within its allowance.
        """
        data = self._rest or self._read()
        while True:
            if len(data) >= HEADER.size:
                length, kind, value = HEADER.unpack_from(data)
                end = HEADER.size + length
                if len(data) >= end:
                    self._rest = data[end:]
                    return ControlMessage(kind, value, data[HEADER.size : end])
            data += self._read()

    def receive_answer(self, kind: int) -> int:
        """Wait for a message of ``kind`` and return its value.

        Others before it answer questions that were asked in vain: somebody was
        interrupted while waiting.
        """
        while True:
            message = self.receive()
            if message.kind == kind:
                return message.value

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _read(self) -> bytes:
        try:
            data = self._recv(_READ_BYTES)
        except BlockingIOError:
            data = self._read_patiently()
        except ConnectionResetError:
            data = b""
        if not data:
            raise HungUp
        return data

    def _read_patiently(self) -> bytes:
        """Go on reading, with an eye on what the program does meanwhile."""
        budget = self._allowance
        deadline = Deadline(budget.wall_s - _LOOK_EVERY_S)
        slumber = IdleWatch(self._pid, budget.asleep_s)
        before_s = cpu_used_s(self._pid)
        while True:
            try:
                return self._recv(_READ_BYTES)
            except BlockingIOError:
                pass
            except ConnectionResetError:
                return b""
            if wait_gone(self._pid, 0):  # and a child of its own holds the socket
                return b""
            used_s = _difference(slumber.look(), before_s)
            spins = used_s is not None and used_s >= budget.cpu_s
            if spins or slumber.too_long() or deadline.passed():
                waited_s = budget.wall_s - deadline.remaining_s()
                raise Silent(used_s, waited_s, asleep=slumber.too_long())


def _difference(after_s: float | None, before_s: float | None) -> float | None:
    if after_s is None or before_s is None:
        return None
    return after_s - before_s
