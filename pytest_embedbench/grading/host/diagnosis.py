"""From how a host copy ended to one sentence and its evidence."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, FirmwareCrash, FirmwareSpin
from pytest_embedbench.processes import signal_name
from pytest_embedbench.processes.machine_trouble import MEMORY_ADVICE, is_sent
from pytest_embedbench.support.steady import steady

if TYPE_CHECKING:
    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.processes.channel_errors import NoAnswer

MEMORY_LIMIT_BYTES = 256 * 1024**2
"""What a copy may use; limits.c looks after it as well, and more often."""
_CLOSED = 72
"""The driver's own exit code: the file by which it is asked is closed."""
_MAX_LINES = 16
_RUNTIME_ERROR = "runtime error: "
_SUMMARY = "SUMMARY: AddressSanitizer: "
_NOISE = re.compile(
    r"=+$|ABORTING|AddressSanitizer:DEADLYSIGNAL|AddressSanitizer can not|\s*$|Hint: "
    r"|SUMMARY: |\s*#\d+ .*(host/\w+\.[ch]|libsanitizer|libc|/lib/|_start)"
    r"|\S+ is located .* inside of|Address \S+ is a wild pointer"
)
_RULED_OUT: dict[int, str] = {
    signal.SIGXCPU: "it does not come back (out of CPU time)",
    signal.SIGUSR2: "it uses more and more memory",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyEnd:
    """How a copy of the driver ended, or what made us end it.

    Attributes:
        code: Like Popen's; ``None`` if it was still running.
        keeper_lost: Whether the program that makes the copies does so no more.
        keeper_code: How that one has ended, if it has.
        steps_begun: Of the request that it was at.
        memory_bytes: The most that it has used.
        left_running: How many processes it had started that were still there.
        refused: Why it was refused an answer.
        unloadable: Why the submission's library could not be loaded.
        spoke: Whether something else than the driver has answered.
        wait: The wait for it that was in vain.
        report: What it wrote to stdout and stderr, a sanitizer's report included.
    """

    code: int | None = None
    keeper_lost: bool = False
    keeper_code: int | None = None
    steps_begun: int = 0
    memory_bytes: int = 0
    left_running: int = 0
    refused: str = ""
    unloadable: str = ""
    spoke: bool = False
    wait: NoAnswer | None = None
    report: str = ""

    @property
    def killed_by(self) -> int | None:
        """The signal that may have come from outside, to it or to its keeper."""
        for code in (self.keeper_code, self.code):
            if code is not None and is_sent(code) and -code not in _RULED_OUT:
                return -code
        return None

    def like(self, other: CopyEnd) -> bool:
        """Say whether both ended by the same signal at the same step."""
        return (self.code, self.keeper_code, self.steps_begun) == (
            other.code,
            other.keeper_code,
            other.steps_begun,
        )


def explain(doing: str, end: CopyEnd) -> EmbedbenchError:
    """Return what to raise for a copy of which it is known whose fault its end is."""
    report = _shown(end.report)
    if end.wait is not None:
        return _never_came_back(doing, end.wait, report)
    if end.unloadable:
        why = _without_file(end.unloadable)
        return FirmwareCrash(f"{doing}: it cannot be loaded: {why}{report}")
    if end.keeper_code is not None:  # and twice alike: who else could it have been
        end = replace(end, refused="it has ended the process that started it")
    kind = FirmwareSpin if end.code == -signal.SIGXCPU else FirmwareCrash
    return kind(f"{doing}: {end.refused or _what(end)}{report}")


def left_running(count: int) -> FirmwareCrash:
    """Return what to raise for a submission whose processes outlive its steps."""
    return FirmwareCrash(f"after the last step: it has left {count} processes running")


def ran_out_of_memory(doing: str, end: CopyEnd) -> BenchFault:
    """Return what to raise when the kernel has counted whom it killed."""
    number = end.killed_by or signal.SIGKILL
    return BenchFault(
        f"{doing}: the host driver was killed ({signal_name(number)}): {MEMORY_ADVICE}"
    )


def cannot_load(doing: str, end: CopyEnd) -> BenchFault:
    """Return what to raise where no process can have a submission in its memory."""
    why = _without_file(end.unloadable)
    return BenchFault(
        f"{doing}: this machine cannot load the host driver: {why}; look for memory "
        "and limits (ulimit -a)"
    )


def killed_from_outside(doing: str, end: CopyEnd) -> BenchFault:
    """Return what to raise for what does not happen again."""
    number = end.killed_by or signal.SIGKILL
    return BenchFault(
        f"{doing}: the host driver was killed ({signal_name(number)}) from outside: "
        "on a second try the same steps end otherwise; run it again"
    )


def _never_came_back(doing: str, wait: NoAnswer, report: str) -> EmbedbenchError:
    if not wait.asleep and not wait.out_of_cpu:
        return BenchFault(
            f"{doing}: no answer after {wait.wall_s:.0f} s, and hardly any CPU time "
            "used: this machine is too busy"
        )
    # What it has waited differs from run to run: no figure of ours.
    how = "it waits for something" if wait.asleep else "it runs on and on"
    return FirmwareSpin(f"{doing}: it does not come back: {how}{report}")


def _without_file(why: str) -> str:
    return why.partition(": ")[2] or why


def _what(end: CopyEnd) -> str:
    code = end.code
    if end.spoke or code is None or code == _CLOSED:
        return (
            "it has written into a file that it did not open, or closed it, or goes on "
            "in two processes"
        )
    if found := _found_by_sanitizer(end.report):
        return found
    if code >= 0:
        return f"it ended the program with exit code {code}"
    if end.memory_bytes > MEMORY_LIMIT_BYTES:
        return _RULED_OUT[signal.SIGUSR2]
    again = ", and again on a second try" if end.killed_by else ""
    return _RULED_OUT.get(-code, f"it crashed ({signal_name(-code)}{again})")


def _found_by_sanitizer(report: str) -> str:
    if _RUNTIME_ERROR in report:
        return f"undefined behaviour: {_rest_of_line(report, _RUNTIME_ERROR)}"
    if _SUMMARY in report:
        return f"memory error: {_rest_of_line(report, _SUMMARY)}"
    return ""


def _rest_of_line(report: str, mark: str) -> str:
    line = report.partition(mark)[2].partition("\n")[0].strip()
    return steady(line)


def _shown(report: str) -> str:
    """Return the evidence, without what a sanitizer says of itself and of memory."""
    report = steady(report.partition("Shadow bytes around")[0])
    lines = [line for line in report.splitlines() if not _NOISE.match(line)]
    return "\n".join(["\nits report:", *lines[:_MAX_LINES]]) if lines else ""
