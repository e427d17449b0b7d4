"""The diagram that a service is given: a test's own, or the bare board's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.engines.wokwi.firmware import Upload
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.toml_schema import read_table, rows
from pytest_embedbench.wiring.catalogue import CUSTOM_CHIP

if TYPE_CHECKING:
    from pytest_embedbench.engines.wokwi.options import WokwiOptions
    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.wiring.checking import DiagramReport
    from pytest_embedbench.wiring.diagram import Diagram

_DIAGRAM = "diagram.json"
_PROJECT = "wokwi.toml"
_OURS = "embedbench-"
BARE = "mcu"
"""What the only part is called where there is no diagram."""


class ServiceDrawing(NamedTuple):
    """A diagram, its board's id, and the custom chips that are uploaded with it."""

    diagram: Diagram
    board: str
    chips: tuple[str, ...]
    uploads: tuple[Upload, ...]


def drawing_of(spec: BoardSpec, options: WokwiOptions) -> ServiceDrawing:
    """Return what a board stands in.

    Raises:
        ConfigError: the diagram cannot be read, has no such board or several, or has a
            part that only runs here; or a custom chip is nowhere to be found.
    """
    from pytest_embedbench.wiring.reading import read_diagram  # noqa: PLC0415  # late

    if not options.diagram:
        diagram, _ = read_diagram(_bare(options), f"{spec.name} without a diagram")
        return ServiceDrawing(diagram, BARE, (), (Upload(_DIAGRAM, diagram.text),))
    report = report_of(Path(options.diagram))
    _check_whole(report)
    diagram = report.diagram
    board = _board_in(diagram, spec, options)
    _check_known_there(diagram)
    used = {part.type for part in diagram.parts if part.type.startswith(CUSTOM_CHIP)}
    names = sorted(it.removeprefix(CUSTOM_CHIP) for it in used)
    chips = _chips(Path(options.diagram), names) if names else []
    uploads = (Upload(_DIAGRAM, diagram.text), *chips)
    return ServiceDrawing(diagram, board, tuple(names), uploads)


def report_of(file: Path) -> DiagramReport:
    """Return all that is known of a diagram.

    Raises:
        ConfigError: it cannot be read.
    """
    from pytest_embedbench.diagram_file import check_diagram_file  # noqa: PLC0415  # late

    return check_diagram_file(file)


def _check_whole(report: DiagramReport) -> None:
    from pytest_embedbench.wiring.findings import FindingKind  # noqa: PLC0415  # late

    fatal = {
        *(FindingKind.MALFORMED, FindingKind.DUPLICATE_ID, FindingKind.UNKNOWN_PART),
        FindingKind.SEVERAL_BOARDS,
    }
    wrong = [it for it in report.errors if it.kind in fatal]
    if wrong:
        raise ConfigError("\n".join(it.told_of(report.diagram.file) for it in wrong))


def _board_in(diagram: Diagram, spec: BoardSpec, options: WokwiOptions) -> str:
    found = [part.id for part in diagram.parts if part.type in options.parts]
    wanted = " or ".join(options.parts)
    if len(found) == 1:
        return found[0]
    has = f"{len(found)} of them ({', '.join(found)})" if found else "none"
    raise ConfigError(
        f"{diagram.file}: {spec.name} is a part of type {wanted}, and there are {has}"
    )


def _check_known_there(diagram: Diagram) -> None:
    from pytest_embedbench.installed_parts import installed_parts  # noqa: PLC0415  # late

    brought = {part.type_name for part in installed_parts()}
    for part in diagram.parts:
        if part.type.startswith(_OURS) or part.type in brought:
            raise ConfigError(
                f"{diagram.file}:{part.line}: {part.id}: {part.type} is a part that "
                "Wokwi's cloud does not have; take one of Wokwi's, or let the board "
                "run here: --embedbench-option=wokwi.backend=local"
            )


def _chips(diagram: Path, names: list[str]) -> list[Upload]:
    """Return the files of custom chips, which the ``wokwi.toml`` beside names."""
    project = diagram.parent / _PROJECT
    table = read_table(project) if project.is_file() else {}
    listed = {
        str(row.get("name", "")): str(row.get("binary", ""))
        for _, row in rows(str(project), "chip", table.get("chip", []))
    }
    uploads: list[Upload] = []
    for name in names:
        if name not in listed:
            raise ConfigError(
                f"{diagram}: {CUSTOM_CHIP}{name} is a custom chip: say where it is, in "
                f"a [[chip]] of {project} with name = {name!r} and binary"
            )
        wasm = diagram.parent / listed[name]
        uploads.append(Upload(f"{name}.chip.json", _text(wasm.with_suffix(".json"))))
        uploads.append(Upload(f"{name}.chip.wasm", _bytes(wasm)))
    return uploads


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error


def _text(file: Path) -> str:
    try:
        return _bytes(file).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: is no text in UTF-8") from error


def _bare(options: WokwiOptions) -> str:
    sends, receives = options.serial or ("", "")
    wires = [
        [f"{BARE}:{sends}", "$serialMonitor:RX", ""],
        [f"{BARE}:{receives}", "$serialMonitor:TX", ""],
    ]
    drawn = {
        "version": 1,
        "parts": [{"type": options.parts[0], "id": BARE, "top": 0, "left": 0}],
        "connections": wires if options.serial else [],
    }
    return json.dumps(drawn)
