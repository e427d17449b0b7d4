"""Boot small C programs in circuits, and hear what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_embedbench.contracts import BoardCircuit, HasCircuit
from tests.support.diagrams import diagram_text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.avr_firmware import Boot, SimavrBoard

Attrs = Mapping[str, Mapping[str, object]]


class Wired(Protocol):
    """Boots a program in a circuit: parts by id, and wires to the board, called uno."""

    def __call__(
        self,
        program: str,
        parts: Mapping[str, str],
        *wires: str,
        attrs: Attrs | None = None,
        flags: Sequence[str] = (),
        board: str = "uno",
    ) -> SimavrBoard: ...


@pytest.fixture
def wired(boot: Boot, tmp_path: Path) -> Wired:
    """Return a function that boots a program in a circuit."""

    def boot_wired(
        program: str,
        parts: Mapping[str, str],
        *wires: str,
        attrs: Attrs | None = None,
        flags: Sequence[str] = (),
        board: str = "uno",
    ) -> SimavrBoard:
        file = tmp_path / "diagram.json"
        stands = {"uno": f"wokwi-arduino-{board}", **parts}
        file.write_text(diagram_text(stands, *wires, attrs=attrs))
        return boot(program, *flags, board=board, diagram=str(file))

    return boot_wired


def powered(*names: str) -> list[str]:
    """Return wires from 5V and GND to modules that call their pins so."""
    return [
        wire
        for name in names
        for wire in (f"uno:5V - {name}:VCC", f"uno:GND.1 - {name}:GND")
    ]


def circuit(board: SimavrBoard) -> BoardCircuit:
    """Return the circuit that a board stands in."""
    assert isinstance(board, HasCircuit)
    return board.circuit


def said(board: SimavrBoard, duration_ms: int) -> list[str]:
    """Let time pass, and return the lines of it."""
    board.advance(duration_ms)
    heard = b"".join(each.data for each in board.link().receive())
    return heard.decode().splitlines()
