"""The circuit that an option of a board names: its diagram, checked and laid out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.engines.simavr.options import SimavrOptions
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.options import option_location, read_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.parts.part_files import PartFile
    from pytest_embedbench.wiring.diagram import Diagram, DiagramPart
    from pytest_embedbench.wiring.netlist import Netlist
    from pytest_embedbench.wiring.part_type import PartType

DRAWN_BOARDS = frozenset({"uno", "nano", "mega"})
"""The boards that diagrams can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnCircuit:
    """A diagram without errors; ``board`` is what it calls the board."""

    diagram: Diagram
    netlist: Netlist
    board: str
    parts: Mapping[str, tuple[DiagramPart, PartType]]
    supply_mv: int
    part_files: tuple[PartFile, ...]
    """Of parts that other packages have brought."""

    def for_child(self, spec: BoardSpec) -> tuple[Any, ...]:
        """Return what the simulator's process makes the same circuit of."""
        names = {pin.name.removeprefix("D"): pin for pin in spec.pins.values()}
        pins = {name: pin.port for name, pin in names.items()}
        channels = {name: pin.adc for name, pin in names.items() if pin.adc is not None}
        used = {part.type for part in self.diagram.parts}
        files = [tuple(it) for it in self.part_files if it.type_name in used]
        return self.diagram.text, self.diagram.file, pins, channels, files


def circuit_of(spec: BoardSpec) -> DrawnCircuit | None:
    """Return the circuit that a board stands in, if it does.

    Raises:
        ConfigError: its diagram cannot be read, has errors, or is for another board.
    """
    options = read_options(spec, SimavrOptions)
    if not options.diagram:
        return None
    # Only boards in circuits load what circuits need.
    from pytest_embedbench.diagram_file import check_diagram_file  # noqa: PLC0415
    from pytest_embedbench.installed_parts import (  # noqa: PLC0415
        installed_catalogue,
        installed_parts,
    )
    from pytest_embedbench.wiring.netlist import known_parts  # noqa: PLC0415

    if spec.name not in DRAWN_BOARDS:
        known = ", ".join(sorted(DRAWN_BOARDS))
        where = option_location(spec, "diagram")
        raise ConfigError(f"{where}: circuits are for {known}, not for {spec.name}")
    report = check_diagram_file(Path(options.diagram), spec.name)
    if report.errors:
        file = report.diagram.file
        raise ConfigError("\n".join(it.told_of(file) for it in report.errors))
    parts = known_parts(report.diagram, installed_catalogue())
    return DrawnCircuit(
        diagram=report.diagram,
        netlist=report.netlist,
        board=next(name for name, (_, kind) in parts.items() if kind.board),
        parts=parts,
        supply_mv=options.vcc_mv,
        part_files=installed_parts(),
    )
