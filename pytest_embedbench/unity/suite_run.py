"""One run of a suite of unit tests: what each case came to, and how far it came."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, FirmwareFault, ToolMissing
from pytest_embedbench.processes import signal_name
from pytest_embedbench.processes.guarded import GuardedExit, run_guarded
from pytest_embedbench.wire.unit_tests import (
    DoctestReader,
    UnitTestCase,
    UnitTestReader,
    UnityReader,
)

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench

READERS: dict[str, type[UnityReader | DoctestReader]] = {
    "unity": UnityReader,
    "doctest": DoctestReader,
}
"""By the name of the test framework that they understand."""
_STEP_MS = 100
_QUIET_MS = 2000
"""How long to wait, after a summary, for cases that are still missing."""
_OUTPUT = "output.log"
_SHOWN_LINES = 6
"""Of what a program that did not come to its end wrote as its errors."""
_SIGNALLED = 128
"""What the guardian adds to the number of the signal that ended a program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """What came of a run.

    ``summary`` is the framework's own last line, empty if it did not come; ``ended``
    says why not, and ``fault`` what was wrong with the firmware after all cases.
    ``log`` is where all that was said can be read. ``bench_fault`` says why nothing is
    known of the firmware.
    """

    cases: tuple[UnitTestCase, ...]
    log: str
    summary: str = ""
    ended: str = ""
    fault: str = ""
    bench_fault: str = ""
    unseen_passed_of: int = -1
    """Of how many known cases all that were not named have passed."""

    @property
    def is_whole(self) -> bool:
        """Say whether as many cases were reported as Unity says it ran."""
        return self.summary.startswith(f"{len(self.cases)} Tests ")

    def of(self, name: str) -> list[UnitTestCase]:
        """Return what was reported of a case, and of its subcases."""
        return [
            case
            for case in self.cases
            if case.name == name or case.name.startswith(f"{name}/")
        ]

    def others(self, known: Collection[str]) -> list[UnitTestCase]:
        """Return the cases that only the output names."""
        return [
            case
            for case in self.cases
            if case.name not in known and case.name.partition("/")[0] not in known
        ]

    def how_far(self) -> str:
        """Say in a few words how far it came."""
        told = "no case was reported"
        if self.cases:
            told = f"the last of {len(self.cases)} cases was {self.cases[-1].name}"
        end = self.ended or f"it ended: {self.summary}"
        return f"{told}; {end}"

    def as_json(self) -> str:
        """Return it as text."""
        return json.dumps(dataclasses.asdict(self))


def not_run(error: BaseException | None) -> SuiteRun | None:
    """Return what is to be said of a run whose board did not start, or was lost.

    None for any other error, which is not kept: whoever comes next tries again.
    """
    if isinstance(error, FirmwareFault):
        return SuiteRun(cases=(), log="(none)", ended=str(error))
    if isinstance(error, BenchFault) and not isinstance(error, ToolMissing):
        return SuiteRun(cases=(), log="(none)", bench_fault=str(error))
    return None


def from_json(text: bytes) -> SuiteRun:
    """Return a run that ``as_json`` has written down."""
    fields = json.loads(text)
    cases = tuple(UnitTestCase(**case) for case in fields.pop("cases"))
    return SuiteRun(cases=cases, **fields)


def run_on_board(
    bench: Bench, framework: str, known: Collection[str], limit_ms: int
) -> SuiteRun:
    """Let a board run until its tests are over, or ``limit_ms`` have passed.

    Raises:
        BenchFault: the board or its engine went away.
    """
    reader, mark, ended = READERS[framework](), 0, ""
    quiet_ms = passed_ms = 0
    while not ended and passed_ms < limit_ms:
        try:
            bench.run_for(_STEP_MS)
        except FirmwareFault as fault:
            notes: list[str] = getattr(fault, "__notes__", [])
            ended = "\n".join([str(fault), *notes])
        passed_ms += _STEP_MS
        lines = bench.uart.heard(mark)
        mark = bench.uart.mark()
        for line in lines:
            reader.read(line)
        quiet_ms = 0 if lines else quiet_ms + _STEP_MS
        if reader.summary and (_has_all(reader, known) or quiet_ms >= _QUIET_MS):
            break
    limit = f"{limit_ms / 1000:g} s of its time were over"
    return _run(reader, known, ended or limit, log=str(bench.transcript_path))


def run_program(
    program: Path, framework: str, known: Collection[str], *, limit_s: int, folder: Path
) -> SuiteRun:
    """Run a program of this machine to its end, or until ``limit_s`` have passed."""
    done = run_guarded([program], timeout_s=limit_s)
    output = "\n".join(filter(None, (done.stdout, done.stderr)))
    log = folder / _OUTPUT
    log.write_text(output, encoding="utf-8", errors="replace")
    reader = READERS[framework]()
    for line in output.splitlines():
        reader.read(line)
    timed_out = done.ending is GuardedExit.TIMED_OUT
    how = f"had not ended after {limit_s} s"
    if not timed_out:
        how = _exit_in_words(done.returncode)
    said = "\n".join(done.stderr.splitlines()[:_SHOWN_LINES])
    ended = f"the program {how}" + (f", and said:\n{said}" if said else "")
    run = _run(reader, known, ended, log=str(log))
    # Unity's programs end with the number of failures: only a signal says more.
    died = done.returncode > _SIGNALLED and f" {done.returncode} F" not in run.summary
    is_fault = bool(run.summary) and (timed_out or died)
    return dataclasses.replace(run, fault=f"the program {how}" if is_fault else "")


def _exit_in_words(code: int) -> str:
    if code > _SIGNALLED:
        return f"was ended by {signal_name(code - _SIGNALLED)}"
    return f"exited with {code}"


def _has_all(reader: UnitTestReader, known: Collection[str]) -> bool:
    return {case.name for case in reader.cases}.issuperset(known)


def _run(
    reader: UnitTestReader, known: Collection[str], ended: str, *, log: str
) -> SuiteRun:
    count = len(known)
    return SuiteRun(
        cases=tuple(reader.cases),
        log=log,
        summary=reader.summary,
        ended="" if reader.summary else ended,
        unseen_passed_of=count if reader.unseen_passed(count) else -1,
    )
