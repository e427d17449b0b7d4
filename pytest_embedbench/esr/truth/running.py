"""Mutants through pytest: what their checks say, and what the search says."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.processes.guarded import run_guarded

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_embedbench.esr.records import CaseRecord

_PYTEST = (
    *(sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider"),
    *("--import-mode=importlib", "--embedbench-plots=never"),
)
_TAIL_LINES = 15


def run_cases(root: Path, *, pins: str, board: str, jobs: int, limit_s: float) -> Path:
    """Run the checks of all cases below a folder; return the folder of artifacts.

    What pytest prints is passed on as it comes.

    Raises:
        BenchFault: pytest did not come to its end.
    """
    artifacts = root.with_name(f"{root.name}-{pins}")
    ended = run_guarded(
        [
            *_PYTEST,
            *(str(root), f"--rootdir={root}", f"--board={board}", f"-n{jobs}"),
            *(f"--embedbench-pins={pins}", f"--embedbench-artifacts={artifacts}"),
        ],
        timeout_s=limit_s,
        stop_at=_pass_on,
    )
    runs = [each for each in artifacts.glob("*") if each.name != "latest"]
    if ended.returncode not in (0, 1) or not runs:
        said = (ended.stdout + ended.stderr).splitlines()[-_TAIL_LINES:]
        raise BenchFault("\n".join(["pytest could not run the mutants:", *said]))
    return max(runs, key=lambda run: run.name)


def _pass_on(line: str) -> bool:
    sys.stderr.write(line.rstrip("\n") + "\n")
    return False


def passed_in(run: Path) -> Mapping[str, bool]:
    """Return whether the check of each case passes, by its name.

    Raises:
        BenchFault: it could not be decided for one of them.
    """
    found: dict[str, bool] = {}
    for file in run.rglob("test.json"):
        record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        name = record["test"].split("::")[0].split("/")[-2]
        if record["outcome"] != "passed" and record["blame"] != "firmware":
            raise BenchFault(f"{name} could not be decided: {record['reason']}")
        found[name] = record["outcome"] == "passed"
    return found


def records_in(run: Path) -> Mapping[str, CaseRecord]:
    """Return what the search says of each case, by its name."""
    table: dict[str, Any] = json.loads((run / "esr.json").read_text(encoding="utf-8"))
    return {record["case"]: record for record in table["cases"]}
