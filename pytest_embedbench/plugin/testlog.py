"""What is known of one test while it runs, and its ``test.json``."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.clock import host_stamp
from pytest_embedbench.contracts import (
    Board,
    CanBeMissed,
    IsPluggedIn,
    SharedBoard,
)
from pytest_embedbench.errors import BenchFault
from pytest_embedbench.model import (
    NO_IMAGE,
    BoardSpec,
    FirmwareImage,
    FirmwareSource,
)
from pytest_embedbench.plugin import lab_report
from pytest_embedbench.plugin.failures import traceback_of
from pytest_embedbench.plugin.stash import NO_BOARD, log_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.bench.console_record import RecordedConsole

_NOBODY: dict[str, Any] = {}


@dataclass(slots=True)
class TestLog:
    """One attempt at one test: what it ran on, where its files are, how it went."""

    __test__ = False  # not a test class

    nodeid: str
    run_dir: Path
    attempt: int
    below: str = ""
    """In which folder of the run it has its own."""
    name: str = ""
    """What that is called after; the node id, if nobody says otherwise."""
    started_at: str = field(default_factory=host_stamp)
    board: str = ""
    environment: str = ""
    image: FirmwareImage | None = None
    ran: bool = False
    """Whether code under test has been running."""
    stash: pytest.Stash = field(default_factory=pytest.Stash)
    """What products remember of this attempt."""
    benches: list[Bench] = field(default_factory=list["Bench"])
    consoles: list[RecordedConsole] = field(default_factory=list["RecordedConsole"])
    elf_paths: dict[int, Path] = field(default_factory=dict[int, "Path"])
    """What each board of this test runs, by its ``id``."""
    board_events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """What boards have done to it, those that it did not get among them."""
    shared: list[SharedBoard] = field(default_factory=list["SharedBoard"])
    """Those of its boards that other tests will have after it."""
    together: set[str] = field(default_factory=set[str])
    """The names of boards that were booted with others at their side."""
    seeds: list[object] = field(default_factory=list[object])
    """What all chance in this test came from."""
    phases: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    _folder: Path | None = None
    _running: str = ""
    """What has been left for whoever looks on."""

    def folder(self) -> Path:
        """Return this attempt's own folder, made on first use."""
        if self._folder is None:
            from pytest_embedbench.bench.artifacts import new_folder, point_latest  # noqa: PLC0415

            try:
                self._folder = new_folder(
                    self.run_dir / self.below, self.name or self.nodeid, self.attempt
                )
            except OSError as error:
                raise BenchFault(
                    f"no artifacts can be kept in {self.run_dir} ({error.strerror}): "
                    "choose another place with --embedbench-artifacts"
                ) from error
            point_latest(self.run_dir)
        return self._folder

    @property
    def made_folder(self) -> Path | None:
        """This attempt's folder, if it has been made."""
        return self._folder

    def note_bench(self, bench: Bench) -> None:
        """Remember a bench, perhaps one around a board of the suite's own."""
        self.ran = True
        self.board = self.board or bench.board.spec.name
        self.benches.append(bench)
        self._say_running()

    def note_console(self, console: RecordedConsole) -> None:
        """Remember a console: what is on its target is under test."""
        self.ran = True
        self.consoles.append(console)
        self._say_running()

    def bench_folder(self, board: Board) -> Path:
        """Return a folder for one more bench: the test's own, then ones inside it.

        A board that was booted together with others has one of its own name.
        """
        # What is no board is for the bench to refuse.
        name = getattr(getattr(board, "spec", None), "name", "")
        if name in self.together and not (self.folder() / name).exists():
            folder = self.folder() / name
        elif not self.benches:
            return self.folder()
        else:
            folder = self.folder() / f"bench-{len(self.benches) + 1}"
        folder.mkdir()
        return folder

    @property
    def failed(self) -> bool:
        """Whether a phase so far has failed."""
        return any(phase["outcome"] == "failed" for phase in self.phases.values())

    @property
    def is_kept(self) -> bool:
        """Whether it leaves a record: it had something to run, or has failed."""
        return bool(self.board or self.ran or self.failed)

    def wants_plots(self, plots: str) -> bool:
        """Say whether ``--embedbench-plots`` asks for plots of it."""
        return plots == "always" or (plots == "failed" and self.failed)

    @property
    def has_failed_call(self) -> bool:
        """Whether the test, or a subtest of it, has failed."""
        return self.phases.get("call", _NOBODY).get("outcome") == "failed"

    def note_board(self, board: Board, image: FirmwareImage) -> None:
        """Remember a board that was booted."""
        self.ran = True
        self.board = board.spec.name
        if image.key and image is not self.image:
            self.image, self.environment = image, image.environment
        if image.key:
            self.elf_paths[id(board)] = image.elf_path
        if isinstance(board, SharedBoard):
            self.shared.append(board)
        self._say_running()

    def _say_running(self) -> None:
        """Leave word of the test for whoever looks on, until its record is there."""
        from pytest_embedbench.bench.artifacts import RUNNING, json_text  # noqa: PLC0415

        word = {
            "test": self.nodeid,
            "board": self.board,
            "started_at": self.started_at,
            "attempt": self.attempt,
        }
        if (text := json_text(word)) == self._running:
            return
        # Where nothing can be kept, the test's own files will say so.
        with suppress(BenchFault, OSError):
            (self.folder() / RUNNING).write_text(text, encoding="utf-8")
            self._running = text

    def absences(self) -> list[str]:
        """Say which of its boards were away in the middle of it, or are now."""
        return [told for board in self.shared for told in _absences(board)]

    def note_phase(self, report: pytest.TestReport, blame: str, reason: str) -> None:
        """Remember how setup, call or teardown went.

        Subtests come as calls, before that of the whole test, which passes then: what
        failed first stays what is said of it.
        """
        for board in self.shared:
            board.needs_recovery |= report.failed
        phase: dict[str, Any] = {
            "outcome": report.outcome,
            "duration_s": report.duration,
        }
        if blame:
            phase |= {"blame": blame, "reason": reason}
        if report.failed and (shown := traceback_of(report, reason)):
            phase["traceback"] = shown
        if report.when == "call" and self.has_failed_call:
            phase = {**self.phases["call"], "duration_s": report.duration}
        self.phases[report.when] = phase

    def record(self) -> dict[str, Any]:
        """Return what is known by now, as it goes into ``test.json``."""
        outcomes = [phase["outcome"] for phase in self.phases.values()]
        worst = next((o for o in ("failed", "skipped") if o in outcomes), "passed")
        blamed = next((p for p in self.phases.values() if "blame" in p), _NOBODY)
        image = self.image
        return {
            "schema": 1,
            "test": self.nodeid,
            "attempt": self.attempt,
            "outcome": worst,
            "blame": blamed.get("blame"),
            "reason": blamed.get("reason"),
            "board": self.board or None,
            **self._lab(),
            "environment": self.environment or None,
            "image": _about(image) if image else None,
            "seeds": self.seeds,
            "tools": dict(image.metadata) if image else {},
            "started_at": self.started_at,
            "phases": self.phases,
        }

    def _lab(self) -> dict[str, Any]:
        """Return what is known of the boards of a lab, where there are such."""
        had = lab_report.records(self)
        if not (had or self.board_events):
            return {}
        return {"boards": had, "board_events": self.board_events}

    def write(self, record: dict[str, Any]) -> None:
        """Write ``test.json``."""
        from pytest_embedbench.bench.artifacts import RUNNING, json_text  # noqa: PLC0415

        (self.folder() / "test.json").write_text(json_text(record), encoding="utf-8")
        if self._running:
            (self.folder() / RUNNING).unlink(missing_ok=True)


