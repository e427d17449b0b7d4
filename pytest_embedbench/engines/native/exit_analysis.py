"""Find out how a program ended, and what it had still to say."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_embedbench import processes
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
    last ``SAID`` messages, and ``paused`` the answers before those that were still to
    come. ``returned`` says that ``firmware_main`` came back;
    ``no_answer`` that it did not end by itself: it used up its time; ``hung_up`` that
    it did not either, but closed its socket.
    """

    returncode: int = 0
    at_us: int | None = None
    said: tuple[bytes, ...] = ()
    paused: tuple[ControlMessage, ...] = ()
    report: FaultReport | None = None
    backtrace: tuple[int, ...] = ()
    returned: bool = False
    no_answer: NoAnswer | None = None
    hung_up: bool = False


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
    try:
        while not isinstance(cause, Disconnected):
            ended = _noted(ended, program.control.receive())
    except Disconnected:
        pass
    except NoAnswer as deaf:  # it will not go by itself
        ended = replace(ended, no_answer=ended.no_answer or deaf)
    program.control.close()
    if ended.no_answer is not None:
        return replace(ended, returncode=program.process.end(0))
    gone = processes.wait_gone(program.process.pid, _GRACE_S)
    code = program.process.end(_GRACE_S if gone else 0)
    return replace(ended, returncode=code, hung_up=not gone)


def _noted(ended: ProgramExit, message: ControlMessage) -> ProgramExit:
    new: dict[str, Any] = {}
    if message.kind in protocol.ANSWERS:
        new = {"paused": (*ended.paused, message)}
    elif message.kind == protocol.SAID:
        new = {"said": (*ended.said, message.payload), "at_us": message.value}
    elif message.kind == protocol.FAULT:
        new = {"report": protocol.read_fault(message)}
    elif message.kind == protocol.BACKTRACE:
        new = {"backtrace": protocol.read_backtrace(message)}
    elif message.kind == protocol.RETURNED:
        new = {"returned": True}
    return replace(ended, **new)
