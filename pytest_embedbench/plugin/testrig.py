"""The rig as a test has it: what it builds and boots is on the test's record."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.bench.able import check_foretold, check_tools
from pytest_embedbench.bench.console_record import RecordedConsole
from pytest_embedbench.bench.stand_ins import stand_in
from pytest_embedbench.bench.under_test import record_console
from pytest_embedbench.errors import ConfigError, NotSupported
from pytest_embedbench.model import NO_IMAGE, NO_SOURCE, Capability
from pytest_embedbench.plugin.failures import skipped_if_not_here, told_plainly
from pytest_embedbench.support.uart_speeds import spoken_at

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from contextlib import ExitStack
    from pathlib import Path

    import pytest

    from pytest_embedbench.contracts import BoardUnderTest, TargetConsole
    from pytest_embedbench.model import BoardSpec, FirmwareImage, FirmwareSource
    from pytest_embedbench.plugin.session import Session
    from pytest_embedbench.plugin.testlog import TestLog


@dataclass(frozen=True, slots=True)
class TestRig:
    """The session's rig, in the hands of one attempt at one test.

    Our errors are told plainly, and what is not here skips the test; boards live until
    ``opened`` is closed.
    """

    __test__ = False  # not a test class

    session: Session
    item: pytest.Item
    log: TestLog

    def spec(
        self, place: str, *, board: str = "", baud_bps: int | None = None
    ) -> BoardSpec:
        """Return a board by name; with ``board``, also what is on a port.

        ``baud_bps`` is what the test says of its first UART.
        """
        with told_plainly():
            rig = self.session.rig
            known = rig.registry.board
            spec = rig.spec(place, board=board) if board else known(place)
            return spec if baud_bps is None else spoken_at(spec, baud_bps)

    def source(self, spec: BoardSpec) -> FirmwareSource:
        """Return what is built for a board: somebody's, or the nearest project."""
        with self._plainly(spec):
            # A board that never can needs no environment, and nothing is built for it.
            registry = self.session.rig.registry
            booted = stand_in(registry, self._wired(spec))
            engine = registry.engine(booted.engine)
            check_foretold(engine, booted, self._needs(spec))
            check_tools(engine, booted)
            prebuilt = self.session.prebuilt(self.item, spec)
            source: FirmwareSource = self.item.ihook.pytest_embedbench_firmware_source(
                item=self.item, spec=spec
            )
            if prebuilt is not None and source != prebuilt:
                raise ConfigError(
                    f"image {prebuilt.parts[0]}: this suite says itself what is built "
                    f"({source.project_dir}), and is judged by its sources"
                )
            return self._for_board(source, spec)

    def image(self, spec: BoardSpec, source: FirmwareSource | None) -> FirmwareImage:
        """Return the built source, that of the suite by default."""
        self.log.board = spec.name
        with self._plainly(spec):
            if source is None:
                source = self.source(spec)
            source = self._for_board(source, spec)
            if source == NO_SOURCE:
                return NO_IMAGE
            self.log.environment = source.environment
            self.log.image = self.session.rig.image(source)
        return self.log.image

    def _for_board(self, source: FirmwareSource, spec: BoardSpec) -> FirmwareSource:
        if source == NO_SOURCE:
            return source
        return self.session.rig.for_board(source, spec)

    def image_if_flashed(
        self, spec: BoardSpec, source: FirmwareSource | None
    ) -> FirmwareImage:
        """Return the same for a board that is flashed; others run what is on them."""
        with self._plainly(spec):
            is_flashed = self.session.rig.is_flashed(spec)
        return self.image(spec, source) if is_flashed else NO_IMAGE

    def boot(
        self, opened: ExitStack, spec: BoardSpec, image: FirmwareImage
    ) -> BoardUnderTest:
        """Return a running board."""
        return self.boot_together(opened, [(spec, image)])[0]

    def boot_together(
        self, opened: ExitStack, wanted: Sequence[tuple[BoardSpec, FirmwareImage]]
    ) -> Sequence[BoardUnderTest]:
        """Return running boards, all taken before any is touched."""
        wanted = [(self._wired(self._erased(spec)), image) for spec, image in wanted]
        specs = [spec for spec, _ in wanted]
        self.log.board = ", ".join(dict.fromkeys(spec.name for spec in specs))
        with self._plainly(*specs):
            for spec in specs:
                self._check_erasable(spec)
            booting = self.session.rig.boot_together(wanted, needs=self._needs(*specs))
            boards = opened.enter_context(booting)
        if len(boards) > 1:
            self.log.together |= {board.spec.name for board in boards}
        for board, (_, image) in zip(boards, wanted, strict=True):
            self._note(opened, board, image)
        return boards

    def boot_often(
        self, opened: ExitStack, spec: BoardSpec, image: FirmwareImage
    ) -> Callable[[], BoardUnderTest]:
        """Return a function that boots a fresh board, and closes the one before."""
        spec = self._wired(self._erased(spec))
        with self._plainly(spec):
            self._check_erasable(spec)
            booting = self.session.rig.boot_often(spec, image, needs=self._needs(spec))
            boot = opened.enter_context(booting)

        def fresh() -> BoardUnderTest:
            with self._plainly(spec):
                board = boot()
            self._note(opened, board, image)
            return board

        return fresh

    def console(self, opened: ExitStack, place: str, board: str) -> TargetConsole:
        """Return a shell on what is at a place, without a program of ours there."""
        spec = self.spec(place, board=board)
        self.log.board = self.log.board or spec.name
        with self._plainly(spec):
            target = opened.enter_context(self.session.rig.console(spec))
            recorded = self._recorded(spec.name, target)
        opened.callback(recorded.close)
        return recorded

    def _recorded(self, name: str, target: TargetConsole) -> RecordedConsole:
        recorded = RecordedConsole(target, name, self.log.folder())
        self.log.note_console(recorded)
        return recorded

    def _note(
        self, opened: ExitStack, board: BoardUnderTest, image: FirmwareImage
    ) -> None:
        self.log.note_board(board, image)
        if Capability.CONSOLE in board.capabilities:

            def record(target: TargetConsole) -> TargetConsole:
                recorded = self._recorded(board.spec.name, target)
                opened.callback(recorded.end)
                return recorded

            record_console(board, record)
        self.item.ihook.pytest_embedbench_booted(
            item=self.item, board=board, image=image
        )

    def _needs(self, *specs: BoardSpec) -> list[str]:
        marked = [
            name for mark in self.item.iter_markers("needs") for name in mark.args
        ]
        is_wired = any(self._diagram(spec) for spec in specs)
        return [*marked, *([Capability.CIRCUIT.value] if is_wired else [])]

    def _diagram(self, spec: BoardSpec) -> Path | None:
        found: Path | None = self.item.ihook.pytest_embedbench_diagram(
            item=self.item, spec=spec
        )
        return found

    def _wired(self, spec: BoardSpec) -> BoardSpec:
        """Have a board that can stand in the test's circuit; others are refused."""
        with self._plainly(spec):
            diagram = self._diagram(spec)
            able = self.session.rig.capabilities(spec)
        if diagram is None or Capability.CIRCUIT not in able:
            return spec
        return replace(spec, options={**spec.options, "diagram": str(diagram)})

    def _check_erasable(self, spec: BoardSpec) -> None:
        """Refuse to take a board for wiped that runs what is on it."""
        marker = self.item.get_closest_marker("erase")
        if marker is None or marker.args[0] == "none":
            return
        if not self.session.rig.is_flashed(spec):
            raise NotSupported(
                f"{spec.name} runs what is on it: it is not flashed, so "
                f"{marker.args[0]!r} cannot be erased before this test"
            )

    def _erased(self, spec: BoardSpec) -> BoardSpec:
        """Have a board that is flashed wiped first, if the test says so.

        Others start empty for every test.
        """
        marker = self.item.get_closest_marker("erase")
        if marker is None or not {"flash_method", "lab"} & spec.options.keys():
            return spec
        return replace(spec, options={**spec.options, "erase": marker.args[0]})

    @contextmanager
    def _plainly(self, *specs: BoardSpec) -> Generator[None]:
        names = [name for spec in specs for name in (spec.name, spec.engine)]
        with told_plainly(), skipped_if_not_here(self.item.config, *names):
            yield
