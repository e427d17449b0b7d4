"""Which tests there are: for each board, each case that a suite's sources name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.contracts import HasUnitTests, UnitTestSuite
from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.model import FirmwareSource
from pytest_embedbench.plugin.stash import session_of
from pytest_embedbench.support.projects import PROJECT_FILE
from pytest_embedbench.unity.plugin import SOURCES
from pytest_embedbench.unity.plugin.items import BoardSuite, UnitTestItem
from pytest_embedbench.unity.sources import SourceCase, doctest_cases, unity_cases

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.plugin.session import Session

_CASES = {"unity": unity_cases, "doctest": doctest_cases}
_WHOLE = "*"
_SUITE = "test_"
_SUITES: pytest.StashKey[dict[Path, list[BoardSuite]]] = pytest.StashKey()


class UnitTestFile(pytest.File):
    """A source file of a suite of unit tests."""

    suites: Sequence[BoardSuite] = ()

    def collect(self) -> Iterator[pytest.Item]:
        """Yield its cases, once for each board."""
        for suite in self.suites:
            for case in _cases_of(suite, self.path):
                name = f"{case.name.replace('::', '.')}[{suite.board.name}]"
                kind: type[Any] = UnitTestItem
                item: UnitTestItem = kind.from_parent(self, name=name)
                item.suite, item.case = suite, case
                yield item


def collector_for(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return a collector for a file that belongs to a suite of unit tests."""
    suites = [s for s in _suites_above(path, parent.config) if path in s.sources]
    if not suites:
        return None
    kind: type[Any] = UnitTestFile  # pytest leaves from_parent without types
    collector: UnitTestFile = kind.from_parent(parent, path=path)
    collector.suites = suites
    return collector


def _suites_above(path: Path, config: pytest.Config) -> list[BoardSuite]:
    project = next((f for f in path.parents if (f / PROJECT_FILE).is_file()), None)
    if project is None:
        return []
    known = config.stash.setdefault(_SUITES, {})
    if project not in known:
        session = session_of(config)
        boards = [session.registry.board(name) for name in session.board_names()]
        known[project] = [
            board_suite
            for board in boards
            for board_suite in _suites_of(session, project, board)
        ]
    return known[project]


def _suites_of(
    session: Session, project: Path, board: BoardSpec
) -> Iterator[BoardSuite]:
    try:
        suites = _listed(session, project, board)
    except EmbedbenchError as error:
        suite = UnitTestSuite(name=_WHOLE, folder=project / "test")
        yield BoardSuite(
            project=project,
            board=board,
            suite=suite,
            sources=_sources(suite),
            error=error,
        )
        return
    for suite in suites:
        owned = _sources(suite)
        nested = _sources_below(suite.folder)
        names = [
            case.name
            for path in dict.fromkeys((*owned, *nested))
            for case in _cases_in(path, suite.framework)
        ]
        yield BoardSuite(
            project=project,
            board=board,
            suite=suite,
            known=tuple(dict.fromkeys(names)),
            sources=owned,
        )


def _listed(
    session: Session, project: Path, board: BoardSpec
) -> Sequence[UnitTestSuite]:
    rig = session.rig
    environment = rig.for_board(FirmwareSource(project_dir=project), board).environment
    builder = rig.builder(environment)
    if not isinstance(builder, HasUnitTests):
        return ()
    return builder.unit_tests(project, environment)


def _sources(suite: UnitTestSuite) -> tuple[Path, ...]:
    """Return the files of a suite that belong to no other one within it."""
    return tuple(
        path
        for path in _sources_below(suite.folder)
        if suite.name == _WHOLE or _own_suite(path) == suite.folder
    )


def _own_suite(path: Path) -> Path | None:
    return next((f for f in path.parents if f.name.startswith(_SUITE)), None)


def _sources_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in SOURCES)


def _cases_of(suite: BoardSuite, path: Path) -> list[SourceCase]:
    """Return a file's cases; the first file of a suite without any stands for it."""
    if suite.known:
        return _cases_in(path, suite.suite.framework)
    if path == suite.sources[0]:
        return [SourceCase(name=suite.whole_name, line=1)]
    return []


def _cases_in(path: Path, framework: str) -> list[SourceCase]:
    if framework not in _CASES:
        return []
    return _CASES[framework](path.read_text("utf-8", errors="replace"))
