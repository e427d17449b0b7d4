"""From what a client has uploaded to a simulation: which board, booted with what."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.bench.rig import Rig
from pytest_embedbench.errors import ConfigError, NotSupported
from pytest_embedbench.installed_parts import installed_catalogue
from pytest_embedbench.model import Capability
from pytest_embedbench.support.projects import PREBUILT, prebuilt_source
from pytest_embedbench.wiring.checking import check_diagram
from pytest_embedbench.wiring.findings import FindingKind
from pytest_embedbench.wiring.netlist import known_parts
from pytest_embedbench.wokwi.fields import fields_of
from pytest_embedbench.wokwi_server.simulation import ServedSimulation
from pytest_embedbench.wokwi_server.uploads import DIAGRAM

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from pytest_embedbench.bench.registry import Registry
    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.wiring.part_type import PartType
    from pytest_embedbench.wokwi.fields import Fields
    from pytest_embedbench.wokwi_server.uploads import Uploads


_ELSEWHERE = {FindingKind.NO_MODEL, FindingKind.UNKNOWN_TYPE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A simulation, and what its circuit is made of: types of parts by id."""

    simulation: ServedSimulation
    spec: BoardSpec
    kinds: Mapping[str, PartType]
    attrs: Mapping[str, Mapping[str, str]]

    @property
    def board_id(self) -> str:
        """What the diagram calls the board."""
        return next(name for name, kind in self.kinds.items() if kind.board)


def sections_of(fields: Fields) -> list[tuple[int, str]]:
    """Return the files of a firmware, with their places in flash.

    Raises:
        BadFrame: that is no list of such, and no name.
        NotSupported: it is to run with something that is not simulated here.
    """
    if fields.items("chips"):
        raise NotSupported("custom chips run in Wokwi's cloud alone")
    if fields.items("sdcards"):
        raise NotSupported(
            "nothing can be put on a card here: the firmware finds it empty and "
            "formatted"
        )
    if not isinstance(fields.values.get("firmware"), list):
        return [(0, fields.text("firmware"))]
    found: list[tuple[int, str]] = []
    for section in fields.items("firmware"):
        each = fields_of(f"{fields.where}.firmware", section)
        found.append((each.whole("offset"), each.text("file")))
    if not found:
        raise fields.wrong("firmware", "a file's name, or a list of such with offsets")
    return found


@contextmanager
def started(
    uploads: Uploads, sections: list[tuple[int, str]], registry: Registry
) -> Generator[Started]:
    """Have a simulation at time 0, which stands still; nothing is left of it.

    Raises:
        ConfigError: diagram or firmware are not there, or make no sense.
        NotSupported: a board or a part of the diagram is not simulated here.
        FirmwareFault: the firmware is none for that board.
        ToolMissing: what simulates it is not installed.
    """
    text = uploads.diagram()
    report = check_diagram(text, DIAGRAM, installed_catalogue())
    if report.errors:
        told = "\n".join(it.told_of(DIAGRAM) for it in report.errors)
        if any(it.kind in _ELSEWHERE for it in report.errors):
            raise NotSupported(told)
        raise ConfigError(told)
    parts = known_parts(report.diagram, installed_catalogue())
    kinds = {name: kind for name, (_, kind) in parts.items()}
    name = next(kind.board for kind in kinds.values() if kind.board)
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        (folder / DIAGRAM).write_text(text, "utf-8")
        (folder / "firmware").mkdir()
        file = uploads.write_firmware(sections, folder / "firmware")
        spec = registry.board(name)
        spec = replace(spec, options={**spec.options, "diagram": str(folder / DIAGRAM)})
        rig = Rig(registry=registry)
        source = rig.for_board(prebuilt_source(file), spec)
        image = rig.builder(PREBUILT).build(source, folder / "image")
        needs = [Capability.CIRCUIT.value]
        board = opened.enter_context(rig.boot(spec, image, needs=needs))
        yield Started(
            simulation=ServedSimulation(board, board.circuit),
            spec=spec,
            kinds=kinds,
            attrs={name: part.attrs for name, (part, _) in parts.items()},
        )
