"""What others answered who have passed, asked again: the same verdicts, sooner."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import pytest_embedbench
from tests.e2e.evaluator import Evaluation, Evaluator, skip_without_engine
from tests.e2e.native_firmware import SUITES, needs_gcc
from tests.support.sandboxes import needs_sandbox

pytestmark = [needs_gcc, needs_sandbox]

TANK = SUITES / "tank_fill_drain"
PACKAGE = Path(pytest_embedbench.__file__).parent
SOLUTION = (TANK / "solution/src/controller.c").read_text()
ON_LEVEL = "    case CONTROLLER_INPUT_LEVEL:\n"
ONE_CHECK = "test_malformed_levels_are_told_apart"
TIMES = ("started_at", "ended_at", "duration_s")


@pytest.fixture
def tank(tmp_path: Path) -> Path:
    """The task package, as nobody else has it: what is known of another's is not."""
    (tmp_path / "pytest_embedbench").symlink_to(PACKAGE)
    root = tmp_path / "suites/tank"
    shutil.copytree(TANK, root, ignore=shutil.ignore_patterns(".*"))
    with (root / "task.toml").open("a") as file:
        file.write(f"# {tmp_path}\n")
    return root


class Judge:
    """Judges submissions in a sandbox."""

    def __init__(self, evaluate: Evaluator) -> None:
        self.evaluate = evaluate
        self._before = {*self._folders()}

    def __call__(
        self, tank: Path, *args: str, source: str = SOLUTION, board: str = "native"
    ) -> Evaluation:
        submission = tank.parent / "submission"
        submission.mkdir(exist_ok=True)
        (submission / "controller.c").write_text(source)
        return self.evaluate(
            "--embedbench-sandbox=require",
            f"--embedbench-firmware={submission}",
            *args,
            suite=tank,
            board=board,
        )

    def files(self) -> list[Path]:
        """Return what has been kept of conversations in this test."""
        new = [each for each in self._folders() if each not in self._before]
        return [path for folder in new for path in folder.iterdir()]

    def forget(self) -> None:
        for file in self.files():
            file.unlink()

    def _folders(self) -> list[Path]:
        return [*(self.evaluate.cache_dir / "conversations").glob("*")]


@pytest.fixture
def judge(evaluate: Evaluator) -> Judge:
    return Judge(evaluate)


def recalled(done: Evaluation) -> int:
    """Return how many checks have passed by known answers."""
    told = re.search(r"known answers passed (\d+) checks", done.printed)
    return int(told[1]) if told else 0


def timeless(value: Any) -> Any:  # noqa: ANN401  # as JSON has it
    if isinstance(value, dict):
        return {k: timeless(each) for k, each in value.items() if k not in TIMES}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def histories(done: Evaluation) -> dict[str, str]:
    """Return what is kept of each failure."""
    files = sorted(done.folder.rglob("history.txt"))
    return {file.parent.name: file.read_text() for file in files}


def test_a_second_run_says_the_same_and_works_out_nothing(
    judge: Judge, tank: Path
) -> None:
    first = judge(tank)
    assert first.ending == ("PASS", "INTEGRATION"), first.printed
    assert recalled(first) == 0
    in_turn, shared = judge(tank, "-n0"), judge(tank, "-n2")
    host_count = sum(check["stage"] == "HOST_TEST" for check in first.verdict["checks"])
    assert recalled(in_turn) == recalled(shared) == host_count > 50
    assert timeless(in_turn.verdict) == timeless(first.verdict)
    assert timeless(shared.verdict) == timeless(first.verdict)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (ON_LEVEL, f"{ON_LEVEL}        if (input.level == 81) break;\n"),
        (ON_LEVEL, f"{ON_LEVEL}        if (input.level == 80) __builtin_trap();\n"),
        (ON_LEVEL, f"{ON_LEVEL}        while (input.level == 80) {{ }}\n"),
    ],
    ids=["wrong", "crashing", "spinning"],
)
def test_who_answers_otherwise_is_judged_as_if_nothing_was_known(
    judge: Judge, tank: Path, old: str, new: str
) -> None:
    wanted = ("-k", "test_host.py and (level or value)")
    wrong = SOLUTION.replace(old, new)
    assert wrong != SOLUTION
    alone = judge(tank, *wanted, source=wrong)
    judge.forget()
    judge(tank, *wanted)
    beside = judge(tank, *wanted, source=wrong)
    assert recalled(alone) == 0
    assert beside.verdict["counts"]["failed"] > 0, beside.printed
    assert recalled(beside) > 0
    assert timeless(beside.verdict) == timeless(alone.verdict)
    assert histories(beside) == histories(alone) != {}


