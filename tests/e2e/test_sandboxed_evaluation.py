"""Submissions that reach for more than the task gives them, judged as any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.evaluator import Evaluator
from tests.e2e.native_firmware import SUITES, needs_gcc
from tests.support.sandboxes import needs_sandbox

pytestmark = needs_gcc

TANK = SUITES / "tank_fill_drain"
SOLUTION = (TANK / "solution/src/controller.c").read_text()
ON_LEVEL = "    case CONTROLLER_INPUT_LEVEL:\n"
AT_INIT = "void controller_init(controller_t *controller)\n{\n"
DECLARED = """
extern int open(const char *path, int flags, ...);
extern int fork(void);
extern int setsid(void);
extern int pause(void);
extern int close(int file);
extern void shell_run(const void *) __attribute__((weak));
"""
CREATE = "0101"
READ = "0"
DAEMON = """
    if (fork() == 0) {
        setsid();
        for (int file = 0; file < 64; file++) close(file);
        for (volatile int more = 1; more;) { }
    }
"""


def only_if_opened(path: Path, flags: str) -> str:
    """Return a controller that is right if a file can be opened, wrong otherwise."""
    letters = ", ".join(str(byte) for byte in f"{path}\0".encode())
    code = f"""{{
        static const char path[] = {{{letters}}};
        int file = open(path, {flags}, 0600);
        if (file < 0) break;
        close(file);
    }}
"""
    return DECLARED + SOLUTION.replace(ON_LEVEL, ON_LEVEL + code)


def on_the_board(code: str) -> str:
    """Return the reference, which does something more as a firmware."""
    more = f"if (shell_run) {{ {code} }}\n"
    return DECLARED + SOLUTION.replace(AT_INIT, AT_INIT + more)


@needs_sandbox
@pytest.mark.parametrize(
    ("path", "flags"),
    [
        (TANK / "hidden/oracle.py", READ),
        (TANK / "solution/src/controller.c", READ),
        (Path.home(), READ),
        (Path("/tmp/left-for-the-next"), CREATE),
    ],
    ids=["oracle", "solution", "home", "note"],
)
def test_what_a_sandbox_does_not_show_makes_no_submission_right(
    evaluate: Evaluator, path: Path, flags: str
) -> None:
    source = only_if_opened(path, flags)
    done = evaluate.submit(source, "--embedbench-sandbox=require")
    assert done.ending == ("HOST", "HOST_TEST"), done.printed
    assert done.verdict["sandbox"] == {"kind": "bubblewrap", "warning": None}


def test_without_a_sandbox_the_verdict_warns(evaluate: Evaluator) -> None:
    source = only_if_opened(TANK / "hidden/oracle.py", READ)
    done = evaluate.submit(source, "--embedbench-sandbox=off")
    assert done.ending == ("PASS", "INTEGRATION"), done.printed
    assert done.verdict["sandbox"]["kind"] == "none"
    assert "could read what they can" in done.verdict["sandbox"]["warning"]


@needs_sandbox
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (DAEMON, "the firmware has left 1 processes running"),
        ("while (fork() >= 0) { }", ""),
    ],
    ids=["daemon", "bomb"],
)
def test_firmware_that_makes_processes_is_at_fault(
    evaluate: Evaluator, code: str, reason: str
) -> None:
    source = on_the_board(code)
    done = evaluate.submit(source, "--embedbench-sandbox=require")
    assert done.verdict["verdict"] == "INT", done.printed
    assert reason in done.verdict["reason"]
