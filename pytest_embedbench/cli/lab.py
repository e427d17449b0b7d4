"""``embedbench lab``: check a lab, and see who holds what."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.cli.lab_file import add_lab_option, board_named, lab_file
from pytest_embedbench.contracts import HasConsoles
from pytest_embedbench.engines.linux.options import linux_options
from pytest_embedbench.errors import BoardBusy, EmbedbenchError
from pytest_embedbench.lab.inventory.controls import controls_by_command
from pytest_embedbench.lab.inventory.labfile import load_lab
from pytest_embedbench.lab.inventory.status import (
    Finding,
    board_statuses,
    check,
    twin_boards,
)
from pytest_embedbench.lab.leases.acquire import Leases

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from pytest_embedbench.lab.inventory.lab import LabBoard
    from pytest_embedbench.lab.inventory.status import BoardStatus
    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.support.commands import Subcommands


def add_lab(commands: Subcommands) -> None:
    """Add ``embedbench lab`` with all that it does to a lab and to one board."""
    from pytest_embedbench.cli.lab_hands import add_hands  # noqa: PLC0415  # late
    from pytest_embedbench.cli.lab_stats import add_stats  # noqa: PLC0415  # late

    parser = commands.add_parser(
        "lab", help="check a lab file; see who holds what; a hand on one board"
    )
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
        action.add_argument("--json", action="store_true", help="for programs")
        add_lab_option(action)
        action.set_defaults(run=run)
    add_hands(actions)
    add_stats(actions)


def _list(arguments: argparse.Namespace) -> int:
    statuses = board_statuses(load_lab(lab_file(arguments)), Leases())
    if arguments.json:
        _say_json(map(_status_record, statuses))
        return 0
    for status in statuses:
        sys.stdout.write(f"{_line(status)}\n")
        for waiter in status.waiters:
            sys.stdout.write(f"    waited for by {waiter}\n")
    return 0


def _line(status: BoardStatus) -> str:
    board = status.board
    kind = f"{board.datasheet} [{' '.join(board.labels)}]"
    where = ": ".join(filter(None, (status.port, status.problem)))
    state = f"held by {status.holder}" if status.holder else "free"
    if status.hold is not None:
        state = str(status.hold).removeprefix("is ")
    if board.disabled:
        state = f"disabled: {board.disabled}"
    return f"{board.name:<16} {kind:<32} {where}; {state}"


def _status_record(status: BoardStatus) -> dict[str, Any]:
    board = status.board
    return {
        "board": board.name,
        "datasheet": board.datasheet,
        "labels": board.labels,
        "disabled": board.disabled or None,
        "port": status.port or None,
        "problem": status.problem or None,
        "hold": status.hold and asdict(status.hold),
        "holder": status.holder and asdict(status.holder),
        "waiters": [asdict(waiter) for waiter in status.waiters],
    }


def _check(arguments: argparse.Namespace) -> int:
    file = lab_file(arguments)
    lab = load_lab(file)
    registry = Registry(lab=file)
    boards = [board_named(lab, name) for name in arguments.board or lab.boards]
    twins = twin_boards(lab, Leases().listed())
    findings: dict[str, Finding] = {}
    for board in boards:
        if twin := twins.get(board.name):
            finding = Finding(is_well=False, text=twin)
        else:
            finding = _checked(board, registry, ask=not arguments.no_ask)
        findings[board.name] = finding
        if not arguments.json:
            told = finding.text.removeprefix(f"{board.name}: ")
            sys.stdout.write(f"{board.name}: {told}\n")
    if arguments.json:
        _say_json(
            {"board": name, **asdict(finding)} for name, finding in findings.items()
        )
    return 0 if all(finding.is_well for finding in findings.values()) else 1


def _checked(board: LabBoard, registry: Registry, *, ask: bool) -> Finding:
    if board.disabled:
        return Finding(is_well=True, text=f"left alone: disabled: {board.disabled}")
    try:
        spec = registry.board(board.name)
        engine = registry.engine(spec.engine)
        if isinstance(engine, HasConsoles):
            return _visited(engine, spec)
        return check(board, spec, Leases(), ask=ask)
    except EmbedbenchError as error:
        return Finding(is_well=False, text=str(error))


def _visited(engine: HasConsoles, spec: BoardSpec) -> Finding:
    """Log in to a target that nobody has, and have it say what it is."""
    controls_by_command(spec, linux_options(spec)).insist_on_programs()
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


def _say_json(records: Iterable[dict[str, Any]]) -> None:
    table = {"schema": 1, "boards": list(records)}
    sys.stdout.write(f"{json.dumps(table, indent=2)}\n")