def test_a_board_goes_through_what_is_known_by_itself(judge: Judge, tank: Path) -> None:
    skip_without_engine("uno")
    first = judge(tank, board="uno")
    assert first.ending == ("PASS", "INTEGRATION"), first.printed
    assert recalled(first) == 0
    in_turn = judge(tank, "-n0", board="uno")
    shared = judge(tank, "-n2", board="uno")
    stages = [check["stage"] for check in first.verdict["checks"]]
    count = len(stages) - stages.count("INTEGRATION")
    assert recalled(in_turn) == recalled(shared) == count
    assert stages.count("TARGET_TEST") > 10
    assert any(check["samples"] for check in first.verdict["checks"])
    assert timeless(in_turn.verdict) == timeless(first.verdict)
    assert timeless(shared.verdict) == timeless(first.verdict)


@pytest.mark.parametrize(
    "line",
    [
        "if (sizeof(int) == 2 && input.level == 81) break;",
        "if (sizeof(int) == 2 && input.level == 80) ((void (*)(void))0)();",
        "while (sizeof(int) == 2 && input.level == 80) { }",
        "for (volatile long n = 4000; sizeof(int) == 2 && n > 0; n--) { }",
    ],
    ids=["wrong", "restarting", "spinning", "slow"],
)
def test_who_answers_otherwise_on_a_board_is_judged_as_if_nothing_was_known(
    judge: Judge, tank: Path, line: str
) -> None:
    skip_without_engine("uno")
    wanted = ("-k", "test_host.py and (level or value)")
    source = SOLUTION.replace(ON_LEVEL, f"{ON_LEVEL}        {line}\n")
    alone = judge(tank, *wanted, source=source, board="uno")
    judge.forget()
    judge(tank, *wanted, board="uno")
    beside = judge(tank, *wanted, source=source, board="uno")
    assert recalled(alone) == 0
    assert recalled(beside) > 0
    is_slow = line.startswith("for")
    assert bool(beside.verdict["counts"]["failed"]) != is_slow, beside.printed
    assert timeless(beside.verdict) == timeless(alone.verdict)
    assert histories(beside) == histories(alone)
    assert bool(histories(alone)) != is_slow


def test_answers_to_another_suite_are_not_known(judge: Judge, tank: Path) -> None:
    wanted = ("-k", ONE_CHECK)
    judge(tank, *wanted)
    assert recalled(judge(tank, *wanted)) == 1
    for file in ("hidden/oracle.py", "hidden/test_host.py", "task.toml"):
        with (tank / file).open("a") as changed:
            changed.write("\n# changed\n")
        assert recalled(judge(tank, *wanted)) == 0, file


def test_a_damaged_file_is_as_good_as_none(judge: Judge, tank: Path) -> None:
    wanted = ("-k", ONE_CHECK)
    judge(tank, *wanted)
    (file,) = judge.files()
    whole = file.read_bytes()
    for damaged in (b"", whole[:-1], bytes([*whole[:-1], whole[-1] ^ 1])):
        file.write_bytes(damaged)
        done = judge(tank, *wanted)
        assert recalled(done) == 0
        assert done.verdict["counts"]["passed"] == 1
        assert file.read_bytes() == whole


def test_without_a_sandbox_nothing_is_kept_or_used(judge: Judge, tank: Path) -> None:
    wanted = ("-k", ONE_CHECK)
    judge(tank, *wanted, "--embedbench-sandbox=off")
    assert judge.files() == []
    judge(tank, *wanted)
    assert recalled(judge(tank, *wanted, "--embedbench-sandbox=off")) == 0
