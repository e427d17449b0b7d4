"""Diagrams in short: parts by id, wires by their two ends, one to a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.wiring.checking import check_diagram

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.checking import DiagramReport
    from pytest_embedbench.wiring.netlist import Netlist

UNO = {"uno": "wokwi-arduino-uno"}


def diagram_text(
    parts: Mapping[str, str],
    *wires: str,
    attrs: Mapping[str, Mapping[str, object]] | None = None,
) -> str:
    """Return the text of a diagram: line 2 is the first part's, then wires follow."""
    told = attrs or {}
    drawn = [
        json.dumps({"id": name, "type": kind, "attrs": told.get(name, {})})
        for name, kind in parts.items()
    ]
    joined = [json.dumps([*wire.split(" - "), "green", []]) for wire in wires]
    return (
        f'{{"version": 1, "parts": [\n{_lines(drawn)}],\n'
        f'"connections": [\n{_lines(joined)}]}}'
    )


def _lines(rows: list[str]) -> str:
    return ",\n".join(rows)


def report(
    parts: Mapping[str, str],
    *wires: str,
    attrs: Mapping[str, Mapping[str, object]] | None = None,
    board: str = "",
) -> DiagramReport:
    """Return what is said of a diagram."""
    text = diagram_text(parts, *wires, attrs=attrs)
    return check_diagram(text, "diagram.json", CATALOGUE, board)


def netlist(parts: Mapping[str, str], *wires: str) -> Netlist:
    """Return the nets of a diagram."""
    return report(parts, *wires).netlist
