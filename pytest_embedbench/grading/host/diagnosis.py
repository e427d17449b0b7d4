"""From how a host copy ended to one sentence and its evidence."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, FirmwareCrash, FirmwareSpin
from pytest_embedbench.processes import signal_name

if TYPE_CHECKING:
    from pytest_embedbench.errors import EmbedbenchError

_MAX_LINES = 16
_BROKEN = 71
"""The driver's own exit code: it got no memory or no process from the system."""
_RUNTIME_ERROR = "runtime error: "
_SUMMARY = "SUMMARY: AddressSanitizer: "
_NOISE = re.compile(
    r"=+$|ABORTING|AddressSanitizer:DEADLYSIGNAL|AddressSanitizer can not|\s*$|Hint: "
    r"|SUMMARY: |\s*#\d+ .*(host/driver\.c|libsanitizer|libc|_start)"
)
_PASSING = re.compile(
    r"^==\d+==|(?<=\d )0x[0-9a-f]+ in | \(pc 0x.*|\bat pc 0x.*", re.MULTILINE
)
"""What differs from run to run."""
_RULED_OUT = {
    signal.SIGXCPU: "it does not come back (out of CPU time)",
    signal.SIGUSR2: "it uses more and more memory",
}


def crashed(doing: str, code: int, report: str) -> EmbedbenchError:
    """Return what to raise for a copy that ended with ``code``, like Popen's.

    ``report`` is what it wrote to stdout and stderr, a sanitizer's report included.
    """
    if code == -signal.SIGKILL:
        return BenchFault(f"{doing}: the host driver was killed from outside")
    if code == _BROKEN:
        return BenchFault(f"{doing}: the host driver could not make a copy of itself")
    kind = FirmwareSpin if code == -signal.SIGXCPU else FirmwareCrash
    return kind(f"{doing}: {_what(code, report)}{_shown(report)}")


def spoke(doing: str, report: str) -> FirmwareCrash:
    """Return what to raise for a copy that is not alone in talking to us."""
    return FirmwareCrash(
        f"{doing}: it has written into a file that it did not open, or closed it, or "
        f"goes on in two processes{_shown(report)}"
    )


def never_came_back(doing: str, waited_s: float, report: str) -> FirmwareSpin:
    """Return what to raise for a copy that sleeps on."""
    return FirmwareSpin(
        f"{doing}: it does not come back: it has waited for {waited_s:.0f} s "
        f"of host time{_shown(report)}"
    )


def _what(code: int, report: str) -> str:
    if _RUNTIME_ERROR in report:
        return f"undefined behaviour: {_rest_of_line(report, _RUNTIME_ERROR)}"
    if _SUMMARY in report:
        return f"memory error: {_rest_of_line(report, _SUMMARY)}"
    if code >= 0:
        return f"it ended the program with exit code {code}"
    if -code in _RULED_OUT:
        return _RULED_OUT[signal.Signals(-code)]
    return f"it crashed ({signal_name(-code)})"


def _rest_of_line(report: str, mark: str) -> str:
    return report.partition(mark)[2].partition("\n")[0].strip()


def _shown(report: str) -> str:
    """Return the evidence, without what a sanitizer says of itself and of memory."""
    report = _PASSING.sub("", report.partition("Shadow bytes around")[0])
    lines = [line for line in report.splitlines() if not _NOISE.match(line)]
    return "\n".join(["\nits report:", *lines[:_MAX_LINES]]) if lines else ""
