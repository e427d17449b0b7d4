"""Run the hidden suite on a submission, in a pytest of its own, to its first failure.

What it comes to is what ``verdict.json`` says: nobody has an opinion here.
"""

from __future__ import annotations

import enum
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.processes.guarded import Ending, run_guarded

if TYPE_CHECKING:
    from pytest_embedbench.mutation.mutant import Mutant
    from pytest_embedbench.processes.guarded import Finished

_TAIL_LINES = 15
_PYTEST = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider")
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
class Trial:
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
        timeout_s: For one mutant; one that takes longer is killed by the clock.
    """

    hidden: Path
    profile: str
    board: str
    timeout_s: float

    def try_out(self, mutant: Mutant, folder: Path) -> Trial:
        """Run the suite on the submission in ``folder``, to its first failure."""
        with tempfile.TemporaryDirectory(prefix="embedbench-trial-") as artifacts:
            done = run_guarded(
                [
                    *_PYTEST,
                    f"--board={self.board}",
                    f"--embedbench-firmware={folder}",
                    f"--embedbench-profile={self.profile}",
                    f"--embedbench-artifacts={artifacts}",
                    self.hidden,
                ],
                timeout_s=self.timeout_s,
            )
            verdicts = sorted(Path(artifacts).rglob("verdict.json"))
            record: dict[str, Any] = {}
            if verdicts:
                record = json.loads(verdicts[0].read_text())
        return _trial(mutant, done, record)


def _trial(mutant: Mutant, done: Finished, record: dict[str, Any]) -> Trial:
    fate, reason = _fate(done, record)
    check = str(record.get("decided_by") or "").rpartition("::")[2]
    return Trial(
        mutant=mutant,
        fate=fate,
        stage=str(record.get("stage") or ""),
        check=check,
        brief=tuple(record.get("brief", ())),
        reason=reason,
        duration_s=float(record.get("duration_s", 0.0)),
    )


def _fate(done: Finished, record: dict[str, Any]) -> tuple[Fate, str]:
    reason = str(record.get("reason") or "").partition("\n")[0]
    verdict, stage = record.get("verdict"), record.get("stage")
    if done.ending is Ending.TIMED_OUT:
        return Fate.KILLED, "the suite ran out of time"
    if verdict == "PASS":
        return Fate.SURVIVED, reason
    if verdict in ("HOST", "INT"):
        return Fate.STILLBORN if stage in _BUILDS else Fate.KILLED, reason
    tail = "\n".join(f"{done.stdout}{done.stderr}".splitlines()[-_TAIL_LINES:])
    return Fate.UNCLEAR, reason or f"pytest exited with {done.returncode}:\n{tail}"
