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
