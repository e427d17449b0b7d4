"""Errors cross process borders whole: xdist's, and those of builds and hosts."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from pytest_embedbench import errors

MADE: list[errors.EmbedbenchError] = [
    errors.BoardLost("the emulator died"),
    errors.BuildError("uno", 1, Path("build.log"), "main.c:1: error"),
    errors.ExpectTimeout("READY was not said"),
    errors.FaultNeverFired(["noise on LEVEL"], seed=7),
    errors.FlashFailed("/dev/ttyUSB0", "no answer", ["avrdude: 1"]),
    errors.NothingSubmitted(Path("here"), ["src/controller.c"]),
    errors.OutsideEditSurface(Path("here"), ["shell.c: new"], ["src/controller.c"]),
    errors.ToolMissing("simavr", "libsimavr.so.2", "apt-get install libsimavr2"),
    errors.UnknownName("board", "unno", ["uno", "mega"]),
]


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_an_error_is_the_same_on_the_other_side(error: errors.EmbedbenchError) -> None:
    error.add_note("a note of somebody's")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)


def test_an_error_keeps_its_fields() -> None:
    again = pickle.loads(pickle.dumps(MADE[1]))
    assert (again.environment, again.returncode) == ("uno", 1)


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        (
            ["ld: link errors found", "In function `_start':", "undefined reference"],
            "undefined reference",
        ),
        (["a.c: In function 'f':", "a.c:1:2: error: no"], "a.c:1:2: error: no"),
        (["Error: Nothing to build", "more"], "Error: Nothing to build"),
        (["a", "some error of a script"], "some error of a script"),
        ([], ""),
    ],
)
def test_a_build_is_told_by_the_line_that_says_most(
    lines: list[str], first: str
) -> None:
    said = str(errors.BuildError("uno", 1, Path("build.log"), "\n".join(lines)))
    assert said.splitlines()[0] == (
        f"the firmware does not build: environment 'uno': {first}"
    )
