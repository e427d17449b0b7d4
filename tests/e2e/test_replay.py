"""The history of a failed check: written whole, and taken once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.cli import main
from tests.e2e.evaluator import TANK
from tests.e2e.native_firmware import needs_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.evaluator import Evaluator

pytestmark = needs_gcc

SOLUTION = (TANK / "solution/src/controller.c").read_text()
STALE = "CONTROLLER_SENSOR_TIMEOUT_MS"


def replay(history: Path, submission: Path | str) -> int:
    firmware = f"--embedbench-firmware={submission}"
    return main(["replay", str(TANK), str(history), firmware])


def test_a_failed_check_leaves_its_history_which_goes_wrong_again(
    evaluate: Evaluator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    late = tmp_path / "late"
    late.mkdir()
    wrong = SOLUTION.replace(f"> {STALE}", f"> {STALE} + 1U")
    assert wrong != SOLUTION
    (late / "controller.c").write_text(wrong)
    done = evaluate(f"--embedbench-firmware={late}", "-k", "any_three_things or an_old")
    assert done.ending[0] == "HOST", done.printed
    histories = sorted(done.folder.rglob("history.txt"))
    assert len(histories) > 1
    for history in histories:
        text = history.read_text()
        assert len(text.splitlines()) < 20, "not the shortest"
        assert replay(history, late) == 1
        shown = capsys.readouterr().out
        assert "NONE 1101 0 -> pump_on=True, changed=False; the brief: pump_on" in shown
        assert replay(history, "solution") == 0
        assert "the brief" not in capsys.readouterr().out


def test_a_step_that_crashes_is_the_last_one_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "controller.c").write_text(
        SOLUTION.replace(
            "    case CONTROLLER_INPUT_LEVEL:", "    case 1: abort();"
        ).replace("#include <stddef.h>", "#include <stdlib.h>")
    )
    history = tmp_path / "history.txt"
    history.write_text("NONE 50\nLEVEL 100 20\nNONE 150\n")
    assert replay(history, tmp_path) == 1
    told = capsys.readouterr()
    assert told.out == "NONE 50 -> pump_on=False, changed=False\n"
    assert told.err.startswith("in controller_step(LEVEL, level=20, now_ms=100): it ")


def test_what_cannot_be_replayed_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(tmp_path / "none.txt", "solution") == 2
    assert main(["replay", str(tmp_path), "none.txt"]) == 2
    assert "embedbench replay: " in capsys.readouterr().err