def _absences(board: SharedBoard) -> Iterator[str]:
    """Yield why a board is gone, or else when it was; first it is looked after."""
    if isinstance(board, CanBeMissed):
        try:
            board.await_back()
        except BenchFault as loss:
            yield str(loss)
            return
    if isinstance(board, IsPluggedIn) and isinstance(board, Board):
        for absence in board.absences:
            yield f"{board.spec.name} was {absence}"


def _about(image: FirmwareImage) -> dict[str, Any]:
    known = {"sha256": image.sha256, "key": image.key, "from_cache": image.was_found}
    return known | ({"once_per_run": image.untold} if image.untold else {})


def note_given(
    item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException] | None
) -> None:
    """Take down what fixtures of a suite's own have given in the place of ours.

    A test that fails before its board is made is on record with the name of that.
    """
    given: dict[str, object] = getattr(item, "funcargs", None) or {}
    source, image = given.get("firmware_source"), given.get("firmware_image")
    booted, spec = getattr(given.get("board"), "spec", None), given.get("board_spec")
    if isinstance(booted, BoardSpec):
        log = log_of(item)
        log.board = log.board or booted.name
        log.ran = True
    if isinstance(spec, BoardSpec):
        log = log_of(item)
        log.board = log.board or spec.name
    if isinstance(source, FirmwareSource):
        log = log_of(item)
        log.environment = log.environment or source.environment
    if isinstance(image, FirmwareImage) and image != NO_IMAGE:
        log = log_of(item)
        log.image = log.image or image
        log.environment = log.environment or image.environment
    callspec = getattr(item, "callspec", None)
    name = callspec.params.get("board_spec") if callspec is not None else None
    failed = excinfo is not None and not excinfo.errisinstance(pytest.skip.Exception)
    if failed and isinstance(name, str) and name != NO_BOARD:
        log = log_of(item)
        log.board = log.board or name
