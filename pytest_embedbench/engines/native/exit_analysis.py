"""Find out how a program ended, and what it had still to say."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.engines.native import protocol
from pytest_embedbench.engines.native.control import HungUp, Silent

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
    ``silence`` that it did not end by itself: we lost patience with it.
    """

    returncode: int = 0
    at_us: int | None = None
    said: tuple[bytes, ...] = ()
    report: FaultReport | None = None
    backtrace: tuple[int, ...] = ()
    returned: bool = False
    silence: Silent | None = None


def autopsy(
    program: NativeProgram, cause: ControlMessage | HungUp | Silent
) -> ProgramExit:
    """Hear a program out that has broken the turn-taking, and end it.

    Args:
        program: Not to be talked to afterwards; its console can still be read.
        cause: What came from it instead of an answer.
    """
    ending = ProgramExit()
    if isinstance(cause, Silent):
        ending = replace(ending, silence=cause)
        # It reports where it is on this signal, as on those that it earns itself.
        with contextlib.suppress(ProcessLookupError):
            os.kill(program.life.pid, signal.SIGXCPU)
    if isinstance(cause, protocol.ControlMessage):
        ending = _note(ending, cause)
    grace_s = _GRACE_S
    try:
        while not isinstance(cause, HungUp):
            ending = _note(ending, program.control.receive())
    except HungUp:
        pass
    except Silent:  # deaf as well: it will not go by itself
        grace_s = 0
    program.control.close()
    return replace(ending, returncode=program.life.end(grace_s))


def _note(ending: ProgramExit, message: ControlMessage) -> ProgramExit:
    if message.kind == protocol.SAID:
        said = (*ending.said, message.payload)
        return replace(ending, said=said, at_us=message.value)
    if message.kind == protocol.FAULT:
        return replace(ending, report=protocol.read_fault(message))
    if message.kind == protocol.BACKTRACE:
        return replace(ending, backtrace=protocol.read_backtrace(message))
    if message.kind == protocol.RETURNED:
        return replace(ending, returned=True)
    return ending
