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

if TYPE_CHECKING:
    from pytest_embedbench.engines.native.control import Silent
    from pytest_embedbench.engines.native.exit_analysis import ProgramExit
    from pytest_embedbench.engines.native.protocol import FaultReport
    from pytest_embedbench.errors import EmbedbenchError
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


def explain(ending: ProgramExit, scene: RunContext) -> EmbedbenchError:
    """Return the error that says what happened, and whose fault it is."""
    if ending.silence is not None:
        error = _silent(ending, ending.silence, scene)
    elif ending.returned:
        error = FirmwareCrash("the firmware ended: firmware_main() returned")
    elif ending.returncode >= 0:
        error = FirmwareCrash(f"the firmware exited with code {ending.returncode}")
    else:
        error = _killed(ending, -ending.returncode, scene)
    return type(error)(f"{error} (at {scene.at_us / 1e6:.6f} s){_evidence(scene)}")


def _silent(ending: ProgramExit, silence: Silent, scene: RunContext) -> EmbedbenchError:
    if silence.asleep:
        return FirmwareStuck(
            "the firmware waits for something of the host's (sleep, read, a lock): no "
            f"time can pass on the board\nso far {silence.wall_s:.1f} s of host time"
            f"{_where(ending, scene)}"
        )
    cpu = "" if silence.cpu_s is None else f"{silence.cpu_s:.1f} s of CPU time, "
    return FirmwareSpin(
        f"the firmware runs on without waiting: no time can pass on the board\n"
        f"so far {cpu}{silence.wall_s:.1f} s of host time{_where(ending, scene)}"
    )


def _killed(ending: ProgramExit, number: int, scene: RunContext) -> EmbedbenchError:
    report = ending.report
    name = signal_name(number)
    if report is None and number not in _MEANING:
        hint = " (the kernel does so when memory runs out)" * (number == signal.SIGKILL)
        return BoardLost(f"the firmware's process was killed by {name}{hint}")
    if report is not None and report.sender_pid not in (0, scene.pid):
        return BoardLost(
            f"the firmware's process was killed by {name}, which process "
            f"{report.sender_pid} sent"
        )
    what = f"{name}: {_MEANING.get(number, 'raised by itself')}"
    if report is not None and number in _HAVE_ADDRESS:
        what += f" at {report.address:#x}"
    return FirmwareCrash(
        f"the firmware crashed{_where(ending, scene)} ({what})"
        f"{_memory_note(report, scene)}"
    )


def _memory_note(report: FaultReport | None, scene: RunContext) -> str:
    if report is None or report.last_error != errno.ENOMEM:
        return ""
    limit = scene.memory_limit_bytes
    limited = f" of {limit // 2**20} MiB" if limit else ""
    return f", after it was refused more memory than its limit{limited}"


def _where(ending: ProgramExit, scene: RunContext) -> str:
    """Return `` in f+0x4, called from g, h`` of what is the program's own code."""
    if ending.report is None:
        return ""
    counter = ending.report.program_counter
    # A return address may already be the next function's: look just before it.
    calls = [address - 1 for address in _callers(ending.backtrace, counter)]
    addresses = [address - scene.load_bias for address in (counter, *calls)]
    known = [address for address in addresses if scene.symbols.at(address) is not None]
    if not known:
        return f" at {counter:#x}"
    innermost, *outer = [scene.symbols.describe(address) for address in known]
    names = [name.partition("+")[0] for name in outer[:_MAX_CALLERS]]
    return f" in {innermost}" + (f", called from {', '.join(names)}" if names else "")


def _callers(backtrace: tuple[int, ...], counter: int) -> tuple[int, ...]:
    """Drop the signal handler's own frames: all up to where the signal struck."""
    if counter in backtrace:
        return backtrace[backtrace.index(counter) + 1 :]
    return backtrace


def _evidence(scene: RunContext) -> str:
    if not scene.console_text:
        return ""
    return f"\nit wrote to stdout and stderr:\n{scene.console_text}"


def signal_name(number: int) -> str:
    """Return ``SIGSEGV`` for 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
