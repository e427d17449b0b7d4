"""All that can be said of a diagram before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.wiring.current_checks import (
    check_contention,
    check_dark_lights,
    check_lights,
    check_shorts,
    check_switched_shorts,
)
from pytest_embedbench.wiring.findings import FindingKind
from pytest_embedbench.wiring.level_checks import check_inputs, check_power
from pytest_embedbench.wiring.name_checks import (
    check_attributes,
    check_board,
    check_types,
    check_wires,
)
from pytest_embedbench.wiring.netlist import build_netlist, known_parts
from pytest_embedbench.wiring.reading import read_diagram

if TYPE_CHECKING:
    from pytest_embedbench.wiring.catalogue import PartCatalogue
    from pytest_embedbench.wiring.diagram import Diagram
    from pytest_embedbench.wiring.findings import CircuitFinding
    from pytest_embedbench.wiring.netlist import Netlist

_INCOMPLETE = {
    FindingKind.MALFORMED,
    FindingKind.DUPLICATE_ID,
    FindingKind.UNKNOWN_TYPE,
    FindingKind.NO_MODEL,
    FindingKind.UNKNOWN_PART,
    FindingKind.UNKNOWN_PIN,
}
"""With these, parts or wires are missing, and what floats would not without them."""


class DiagramReport(NamedTuple):
    """A diagram, its nets, and everything that is wrong, by lines.

    Where there are errors, diagram and nets lack what those are about.
    """

    diagram: Diagram
    netlist: Netlist
    findings: tuple[CircuitFinding, ...]

    @property
    def errors(self) -> tuple[CircuitFinding, ...]:
        """The findings with which the circuit cannot be run as it was meant."""
        return tuple(it for it in self.findings if it.kind.is_error)


def check_diagram(
    text: str, file: str, catalogue: PartCatalogue, board: str = ""
) -> DiagramReport:
    """Read and check a ``diagram.json``; one finding per mistake.

    Args:
        text: The whole file.
        file: Its name, for messages.
        catalogue: The part types that are known.
        board: The board that it has to be for, such as ``uno``; any if empty.
    """
    diagram, malformed = read_diagram(text, file)
    netlist = build_netlist(diagram, catalogue)
    if not diagram.parts and malformed:
        return DiagramReport(diagram, netlist, malformed)
    lines = {
        name: part.line for name, (part, _) in known_parts(diagram, catalogue).items()
    }
    found = [
        *malformed,
        *check_board(diagram, catalogue, board),
        *check_types(diagram, catalogue),
        *check_attributes(diagram, catalogue),
        *check_wires(diagram, catalogue),
        *check_shorts(diagram, catalogue, netlist),
        *check_switched_shorts(netlist, lines),
    ]
    if not any(it.kind in _INCOMPLETE for it in found):
        found += check_contention(netlist, lines)
        found += check_lights(netlist, lines)
        found += check_dark_lights(netlist, lines)
        found += check_power(netlist, lines)
        found += check_inputs(netlist, lines)
    ordered = sorted(found, key=lambda finding: finding.line)
    return DiagramReport(diagram, netlist, tuple(ordered))


def parse_diagram(
    text: str, file: str, catalogue: PartCatalogue, board: str = ""
) -> Diagram:
    """Return a diagram that can be run; arguments as for ``check_diagram``.

    Raises:
        ConfigError: it cannot; one line for each error.
    """
    report = check_diagram(text, file, catalogue, board)
    if report.errors:
        raise ConfigError("\n".join(it.told_of(file) for it in report.errors))
    return report.diagram
