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
_MAX_CALLERS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """What was running, for the message."""

    at_us: int
    pid: int
    symbols: Symbols
    load_bias: int
    memory_limit_bytes: int | None
    console_text: str


def explain(ended: ProgramExit, context: RunContext) -> EmbedbenchError:
    """Return the error that says what happened, and whose fault it is."""
    if ended.no_answer is not None:
        error = _unanswered(ended, ended.no_answer, context)
    elif ended.returned:
        error = FirmwareCrash("the firmware ended: firmware_main() returned")
    elif ended.returncode >= 0:
        error = FirmwareCrash(f"the firmware exited with code {ended.returncode}")
    else:
        error = _killed(ended, -ended.returncode, context)
    return type(error)(f"{error} (at {context.at_us / 1e6:.6f} s){_evidence(context)}")


def _unanswered(
    ended: ProgramExit, no_answer: NoAnswer, context: RunContext
) -> EmbedbenchError:
    if no_answer.asleep:
        return FirmwareStuck(
            "the firmware waits for something of the host's (sleep, read, a lock): no "
            f"time can pass on the board\nso far {no_answer.wall_s:.1f} s of host time"
            f"{_where(ended, context)}"
        )
    cpu = "" if no_answer.cpu_s is None else f"{no_answer.cpu_s:.1f} s of CPU time, "
    return FirmwareSpin(
        f"the firmware runs on without waiting: no time can pass on the board\n"
        f"so far {cpu}{no_answer.wall_s:.1f} s of host time{_where(ended, context)}"
    )


def _killed(ended: ProgramExit, number: int, context: RunContext) -> EmbedbenchError:
    report = ended.report
    name = signal_name(number)
    if report is None and number not in _MEANING:
        hint = " (the kernel does so when memory runs out)" * (number == signal.SIGKILL)
        return BoardLost(f"the firmware's process was killed by {name}{hint}")
    if report is not None and report.sender_pid not in (0, context.pid):
        return BoardLost(
            f"the firmware's process was killed by {name}, which process "
            f"{report.sender_pid} sent"
        )
    what = f"{name}: {_MEANING.get(number, 'raised by itself')}"
    if report is not None and number in _HAVE_ADDRESS:
        what += f" at {report.address:#x}"
    return FirmwareCrash(
        f"the firmware crashed{_where(ended, context)} ({what})"
        f"{_memory_note(report, context)}"
    )


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
        return f" at {counter:#x}"
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
    return f"\nit wrote to stdout and stderr:\n{context.console_text}"
