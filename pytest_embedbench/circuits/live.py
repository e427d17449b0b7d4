"""From a bench to the circuit of its board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.circuits.circuit import Circuit
from pytest_embedbench.installed_parts import installed_catalogue
from pytest_embedbench.wiring.part_type import PartType

if TYPE_CHECKING:
    from pytest_embedbench.bench.bench import Bench


def open_circuit(bench: Bench) -> Circuit:
    """Return the circuit that the board of a bench stands in.

    Raises:
        BoardLacks: it stands alone.
    """
    board_circuit = under_test(bench.board).circuit
    diagram = board_circuit.diagram
    types = installed_catalogue().types
    kinds = {
        part.id: types.get(part.type) or PartType(name=part.type, title=part.type)
        for part in diagram.parts
    }
    return Circuit(bench, board_circuit, diagram, kinds)
