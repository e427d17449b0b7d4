"""The trials of one case: what each was of, what came of it, what is left to spend."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.esr.model import (
    Evidence,
    TrialEnd,
    TrialFirmware,
    TrialResult,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.esr.model import EsrCase, SearchBudget, Trial


class OutOfBudget(Exception):
    """There is nothing left to spend; it ends a search, and nobody sees it."""


class TrialLedger:
    """Runs trials, and keeps account of them.

    ``tried`` counts candidates: a map and its confirmation are one.
    """

    def __init__(self, case: EsrCase, trial: Trial, budget: SearchBudget) -> None:
        self._case, self._trial, self._budget = case, trial, budget
        self.evidence: list[Evidence] = []
        self.notes: dict[str, None] = {}
        self.faults: list[str] = []
        self.tried = 0
        self._builds = 0

    @property
    def is_short_of_builds(self) -> bool:
        """Whether few are left: a third of them is kept for maps."""
        return self._builds * 3 >= self._budget.builds * 2

    @property
    def seconds(self) -> float:
        """What all of it took."""
        return sum(it.seconds for it in self.evidence)

    def strict(self) -> TrialResult:
        """Run what there is as it is wired."""
        return self._run("strict", "", self._case.firmware, observe=True)

    def rewired(self, tried: str, diagram: str) -> TrialResult:
        """Run the firmware in another circuit."""
        return self._run("rewired", tried, self._case.firmware, diagram, observe=True)

    def corrected(self, tried: str, files: Mapping[str, bytes]) -> TrialResult:
        """Build the source with other files, and run it as it is wired."""
        self._builds += 1
        if self._builds > self._budget.builds:
            raise OutOfBudget(f"{self._budget.builds} builds")
        overlaid = TrialFirmware(source=self._case.source, corrected=files)
        return self._run("source", tried, overlaid)

    def patched(self, tried: str, image: bytes, diagram: str) -> TrialResult:
        """Run an image with other bytes."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "firmware.elf"
            file.write_bytes(image)
            firmware = TrialFirmware(image=file)
            return self._run("image", tried, firmware, diagram, observe=True)

    def _run(
        self,
        how: str,
        tried: str,
        firmware: TrialFirmware,
        diagram: str = "",
        *,
        observe: bool = False,
    ) -> TrialResult:
        budget = self._budget
        if len(self.evidence) > budget.trials:
            raise OutOfBudget(f"{budget.trials} trials")
        if self.seconds > budget.seconds:
            raise OutOfBudget(f"{budget.seconds:g} s")
        result = self._trial.run(firmware, diagram, observe=observe)
        told = Evidence(how, tried, result.end, result.why, result.seconds)
        self.evidence.append(told)
        if how != "rewired":  # what another circuit does is nobody's fault
            self.notes.update(dict.fromkeys(result.notes))
        if result.end is TrialEnd.BENCH_FAULT:
            self.faults.append(result.why)
        return result
