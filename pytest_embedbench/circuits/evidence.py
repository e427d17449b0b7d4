"""What a circuit leaves of a test: waves under its failure, files in its folder."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.circuits.circuit import Circuit, endpoint
from pytest_embedbench.circuits.live_parts import PartState, draw_state
from pytest_embedbench.circuits.picture import draw_circuit
from pytest_embedbench.circuits.shown import MOST_CHANGES
from pytest_embedbench.circuits.vcd import write_vcd
from pytest_embedbench.circuits.wave_picture import draw_waves
from pytest_embedbench.circuits.wave_text import LEGEND, WINDOW_MS, latest_waves
from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.installed_parts import installed_catalogue
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.parts.models import MODELS
from pytest_embedbench.wiring.checking import check_diagram
from pytest_embedbench.wiring.net_waves import NetWaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.circuits.circuit_part import CircuitPart
    from pytest_embedbench.circuits.live_parts import Drawing
    from pytest_embedbench.wiring.part_model import Reading
    from pytest_embedbench.wiring.waves import CircuitRecord

VCD, WAVES, PICTURE = "circuit.vcd", "waves.svg", "circuit.svg"


def record_of(circuit: Circuit) -> CircuitRecord | None:
    """Return what nets did, or nothing of a board that is gone.

    What has become of it is told by whoever let time pass on it.
    """
    try:
        return circuit.board_circuit.record()
    except EmbedbenchError:
        return None


def waves_text(
    circuit: Circuit, *, first: Sequence[str] = (), lasts_ms: int = WINDOW_MS
) -> str:
    """Return the last waves as text, those of pins ``first`` above.

    It is empty if nothing moved.
    """
    record = record_of(circuit)
    if record is None:
        return ""
    nets = [record.netlist.number_of(endpoint(pin)) for pin in first]
    return latest_waves(NetWaves(record), first=nets, lasts_us=lasts_ms * 1000)


def waves_of_failure(circuit: object, shown: str) -> str:
    """Return the last waves for a failure that does not show waves itself."""
    if not isinstance(circuit, Circuit) or LEGEND in shown:
        return ""
    return waves_text(circuit)


def leave_files(circuit: Circuit, folder: Path, *, draws: bool) -> None:
    """Write what is to be seen of a circuit; of a board that is gone, nothing.

    ``draws`` says whether there are to be pictures.
    """
    record = record_of(circuit)
    if record is None:
        return
    # A full disk is no reason to lose the verdict as well.
    with suppress(OSError):
        write_vcd(record, folder / VCD, most_changes=MOST_CHANGES)
        if draws:
            (folder / WAVES).write_text(draw_waves(NetWaves(record)), "utf-8")
            (folder / PICTURE).write_text(draw_live(circuit), "utf-8")


def draw_live(circuit: Circuit) -> str:
    """Return the picture of a circuit as it is now."""
    diagram, catalogue = circuit.diagram, installed_catalogue()
    parts = {part.id: part for part in diagram.parts}
    shows: dict[str, Drawing] = {}
    for part in circuit.parts:
        attrs = parts[part.id].attrs
        shows[part.id] = draw_state(catalogue.types[part.type], attrs, _state(part))
    report = check_diagram(diagram.text, Path(diagram.file).name, catalogue)
    return draw_circuit(report, catalogue, shows)


def _state(part: CircuitPart) -> PartState:
    readings: dict[str, Reading] = {}
    if part.type in MODELS or part.type not in CATALOGUE.types:
        with suppress(EmbedbenchError):  # of a board that is gone
            readings |= part.seen()
    return PartState(readings, part.controls)
