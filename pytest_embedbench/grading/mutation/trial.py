"""Run the hidden suite on many submissions, on each to its first failure.

One pytest collects the tests; each submission then gets a copy of that process. What
it comes to is what its ``verdict.json`` says: nobody has an opinion here.
"""

from __future__ import annotations

import enum
import json
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.processes.guarded import run_guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.grading.mutation.mutant import Mutant
    from pytest_embedbench.processes.guarded import Finished

_TAIL_LINES = 15
_TRIED = re.compile("embedbench-tried <([^>]+)>")
_PYTEST = (
    *(sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"),
    *("-p", "pytest_embedbench.grading.plugin.mutants"),
)
_BUILDS = ("HOST_BUILD", "TARGET_BUILD")


class Fate(enum.Enum):
    """What has become of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    STILLBORN = "stillborn"
    """It does not compile, so it is no submission; it does not count."""
    UNCLEAR = "unclear"
    """The suite came to no verdict: our fault, which is to be looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantTrial:
    """How one mutant fared.

    ``check`` is the first that failed, by its name in the suite, ``brief`` the ids of
    the sentences it enforces, and ``reason`` the first line of what it said.
    """

    mutant: Mutant
    fate: Fate
    stage: str
    check: str
    brief: tuple[str, ...]
    reason: str
    duration_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """What mutants are tried on.

    Args:
        hidden: The folder of tests.
        profile: ``full`` or ``paper``.
        board: On which the closed loop runs.
        jobs: How many mutants are tried at a time.
        limit_s: For one mutant; one that takes longer is killed by the clock.
    """

    hidden: Path
    profile: str
    board: str
    jobs: int
    limit_s: float

    def run(
        self,
        mutants: Sequence[Mutant],
        reference: Mapping[str, bytes],
        told: Callable[[MutantTrial], None],
    ) -> list[MutantTrial]:
        """Return a trial of each mutant, in their order; ``told`` as they come."""
        trials: dict[str, MutantTrial] = {}
        with tempfile.TemporaryDirectory(prefix="embedbench-mutants-") as scratch:
            submissions, artifacts = (
                Path(scratch, "submissions"),
                Path(scratch, "trials"),
            )
            for mutant in mutants:
                mutant.write(reference, submissions / mutant.name)
            by_name = {mutant.name: mutant for mutant in mutants}

            def see(line: str) -> bool:
                if tried := _TRIED.search(line):
                    name = tried[1]
                    trials[name] = _trial(by_name[name], artifacts / name)
                    shutil.rmtree(artifacts / name, ignore_errors=True)
                    told(trials[name])
                return False

            done = run_guarded(
                [
                    *_PYTEST,
                    f"--board={self.board}",
                    f"--embedbench-profile={self.profile}",
                    f"--embedbench-mutants={submissions}",
                    f"--embedbench-trials={artifacts}",
                    f"--embedbench-jobs={self.jobs}",
                    f"--embedbench-trial-limit-s={self.limit_s}",
                    self.hidden,
                ],
                timeout_s=self.limit_s * len(mutants),
                stop_at=see,
            )
        if len(trials) < len(mutants):
            raise BenchFault(f"the hidden suite does not run:\n{_tail(done)}")
        return [trials[mutant.name] for mutant in mutants]


def _trial(mutant: Mutant, artifacts: Path) -> MutantTrial:
    record: dict[str, Any] = {}
    for file in artifacts.rglob("verdict.json"):
        record = json.loads(file.read_text())
    return MutantTrial(
        mutant=mutant,
        fate=_fate(record),
        stage=str(record.get("stage") or ""),
        check=str(record.get("decided_by") or "").rpartition("::")[2],
        brief=tuple(record.get("brief", ())),
        reason=str(record.get("reason") or "it left no verdict").partition("\n")[0],
        duration_s=float(record.get("duration_s", 0.0)),
    )


def _fate(record: dict[str, Any]) -> Fate:
    if not record.get("complete", True) and not record.get("decided_by"):
        return Fate.KILLED if record else Fate.UNCLEAR
    match record.get("verdict"):
        case "PASS":
            return Fate.SURVIVED
        case "HOST" | "INT":
            return Fate.STILLBORN if record["stage"] in _BUILDS else Fate.KILLED
        case _:
            return Fate.UNCLEAR


def _tail(done: Finished) -> str:
    return "\n".join(f"{done.stdout}{done.stderr}".splitlines()[-_TAIL_LINES:])
