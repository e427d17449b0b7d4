"""A socket to a child process, which is watched for as long as it lets us wait."""

from __future__ import annotations

import contextlib
import select
import socket
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct
from typing import IO, TYPE_CHECKING

from pytest_embedbench.model import Isolation
from pytest_embedbench.processes import Limits, spawn, wait_gone
from pytest_embedbench.processes.channel_errors import Disconnected, ProtocolError
from pytest_embedbench.processes.confined import launch
from pytest_embedbench.processes.time_budget import Wait

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_embedbench.processes.time_budget import TimeBudget

_LOOK_EVERY_S = 0.25
_TIMEVAL = Struct("@ll")
_FD_VARIABLE = "EMBEDBENCH_FD"
_CONSOLE_BYTES = 16 * 1024 * 1024
# Small enough for malloc to keep: a bigger buffer is a system call per message.
_READ_BYTES = 1 << 15
_MOST_BYTES = 1 << 26
"""Of a payload: whoever announces more does not mean it, and would have our memory."""
LENGTH_ONLY = Struct("=I")
"""The header of frames that are nothing but their payload."""


@dataclass(slots=True)
class Channel:
    """Our end of a socket pair whose other end a child has.

    A frame is a header, then a payload; the header's first number is how many bytes
    the payload has. ``write`` and ``read`` are for bytes that are framed otherwise.

    Sending raises ``NoAnswer`` if the child does not take it within its budget. That a
    child is gone is noticed by who waits for its answer: it may have had last words.

    Args:
        end: Our end; blocking.
        pid: The child.
        budget: What it may use up before it answers.
        header: What comes before each payload.
        watch: Called now and then while we wait; may raise.
    """

    end: socket.socket
    pid: int
    budget: TimeBudget
    header: Struct = LENGTH_ONLY
    watch: Callable[[], object] | None = None
    working_pid: int = field(init=False)
    """Whose work we wait for, if not the child's own."""
    _rest: bytes = field(default=b"", init=False)
    _gone: bool = field(default=False, init=False)
    _recv: Callable[[int], bytes] = field(init=False)
    _send: Callable[[bytes], int] = field(init=False)

    def __post_init__(self) -> None:
        # A timeout of the kernel's costs nothing when the answer is quick;
        # ``settimeout`` would cost a poll for each.
        timeval = _TIMEVAL.pack(0, int(_LOOK_EVERY_S * 1_000_000))
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self.end.setsockopt(socket.SOL_SOCKET, option, timeval)
        self.working_pid = self.pid
        self._recv, self._send = self.end.recv, self.end.send

    def send(self, payload: bytes, *numbers: int) -> None:
        """Send a frame; ``numbers`` are the header's, behind the length."""
        self.write(self.header.pack(len(payload), *numbers) + payload)

    def send_files(self, files: Sequence[int], *numbers: int) -> None:
        """Send a frame without a payload that hands over open files."""
        with contextlib.suppress(OSError):
            socket.send_fds(self.end, [self.header.pack(0, *numbers)], files)

    def receive(self, kinds: Sequence[int] = ()) -> tuple[Sequence[int], bytes]:
        """Return the next frame: the numbers of its header, and its payload.

        ``kinds`` are what the header's second number may be, if not anything.

        Raises:
            Disconnected: there will be none.
            NoAnswer: none came within the budget.
            ProtocolError: it is of another kind, or announces too much.
        """
        start = self.header.size
        data = self._rest or self.read()
        if len(data) < start:
            data = self._completed(data, start)
        numbers = self.header.unpack_from(data)
        if kinds and numbers[1] not in kinds:
            raise ProtocolError(f"a message of kind {numbers[1]}")
        if numbers[0] > _MOST_BYTES:
            raise ProtocolError(f"a message of {numbers[0]} bytes")
        end: int = start + numbers[0]
        if len(data) < end:
            data = self._completed(data, end)
        self._rest = data[end:]
        return numbers, data[start:end]

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        try:
            sent = self._send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            return  # noticed at the answer
        if sent < len(data):
            self._write_on(data[sent:])

    def read(self) -> bytes:
        """Return the bytes that come next, at least one; raises as ``receive`` does."""
        try:
            data = self._recv(_READ_BYTES)
        except BlockingIOError:
            data = self._read_on()
        except OSError:
            data = b""
        if not data:
            raise Disconnected
        return data

    def has_more(self) -> bool:
        """Say whether something has come that nobody has read, or the end."""
        coming = select.poll()
        coming.register(self.end, select.POLLIN)
        return bool(self._rest or coming.poll(0))

    def begin_wait(self, waited_s: float = 0.0) -> Wait:
        """Return a wait under our budget, for what is heard of in another way."""
        return Wait(self.working_pid, self.budget, waited_s, self.watch)

    def close(self) -> None:
        """Close our end."""
        self.end.close()

    def _completed(self, data: bytes, count: int) -> bytes:
        pieces = [data]
        missing = count - len(data)
        while missing > 0:
            pieces.append(self.read())
            missing -= len(pieces[-1])
        return b"".join(pieces)

    def _write_on(self, data: bytes) -> None:
        """Go on sending to a child that has not taken all, and look what it does."""
        for _ in self._looks():
            try:
                data = data[self._send(data) :]
            except BlockingIOError:
                continue
            except OSError:
                return
            if not data:
                return

    def _read_on(self) -> bytes:
        """Go on waiting for a child that lets us wait, and look what it does."""
        for _ in self._looks():
            try:
                return self._recv(_READ_BYTES)
            except BlockingIOError:
                continue
            except OSError:
                break
        return b""

    def _looks(self) -> Iterator[None]:
        """Yield as long as the child may still do what we wait for.

        It ends when the child is gone, and a child of its own keeps its end open.
        """
        wait = self.begin_wait(_LOOK_EVERY_S)
        while not self._gone:
            wait.check()
            self._gone = wait_gone(self.pid, 0)  # it may have had last words
            yield


def start_child(  # noqa: PLR0913  # mirrors spawn; most by keyword
    program: Path,
    end: socket.socket,
    console: IO[bytes],
    *,
    memory_bytes: int | None = None,
    environment: Mapping[str, str] | None = None,
    isolation: Isolation = Isolation.NONE,
    files: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start ``program``, which finds the number of ``end`` in its environment.

    It gets an empty folder that is gone (so nothing can be left in it), nothing of our
    own environment, ``console`` as its stdout and stderr, and open ``files``.

    Raises:
        OSError: it cannot be run.
    """
    with (
        tempfile.TemporaryDirectory(prefix="embedbench-") as empty,
        program.open("rb") as file,
    ):
        how = launch(file, isolation)
        return spawn(
            how.argv,
            stdin=how.stdin,
            stdout=console.fileno(),
            stderr=console.fileno(),
            pass_fds=(end.fileno(), *how.files, *files),
            cwd=Path(empty),
            env={_FD_VARIABLE: str(end.fileno()), **(environment or {})},
            limits=Limits(memory_bytes=memory_bytes, file_bytes=_CONSOLE_BYTES),
            user=how.user,
            kind=how.kind,
        )
