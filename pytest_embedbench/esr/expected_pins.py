"""What an answer's author expects to be wired, held against the circuit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.board_pins import drawn_catalogue
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wiring.netlist import build_netlist

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.esr.answers import ModelAnswer
    from pytest_embedbench.wiring.diagram import Diagram
    from pytest_embedbench.wiring.netlist import Netlist


def check_pins(answer: ModelAnswer, diagram: Diagram) -> None:
    """Insist that a circuit is wired as an answer's line says, resistors aside.

    Raises:
        ConfigError: naming file, line, and the pin that is wired otherwise.
    """
    netlist = build_netlist(diagram, drawn_catalogue())
    for part_pin, expected in answer.pins.items():
        part, _, pin = part_pin.partition(":")
        number = netlist.index.get(Endpoint(part, pin))
        if number is None:
            raise ConfigError(
                f"{answer.where}: pins: {diagram.file} has no pin {part_pin}"
            )
        wired = [*dict.fromkeys(_of_board(netlist, _reached(netlist, number)))]
        if expected not in wired:
            there = " and ".join(wired) or "no pin of the board"
            raise ConfigError(
                f"{answer.where}: pins: {part_pin} is expected at {expected}, and in "
                f"{diagram.file} it is wired to {there}"
            )


def _reached(netlist: Netlist, number: int) -> Iterable[int]:
    """Yield a net, and those behind one resistor."""
    yield number
    for pair in netlist.resistors:
        if number in (pair.one, pair.other):
            yield pair.one + pair.other - number


def _of_board(netlist: Netlist, nets: Iterable[int]) -> Iterable[str]:
    for number in nets:
        for pin in netlist.nets[number].pins:
            if pin.is_of_board:
                yield pin.endpoint.pin
