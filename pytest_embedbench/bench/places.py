"""Where a real board is: under a name of the lab file, or on a port."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.lab.inventory.lab import ENGINES

if TYPE_CHECKING:
    from pytest_embedbench.bench.registry import Registry
    from pytest_embedbench.model import BoardSpec

_PORT = re.compile(r"[/\\:]|^COM\d+$", re.IGNORECASE)
"""What tells a port, or a URL of one, from a name."""


def board_at(registry: Registry, place: str, board: str) -> BoardSpec:
    """Return the board of a name, or ``board`` on a port.

    Raises:
        ConfigError: the place is neither.
    """
    names = registry.lab_names()
    if place in names:
        return registry.board(place)
    spec = registry.board(board)
    # What a port is to an engine of somebody else's is for that engine to say.
    if spec.engine in ENGINES and not _PORT.search(place):
        known = ", ".join(names) or "none, for want of a lab file"
        raise ConfigError(
            f"{place!r} is no port (like /dev/ttyUSB0, COM5, socket://desk:4000), and "
            f"none of the lab's names: {known}"
        )
    return replace(spec, options={**spec.options, "port": place})
