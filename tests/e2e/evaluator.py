"""Runs a task's hidden suite as a user would, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_embedbench.bench.registry import Registry
from tests.e2e.native_firmware import SUITES
from tests.support.unmeasured import unmeasured

TANK = SUITES / "tank_fill_drain"


@dataclass(frozen=True)
class Evaluation:
    """What a run of the hidden suite printed, and its verdict."""

    printed: str
    verdict: dict[str, Any]
    folder: Path

    @property
    def ending(self) -> tuple[str | None, str | None]:
        return self.verdict["verdict"], self.verdict["stage"]


@dataclass(frozen=True)
class Evaluator:
    """Runs hidden suites with a cache of this session."""

    core_dir: Path
    cache_dir: Path
    folder: Path

    def __call__(
        self, *args: str, board: str = "native", suite: Path = TANK
    ) -> Evaluation:
        printed = self.run(*args, board=board, suite=suite)
        written = self.folder.rglob("verdict.json")
        files = [file for file in written if file.parts[-3] != "latest"]
        if not files:
            raise FileNotFoundError(f"no verdict.json was written:\n{printed}")
        file = max(files, key=lambda file: file.stat().st_mtime)
        run_dir = next(p for p in file.parents if p.parent == self.folder)
        return Evaluation(printed, json.loads(file.read_text()), run_dir)

    def run(self, *args: str, board: str = "native", suite: Path = TANK) -> str:
        """Run a hidden suite, and return all that was printed."""
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", str(suite / "hidden")),
                *("-p", "no:cacheprovider"),
                *(f"--board={board}", "--embedbench-plots=never"),
                f"--embedbench-core={self.core_dir}",
                f"--embedbench-cache={self.cache_dir}",
                f"--embedbench-artifacts={self.folder}",
                *args,
            ],
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
            env=unmeasured(),
        )
        return done.stdout + done.stderr

    def submit(self, source: str, *args: str, board: str = "native") -> Evaluation:
        submission = self.folder / "submission"
        submission.mkdir()
        (submission / "controller.c").write_text(source)
        return self("-x", f"--embedbench-firmware={submission}", *args, board=board)


def skip_without_engine(board: str) -> None:
    """Skip a test on a board whose engine is not installed."""
    registry = Registry()
    missing = registry.engine(registry.board(board).engine).missing()
    if missing is not None:
        pytest.skip(str(missing))
