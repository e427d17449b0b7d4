"""Whole evaluations of the tank: each submission ends where it has to."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.e2e.evaluator import skip_without_engine
from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.evaluator import Evaluator

pytestmark = needs_gcc

TANK = SUITES / "tank_fill_drain"
SOLUTION = (TANK / "solution/src/controller.c").read_text()
AT_INIT = "void controller_init(controller_t *controller)\n{\n"
ON_LEVEL = "    case CONTROLLER_INPUT_LEVEL:\n"
BARE = """
import pytest


@pytest.mark.brief("T2")
def test_a_low_level_switches_the_pump_on({board}_board):
    {board}_board.advance(300)
    {board}_board.link().send(b"SENSE LEVEL 20\\n")
    {board}_board.advance(300)
    said = b"".join(chunk.data for chunk in {board}_board.link().receive())
    assert b"ACT PUMP ON" in said
"""
# There is a shell on a board, and none in the host stage.
NOWHERE_ON_BOARD = """
#ifndef __SANITIZE_ADDRESS__
void nowhere(void);
__attribute__((used)) static void call(void) { nowhere(); }
#endif
"""
ON_BOARD_ONLY = "extern void shell_run(const void *) __attribute__((weak));\n"


def test_the_reference_passes_in_full(evaluate: Evaluator) -> None:
    done = evaluate("--embedbench-firmware=solution")
    assert done.ending == ("PASS", "INTEGRATION"), done.printed
    record = done.verdict
    assert record["complete"] is True
    assert record["counts"]["passed"] == record["counts"]["checks"]
    assert len(record["host_driver"]["sha256"]) == 64
    assert "-fsanitize=address,undefined" in record["host_driver"]["flags"]
    assert record["image"]["environment"] == "native"
    assert record["tools"]["pio"].startswith("PlatformIO")


def test_the_starter_fails_with_the_sentence_that_it_breaks(
    evaluate: Evaluator,
) -> None:
    done = evaluate("--embedbench-firmware=")
    assert done.ending == ("HOST", "HOST_TEST")
    assert done.verdict["submission"] is None
    sentence = "A valid level below 30 switches the pump on."
    assert done.verdict["brief"] == {"T2": sentence}
    assert sentence in done.printed
    assert (
        "controller_step(LEVEL, level=0, now_ms=100) gives pump_on=False; it"
        in (done.verdict["reason"])
    )


@pytest.mark.parametrize(
    ("source", "ending", "reason"),
    [
        pytest.param(
            SOLUTION.replace(ON_LEVEL, f"{ON_LEVEL}oops;\n"),
            ("HOST", "HOST_BUILD"),
            "undeclared",
            id="does-not-compile",
        ),
        pytest.param(
            SOLUTION.replace(ON_LEVEL, f"{ON_LEVEL}*(volatile int *)16 = 1;\n"),
            ("HOST", "HOST_TEST"),
            "memory error: SEGV src/controller.c:",
            id="crashes",
        ),
        pytest.param(
            SOLUTION.replace(ON_LEVEL, f"{ON_LEVEL}for (;;) {{ }}\n"),
            ("HOST", "HOST_TEST"),
            "it does not come back (out of CPU time)",
            id="spins",
        ),
        pytest.param(
            f"{SOLUTION}{NOWHERE_ON_BOARD}",
            ("INT", "TARGET_BUILD"),
            "undefined reference to",
            id="does-not-link-on-the-board",
        ),
        pytest.param(
            ON_BOARD_ONLY
            + SOLUTION.replace(
                AT_INIT, f"{AT_INIT}if (shell_run) {{ for (;;) {{ }} }}\n"
            ),
            ("INT", "BOOT"),
            "runs on without waiting",
            id="never-boots",
        ),
        pytest.param(
            ON_BOARD_ONLY
            + SOLUTION.replace(ON_LEVEL, f"{ON_LEVEL}if (shell_run) {{ break; }}\n"),
            ("INT", "INTEGRATION"),
            "",
            id="deaf-on-the-board",
        ),
    ],
)
def test_a_submission_ends_in_the_stage_where_it_fails(
    evaluate: Evaluator, source: str, ending: tuple[str, str], reason: str
) -> None:
    assert source != ON_BOARD_ONLY + SOLUTION, "the reference has changed"
    done = evaluate.submit(source)
    assert done.ending == ending, done.printed
    assert reason in done.verdict["reason"]


def test_what_does_not_compile_is_told_once_and_in_short(
    evaluate: Evaluator, tmp_path: Path
) -> None:
    submission = tmp_path / "with-an-unknown-type"
    submission.mkdir()
    header = (TANK / "src/controller.h").read_text()
    unknown = header.replace("    bool pump_on;", "    no_such_t pump_on;")
    assert unknown != header
    (submission / "controller.h").write_text(unknown)
    done = evaluate(f"--embedbench-firmware={submission}", "-n0")
    assert done.ending == ("HOST", "HOST_BUILD"), done.printed
    assert "unknown type name" in done.verdict["reason"]
    # The compiler's caret line comes with the verdict, and with the first of the checks
    # of another stage.
    assert " | " in done.verdict["reason"]
    told = [
        check for check in done.verdict["checks"] if " | " in (check["reason"] or "")
    ]
    assert [check["stage"] for check in told] == ["TARGET_BUILD"]
    assert len(json.dumps(done.verdict)) < 1_000 * len(done.verdict["checks"])
    assert len(done.printed.splitlines()) < 13 * len(done.verdict["checks"])


def test_the_published_profile_overlooks_undefined_behaviour(
    evaluate: Evaluator,
) -> None:
    overflow = "{ static volatile int big = 2147483647; big = big + input.level; }\n"
    source = SOLUTION.replace(ON_LEVEL, f"{ON_LEVEL}{overflow}")
    done = evaluate.submit(source, "--embedbench-profile=paper")
    assert done.ending == ("PASS", "INTEGRATION"), done.printed


@pytest.mark.parametrize("board", ["native", "uno"])
def test_a_plain_assertion_about_a_board_is_a_verdict_on_the_firmware(
    evaluate: Evaluator, tmp_path: Path, board: str
) -> None:
    skip_without_engine(board)
    suite = tmp_path / "suites" / TANK.name
    shutil.copytree(TANK, suite, ignore=shutil.ignore_patterns("hidden", "__pycache__"))
    (tmp_path / "pytest_embedbench").symlink_to(SUITES.parent / "pytest_embedbench")
    (suite / "hidden").mkdir()
    (suite / "hidden" / "test_board.py").write_text(BARE.format(board=board))
    done = evaluate("--embedbench-firmware=", suite=suite)
    assert done.ending == ("INT", "INTEGRATION"), done.printed
    assert done.verdict["brief"].keys() == {"T2"}
    (record,) = done.folder.rglob("test.json")
    known = json.loads(record.read_text())
    assert (known["blame"], known["board"]) == ("firmware", board)
    assert known["image"]["sha256"] == done.verdict["image"]["sha256"]


def test_the_rest_of_a_published_workspace_is_ignored(
    evaluate: Evaluator, tmp_path: Path
) -> None:
    workspace = tmp_path / "workspace"
    component = workspace / "components" / "controller"
    shutil.copytree(TANK / "src", component / "include", ignore=_but_headers)
    shutil.copy(TANK / "solution/src/controller.c", component)
    (workspace / "main").mkdir()
    others = ("CMakeLists.txt", "main/CMakeLists.txt", "main/uart_transport.c")
    for name in others:
        (workspace / name).write_text("#error never built\n")
    done = evaluate(f"--embedbench-firmware={workspace}")
    assert done.ending == ("PASS", "INTEGRATION"), done.printed
    assert done.verdict["ignored"] == list(others)
    assert f"ignores {', '.join(others)}" in done.printed


def _but_headers(_folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith("controller.h")]
