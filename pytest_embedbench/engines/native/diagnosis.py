"""From how a program ended to whose fault it was, in one sentence and evidence."""

from __future__ import annotations

import errno
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import (
    BoardLost,
    FirmwareCrash,
    FirmwareSpin,
    FirmwareStuck,
)
from pytest_embedbench.processes import signal_name
from pytest_embedbench.support.steady import steady

if TYPE_CHECKING:
    from pytest_embedbench.engines.native.exit_analysis import ProgramExit
    from pytest_embedbench.engines.native.protocol import FaultReport
    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.processes.channel_errors import NoAnswer
    from pytest_embedbench.support.symbols import Symbols

_MEANING: dict[int, str] = {
    signal.SIGABRT: "abort",
    signal.SIGBUS: "bad memory access",
    signal.SIGFPE: "division by zero or integer overflow",
    signal.SIGILL: "illegal instruction",
    signal.SIGSEGV: "bad memory access",
    signal.SIGSYS: "forbidden system call",
    signal.SIGTRAP: "breakpoint or compiler trap",
}
_HAVE_ADDRESS = (signal.SIGBUS, signal.SIGSEGV)
_SENT = 0
"""Linux's SI_USER: by a process, and none that sends it to itself."""
_MAX_CALLERS = 5
_LOW = 0x10000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """What was running, for the message.

    ``pid`` is its own, as it sees it. In a sandbox nobody but what it has started
    itself can send it a signal.
    """

    at_us: int
    pid: int
    is_sandboxed: bool
    symbols: Symbols
    load_bias: int
    memory_limit_bytes: int | None
    console_text: str


def explain(ended: ProgramExit, context: RunContext) -> EmbedbenchError:
    """Return the error that says what happened, and whose fault it is."""
    if ended.no_answer is not None and not _crashed(ended):
        error = _unanswered(ended, ended.no_answer, context)
    elif ended.hung_up and not _crashed(ended):
        error = FirmwareCrash(
            "the firmware has closed, or taken over, what connects it with the bench"
        )
    elif ended.returned:
        error = FirmwareCrash("the firmware ended: firmware_main() returned")
    elif ended.returncode >= 0:
        error = FirmwareCrash(f"the firmware exited with code {ended.returncode}")
    else:
        error = _killed(ended, -ended.returncode, context)
    return type(error)(f"{error} (at {context.at_us / 1e6:.6f} s){_evidence(context)}")


def _crashed(ended: ProgramExit) -> bool:
    """Say whether it reported a signal of its own, not our question where it is."""
    return ended.report is not None and ended.report.signal_number != signal.SIGXCPU


def _unanswered(
    ended: ProgramExit, no_answer: NoAnswer, context: RunContext
) -> EmbedbenchError:
    if no_answer.asleep:
        return FirmwareStuck(
            "the firmware waits for something of the host's (sleep, read, a lock): no "
            f"time can pass on the board{_where(ended, context)}"
        )
    return FirmwareSpin(
        f"the firmware runs on without waiting: no time can pass on the board"
        f"{_where(ended, context)}"
    )


def _killed(ended: ProgramExit, number: int, context: RunContext) -> EmbedbenchError:
    report = ended.report
    name = signal_name(number)
    if report is None and number == signal.SIGKILL:
        hint = "the kernel does so when memory runs out"
        return BoardLost(f"the firmware's process was killed by {name} ({hint})")
    if report is not None and context.is_sandboxed and _from_outside(report):
        return BoardLost(f"the firmware's process was killed by {name} from outside")
    if report is not None and report.sender_pid not in (0, context.pid):
        kind = FirmwareCrash if context.is_sandboxed else BoardLost
        whose = "a process of its own" if context.is_sandboxed else "another process"
        return kind(f"the firmware's process was killed by {name}, which {whose} sent")
    what = f"{name}: {_MEANING.get(number, 'raised by itself')}"
    # Other addresses differ from run to run.
    if report is not None and number in _HAVE_ADDRESS and report.address < _LOW:
        what += f" at {report.address:#x}"
    return FirmwareCrash(
        f"the firmware crashed{_where(ended, context)} ({what})"
        f"{_memory_note(report, context)}"
    )


def _from_outside(report: FaultReport) -> bool:
    """Say whether a signal came from a process that a sandbox does not show."""
    return report.cause == _SENT and report.sender_pid == 0


def _memory_note(report: FaultReport | None, context: RunContext) -> str:
    if report is None or report.last_error != errno.ENOMEM:
        return ""
    limit = context.memory_limit_bytes
    limited = f" of {limit // 2**20} MiB" if limit else ""
    return f", after it was refused more memory than its limit{limited}"


def _where(ended: ProgramExit, context: RunContext) -> str:
    """Return `` in f+0x4, called from g, h`` of what is the program's own code."""
    if ended.report is None:
        return ""
    counter = ended.report.program_counter
    # A return address may already be the next function's: look just before it.
    calls = [address - 1 for address in _callers(ended.backtrace, counter)]
    addresses = [address - context.load_bias for address in (counter, *calls)]
    known = [
        address for address in addresses if context.symbols.at(address) is not None
    ]
    if not known:
        return ""
    innermost, *outer = [context.symbols.describe(address) for address in known]
    names = [name.partition("+")[0] for name in outer[:_MAX_CALLERS]]
    return f" in {innermost}" + (f", called from {', '.join(names)}" if names else "")


def _callers(backtrace: tuple[int, ...], counter: int) -> tuple[int, ...]:
    """Drop the signal handler's own frames: all up to where the signal struck."""
    if counter in backtrace:
        return backtrace[backtrace.index(counter) + 1 :]
    return backtrace


def _evidence(context: RunContext) -> str:
    if not context.console_text:
        return ""
    return f"\nit wrote to stdout and stderr:\n{steady(context.console_text)}"
