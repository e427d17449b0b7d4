"""Which of Wokwi's boards a test means that names none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.circuits.places import diagram_beside
from pytest_embedbench.diagram_file import check_diagram_file
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_embedbench.bench.registry import Registry

ENGINE = "wokwi"
BARE_BOARD = "wokwi-esp32"
_PARTS = "parts"


def diagram_or_none(test: Path, board: str) -> Path | None:
    """Return the diagram that ``circuit`` would take, if there is one."""
    try:
        return diagram_beside(test, board)
    except ConfigError:
        return None


def board_meant(registry: Registry, diagram: Path | None, chosen: Sequence[str]) -> str:
    """Return the board of a diagram, else the first of Wokwi's among ``chosen``.

    Else it is an ESP32.

    Raises:
        ConfigError: the diagram cannot be read, or is for no board of Wokwi's.
    """
    if diagram is not None:
        return _board_in(registry, diagram)
    for name in chosen:
        if registry.board(name).engine == ENGINE:
            return name
    return BARE_BOARD


def _board_in(registry: Registry, file: Path) -> str:
    diagram = check_diagram_file(file).diagram
    types = _board_types(registry)
    for part in diagram.parts:
        if part.type in types:
            return types[part.type]
    known = ", ".join(sorted(types))
    raise ConfigError(f"{file}: has none of the boards that are known: {known}")


def _board_types(registry: Registry) -> dict[str, str]:
    """Return the boards by what diagrams call them."""
    found: dict[str, str] = {}
    for name in registry.names("board"):
        spec = registry.board(name)
        types = spec.options.get(_PARTS, ())
        if spec.engine == ENGINE and isinstance(types, tuple):
            found |= dict.fromkeys(types, name)
    return found
