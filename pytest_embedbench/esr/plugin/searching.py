"""Judge one case: run its check as it is wired, then let the search try it."""

from __future__ import annotations

import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from _pytest.runner import runtestprotocol

from pytest_embedbench.bench.artifacts import safe_name
from pytest_embedbench.clock import host_now_s
from pytest_embedbench.diagram_file import check_diagram_file
from pytest_embedbench.errors import ConfigError, EmbedbenchError
from pytest_embedbench.esr.board_pins import drawn_catalogue
from pytest_embedbench.esr.expected_pins import check_pins
from pytest_embedbench.esr.model import (
    CaseResult,
    EsrCase,
    Evidence,
    Outcome,
    SearchBudget,
    TrialEnd,
)
from pytest_embedbench.esr.plugin.attempt import CheckAttempt
from pytest_embedbench.esr.plugin.options import BUDGET, PINS
from pytest_embedbench.esr.plugin.stash import ABOUT, ATTEMPT, KEPT
from pytest_embedbench.esr.records import record_of
from pytest_embedbench.esr.usual import FOLDER, STRICT
from pytest_embedbench.model import NO_SOURCE, Capability, FirmwareSource
from pytest_embedbench.plugin.options import setting
from pytest_embedbench.plugin.stash import PLACE, session_of
from pytest_embedbench.support.projects import (
    PREBUILT,
    PROJECT_FILE,
    PYTHON,
    prebuilt_source,
    project_above,
    python_program,
)

if TYPE_CHECKING:
    import pytest

    from pytest_embedbench.bench.registry import Registry
    from pytest_embedbench.esr.answers import ModelAnswer
    from pytest_embedbench.esr.model import TrialFirmware, TrialResult
    from pytest_embedbench.esr.records import CaseRecord
    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.wiring.diagram import Diagram

BESIDE_SOURCES = ("include", "lib", "boards", "components", "data", PROJECT_FILE)
"""What of a case's project an answer is built with."""
_KNOWN_PINS = ("uno", "nano", "mega")
_ENDS = {
    TrialEnd.PASSED: Outcome.STRICT,
    TrialEnd.NOT_BUILT: Outcome.BUILD_FAIL,
    TrialEnd.BENCH_FAULT: Outcome.BENCH_FAULT,
}

Judged = tuple["CaseRecord | None", str, str]
"""What a case came to, or why its check was skipped; and the strict run's failure."""


def judge(item: pytest.Item) -> Judged:
    """Return what an item's case comes to."""
    about = item.stash[ABOUT]
    taken = about.answer.taken if about.answer is not None else ()
    if about.answer is not None and not about.answer.has_code:
        why = about.answer.taken[0]
        result = CaseResult(name=about.own_id, outcome=Outcome.BUILD_FAIL, why=why)
        return record_of(result, about.about, taken=taken), "", ""
    trial = ItemTrial(item)
    try:
        first = trial.first()
        if trial.skipped:
            return None, trial.skipped, ""
        result = _searched(item, trial, first)
    except EmbedbenchError as error:
        result = CaseResult(
            name=about.own_id, outcome=Outcome.BENCH_FAULT, why=str(error)
        )
    except Exception as error:  # noqa: BLE001  # of ours: this case's, and no other's
        why = f"the search broke: {type(error).__name__}: {error}"
        result = CaseResult(name=about.own_id, outcome=Outcome.BENCH_FAULT, why=why)
        trial.failure = traceback.format_exc()
    record = record_of(result, about.about, taken=taken, observed=trial.observed)
    for evidence, folder in zip(record["evidence"], trial.folders, strict=False):
        evidence["folder"] = folder
    record["folder"] = trial.folders[0] if trial.folders else ""
    return record, "", trial.failure


def _searched(item: pytest.Item, trial: ItemTrial, first: TrialResult) -> CaseResult:
    """Return what a search comes to; nothing is searched where nothing can be."""
    about = item.stash[ABOUT]
    decided = _ENDS.get(first.end)
    if decided is None and setting(item.config, PINS) == STRICT:
        decided = Outcome.BUDGET
    if decided is not None:
        evidence = Evidence("strict", "", first.end, first.why, first.seconds)
        return CaseResult(
            name=about.own_id,
            outcome=decided,
            evidence=(evidence,),
            why=first.why,
            seconds=first.seconds,
        )
    from pytest_embedbench.esr.search import search  # noqa: PLC0415  # late

    budget = SearchBudget.of_trials(int(setting(item.config, BUDGET)))
    return search(trial.case(), trial, budget)


