"""Breadboards: five holes of a column are one node, and so is each rail.

Above the middle (``t``) are rows a to e, below it (``b``) f to j: ``12t.c``. Rails are
``tp``, ``tn``, ``bp`` and ``bn``: ``bn.7``. Node and first hole have the same name.
"""

from __future__ import annotations

from itertools import product

from pytest_embedbench.wiring.part_type import PartPin, PartType, PinRole

_HALVES = (("t", "abcde"), ("b", "fghij"))
_RAILS = ("tp", "tn", "bp", "bn")


def _breadboard(name: str, title: str, columns: int, rail_holes: int) -> PartType:
    """Return a board of so many columns, and holes in each rail (0: without rails)."""
    nodes: list[str] = []
    aliases: dict[str, str] = {}
    for column, (half, rows) in product(range(1, columns + 1), _HALVES):
        first, *others = (f"{column}{half}.{row}" for row in rows)
        nodes.append(first)
        aliases.update(dict.fromkeys(others, first))
    for rail in _RAILS if rail_holes else ():
        first, *others = (f"{rail}.{hole}" for hole in range(1, rail_holes + 1))
        nodes.append(first)
        aliases.update(dict.fromkeys(others, first))
    return PartType(
        name=name,
        title=title,
        pins=tuple(PartPin(node, PinRole.HOLE) for node in nodes),
        aliases=aliases,
    )


BREADBOARDS = (
    _breadboard("wokwi-breadboard", "Breadboard", 63, 50),
    _breadboard("wokwi-breadboard-half", "Half breadboard", 30, 25),
    _breadboard("wokwi-breadboard-mini", "Mini breadboard", 17, 0),
)
