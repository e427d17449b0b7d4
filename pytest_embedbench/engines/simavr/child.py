"""The process that simavr lives in, seen from the bench."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pytest_embedbench.engines.simavr.core.last_words import PART_FAILED
from pytest_embedbench.engines.simavr.core.messages import HEADER, decode, encode
from pytest_embedbench.engines.simavr.lives import CopiedChild, SpawnedChild
from pytest_embedbench.errors import BenchFault, BoardLost
from pytest_embedbench.processes import signal_name, spawn, tail
from pytest_embedbench.processes.channel import Channel
from pytest_embedbench.processes.channel_errors import Disconnected, NoAnswer
from pytest_embedbench.processes.time_budget import TimeBudget

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence

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
        original: The child to make a copy of, one that stands; else Python is started.

    Raises:
        BenchFault: there is no process.
        BoardLost: ``original`` is gone.
    """

    def __init__(
        self,
        board: str,
        budget: TimeBudget,
        cpu_s_per_s: float,
        original: Child | None = None,
    ) -> None:
        self._board = board
        self._budget = budget
        self._cpu_s_per_s = cpu_s_per_s
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives with us
        ours, theirs = socket.socketpair()
        self._life: SpawnedChild | CopiedChild
        try:
            if original is None:
                self._life = SpawnedChild(_spawn(theirs, self._log))
            else:
                pid = original.copy_onto(theirs, self._log)
                self._life = CopiedChild(pid, original.reap)
        except BaseException as error:
            ours.close()
            self._log.close()
            if isinstance(error, OSError):
                fault = BenchFault(f"{board}: no process for simavr: {error}")
                raise fault from error
            raise
        finally:
            theirs.close()
        self._channel = Channel(ours, self._life.pid, budget, HEADER)
        self._waiting = False
        self._begun_count = 0

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._life.pid

    def stand(self) -> None:
        """Let nothing more be done here than to make copies; it has just booted."""
        self.ask(("stand",))

    def is_standing(self) -> bool:
        """Say whether copies can be made."""
        life = self._life
        return isinstance(life, SpawnedChild) and life.is_alive() and not self._waiting

    def copy_onto(self, end: socket.socket, log: IO[bytes]) -> int:
        """Return the process id of a new copy that talks at ``end``."""
        self._waiting = True
        self._channel.send_files((end.fileno(), log.fileno()))
        (pid,) = self._answer()
        assert isinstance(pid, int)
        return pid

    def reap(self, pid: int) -> int:
        """Wait for the end of a copy and return a code like Popen's."""
        if not self.is_standing():  # copies go with their original
            return -signal.SIGKILL
        try:
            (status,) = self.ask(("reap", pid))
        except BenchFault:
            return -signal.SIGKILL  # as our own end has it
        return os.waitstatus_to_exitcode(status)

    def ask(self, request: tuple[Any, ...], simulated_s: float = 0.0) -> Any:  # noqa: ANN401  # shaped by the request
        """Send a request and return the answer to it.

        Raises:
            BoardLost: the child died, or an earlier request never got its answer.
            BenchFault: it did not come back within a budget of CPU time.
        """
        self._begin_wait(simulated_s)
        self._channel.send(encode(request))
        return self._answer()

    def hear(self, simulated_s: float) -> Any:  # noqa: ANN401  # as of ``ask``
        """Return one more answer to the last request; raises what ``ask`` raises."""
        self._begin_wait(simulated_s)
        return self._answer()

    def begin(self, request: tuple[Any, ...]) -> None:
        """Send a request whose answer ``hear_begun`` returns, behind those before it.

        Raises:
            BoardLost: an earlier request never got its answer.
        """
        if self._waiting and not self._begun_count:
            raise BoardLost(f"{self._board}: was interrupted in an earlier step")
        self._waiting = True
        self._begun_count += 1
        self._channel.send(encode(request))

    def has_answered(self) -> bool:
        """Say whether ``hear_begun`` need not wait."""
        return self._channel.has_more()

    def hear_begun(self, simulated_s: float) -> Any:  # noqa: ANN401  # as of ``ask``
        """Return the answer to the oldest request begun; raises what ``ask`` raises."""
        self._waiting = False
        self._begin_wait(simulated_s)
        answer = self._answer()
        self._begun_count -= 1
        self._waiting = self._begun_count > 0
        return answer

    def meet(self, ends: Sequence[int]) -> None:
        """Hand over open files: its ends of lines to other children."""
        self.ask(("meet", len(ends)))
        self._begin_wait(0)
        self._channel.send_files(ends)
        self._answer()

    def _begin_wait(self, simulated_s: float) -> None:
        if self._waiting:
            raise BoardLost(f"{self._board}: was interrupted in an earlier step")
        self._waiting = True
        self._channel.budget = TimeBudget(
            cpu_s=self._budget.cpu_s + self._cpu_s_per_s * simulated_s,
            idle_s=self._budget.idle_s,
        )

    def _answer(self) -> Any:  # noqa: ANN401  # shaped by the request
        try:
            _, answer = self._channel.receive()
        except Disconnected:
            raise BoardLost(self._how_it_ended()) from None
        except NoAnswer as spent:
            self._life.end(0)
            raise BenchFault(
                f"{self._board}: simavr did not come back {self._what_it_did(spent)}"
            ) from None
        self._waiting = False
        return decode(answer)

    def close(self) -> None:
        """End the child at once: it holds nothing that needs saving."""
        self._channel.close()
        self._life.end(0)
        self._log.close()

    def _what_it_did(self, spent: NoAnswer) -> str:
        if spent.asleep:
            return f"and has not run at all for {self._budget.idle_s:.0f} s"
        return f"after {spent.cpu_s:.0f} s of CPU time"

    def _how_it_ended(self) -> str:
        code = self._life.end(_EXIT_WITHIN_S)
        how = f"was ended by {signal_name(-code)}" if code < 0 else "ended"
        last_words = tail(self._log, _TAIL_BYTES).strip()
        if code == PART_FAILED:
            return f"{self._board}: {last_words}"
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