class ItemTrial:
    """A check of pytest's as a ``Trial``: its item runs anew, with fresh fixtures.

    Only what its functions alone have is fresh: fixtures of wider scope stay.
    """

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._about = item.stash[ABOUT]
        self._spec = session_of(item.config).registry.board(self._about.board)
        self._kept = item.config.stash[KEPT]
        self._first: TrialResult | None = None
        self._built: FirmwareSource | None = None
        self._image: Path | None = None
        self.folders: list[str] = []
        self.skipped = ""
        self.observed = False
        self.failure = ""

    def first(self) -> TrialResult:
        """Run the check as it is wired, on what there is."""
        answer = self._about.answer
        source = _answered(self._item, self._spec, answer) if answer else None
        searches = setting(self._item.config, PINS) != STRICT
        attempt = CheckAttempt(
            source=source, observe=searches, diagram=self._own_diagram()
        )
        self._first = self._run(attempt)
        self._built, self._image = attempt.built, attempt.image
        self.skipped, self.failure = attempt.skipped, attempt.shown
        return self._first

    def case(self) -> EsrCase:
        """Return what is searched.

        Raises:
            ConfigError: there is nothing that could be corrected, or no circuit.
        """
        built = self._built
        if built is None or built == NO_SOURCE:
            raise ConfigError(
                f"{self._spec.name} runs what is on it, or the suite has a fixture "
                "firmware_source of its own: there is nothing to correct pins in"
            )
        is_image = built.environment == PREBUILT
        session = session_of(self._item.config)
        board, diagram = _by_its_pins(session.registry, self._spec), self._diagram()
        can_rewire = Capability.CIRCUIT in session.rig.capabilities(self._spec)
        return EsrCase(
            name=self._about.own_id,
            board=board,
            diagram=diagram,
            source=None if is_image else built,
            image=self._image if is_image else None,
            is_drawn=can_rewire and board.name in _KNOWN_PINS,
        )

    def run(
        self, firmware: TrialFirmware, diagram: str = "", *, observe: bool = False
    ) -> TrialResult:
        """Run the check once more; the strict run that has been made is that one."""
        is_strict = firmware.image is None and not firmware.corrected and not diagram
        if is_strict and self._first is not None:
            return self._first
        attempt = CheckAttempt(observe=observe, diagram=self._own_diagram())
        folder = self._folder()
        if firmware.image is not None:
            attempt.source = prebuilt_source(firmware.image)
        elif firmware.source is not None:
            overlay = {**firmware.source.overlay}
            for path, content in firmware.corrected.items():
                overlay[path] = _written(folder / path, content)
            attempt.source = replace(firmware.source, overlay=overlay)
        if diagram:
            attempt.diagram = _written(folder / "diagram.json", diagram.encode())
        return self._run(attempt)

    def _run(self, attempt: CheckAttempt) -> TrialResult:
        item, began_s = self._item, host_now_s()
        item.stash[ATTEMPT] = attempt
        item.stash[PLACE] = (FOLDER, self._about.own_id)
        try:
            # Its parents stay: only what is a function's own is torn down.
            runtestprotocol(item, log=False, nextitem=cast("pytest.Item", item.parent))
        finally:
            del item.stash[ATTEMPT], item.stash[PLACE]
        if attempt.skipped and attempt.end is TrialEnd.PASSED:
            attempt.end, attempt.why = TrialEnd.BENCH_FAULT, attempt.skipped
        if attempt.source is not None and not attempt.was_asked and not attempt.skipped:
            attempt.end = TrialEnd.BENCH_FAULT
            attempt.why = "the suite says itself what is built (firmware_source)"
        run_dir = session_of(item.config).run_dir
        folder = attempt.folder
        result = attempt.result(host_now_s() - began_s)
        self.observed |= result.pin_use is not None
        self.folders.append(str(folder.relative_to(run_dir)) if folder else "")
        return result

    def _folder(self) -> Path:
        """Return where what one more trial runs is written."""
        name = f"{len(self.folders) + 1:03d}"
        return self._kept.folder / "tried" / safe_name(self._about.own_id) / name

    def _own_diagram(self) -> Path | None:
        """Return the circuit that comes with an answer, if one does."""
        answer = self._about.answer
        if answer is None or not answer.diagram:
            return None
        file = self._kept.folder / "answers" / answer.submission.label / "diagram.json"
        return file if file.is_file() else _written(file, answer.diagram.encode())

    def _diagram(self) -> Diagram:
        item = self._item
        file: Path | None = self._own_diagram()
        file = file or item.ihook.pytest_embedbench_diagram(item=item, spec=self._spec)
        if file is None:
            from pytest_embedbench.circuits.places import diagram_beside  # noqa: PLC0415

            file = diagram_beside(item.path, self._spec.name)
        report = check_diagram_file(file, catalogue=drawn_catalogue())
        if report.errors:
            raise ConfigError(f"{report.errors[0]}")
        answer = self._about.answer
        if answer is not None and answer.pins:
            check_pins(answer, report.diagram)
        return report.diagram


def _by_its_pins(registry: Registry, spec: BoardSpec) -> BoardSpec:
    """Return the simulated board that is like a real one: its pins are known."""
    if spec.name in _KNOWN_PINS:
        return spec
    alike = (registry.board(name) for name in _KNOWN_PINS)
    return next((each for each in alike if each.mcu == spec.mcu), spec)


def _answered(
    item: pytest.Item, spec: BoardSpec, answer: ModelAnswer
) -> FirmwareSource:
    """Return what is built of an answer: its files in the place of the case's own.

    Raises:
        ConfigError: the case has no project, or a file of the answer has no place.
    """
    folder = Path(answer.submission.folder)
    if PYTHON in spec.environments and (program := python_program(folder)):
        return program
    answer.submission.check_places(("src",))
    project = project_above(item.path)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    overlay = {path.relative_to(folder).as_posix(): path for path in files}
    overlay.pop(PROJECT_FILE, None)
    parts = tuple(name for name in BESIDE_SOURCES if (project / name).exists())
    return FirmwareSource(project_dir=project, overlay=overlay, parts=parts)


def _written(file: Path, content: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file
