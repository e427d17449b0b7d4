"""The file in which an emulator keeps what its guest says."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_embedbench.engines.qemu.uart_pipes import QemuUart
from pytest_embedbench.errors import BoardLost


def test_what_is_written_into_it_is_said(tmp_path: Path) -> None:
    with closing(QemuUart(tmp_path / "uart")) as uart:
        assert uart.said() == b""
        with Path(f"{uart.path}.out").open("ab") as out:
            out.write(b"hello")
        assert uart.said() == b"hello"
        assert uart.said() == b""


def test_a_disk_without_room_for_it_is_our_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = SimpleNamespace(f_blocks=100, f_bfree=0, f_bavail=0)
    with closing(QemuUart(tmp_path / "uart")) as uart:
        monkeypatch.setattr(os, "fstatvfs", lambda _file: full)
        with pytest.raises(BoardLost, match="is full, no room for what the guest says"):
            uart.said()
