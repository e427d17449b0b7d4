"""Having one submission judged, by a process that knows nothing of the workspace.

It is ``embedbench evaluate`` on the task package: a folder, an environment and a
configuration of its own. Nothing of what an agent can write is loaded by it; of the
submission it gets the files of the edit surface.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.grading.verdict import BENCH, Stage, Verdict
from pytest_embedbench.processes.guarded import run_guarded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_LIMIT_S = 3600.0
_PASSED_ON = (
    "PATH", "HOME", "LANG", "TMPDIR", "XDG_CACHE_HOME", "EMBEDBENCH_CACHE",
    "EMBEDBENCH_CORE", "PLATFORMIO_CORE_DIR", "ESPRESSIF_QEMU_PATH",
)  # fmt: skip
_TAIL_LINES = 5
_MOST_NAMED = 20
_STAGES = [stage.value for stage in Stage]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What became of one submission.

    Attributes:
        verdict: PASS, HOST, INT or NONE; ``None`` if it was our fault.
        stage: Where it was decided; ``None`` for none.
        reason: Why, in words.
        boards: The verdict of each board, by name.
        details: ``verdict.json`` of each board, by name.
        folder: Where the run's artifacts are; ``None`` if nothing ran.
    """

    verdict: str | None
    stage: str | None
    reason: str
    boards: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    details: Mapping[str, dict[str, Any]] = field(
        default_factory=dict[str, "dict[str, Any]"]
    )
    folder: Path | None = None

    @property
    def passed(self) -> bool:
        """Whether it is right in every way that was checked."""
        return self.verdict == Verdict.PASS.value


def outside_surface(offences: Sequence[str]) -> Judgement:
    """Return the judgement on a workspace in which more was changed than may be."""
    named = [*offences[:_MOST_NAMED]]
    if len(offences) > _MOST_NAMED:
        named.append(f"and {len(offences) - _MOST_NAMED} more")
    reason = "outside of the edit surface: " + "; ".join(named)
    stage, verdict = Stage.EDIT_SURFACE.value, Verdict.HOST.value
    return Judgement(verdict=verdict, stage=stage, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """How a campaign's submissions are judged.

    Attributes:
        task: The task package.
        boards: Where firmware runs; a submission passes if it does on each.
        profile: Which checks.
        sandbox: ``auto``, ``require`` or ``off``.
    """

    task: Path
    boards: tuple[str, ...]
    profile: str = "full"
    sandbox: str = "auto"

    def __call__(self, files: Mapping[str, bytes], folder: Path) -> Judgement:
        """Judge files of the edit surface; ``folder`` is for all that comes of it.

        Raises:
            BenchFault: there is no room for it on the disk, or what came is unreadable.
        """
        try:
            return self._judge(files, folder)
        except (OSError, ValueError) as error:
            raise BenchFault(
                f"{folder}: the submission cannot be judged there: {error}"
            ) from error

    def _judge(self, files: Mapping[str, bytes], folder: Path) -> Judgement:
        submission = folder / "submission"
        submission.mkdir(parents=True)
        for name, content in files.items():
            file = submission / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        rows = folder / "rows.json"
        done = run_guarded(
            [
                *(sys.executable, "-P", "-s", "-m", "pytest_embedbench.cli"),
                *("evaluate", self.task.resolve(), submission, "-n0"),
                *(f"--board={name}" for name in self.boards),
                f"--profile={self.profile}",
                f"--json={rows}",
                f"--artifacts={folder / 'runs'}",
            ],
            timeout_s=_LIMIT_S,
            cwd=folder,
            env=_environment(self.sandbox),
        )
        if not rows.is_file():
            said = f"{done.stdout}{done.stderr}".strip().splitlines()[-_TAIL_LINES:]
            why = "\n".join(said) or f"exit code {done.returncode}"
            return Judgement(verdict=None, stage=BENCH, reason=f"no verdict: {why}")
        return _judgement(_read_without(rows, folder)["rows"], folder)


def _environment(sandbox: str) -> dict[str, str]:
    ours = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return ours | {"EMBEDBENCH_SANDBOX": sandbox, "PYTHONDONTWRITEBYTECODE": ""}


def _judgement(rows: Sequence[Mapping[str, Any]], folder: Path) -> Judgement:
    """Return what decides over all boards: what failed first, else what is unknown."""
    run = (folder / "runs" / "latest").resolve()
    decisive = min(rows, key=_rank)
    return Judgement(
        verdict=decisive["verdict"],
        stage=decisive["stage"],
        reason=decisive["reason"],
        boards={row["board"]: row["verdict"] for row in rows},
        details={
            row["board"]: _read_without(run / row["file"], folder) for row in rows
        },
        folder=run,
    )


def _read_without(file: Path, folder: Path) -> dict[str, Any]:
    """Read JSON, with paths below ``folder`` from there on: agents are told of them."""
    here = json.dumps(f"{folder}/")[1:-1]
    table: dict[str, Any] = json.loads(file.read_text("utf-8").replace(here, ""))
    return table


def _rank(row: Mapping[str, Any]) -> tuple[bool, bool, int]:
    """Sort failures of the submission by stage, before ours, before a pass."""
    stage = row["stage"]
    place = _STAGES.index(stage) if stage in _STAGES else len(_STAGES)
    return (row["verdict"] == Verdict.PASS.value, row["verdict"] is None, place)
