"""In a workspace, tell the desk what a run of pytest came to, when it is over."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.desk_socket import ask
from pytest_embedbench.errors import BenchFault

if TYPE_CHECKING:
    import pytest

    from pytest_embedbench.model import FirmwareImage


class Notes:
    """Counts tests, and boards that were booted, for an agent's own statistics.

    A worker of xdist knows of boards alone, and its controller of tests.
    """

    def __init__(self, socket: Path, *, is_worker: bool) -> None:
        self._socket, self._is_worker = socket, is_worker
        self._passed = self._failed = self._boots = 0
        self._images: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test, as failed for each part of it that failed."""
        if self._is_worker:
            return
        self._failed += report.failed
        self._passed += report.passed and report.when == "call"

    def pytest_embedbench_booted(self, image: FirmwareImage) -> None:
        """Count a board, and what was built for it."""
        self._boots += 1
        self._images.add(image.key)

    def pytest_sessionfinish(self) -> None:
        """Tell it, if there is anything to tell and somebody listens."""
        counts = {
            "passed": self._passed,
            "failed": self._failed,
            "builds": len(self._images),
            "boots": self._boots,
        }
        if any(counts.values()):
            with suppress(BenchFault):
                ask(self._socket, {"do": "note"} | counts)


def begin(config: pytest.Config, socket: str) -> None:
    """Take notes of a run of pytest for the desk at ``socket``."""
    is_worker = hasattr(config, "workerinput")
    notes = Notes(Path(socket), is_worker=is_worker)
    config.pluginmanager.register(notes, "embedbench-notes")
