"""A real board keeps the contract that simulated ones keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.engines.serial_port import SerialPort
from pytest_embedbench.model import NO_IMAGE
from pytest_embedbench.testing import check_engine, tank_firmware
from tests.support.pty_board import PtyBoard, spec_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def port() -> Iterator[str]:
    board = PtyBoard(tank_firmware)
    yield board.path
    board.close()


def test_a_board_behind_a_port_keeps_the_contract(port: str) -> None:
    check_engine(SerialPort(), spec_for(port), NO_IMAGE)
