"""A board has one bench: two would each hear half of what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.testing import (
    LOOPBACK_SPEC,
    Loopback,
    loopback_image,
    tank_firmware,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.contracts import Board


def booted() -> Board:
    return Loopback(tank_firmware).boot(LOOPBACK_SPEC, loopback_image())


def as_it_is(board: Board) -> Board:
    return board


@pytest.mark.parametrize("held_as", [as_it_is, under_test])
def test_a_second_bench_on_a_board_is_refused(
    tmp_path: Path, held_as: Callable[[Board], Board]
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    board = booted()
    bench = Bench(board, tmp_path / "one")
    with pytest.raises(ConfigError, match=r"has a bench already, in .*one: use that"):
        Bench(held_as(board), tmp_path / "two")
    assert list((tmp_path / "two").iterdir()) == []
    bench.wait_for_boot()  # and the first goes on
    bench.close()


def test_two_boards_have_a_bench_each(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = (Bench(booted(), tmp_path / name) for name in ("one", "two"))
    assert one.wait_for_boot().line == two.wait_for_boot().line
    one.close()
    two.close()


def test_the_transcript_that_a_bench_names_has_all_that_was_said(
    tmp_path: Path,
) -> None:
    bench = Bench(booted(), tmp_path)
    bench.wait_for_boot()
    bench.send("SENSE LEVEL 10")
    bench.expect("ACT PUMP ON", within_ms=500)
    assert "ACT PUMP ON" in bench.transcript_path.read_text()
    bench.close()
    assert "ACT PUMP ON" in bench.transcript_path.read_text()
