"""``embedbench lab``: check a lab, and see who holds what."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.contracts import HasConsoles
from pytest_embedbench.errors import (
    BoardBusy,
    ConfigError,
    EmbedbenchError,
    UnknownName,
)
from pytest_embedbench.lab.inventory.labfile import load_lab
from pytest_embedbench.lab.inventory.status import Finding, board_statuses, check
from pytest_embedbench.lab.leases.acquire import Leases

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.lab.inventory.lab import LabBoard
    from pytest_embedbench.lab.inventory.status import BoardStatus
    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.support.commands import Subcommands

LAB_ENV = "EMBEDBENCH_LAB"


def add_lab(commands: Subcommands) -> None:
    """Add ``embedbench lab list`` and ``embedbench lab check``."""
    parser = commands.add_parser("lab", help="check a lab file; see who holds what")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    lister = actions.add_parser("list", help="say where each board is and who has it")
    checker = actions.add_parser(
        "check", help="find, open and question every board that nobody has"
    )
    checker.add_argument("board", nargs="*", help="only these; default: all")
    checker.add_argument(
        "--no-ask",
        action="store_true",
        help="do not have flash tools ask boards who they are, which restarts them",
    )
    for action, run in ((lister, _list), (checker, _check)):
        action.add_argument(
            "--lab", metavar="FILE", help=f"the lab file [env: {LAB_ENV}]"
        )
        action.set_defaults(run=run)


def _list(arguments: argparse.Namespace) -> int:
    for status in board_statuses(load_lab(_file(arguments)), Leases()):
        sys.stdout.write(f"{_line(status)}\n")
        for waiter in status.waiters:
            sys.stdout.write(f"    waited for by {waiter}\n")
    return 0


def _line(status: BoardStatus) -> str:
    board = status.board
    kind = f"{board.datasheet} [{' '.join(board.labels)}]"
    where = status.port or f"not there: {board.query}"
    state = f"held by {status.holder}" if status.holder else "free"
    return f"{board.name:<16} {kind:<32} {where}; {state}"


def _check(arguments: argparse.Namespace) -> int:
    file = _file(arguments)
    lab = load_lab(file)
    registry = Registry(lab=file)
    names: list[str] = arguments.board or list(lab.boards)
    for name in names:
        if name not in lab.boards:
            raise UnknownName("lab board", name, lab.boards)
    findings = [
        _checked(lab.boards[name], registry, ask=not arguments.no_ask) for name in names
    ]
    return 0 if all(finding.is_well for finding in findings) else 1


def _checked(board: LabBoard, registry: Registry, *, ask: bool) -> Finding:
    try:
        spec = registry.board(board.name)
        engine = registry.engine(spec.engine)
        if isinstance(engine, HasConsoles):
            finding = _visited(engine, spec)
        else:
            finding = check(board, spec, Leases(), ask=ask)
    except EmbedbenchError as error:
        finding = Finding(is_well=False, text=str(error))
    sys.stdout.write(f"{board.name}: {finding.text}\n")
    return finding


def _visited(engine: HasConsoles, spec: BoardSpec) -> Finding:
    """Log in to a target that nobody has, and have it say what it is."""
    at_once = replace(spec, options={**spec.options, "wait_s": 0})
    try:
        held = engine.open_console(at_once)
    except BoardBusy as busy:
        return Finding(is_well=True, text=f"left alone: {busy}")
    try:
        who = held.console.run("uname -srm").check().text.strip()
        return Finding(is_well=True, text=f"ready: {who} on {held.console.location}")
    finally:
        held.close()


def _file(arguments: argparse.Namespace) -> Path:
    text: str = arguments.lab or os.environ.get(LAB_ENV, "")
    if not text:
        raise ConfigError(f"no lab file: name one with --lab or {LAB_ENV}")
    return Path(text)
