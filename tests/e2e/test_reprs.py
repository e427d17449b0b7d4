"""All that a test holds shows itself in a short line."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.evaluator import Evaluator

pytestmark = needs_gcc
WALK = """
ELSEWHERE = {
    "console", "real_board", "real_boards",  # need a board on a desk
    "uno_board", "nano_board", "mega_board", "qemu_esp32",  # need another build
    "circuit",  # needs a board in one
    "wokwi_board",  # needs a server
    "answer_judge",  # needs an endpoint
}

def test_reprs(request, bench):
    held = {}
    for plugin in request.config.pluginmanager.get_plugins():
        if getattr(plugin, "__name__", "").startswith("pytest_embedbench"):
            for name, value in list(vars(plugin).items()):
                if type(value).__name__ == "FixtureFunctionDefinition":
                    if name not in ELSEWHERE:
                        held[name] = request.getfixturevalue(name)
    held["run"] = held["paper_run"]("happy_path")
    held["boot"] = held["bench"].expect("DBG HEARTBEAT", within_ms=2_000)
    held["fresh"] = held["fresh_board"]()
    held["link"] = held["bench"].board.link()
    shown = {name: repr(value) for name, value in held.items()}
    print(*sorted(shown), sep=" ")
    assert {name: one for name, one in shown.items() if len(one) > 100} == {}
"""
SOME = {"bench", "board", "controller", "firmware_image", "fresh_board", "judge"}


def test_every_fixture_has_a_short_repr(evaluate: Evaluator, tmp_path: Path) -> None:
    (tmp_path / "pytest_embedbench").symlink_to(SUITES.parent / "pytest_embedbench")
    shutil.copytree(SUITES, tmp_path / "suites")
    suite = tmp_path / "suites" / "tank_fill_drain"
    for test in (suite / "hidden").glob("test_*.py"):
        test.unlink()
    (suite / "hidden" / "test_reprs.py").write_text(WALK)
    printed = evaluate.run("-s", "--embedbench-firmware=solution", suite=suite)
    assert "1 passed" in printed, printed
    (walked,) = (line for line in printed.splitlines() if " bench " in line)
    assert set(walked.split()) >= SOME
