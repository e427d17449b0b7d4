"""What an earlier campaign has found out, so that one can go on where it ended."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.grading.mutation.trial import Fate, MutantTrial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_embedbench.grading.mutation.mutant import Mutant

_ON_EVERY_BOARD = ("EDIT_SURFACE", "HOST_BUILD", "HOST_TEST")
"""A mutant that fails in one of these never comes to a board."""


@dataclass(frozen=True, slots=True)
class TrialLog:
    """A file with a line of JSON for each trial, written as it ends."""

    file: Path

    def begin(self) -> None:
        """Forget what an earlier campaign has found."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text("", encoding="utf-8")

    def note(self, trial: MutantTrial) -> None:
        """Add a trial."""
        row = {
            "mutant": trial.mutant.name,
            "diff": _digest(trial.mutant),
            "fate": trial.fate.value,
            "stage": trial.stage,
            "check": trial.check,
            "brief": list(trial.brief),
            "reason": trial.reason,
            "duration_s": trial.duration_s,
        }
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def done(self, mutants: Sequence[Mutant]) -> dict[str, MutantTrial]:
        """Return the trials of mutants that were killed or did not compile, by name.

        One whose fault has changed since is not among them, nor is one that nothing has
        killed: the suite may have become better.
        """
        known = {mutant.name: mutant for mutant in mutants}
        done: dict[str, MutantTrial] = {}
        for row in self._rows():
            mutant = known.get(row["mutant"])
            fate = Fate(row["fate"])
            if mutant and row["diff"] == _digest(mutant) and fate in _ENDED:
                done[mutant.name] = MutantTrial(
                    mutant=mutant,
                    fate=fate,
                    stage=row["stage"],
                    check=row["check"],
                    brief=tuple(row["brief"]),
                    reason=row["reason"],
                    duration_s=row["duration_s"],
                )
        return done

    def _rows(self) -> Iterator[dict[str, Any]]:
        if self.file.is_file():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                if line.endswith("}"):  # not one that a kill has cut short
                    yield json.loads(line)


_ENDED = (Fate.KILLED, Fate.STILLBORN)


def on_every_board(done: dict[str, MutantTrial]) -> dict[str, MutantTrial]:
    """Return those of one board that end in the same way on each other one."""
    return {
        name: trial for name, trial in done.items() if trial.stage in _ON_EVERY_BOARD
    }


def _digest(mutant: Mutant) -> str:
    return hashlib.sha256(mutant.diff.encode()).hexdigest()[:16]
