"""Once more, on a fresh program: does it end at the same place, by the same signal?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.engines.native import protocol
from pytest_embedbench.engines.native.exit_analysis import analyse_exit
from pytest_embedbench.errors import BoardLost, EmbedbenchError, FirmwareCrash
from pytest_embedbench.processes.channel_errors import Disconnected, NoAnswer
from pytest_embedbench.processes.machine_trouble import MEMORY_ADVICE, oom_kill_count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.engines.native.program import NativeProgram


Request = tuple[int, int, bytes]
"""Kind, moment in us, and body of a message that lets time pass."""


@dataclass(slots=True)
class AskedSoFar:
    """What a program was asked since its power-on: what ends it once, may again."""

    oom_kills: int = field(default_factory=oom_kill_count)
    """That had been counted before it was started."""
    _requests: list[Request] = field(default_factory=list["Request"], init=False)

    def note(self, request: Request) -> None:
        """Remember one that was answered; those in which nothing is sent are one."""
        last = self._requests[-1:]
        if not request[2] and last and not last[0][2] and last[0][0] == request[0]:
            self._requests[-1] = request
        else:
            self._requests.append(request)

    def judge(
        self,
        error: EmbedbenchError,
        last: Sequence[Request],
        returncode: int,
        start: Callable[[], NativeProgram],
    ) -> EmbedbenchError:
        """Return whose fault it is that somebody unknown has ended a program.

        Args:
            error: What is said of it so far.
            last: The requests in one of which it ended.
            returncode: How, like Popen's.
            start: Starts a program like it.
        """
        if oom_kill_count() > self.oom_kills:
            return BoardLost(f"{error}\n{MEMORY_ADVICE}")
        if self._end_again(last, start) == returncode:
            return FirmwareCrash(f"{error}\nand again on a second try, then, too")
        return BoardLost(f"{error}\nfrom outside: a second try ends otherwise")

    def _end_again(
        self, last: Sequence[Request], start: Callable[[], NativeProgram]
    ) -> int | None:
        """Return how a program ends in ``last``; ``None`` if not, or not there."""
        program = start()
        try:
            for request in self._requests:
                program.control.send(*request)
                if program.control.receive().kind != protocol.PAUSED:
                    return None
        except (Disconnected, NoAnswer):
            program.close()
            return None
        for request in last:
            try:
                program.control.send(*request)
                answer = program.control.receive()
            except (Disconnected, NoAnswer) as cause:
                return _returncode(program, cause)
            if answer.kind != protocol.PAUSED:
                return _returncode(program, answer)
        program.close()
        return None


def _returncode(
    program: NativeProgram, cause: protocol.ControlMessage | Disconnected | NoAnswer
) -> int:
    ended = analyse_exit(program, cause)
    program.close()
    return ended.returncode
