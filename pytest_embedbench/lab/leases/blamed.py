"""Errors that are a board's or its place's: another may do where this one fails."""

from __future__ import annotations

from pytest_embedbench.errors import (
    BenchFault,
    BoardBusy,
    BoardLost,
    BoardUnreachable,
    FlashFailed,
    WrongBoard,
)

BOARD_FAULTS = (BoardBusy, BoardLost, BoardUnreachable, FlashFailed, WrongBoard)
"""``BoardBusy`` of a board that is ours: a foreign program has its port."""


def named(fault: BenchFault, board: str) -> BenchFault:
    """Return one of these with the board's name in it."""
    if str(fault).startswith((f"{board}:", f"{board} ")):
        return fault
    if isinstance(fault, FlashFailed):
        return FlashFailed(fault.port, fault.reason, fault.attempts, board)
    if isinstance(fault, WrongBoard):
        return WrongBoard(fault.port, fault.expected, fault.found, board)
    return type(fault)(f"{board}: {fault}")
