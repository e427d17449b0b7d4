"""Mutants through pytest: what their checks say, and what the search says."""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import BenchFault
from pytest_embedbench.processes.guarded import run_guarded
from pytest_embedbench.support.progress import LongWork

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_embedbench.esr.records import CaseRecord

_PYTEST = (
    *(sys.executable, "-m", "pytest", "-v", "--tb=no", "-p", "no:cacheprovider"),
    *("--import-mode=importlib", "--embedbench-plots=never"),
)
_TAIL_LINES = 15
_ENDED = re.compile(r"\b(?:PASSED|FAILED|ERROR|SKIPPED)\b")
_BEGUN = re.compile(r"\S*::.* ")
"""What xdist says of an item that begins."""
_SHARE = re.compile(r"\[ *\d+%\]")
"""What both are in a line that says how an item ended, and in no other."""


def run_cases(root: Path, *, pins: str, board: str, jobs: int, limit_s: float) -> Path:
    """Run the checks of all cases below a folder; return the folder of artifacts.

    What pytest prints is passed on as it comes, but for the items: of them it is shown
    how many have ended, and about how long the others take.

    Raises:
        BenchFault: pytest did not come to its end.
    """
    artifacts = root.with_name(f"{root.name}-{pins}")
    with LongWork(f"{pins} pins", sum(1 for _ in root.iterdir()), host_now_s) as work:
        ended = run_guarded(
            [
                *_PYTEST,
                *(str(root), f"--rootdir={root}", f"--board={board}", f"-n{jobs}"),
                *(f"--embedbench-pins={pins}", f"--embedbench-artifacts={artifacts}"),
            ],
            timeout_s=limit_s,
            stop_at=partial(_pass_on, work),
        )
    runs = [each for each in artifacts.glob("*") if each.name != "latest"]
    if ended.returncode not in (0, 1) or not runs:
        said = (ended.stdout + ended.stderr).splitlines()[-_TAIL_LINES:]
        raise BenchFault("\n".join(["pytest could not run the mutants:", *said]))
    return max(runs, key=lambda run: run.name)


def _pass_on(work: LongWork, line: str) -> bool:
    if is_item_end(line):
        work.piece_done()
    elif not _BEGUN.fullmatch(line.rstrip("\n")):
        sys.stderr.write(line.rstrip("\n") + "\n")
    return False


def is_item_end(line: str) -> bool:
    """Say whether a line of a verbose pytest, with workers or not, is an item's end."""
    return bool(_ENDED.search(line) and _SHARE.search(line))


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
