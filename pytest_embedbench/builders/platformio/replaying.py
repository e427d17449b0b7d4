"""Build by the commands that an earlier build has run."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.builders.platformio import apart
from pytest_embedbench.builders.platformio.run import pio_run
from pytest_embedbench.processes.guarded import GuardedExit

if TYPE_CHECKING:
    from pytest_embedbench.builders.platformio.recipes import Recipe
    from pytest_embedbench.builders.platformio.scratch import Scratch

_SCRIPT = Path(__file__).parents[2] / "platforms" / "replay_build.py"


def replay(
    scratch: Scratch, recipe: Recipe, core_dir: Path, *, pio: str, timeout_s: float
) -> bool:
    """Run a recipe as PlatformIO would be run; say whether all of it went well.

    If not, nothing of it stays: whatever is wrong PlatformIO will say.
    """
    report: dict[str, Any] = json.loads(recipe["report"])
    check: dict[str, Any] = report.get("size_check") or {}
    no_more: dict[str, str] = {}
    size = {"line": shlex.join(check.get("argv", ())), "variables": no_more}
    shutil.rmtree(scratch.reads, ignore_errors=True)
    scratch.reads.mkdir(parents=True)
    orders = scratch.root / "replay.json"
    orders.write_text(
        json.dumps({**recipe, "size": size if check else None}), encoding="utf-8"
    )
    done = pio_run(
        (sys.executable, "-I", "-S", str(_SCRIPT), str(orders)),
        {},
        timeout_s=timeout_s,
        limits=apart.limits(scratch.project.source.isolation),
        policy=apart.policy(scratch, core_dir, pio),
    )
    orders.unlink()
    if (
        done.ending is GuardedExit.EXITED
        and done.returncode == 0
        and all(Path(path).is_file() for path in recipe["products"])
        and (not check or fits(done.stdout, check))
    ):
        scratch.report.write_text(recipe["report"], encoding="utf-8")
        return True
    scratch.forget_made()
    return False


def fits(said: str, check: dict[str, Any]) -> bool:
    """Say whether a program is no larger than PlatformIO lets it be."""
    lines = (line.strip() for line in said.splitlines())
    matches = filter(None, (re.search(check["pattern"], line) for line in lines))
    size_bytes = sum(int(number) for match in matches for number in match.groups())
    return size_bytes <= int(check["most_bytes"])
