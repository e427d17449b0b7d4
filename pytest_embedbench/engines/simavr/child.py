"""The process that simavr lives in, seen from the bench."""

from __future__ import annotations

import marshal
import os
import signal
import socket
import sys
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import BenchFault, BoardLost
from pytest_embedbench.processes import cpu_used_s, spawn, stop

if TYPE_CHECKING:
    import subprocess

# The child imports three modules of this package and none of its initialisers.
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
# Small enough for malloc to keep: a bigger buffer is a system call per answer.
_CHUNK_BYTES = 1 << 15
_LOOK_S = 1.0
# A busy core needs 0.06 s of CPU per simulated second; all pins and UARTs at full
# speed some seconds. Only a simulator that is caught in a loop needs more than this.
_CPU_S, _CPU_S_PER_S = 30.0, 20.0
_STALLED_S = 120.0


class Child:
    """A child process and the conversation with it: one answer per request."""

    def __init__(self, board: str) -> None:
        self._board = board
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives with us
        ours, theirs = socket.socketpair()
        try:
            self._popen = _spawn(theirs, self._log)
        except OSError:
            ours.close()
            self._log.close()
            raise
        finally:
            theirs.close()
        ours.settimeout(_LOOK_S)
        self._socket = ours

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._popen.pid

    def ask(self, request: tuple[Any, ...], simulated_s: float = 0.0) -> Any:  # noqa: ANN401  # shaped by the request
        """Send a request and return the answer to it.

        Raises:
            BoardLost: the child died.
            BenchFault: it did not come back within a budget of CPU time.
        """
        body = marshal.dumps(request)
        try:
            self._socket.sendall(len(body).to_bytes(4, "little") + body)
            cpu_budget_s = _CPU_S + _CPU_S_PER_S * simulated_s
            answer = self._receive(cpu_budget_s)
        except OSError:
            answer = None
        if answer is None:
            raise BoardLost(self._obituary())
        return answer

    def close(self) -> None:
        """End the child at once: it holds nothing that needs saving."""
        self._socket.close()
        stop(self._popen, grace_s=0)
        self._log.close()

    def _receive(self, cpu_budget_s: float) -> Any:  # noqa: ANN401
        """Return the next answer; None if the child has hung up."""
        patience: _Patience | None = None
        buffer = bytearray()
        wanted = 4
        while len(buffer) < wanted:
            try:
                data = self._socket.recv(_CHUNK_BYTES)
            except TimeoutError:
                patience = patience or _Patience(self._popen.pid, cpu_budget_s)
                if patience.is_over():
                    self._popen.kill()
                    raise BenchFault(
                        f"{self._board}: simavr did not come back, {patience.spent}"
                    ) from None
                continue
            if not data:
                return None
            buffer += data
            if wanted == 4 <= len(buffer):  # noqa: PLR2004  # the length comes first
                wanted += int.from_bytes(buffer[:4], "little")
        return marshal.loads(memoryview(buffer)[4:])  # noqa: S302  # our own child

    def _obituary(self) -> str:
        code = self._popen.wait()
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else "ended"
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - _TAIL_BYTES))
        last_words = self._log.read().decode(errors="replace").strip()
        said = f"; its last words:\n{last_words}" if last_words else ""
        return f"{self._board}: simavr's process {how} (exit code {code}){said}"


class _Patience:
    """How long to wait for a child: in its CPU time, a busy host is no fault."""

    def __init__(self, pid: int, cpu_budget_s: float) -> None:
        self._pid = pid
        self._cpu_budget_s = cpu_budget_s
        self._cpu_start_s = self._cpu_seen_s = cpu_used_s(pid) or 0.0
        self._moved_at_s = host_now_s()
        self.spent = ""

    def is_over(self) -> bool:
        cpu_s = cpu_used_s(self._pid) or 0.0
        if cpu_s > self._cpu_seen_s:
            self._cpu_seen_s, self._moved_at_s = cpu_s, host_now_s()
        used_s = cpu_s - self._cpu_start_s
        stalled_s = host_now_s() - self._moved_at_s
        if used_s > self._cpu_budget_s:
            self.spent = f"after {used_s:.0f} s of CPU time"
        elif stalled_s > _STALLED_S:
            self.spent = f"and has not run at all for {stalled_s:.0f} s"
        return bool(self.spent)


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
