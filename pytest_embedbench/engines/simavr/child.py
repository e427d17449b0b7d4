"""The process that simavr lives in, seen from the bench."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any

from pytest_embedbench.engines.simavr.core.messages import HEADER, decode, encode
from pytest_embedbench.errors import BenchFault, BoardLost
from pytest_embedbench.processes import signal_name, spawn, stop, tail
from pytest_embedbench.processes.channel import Channel
from pytest_embedbench.processes.channel_errors import Disconnected, NoAnswer
from pytest_embedbench.processes.time_budget import TimeBudget

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
_EXIT_WITHIN_S = 5.0


class Child:
    """A child process and the conversation with it: one answer per request.

    Args:
        board: Its name, for messages.
        budget: What any request may take.
        cpu_s_per_s: What it may take more for every simulated second.
    """

    def __init__(self, board: str, budget: TimeBudget, cpu_s_per_s: float) -> None:
        self._board = board
        self._budget = budget
        self._cpu_s_per_s = cpu_s_per_s
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
        self._channel = Channel(ours, self._popen.pid, budget, HEADER)
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
        self._channel.budget = TimeBudget(
            cpu_s=self._budget.cpu_s + self._cpu_s_per_s * simulated_s,
            idle_s=self._budget.idle_s,
        )
        try:
            self._channel.send(encode(request))
            _, answer = self._channel.receive()
        except Disconnected:
            raise BoardLost(self._how_it_ended()) from None
        except NoAnswer as spent:
            self._popen.kill()
            raise BenchFault(
                f"{self._board}: simavr did not come back {self._what_it_did(spent)}"
            ) from None
        self._waiting = False
        return decode(answer)

    def close(self) -> None:
        """End the child at once: it holds nothing that needs saving."""
        self._channel.close()
        stop(self._popen, grace_s=0)
        self._log.close()

    def _what_it_did(self, spent: NoAnswer) -> str:
        if spent.asleep:
            return f"and has not run at all for {self._budget.idle_s:.0f} s"
        return f"after {spent.cpu_s:.0f} s of CPU time"

    def _how_it_ended(self) -> str:
        try:
            code = self._popen.wait(_EXIT_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            return f"{self._board}: simavr's process hung up and had to be killed"
        how = f"was ended by {signal_name(-code)}" if code < 0 else "ended"
        last_words = tail(self._log, _TAIL_BYTES).strip()
        said = f"; its last words:\n{last_words}" if last_words else ""
        return f"{self._board}: simavr's process {how} (exit code {code}){said}"


def _spawn(end: socket.socket, log: IO[bytes]) -> subprocess.Popen[bytes]:
    folder = Path(__file__).parent
    names = "pytest_embedbench.engines.simavr"
    packages: list[str] = []
    while names:
        packages.append(f"{names}={folder}")
        names, folder = names.rpartition(".")[0], folder.parent
    return spawn(
        [sys.executable, "-I", "-S", "-c", _START, *packages],
        stdin=end.fileno(),
        stderr=log.fileno(),
    )
