"""The published brief and nothing more: what only our sentences ask for may be missing.

The references are made to do without them, all at once that can be left out together.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.brief import load_brief
from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from tests.e2e.evaluator import Evaluator

pytestmark = [needs_gcc, pytest.mark.timeout(300)]

WITHOUT: dict[str, dict[str, list[dict[str, Any]]]] = tomllib.loads(
    (Path(__file__).parents[1] / "data" / "without_ours.toml").read_text()
)
"""By task and sentence, what is replaced in the reference to do without it."""
ALL_GO_ON, ALL_ARE_LOST = {"V21", "M27", "F30"}, {"V22", "M28", "F31"}
"""Both cannot be left out at once."""
APART = {"M29"}
"""It is in the same line as M26."""


def without(task: str, names: list[str], folder: Path) -> Path:
    """Write a reference that does without some sentences."""
    shutil.copytree(SUITES / task / "solution" / "src", folder)
    for patch in (patch for name in names for patch in WITHOUT[task][name]):
        file = folder / patch.get("file", "controller.c")
        if not file.exists():
            shutil.copy(SUITES / task / "src" / file.name, file)
        source = file.read_text()
        assert patch["find"] in source
        file.write_text(source.replace(patch["find"], patch["replace"]))
    return folder


@pytest.mark.parametrize("task", WITHOUT)
def test_every_sentence_of_ours_may_be_missing(task: str) -> None:
    assert {"S1", *WITHOUT[task]} == load_brief(SUITES / task / "BRIEF.md").ours


def left_out(task: str) -> list[list[str]]:
    """Return which sentences to leave out together, so that each is left out once."""
    ways = (
        [name for name in WITHOUT[task] if name not in kept | APART]
        for kept in (ALL_GO_ON, ALL_ARE_LOST)
    )
    return [list(names) for names in dict.fromkeys(map(tuple, ways))]


@pytest.mark.parametrize("task", WITHOUT)
def test_what_does_without_them_passes_as_published_and_not_in_full(
    evaluate: Evaluator, tmp_path: Path, task: str
) -> None:
    ways = left_out(task)
    for number, names in enumerate(ways):
        without(task, names, tmp_path / "without" / str(number))
    printed = evaluate.run(
        f"--embedbench-submissions={tmp_path / 'without'}",
        "--embedbench-profile=paper-strict",
        suite=SUITES / task,
    )
    passed = re.findall(r" native +paper-strict +PASS +INTEGRATION\b", printed)
    assert len(passed) == len(ways), printed
    for folder in (tmp_path / "without").iterdir():
        done = evaluate(f"--embedbench-firmware={folder}", "-x", suite=SUITES / task)
        assert done.ending == ("HOST", "HOST_TEST"), done.printed
