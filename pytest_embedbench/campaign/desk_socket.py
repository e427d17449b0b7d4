"""A Unix socket that takes one request per connection, from anybody, and bears it.

Requests and answers are JSON tables, a line each. Whoever sends too much, nothing, or
no table is answered so or dropped; whoever comes while too many are there is dropped.
"""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from threading import BoundedSemaphore, Event, Thread
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.clock import Deadline
from pytest_embedbench.errors import BenchFault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_MOST_BYTES = 1 << 16
_MOST_AT_ONCE = 16
_HEARD_WITHIN_S = 10.0
_AT_LEAST_S = 0.001
_TRIES_EVERY_S = 0.5
_ANSWERED_WITHIN_S = 2 * 3600.0


class DeskSocket:
    """A socket at ``path`` whose requests ``answer`` is asked for.

    Raises:
        BenchFault: there can be none.
    """

    def __init__(
        self, path: Path, answer: Callable[[Mapping[str, Any]], dict[str, Any]]
    ) -> None:
        self._path, self._answer = path, answer
        self._closed, self._room = Event(), BoundedSemaphore(_MOST_AT_ONCE)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.bind(str(path))
        except OSError as error:
            self._socket.close()
            raise BenchFault(f"{path}: no socket there: {error.strerror}") from error
        # Inside of a sandbox an agent may be another user.
        path.chmod(0o666)
        self._socket.listen(_MOST_AT_ONCE)
        self._thread = Thread(target=self._serve, name="desk-socket", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no more requests, and wait for the answers to those that are there."""
        self._closed.set()
        self._socket.shutdown(socket.SHUT_RDWR)  # which ends its wait
        self._thread.join()
        self._socket.close()
        self._path.unlink(missing_ok=True)
        for _ in range(_MOST_AT_ONCE):
            self._room.acquire()

    def _serve(self) -> None:
        while not self._closed.is_set():
            try:
                visitor, _ = self._socket.accept()
            except OSError:  # it is closed, or too many files are open for now
                self._closed.wait(_TRIES_EVERY_S)
                continue
            if self._room.acquire(blocking=False):
                Thread(target=self._hear, args=(visitor,), daemon=True).start()
            else:
                visitor.close()

    def _hear(self, visitor: socket.socket) -> None:
        try:
            with visitor, suppress(OSError):  # who hangs up is not waited for
                request = _request(visitor, Deadline(_HEARD_WITHIN_S))
                answer = (
                    {"error": f"send a JSON table, in a line of {_MOST_BYTES} bytes"}
                    if request is None
                    else self._answer(request)
                )
                visitor.settimeout(_HEARD_WITHIN_S)
                visitor.sendall(_line(answer))
        finally:
            self._room.release()


def ask(path: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """Send a request to the socket at ``path``; return the answer.

    Raises:
        BenchFault: nobody is there, or says anything.
    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(_ANSWERED_WITHIN_S)
            line.connect(str(path))
            line.sendall(_line(request))
            with line.makefile("rb") as reader:
                answer: dict[str, Any] = json.loads(reader.readline())
    except (OSError, ValueError) as error:
        raise BenchFault(
            f"{path}: the desk does not answer ({error}): is it still open?"
        ) from error
    return answer


def _request(visitor: socket.socket, deadline: Deadline) -> dict[str, Any] | None:
    heard = bytearray()
    while b"\n" not in heard and len(heard) <= _MOST_BYTES and not deadline.passed():
        # All of it within the limit: who sends a byte now and then holds no place.
        visitor.settimeout(max(deadline.remaining_s(), _AT_LEAST_S))
        piece = visitor.recv(4096)
        if not piece:
            break
        heard += piece
    line, end, _ = heard.partition(b"\n")
    try:
        request: object = json.loads(line) if end else None
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", request) if isinstance(request, dict) else None


def _line(table: Mapping[str, Any]) -> bytes:
    return json.dumps(table).encode() + b"\n"
