"""Who holds which board, and whether a lab is as its file says."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import (
    BoardBusy,
    BoardUnreachable,
    EmbedbenchError,
    WrongBoard,
)
from pytest_embedbench.flashing import Identity, identify
from pytest_embedbench.flashing.model import normalized_chip
from pytest_embedbench.lab.inventory.board_options import (
    flash_settings,
    serial_options,
    wired_uarts,
)
from pytest_embedbench.lab.inventory.controls import controls_for
from pytest_embedbench.lab.inventory.instruments import (
    make_instruments,
    open_instruments,
)
from pytest_embedbench.lab.leases import records
from pytest_embedbench.lab.leases.lease import BoardRequest
from pytest_embedbench.lab.leases.lockfile import lock_named
from pytest_embedbench.lab.leases.wait_queue import WaitQueue
from pytest_embedbench.lab.ports.discovery import attached, find, fitting
from pytest_embedbench.lab.ports.opening import open_port

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_embedbench.lab.inventory.lab import Lab, LabBoard
    from pytest_embedbench.lab.leases.acquire import Leases
    from pytest_embedbench.lab.leases.lease import Lease
    from pytest_embedbench.lab.leases.wait_queue import Waiter
    from pytest_embedbench.lab.ports.discovery import Attached, PortQuery
    from pytest_embedbench.model import BoardSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardStatus:
    """How a board stands at this moment."""

    board: LabBoard
    port: str
    """Where it was found; ``""`` if it is not there."""
    problem: str
    """Why it was not found, or cannot be right; ``""`` if neither."""
    hold: records.HeldByHand | None
    holder: records.Holder | None
    waiters: tuple[records.Holder, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What came of checking a board."""

    is_well: bool
    text: str


def board_statuses(lab: Lab, leases: Leases) -> list[BoardStatus]:
    """Return who has what and who waits for it; nothing is touched."""
    ports = leases.listed()
    waiters = WaitQueue(leases.folder).waiters()
    twins = twin_boards(lab, ports)
    return [
        _status(board, leases, ports, waiters, twins.get(board.name, ""))
        for board in lab.boards.values()
    ]


def twin_boards(lab: Lab, ports: Sequence[Attached]) -> dict[str, str]:
    """Return whose port a board has that is found on that of another, and how so.

    Two names of one port differ in the lab file, and are one only on this machine.
    """
    names: dict[str, list[str]] = {}
    for board in lab.boards.values():
        with suppress(BoardUnreachable):
            names.setdefault(find(board.query, ports).key, []).append(board.name)
    return {
        name: f"has the same port as {', '.join(n for n in group if n != name)}; one "
        "of them is wrong in the lab file"
        for key, group in names.items()
        if key and len(group) > 1
        for name in group
    }


def missing_boards(lab: Lab, names: Iterable[str]) -> list[tuple[str, str]]:
    """Return which of the boards that names stand for are not there, and why."""
    ports = attached()
    wanted = {
        board.name: board
        for name in names
        if name in lab.names()
        for board in lab.candidates(name)
        if not board.disabled
    }
    missing: list[tuple[str, str]] = []
    for board in wanted.values():
        try:
            find(board.query, ports)
        except BoardUnreachable as problem:
            missing.append((board.name, str(problem)))
    return missing


def _status(
    board: LabBoard,
    leases: Leases,
    ports: Sequence[Attached],
    waiters: Sequence[Waiter],
    twin: str,
) -> BoardStatus:
    port, problem = _place(board, ports)
    problem = problem or twin
    try:
        key = leases.key_of(board.query, ports)
    except BoardUnreachable:
        return BoardStatus(
            board=board, port="", problem=problem, hold=None, holder=None, waiters=()
        )
    lock = lock_named(leases.folder, key)
    held = bool(key) and lock.path.exists() and not lock.try_acquire()
    lock.release()
    record = records.read(lock.read())
    return BoardStatus(
        board=board,
        port=port,
        problem=problem,
        hold=record.held_by_hand(),
        holder=record.holder if held else None,
        waiters=tuple(waiter.who for waiter in waiters if key in waiter.keys),
    )


def check(
    board: LabBoard, spec: BoardSpec, leases: Leases, *, ask: bool = True
) -> Finding:
    """Say how a board does, taking it for as long as that needs.

    One that somebody else has is left alone, and that is nothing wrong.

    Args:
        board: The board, as the lab file has it.
        spec: Its own datasheet, with the lab file's options over it.
        leases: Where boards are taken.
        ask: Have its flash tool ask it who it is; that restarts most boards.
    """
    try:
        controls_for(spec).insist_on_programs()
        flash_settings(spec)
        request = BoardRequest(name=board.name, boards=((board.name, board.query),))
        (lease,) = leases.acquire([request], wait_s=0)
    except BoardBusy as busy:
        return Finding(is_well=True, text=f"left alone: {busy}")
    except EmbedbenchError as problem:
        return Finding(is_well=False, text=str(problem))
    try:
        who = _try(lease, spec, leases.listed(), ask=ask)
    except EmbedbenchError as problem:
        return Finding(is_well=False, text=str(problem))
    finally:
        lease.release()
    return Finding(is_well=True, text=f"ready: {who} on {lease.found}")


def _try(lease: Lease, spec: BoardSpec, ports: Sequence[Attached], *, ask: bool) -> str:
    """Open the port, and have the board say who it is."""
    options = serial_options(spec)
    address = lease.found.address
    port = open_port(address, baud_bps=spec.uarts[0].baud_bps, lines=options.lines())
    port.close()
    for name, query in wired_uarts(spec).items():
        _open_wired(spec, name, query, ports)
    open_instruments(make_instruments(spec), spec.name).close()
    settings = flash_settings(spec)
    if settings is None or not ask:
        return "not asked who it is"
    who = identify(spec, address, settings)
    if who is None:
        return f"{settings.method.name} cannot ask who it is"
    wanted = Identity(
        chip=normalized_chip(settings.chip or spec.mcu), serial=settings.serial.lower()
    )
    if who.chip != wanted.chip or wanted.serial not in ("", who.serial):
        raise WrongBoard(address, str(wanted), str(who))
    return str(who)


def _open_wired(
    spec: BoardSpec, name: str, query: PortQuery, ports: Sequence[Attached]
) -> None:
    """Find and open the port of a further UART of a board that is ours."""
    try:
        port = open_port(find(query, ports).address, baud_bps=spec.uarts[0].baud_bps)
    except BoardUnreachable as problem:
        raise BoardUnreachable(f"its UART {name!r}: {problem}") from problem
    port.close()


def _place(board: LabBoard, ports: Sequence[Attached]) -> tuple[str, str]:
    """Return where a board is, or why that cannot be said; the other is empty."""
    try:
        return str(find(board.query, ports)), ""
    except BoardUnreachable as problem:
        many = len(fitting(board.query, ports)) > 1
        return "", str(problem) if many else f"not there: {board.query}"
