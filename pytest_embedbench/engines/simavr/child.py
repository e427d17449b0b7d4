"""The process that simavr lives in, seen from the bench."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.engines.simavr.core.messages import (
    CHUNK_BYTES,
    is_whole,
    pack,
    unpack,
)
from pytest_embedbench.errors import BenchFault, BoardLost
from pytest_embedbench.processes import cpu_used_s, spawn, stop

# The child gets our modules without what the packages around them would import.
_START = """
import sys, types
for word in sys.argv[1:]:
    name, _, folder = word.partition("=")
    module = sys.modules[name] = types.ModuleType(name)
    module.__path__ = [folder]
from pytest_embedbench.engines.simavr.core.main import serve
serve()
"""
_TAIL_BYTES = 2_000
_LOOK_S = 1
_LAST_WORDS_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long an answer may take, in CPU time: a busy host is no fault.

    A busy core needs 0.06 s of CPU per simulated second, all pins and UARTs at full
    speed some seconds; only a simulator caught in a loop needs more than this.

    Args:
        cpu_s: For any request.
        cpu_s_per_s: And for every simulated second.
        stalled_s: How long (host time) the child may use no CPU at all.
    """

    cpu_s: float = 30.0
    cpu_s_per_s: float = 20.0
    stalled_s: float = 120.0


class Child:
    """A child process and the conversation with it: one answer per request."""

    def __init__(self, board: str, patience: Patience) -> None:
        self._board = board
        self._patience = patience
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives with us
        ours, theirs = socket.socketpair()
        try:
            self._popen = _spawn(theirs, self._log)
        except OSError as error:
            ours.close()
            self._log.close()
            raise BenchFault(f"{board}: no process for simavr: {error}") from error
        finally:
            theirs.close()
        # Unlike settimeout(), this costs no system call per message.
        pause = struct.pack("ll", _LOOK_S, 0)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, pause)
        self._socket = ours
        self._waiting = False

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._popen.pid

    def ask(self, request: tuple[Any, ...], simulated_s: float = 0.0) -> Any:  # noqa: ANN401  # shaped by the request
        """Send a request and return the answer to it.

        Raises:
            BoardLost: the child died, or an earlier request never got its answer.
            BenchFault: it did not come back within a budget of CPU time.
        """
        if self._waiting:
            raise BoardLost(f"{self._board}: was interrupted in an earlier step")
        self._waiting = True
        try:
            self._socket.sendall(pack(request))
            answer = self._receive(simulated_s)
        except OSError:
            answer = None
        if answer is None:
            raise BoardLost(self._obituary())
        self._waiting = False
        return unpack(answer)

    def close(self) -> None:
        """End the child at once: it holds nothing that needs saving."""
        self._socket.close()
        stop(self._popen, grace_s=0)
        self._log.close()

    def _receive(self, simulated_s: float) -> bytearray | None:
        """Return the next answer as received; nothing if the child has hung up."""
        watch: _Watch | None = None
        received = bytearray()
        while not is_whole(received):
            try:
                data = self._socket.recv(CHUNK_BYTES)
            except BlockingIOError:
                watch = watch or _Watch(self._popen.pid, self._patience, simulated_s)
                spent = watch.spent()
                if spent:
                    self._popen.kill()
                    raise BenchFault(
                        f"{self._board}: simavr did not come back {spent}"
                    ) from None
                continue
            if not data:
                return None
            received += data
        return received

    def _obituary(self) -> str:
        try:
            code = self._popen.wait(_LAST_WORDS_S)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            return f"{self._board}: simavr's process hung up and had to be killed"
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else "ended"
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - _TAIL_BYTES))
        last_words = self._log.read().decode(errors="replace").strip()
        said = f"; its last words:\n{last_words}" if last_words else ""
        return f"{self._board}: simavr's process {how} (exit code {code}){said}"


class _Watch:
    """Watches one child during one request."""

    def __init__(self, pid: int, patience: Patience, simulated_s: float) -> None:
        self._pid = pid
        self._stalled_s = patience.stalled_s
        self._cpu_s = patience.cpu_s + patience.cpu_s_per_s * simulated_s
        self._start_s = self._seen_s = cpu_used_s(pid) or 0.0
        self._moved_at_s = host_now_s()

    def spent(self) -> str:
        """Say what has been waited for in vain; nothing while there is patience."""
        cpu_s, now_s = cpu_used_s(self._pid) or 0.0, host_now_s()
        if cpu_s > self._seen_s:
            self._seen_s, self._moved_at_s = cpu_s, now_s
        if cpu_s - self._start_s > self._cpu_s:
            return f"after {cpu_s - self._start_s:.0f} s of CPU time"
        if now_s - self._moved_at_s > self._stalled_s:
            return f"and has not run at all for {now_s - self._moved_at_s:.0f} s"
        return ""


def _spawn(channel: socket.socket, log: IO[bytes]) -> subprocess.Popen[bytes]:
    folder = Path(__file__).parent
    names = "pytest_embedbench.engines.simavr"
    packages: list[str] = []
    while names:
        packages.append(f"{names}={folder}")
        names, folder = names.rpartition(".")[0], folder.parent
    return spawn(
        [sys.executable, "-I", "-S", "-c", _START, *packages],
        stdin=channel.fileno(),
        stderr=log.fileno(),
    )
