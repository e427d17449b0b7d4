"""``embedbench diagram``: check drawn circuits, and make pictures of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.circuits.picture import draw_circuit
from pytest_embedbench.diagram_file import check_diagram_file
from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.installed_parts import installed_catalogue
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.support.commands import Subcommands
    from pytest_embedbench.wiring.checking import DiagramReport


def add_diagram(commands: Subcommands) -> None:
    """Add ``embedbench diagram`` with what it does to files ``diagram.json``."""
    parser = commands.add_parser(
        "diagram", help="check circuits drawn for Wokwi; make pictures of them"
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    checker = actions.add_parser(
        "check", help="say what is wrong in a diagram.json, without running it"
    )
    checker.add_argument("file", nargs="+", type=Path)
    checker.add_argument("--board", default="", help="the board that it has to be for")
    checker.add_argument("--json", action="store_true", help="for programs")
    checker.set_defaults(run=_check)
    drawer = actions.add_parser("draw", help="make a picture of a diagram.json, as SVG")
    drawer.add_argument("file", type=Path)
    drawer.add_argument("picture", nargs="?", type=Path, help="default: FILE.svg")
    drawer.set_defaults(run=_draw)


def _check(arguments: argparse.Namespace) -> int:
    boards = CATALOGUE.boards
    if arguments.board and arguments.board not in boards:
        raise UnknownName("board with circuits", arguments.board, boards)
    reports = [check_diagram_file(file, arguments.board) for file in arguments.file]
    if arguments.json:
        records = [_record(report) for report in reports]
        sys.stdout.write(f"{json.dumps(records, indent=2)}\n")
    else:
        for report in reports:
            _print(report)
    return 1 if any(report.findings for report in reports) else 0


def _draw(arguments: argparse.Namespace) -> int:
    report = check_diagram_file(arguments.file)
    picture: Path = arguments.picture or arguments.file.with_suffix(".svg")
    try:
        replace_whole(picture, draw_circuit(report, installed_catalogue()).encode())
    except OSError as error:
        raise ConfigError(f"{picture}: cannot be written: {error.strerror}") from error
    sys.stdout.write(f"{picture}\n")
    return 0


def _print(report: DiagramReport) -> None:
    diagram = report.diagram
    for finding in report.findings:
        sys.stdout.write(f"{finding.told_of(diagram.file)}\n")
    if not report.findings:
        nets = len(report.netlist.as_text())
        drawn = f"{len(diagram.parts)} parts, {len(diagram.wires)} wires, {nets} nets"
        sys.stdout.write(f"{diagram.file}: nothing is wrong: {drawn}\n")


def _record(report: DiagramReport) -> dict[str, Any]:
    return {
        "file": report.diagram.file,
        "findings": [
            {
                "kind": finding.kind.value,
                "severity": "error" if finding.kind.is_error else "warning",
                "line": finding.line or None,
                "part": finding.part or None,
                "pin": finding.pin or None,
                "text": finding.text,
            }
            for finding in report.findings
        ],
        "nets": report.netlist.as_text(),
    }
