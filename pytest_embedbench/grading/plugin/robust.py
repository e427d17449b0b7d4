"""What a submission tolerates beyond its brief: tests marked ``robust``, and a report.

Such a test is not part of the verdict. It runs faults against a firmware, and passes if
the plant stayed safe and recovered.
"""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from pytest_embedbench.bench.artifacts import replace_json
from pytest_embedbench.errors import InvariantBroken
from pytest_embedbench.grading.plugin.stash import TRIAL
from pytest_embedbench.plugin.blame import FIRMWARE, blame_for, causes, reason_for
from pytest_embedbench.plugin.stash import TESTLOG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pytest

    from pytest_embedbench.bench.closed_loop import ClosedLoop

FILE = "robustness.json"
SCHEMA = 1


class Tolerance(enum.Enum):
    """What a robust test says of a submission."""

    TOLERATED = "tolerated"
    NOT_TOLERATED = "not tolerated"
    INVALID = "invalid"
    """Nothing: a fault had no effect, or our side of the wire broke."""


class Disturbance(TypedDict):
    """A fault as it reads, and in how many ticks it changed something."""

    fault: str
    ticks: int


class RobustTrial(TypedDict):
    """One robust test; ``violated`` is the first invariant that did not hold."""

    check: str
    board: str
    tolerance: str
    violated: str | None
    reason: str | None
    scenario: str
    seed: int
    faults: list[Disturbance]


def attach(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
) -> None:
    """Put on a robust test's report how it stood its faults."""
    if report.skipped or (report.when != "call" and not report.failed):
        return
    log = item.stash[TESTLOG]
    if report.when == "call" and log.has_failed_call:
        return  # a subtest has told already
    loops = [loop for bench in log.benches for loop in bench.loops]
    error = call.excinfo.value if call.excinfo is not None else None
    faults = [fault for loop in loops for fault in _disturbances(loop)]
    tolerance = Tolerance.TOLERATED
    if error is not None:
        fired = all(fault["ticks"] for fault in faults)
        fell = fired and blame_for(item, error, ran=log.ran) == FIRMWARE
        tolerance = Tolerance.NOT_TOLERATED if fell else Tolerance.INVALID
    trial: RobustTrial = {
        "check": item.nodeid,
        "board": log.board,
        "tolerance": tolerance.value,
        "violated": _violated(error),
        "reason": None if error is None else reason_for(error),
        "scenario": loops[-1].scenario.name if loops else "",
        "seed": loops[-1].scenario.seed if loops else 0,
        "faults": faults,
    }
    setattr(report, TRIAL, trial)


@dataclass(slots=True)
class Robustness:
    """All trials of a run, kept by the one process that sees all reports."""

    run_dir: Path
    trials: dict[str, RobustTrial] = field(default_factory=dict[str, RobustTrial])

    def take(self, trial: RobustTrial) -> None:
        """Take in a trial; another attempt at the same replaces it."""
        self.trials[trial["check"]] = trial
        replace_json(
            self.run_dir / FILE,
            {"schema": SCHEMA, "trials": list(self.trials.values())},
        )

    def table(self) -> Iterator[str]:
        """Yield, for each board, how much was tolerated, then one line per trial."""
        boards = dict.fromkeys(trial["board"] for trial in self.trials.values())
        for board in boards:
            trials = [t for t in self.trials.values() if t["board"] == board]
            counted = Counter(trial["tolerance"] for trial in trials)
            shares = ", ".join(f"{count} {what}" for what, count in counted.items())
            yield f"{board or 'no board'}: {shares}"
            yield from _rows(trials)
        yield f"more in {self.run_dir / FILE}"


def _rows(trials: Sequence[RobustTrial]) -> Iterator[str]:
    width = max(len(tolerance.value) for tolerance in Tolerance)
    for trial in trials:
        test = trial["check"].rpartition("::")[2]
        reason = (trial["reason"] or "").partition("\n")[0]
        yield f"  {trial['tolerance']:<{width}}  {test}  {reason}".rstrip()


def _violated(error: BaseException | None) -> str | None:
    for cause in causes(error):
        if isinstance(cause, InvariantBroken):
            return cause.invariant
    return None


def _disturbances(loop: ClosedLoop[Any]) -> list[Disturbance]:
    pipeline = loop.pipeline
    return [
        {"fault": str(fault), "ticks": count}
        for fault, count in zip(pipeline.faults, pipeline.counts, strict=True)
    ]
