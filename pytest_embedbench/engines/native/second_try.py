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


@dataclass(slots=True)
class AskedSoFar:
    """What a program was asked since its power-on: what ends it once, may again."""

    oom_kills: int = field(default_factory=oom_kill_count)
    """That had been counted before it was started."""
    _advances: list[tuple[int, bytes]] = field(
        default_factory=list[tuple[int, bytes]], init=False
    )

    def note(self, until_us: int, data: bytes) -> None:
        """Remember one advance; those in which nothing is sent are one."""
        if self._advances and not data and not self._advances[-1][1]:
            self._advances[-1] = (until_us, data)
        else:
            self._advances.append((until_us, data))

    def judge(
        self,
        error: EmbedbenchError,
        last: Sequence[tuple[int, bytes]],
        returncode: int,
        start: Callable[[], NativeProgram],
    ) -> EmbedbenchError:
        """Return whose fault it is that somebody unknown has ended a program.

        Args:
            error: What is said of it so far.
            last: The advances in one of which it ended.
            returncode: How, like Popen's.
            start: Starts a program like it.
        """
        if oom_kill_count() > self.oom_kills:
            return BoardLost(f"{error}\n{MEMORY_ADVICE}")
        if self._end_again(last, start) == returncode:
            return FirmwareCrash(f"{error}\nand again on a second try, then, too")
        return BoardLost(f"{error}\nfrom outside: a second try ends otherwise")

    def _end_again(
        self, last: Sequence[tuple[int, bytes]], start: Callable[[], NativeProgram]
    ) -> int | None:
        """Return how a program ends in ``last``; ``None`` if not, or not there."""
        program = start()
        try:
            for until_us, data in self._advances:
                program.control.send(protocol.ADVANCE, until_us, data)
                if program.control.receive().kind != protocol.PAUSED:
                    return None
        except (Disconnected, NoAnswer):
            program.close()
            return None
        for until_us, data in last:
            try:
                program.control.send(protocol.ADVANCE, until_us, data)
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
