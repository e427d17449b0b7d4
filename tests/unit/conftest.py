"""A bench over a firmware that is a Python generator."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.testing import (
    LOOPBACK_SPEC,
    Loopback,
    LoopbackBoard,
    loopback_image,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_embedbench.testing import Firmware


@pytest.fixture
def bench_with(tmp_path: Path) -> Iterator[Callable[[Firmware], Bench]]:
    """Return a function that puts a firmware on a bench."""
    with ExitStack() as opened:

        def put(firmware: Firmware) -> Bench:
            board = Loopback(firmware).boot(LOOPBACK_SPEC, loopback_image())
            bench = Bench(board, tmp_path)
            opened.callback(bench.close)
            return bench

        yield put


@pytest.fixture
def on_bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """Return a function that puts boards on benches: ``firmware, name, exact=True``."""
    with ExitStack() as opened:
        count = 0

        def make(
            firmware: Firmware,
            name: str = "loopback",
            *,
            exact: bool = True,
        ) -> Bench:
            nonlocal count
            folder = tmp_path / f"{count}"
            folder.mkdir()
            count += 1
            spec = replace(LOOPBACK_SPEC, name=name)
            board = LoopbackBoard(spec, firmware, virtual_time=exact)
            bench = Bench(board, folder, plots=False)
            opened.callback(bench.close)
            return bench

        yield make
