"""Find out how a program ended, and what it had still to say."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.engines.native import protocol
from pytest_embedbench.processes.channel_errors import Disconnected, NoAnswer

if TYPE_CHECKING:
    from pytest_embedbench.engines.native.program import NativeProgram
    from pytest_embedbench.engines.native.protocol import ControlMessage, FaultReport

_GRACE_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramExit:
    """How a program ended.

    ``returncode`` is negative for a signal, as in ``subprocess``. ``at_us`` is the
    board's time, if the program could still tell. ``said`` are the payloads of its
    last ``SAID`` messages. ``returned`` says that ``firmware_main`` came back;
    ``no_answer`` that it did not end by itself: it used up its time.
    """

    returncode: int = 0
    at_us: int | None = None
    said: tuple[bytes, ...] = ()
    report: FaultReport | None = None
    backtrace: tuple[int, ...] = ()
    returned: bool = False
    no_answer: NoAnswer | None = None


def analyse_exit(
    program: NativeProgram, cause: ControlMessage | Disconnected | NoAnswer
) -> ProgramExit:
    """Hear a program out that has broken the turn-taking, and end it.

    Args:
        program: Not to be talked to afterwards; its console can still be read.
        cause: What came from it instead of an answer.
    """
    ended = ProgramExit()
    if isinstance(cause, NoAnswer):
        ended = replace(ended, no_answer=cause)
        # It reports where it is on this signal, as on those that it earns itself.
        with contextlib.suppress(ProcessLookupError):
            os.kill(program.process.pid, signal.SIGXCPU)
    if isinstance(cause, protocol.ControlMessage):
        ended = _noted(ended, cause)
    grace_s = _GRACE_S
    try:
        while not isinstance(cause, Disconnected):
            ended = _noted(ended, program.control.receive())
    except Disconnected:
        pass
    except NoAnswer:  # deaf as well: it will not go by itself
        grace_s = 0
    program.control.close()
    return replace(ended, returncode=program.process.end(grace_s))


def _noted(ended: ProgramExit, message: ControlMessage) -> ProgramExit:
    if message.kind == protocol.SAID:
        said = (*ended.said, message.payload)
        return replace(ended, said=said, at_us=message.value)
    if message.kind == protocol.FAULT:
        return replace(ended, report=protocol.read_fault(message))
    if message.kind == protocol.BACKTRACE:
        return replace(ended, backtrace=protocol.read_backtrace(message))
    if message.kind == protocol.RETURNED:
        return replace(ended, returned=True)
    return ended
