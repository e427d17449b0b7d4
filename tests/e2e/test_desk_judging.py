"""Hostile submissions come to the same end at a desk as in ``embedbench evaluate``."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.campaign.desk import Desk
from pytest_embedbench.campaign.desk_socket import ask
from pytest_embedbench.campaign.judging import Evaluator
from pytest_embedbench.campaign.modes import MODES
from pytest_embedbench.campaign.record import Record
from pytest_embedbench.campaign.workspace import create_workspace
from pytest_embedbench.grading.task import Suite, load_task
from tests.e2e.native_firmware import SUITES, needs_gcc
from tests.e2e.test_sandboxed_evaluation import READ, only_if_opened
from tests.support.sandboxes import needs_sandbox
from tests.support.suite_digest import suite_digest
from tests.support.unmeasured import unmeasured

if TYPE_CHECKING:
    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

pytestmark = [needs_gcc, needs_sandbox]

TANK = SUITES / "tank_fill_drain"
SOLUTION = (TANK / "solution/src/controller.c").read_text()
HOSTILE = {
    "asm": f'__asm__(".incbin \\"{TANK}/hidden/oracle.py\\"");\n{SOLUTION}',
    "early": (
        "#include <stdlib.h>\n"
        "__attribute__((constructor)) static void early(void) { _Exit(0); }\n"
        f"{SOLUTION}"
    ),
    "oracle": only_if_opened(TANK / "hidden/oracle.py", READ),
}


def test_hostile_submissions_end_as_they_do_when_evaluated(
    tmp_path: Path, seeded: CoreSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = suite_digest(TANK)
    for name in ("EMBEDBENCH_CACHE", "EMBEDBENCH_CORE"):
        place = tmp_path / "cache" if "CACHE" in name else seeded.core_dir
        monkeypatch.setenv(name, str(place))
    suite = Suite(root=TANK, task=load_task(TANK / "task.toml"))
    workspace = tmp_path / "workspace"
    create_workspace(suite, workspace, MODES["oracle_full"])
    with Desk(
        suite=suite,
        workspace=workspace,
        mode=MODES["oracle_full"],
        judge=Evaluator(
            task=TANK, boards=("native",), profile="paper", sandbox="require"
        ),
        record=Record(tmp_path / "records" / "record.jsonl"),
        folder=tmp_path / "records" / "submissions",
    ) as desk:
        for source in HOSTILE.values():
            (workspace / "src/controller.c").write_text(source)
            said = ask(desk.socket, {"do": "submit"})["text"]
            assert said.startswith("FAIL HOST ")
            assert str(tmp_path) not in said
    judged = {
        name: (each.judgement.verdict, each.judgement.stage, each.judgement.reason)
        for name, each in zip(HOSTILE, desk.submissions, strict=True)
    }
    assert judged == evaluated(tmp_path)
    assert suite_digest(TANK) == before


def evaluated(folder: Path) -> dict[str, tuple[str, str, str]]:
    """Return verdict, stage and reason of each as ``embedbench evaluate`` has them."""
    for name, source in HOSTILE.items():
        file = folder / "all" / name / "src" / "controller.c"
        file.parent.mkdir(parents=True)
        file.write_text(source)
    words = (sys.executable, "-m", "pytest_embedbench.cli", "evaluate", str(TANK))
    done = subprocess.run(
        [*words, "all", "-n0", "--board=native", "--profile=paper", "--json=rows.json"],
        cwd=folder,
        env=unmeasured() | {"EMBEDBENCH_SANDBOX": "require"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads((folder / "rows.json").read_text())["rows"]
    return {
        row["submission"]: (
            row["verdict"],
            row["stage"],
            # Of each as the desk has it: the path of its folder is another one.
            re.sub(r"\S*all/\w+: ", "submission: ", row["reason"]),
        )
        for row in rows
    }
