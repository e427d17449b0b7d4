"""``embedbench mutate`` on a small task: what is killed, and what is declared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.commands.new_task import make_task
from pytest_embedbench.grading.commands.task_names import TaskNames
from tests.e2e.evaluator import skip_without_engine
from tests.e2e.native_firmware import needs_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

pytestmark = [needs_gcc, pytest.mark.timeout(300)]

DECLARED = """
[[patch]]
name = "says-old"
what = "a step returns what the lamp did before it"
file = "src/controller.c"
find = "    output.lamp_on = controller->lamp_on;"
replace = "    output.lamp_on = before.lamp_on;"

[[patch]]
name = "sooner"
what = "it looks twice whether the lamp is on"
file = "src/controller.c"
find = "    output.lamp_on = controller->lamp_on;"
replace = "    output.lamp_on = controller->lamp_on && controller->lamp_on;"
"""
EQUIVALENT = '[[equivalent]]\nmutants = ["{}"]\nreason = "it is said to be"\n'
NAMES = ("says-old", "sooner")
NARROW = """
[[patch]]
name = "narrow"
what = "a light in thousandths, for which an int of 16 bits is too small"
file = "src/controller.c"
find = "light < CONTROLLER_LIGHT_LOW_THRESHOLD"
replace = "light * 1000 < CONTROLLER_LIGHT_LOW_THRESHOLD * 1000"
"""
THREADS = """
import threading
from pathlib import Path

start = threading.Thread.start

def noted(self):
    if self.name.startswith("embedbench"):
        Path(__file__).with_name("thread").write_text(self.name)
    start(self)

threading.Thread.start = noted
"""


@dataclass(frozen=True)
class Mutation:
    """Runs the command as a user does, on a task of its own."""

    task: Path
    core_dir: Path
    cache_dir: Path

    def __call__(
        self, *declared: str, names: tuple[str, ...] = NAMES, board: str = ""
    ) -> tuple[int, str, dict[str, Any]]:
        """Try the two mutants; return exit code, what was printed, and the record."""
        told = "".join(EQUIVALENT.format(name) for name in declared)
        if told:
            (self.task / "hidden" / "equivalents.toml").write_text(told)
        out = self.task.parent / "out"
        only = [word for name in names for word in ("--only", name)]
        words = ("-m", "pytest_embedbench.cli", "mutate", str(self.task), *only)
        words += (f"--board={board}",) if board else ()
        done = subprocess.run(
            [sys.executable, *words, "--jobs=1", f"--out={out}"],
            env=os.environ
            | {
                "EMBEDBENCH_CORE": str(self.core_dir),
                "EMBEDBENCH_CACHE": str(self.cache_dir),
                # With it nothing is in a buffer that a copy could print again.
                "PYTHONUNBUFFERED": "",
            },
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        file = out / self.task.name / (f"full-{board}.json" if board else "full.json")
        assert file.is_file(), done.stdout + done.stderr
        return done.returncode, done.stdout, json.loads(file.read_text())


@pytest.fixture
def mutate(seeded: CoreSetup, images_dir: Path, tmp_path: Path) -> Mutation:
    """A function that tries two mutants of a new task."""
    pytest.importorskip("tree_sitter_c", reason="the extra 'mutate'")
    task = make_task(
        TaskNames(task="keep_it_bright", sensor="light", actuator="lamp"), tmp_path
    )
    (task / "hidden" / "mutants.toml").write_text(DECLARED)
    return Mutation(task, seeded.core_dir, images_dir)


def test_a_fault_is_killed_and_what_is_none_is_counted_apart(mutate: Mutation) -> None:
    (mutate.task / "hidden" / "conftest.py").write_text(THREADS)
    code, printed, record = mutate("sooner")
    assert code == 0, printed
    assert "2 mutants, 1 of them equivalent; 1 killed, 0 survived" in printed
    rows = {row["mutant"]: row for row in record["mutants"]}
    assert rows["says-old"]["fate"] == "killed"
    assert rows["says-old"]["stage"] == "HOST_TEST"
    assert rows["sooner"]["equivalent"] is True
    assert record["score"] == 1.0
    # A copy made while one builds would keep its pipes open, and wait for its lock.
    assert not (mutate.task / "hidden" / "thread").exists()


def test_a_survivor_and_a_false_claim_are_told(mutate: Mutation) -> None:
    code, printed, record = mutate("says-old")
    assert code == 1
    assert "declared to be equivalent, and a fault: says-old" in printed
    assert record["counts"]["killed"] == record["counts"]["survived"] == 1
    survivor = next(row for row in record["mutants"] if row["fate"] == "survived")
    assert survivor["mutant"] == "sooner"
    assert survivor["witness"] == "", "nothing tells it from the brief"


def test_a_mutant_that_shows_on_the_boards_cpu_alone_dies_there(
    mutate: Mutation,
) -> None:
    skip_without_engine("uno")
    with (mutate.task / "hidden" / "mutants.toml").open("a") as file:
        file.write(NARROW)
    _, printed, record = mutate(names=("narrow",), board="uno")
    (row,) = record["mutants"]
    assert (row["fate"], row["stage"]) == ("killed", "TARGET_TEST"), printed
    _, printed, record = mutate(names=("narrow",))
    assert record["mutants"][0]["fate"] == "survived", printed
