"""The same circuit at other pins of the board."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_embedbench.installed_parts import installed_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.esr.model import PinMove
    from pytest_embedbench.wiring.diagram import Diagram


def rewired(diagram: Diagram, moves: Iterable[PinMove]) -> str:
    """Return the text of a diagram in which what is wired goes to other pins.

    What was at ``wired`` is at ``used`` then, all moves at once. What was at ``used``
    and is not moved itself, takes the place that has become free.
    """
    types = installed_catalogue().types
    boards = {part.id: types[part.type] for part in diagram.parts if part.type in types}
    aliases = {id_: kind.aliases for id_, kind in boards.items() if kind.board}
    to = places(moves)

    def moved(end: str) -> str:
        part, _, pin = end.partition(":")
        if part not in aliases:
            return end
        name = aliases[part].get(pin, pin)
        return f"{part}:{to[name]}" if name in to else end

    table: dict[str, Any] = json.loads(diagram.text.removeprefix("\ufeff"))
    table["connections"] = [
        [moved(row[0]), moved(row[1]), *row[2:]] for row in table["connections"]
    ]
    return json.dumps(table)


def places(moves: Iterable[PinMove]) -> dict[str, str]:
    """Return where what is at a pin goes: a permutation."""
    to = {move.wired: move.used for move in moves}
    free = [pin for pin in to if pin not in to.values()]
    for pin in [pin for pin in to.values() if pin not in to]:
        to[pin] = free.pop()
    return to
