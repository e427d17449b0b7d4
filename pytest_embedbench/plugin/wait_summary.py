"""What a report says of boards that tests took turns on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

    from pytest_embedbench.contracts import SharedBoard

_WAITED = "embedbench_waited"
_REMARK = "embedbench_remark"
NAMES = (_WAITED, _REMARK)


class _Wait(NamedTuple):
    duration_s: float
    test: str
    reason: str


def properties(boards: Iterable[SharedBoard]) -> Iterator[tuple[str, str]]:
    """Yield what is to be noted of a test's boards, as user properties."""
    for board in boards:
        if board.waited_for:
            yield _WAITED, f"{board.waited_s:.1f} s for {board.waited_for}"
        for remark in board.remarks:
            yield _REMARK, remark


def summary(reporter: pytest.TerminalReporter) -> Iterator[str]:
    """Yield lines about who waited for boards, and what else there was to know."""
    waits: dict[str, _Wait] = {}
    remarks: dict[str, None] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in reporter.getreports(outcome):
            # Of a file that could not be collected there is a report, too.
            for name, value in getattr(report, "user_properties", ()):
                if name == _WAITED:
                    duration, _, reason = str(value).partition(" s for ")
                    wait = _Wait(float(duration), report.nodeid, reason)
                    waits[report.nodeid] = wait
                elif name == _REMARK:
                    remarks[str(value)] = None
    if waits:
        total_s = sum(wait.duration_s for wait in waits.values())
        longest = max(waits.values())
        yield (
            f"{len(waits)} tests waited {total_s:.1f} s for boards, "
            f"{longest.duration_s:.1f} s at most: {longest.test} for {longest.reason}"
        )
    yield from remarks
