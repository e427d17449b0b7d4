"""A case of a suite of unit tests on a board, as a test of pytest's."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.contracts import RunsPlainPrograms, UnitTestSuite
from pytest_embedbench.errors import BenchFault
from pytest_embedbench.model import BoardSpec, FirmwareSource
from pytest_embedbench.plugin.failures import cause_of, told_plainly
from pytest_embedbench.plugin.options import setting
from pytest_embedbench.plugin.stash import log_of, session_of
from pytest_embedbench.plugin.testrig import TestRig
from pytest_embedbench.unity.plugin import HEADERS, SOURCES, UNIT_TEST_LIMIT
from pytest_embedbench.unity.plugin.stash import STAND_IN
from pytest_embedbench.unity.plugin.subcases import act_on, report_cases
from pytest_embedbench.unity.shared import shared_run
from pytest_embedbench.unity.sources import is_called
from pytest_embedbench.unity.suite_run import (
    READERS,
    not_run,
    run_on_board,
    run_program,
)
from pytest_embedbench.unity.verdicts import judge, judge_the_end, worst

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.model import FirmwareImage
    from pytest_embedbench.unity.sources import SourceCase
    from pytest_embedbench.unity.suite_run import SuiteRun
    from pytest_embedbench.unity.verdicts import CaseVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSuite:
    """A suite on a board; ``known`` are the names of cases in all of its sources.

    ``error`` says why it is not known what there is to run; its tests fail with that.
    """

    project: Path
    board: BoardSpec
    suite: UnitTestSuite
    known: tuple[str, ...] = ()
    sources: tuple[Path, ...] = ()
    error: EmbedbenchError | None = None

    @property
    def whole_name(self) -> str:
        """What a test is called that stands for all cases: no source names any."""
        return self.suite.folder.name

    def texts(self) -> Iterator[str]:
        """Yield all C files of the suite, and those above it up to the project."""
        folder = self.suite.folder
        above = (f for f in folder.parents if f.is_relative_to(self.project))
        found = chain(folder.rglob("*"), *(each.iterdir() for each in above))
        for path in found:
            if path.suffix in SOURCES | HEADERS and path.is_file():
                yield path.read_text("utf-8", errors="replace")

    def first_to_run(self, case: SourceCase) -> bool:
        """Say whether a case is the one under which others are reported."""
        return case.name == (self.known or (self.whole_name,))[0]


class UnitTestItem(pytest.Item):
    """One case on one board; it shares its suite's run with all others."""

    suite: BoardSuite
    case: SourceCase

    def runtest(self) -> None:
        """Have the suite run, if it has not, and end as the case did."""
        with told_plainly():
            run = self._run()
            if run.bench_fault:
                raise BenchFault(run.bench_fault)
            log_of(self).ran = True
            is_first = self.suite.first_to_run(self.case)
            if is_first:
                self._report_others(run)
            verdicts: list[CaseVerdict] = []
            if self.suite.known:
                verdicts.append(judge(self.case, run, self._is_called))
            if is_first:
                verdicts.append(judge_the_end(run, self.suite.known))
            act_on(worst(*verdicts))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the case is."""
        return self.path, self.case.line - 1, self.name

    def _is_called(self, function: str) -> bool:
        return is_called(function, self.suite.texts())

    def _report_others(self, run: SuiteRun) -> None:
        assert self.parent is not None
        others = run.others(self.suite.known)
        board = f"[{self.suite.board.name}]"
        report_cases(self, others, f"{self.parent.nodeid}::", board)

    def _run(self) -> SuiteRun:
        suite, log = self.suite, log_of(self)
        log.board = suite.board.name
        if suite.error is not None:
            raise suite.error
        framework = suite.suite.framework
        if framework not in READERS:
            pytest.skip(f"test_framework = {framework}: only `pio test` runs that")
        if not suite.board.uarts:
            pytest.skip(f"{suite.board.name} has no UART to report over")
        attempt = str(getattr(self, "execution_count", 1))
        what = (str(suite.project), suite.board.name, suite.suite.name, attempt)
        folder = session_of(self.config).run_dir / "unit-tests"
        return shared_run(folder, "\n".join(what), self._make)

    def _make(self) -> SuiteRun:
        """Build the suite and run it."""
        suite, log = self.suite, log_of(self)
        rig = TestRig(session_of(self.config), self, log)
        uart, *more = suite.board.uarts
        uart = replace(uart, baud_bps=suite.suite.baud_bps, said_by="test_speed")
        spec = replace(suite.board, uarts=(uart, *more))
        name = suite.suite.name
        source = FirmwareSource(project_dir=suite.project, test_suite=name)
        image = rig.image(spec, source)
        if words := image.metadata.get("test framework"):
            self.user_properties.append((STAND_IN, words))
        limit_s = int(setting(self.config, UNIT_TEST_LIMIT))
        framework = suite.suite.framework
        if (program := self._program(spec, image)) is not None:
            return run_program(
                program, framework, suite.known, limit_s=limit_s, folder=log.folder()
            )
        try:
            return self._on_board(rig, spec, image, limit_s * 1000)
        except (BenchFault, pytest.fail.Exception) as error:
            run = not_run(cause_of(error) or error)
            if run is None:
                raise
            return run

    def _on_board(
        self, rig: TestRig, spec: BoardSpec, image: FirmwareImage, limit_ms: int
    ) -> SuiteRun:
        suite, log = self.suite, rig.log
        with ExitStack() as opened:
            board = rig.boot(opened, spec, image)
            elf_path = log.elf_paths.get(id(board))
            bench = Bench(board, log.bench_folder(board), elf_path=elf_path)
            opened.callback(bench.close)
            log.note_bench(bench)
            return run_on_board(bench, suite.suite.framework, suite.known, limit_ms)

    def _program(self, spec: BoardSpec, image: FirmwareImage) -> Path | None:
        """Return what is not booted but run like any other program of this machine."""
        engine = session_of(self.config).registry.engine(spec.engine)
        if isinstance(engine, RunsPlainPrograms):
            return engine.plain_program(image)
        return None
