"""What joining UARTs and joining pins have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.bench.joined_board import JoinedBoard, joined_board
from pytest_embedbench.bench.joined_time import JoinedTime
from pytest_embedbench.bench.uarts import first_of
from pytest_embedbench.bench.under_test import identity
from pytest_embedbench.errors import BoardLost, ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.bench.joined_end import JoinedEnd
    from pytest_embedbench.bench.uart_session import UartSession


def group_of(call: str, uarts: Sequence[UartSession]) -> JoinedTime:
    """Return the group that boards are in or come into, each by one of its UARTs.

    Raises:
        ConfigError: they are of two groups.
    """
    groups = [board.time for each in uarts if (board := joined_board(each)) is not None]
    time, *others = groups or [JoinedTime()]
    if any(other is not time for other in others):
        raise ConfigError(
            f"{call}: these boards are of two groups, each with a time of its "
            "own: begin with one wire, and go on from the boards that it joins"
        )
    return time


def member(time: JoinedTime, uart: UartSession) -> JoinedBoard:
    """Return the board of a UART in a group, into which it comes now if need be."""
    return joined_board(uart) or time.add(first_of(uart))


def tie(time: JoinedTime, ends: Sequence[JoinedEnd]) -> None:
    """Have ends hear each other, and say so in their transcripts."""
    names = [end.shown for end in ends]
    for number, end in enumerate(ends, start=1):
        end.label = end.shown
        if names.count(end.shown) > 1:
            end.label += f" (no. {number} of {len(ends)})"
    for end in ends:
        end.partners += [other for other in ends if other is not end]
        partners = ", ".join(partner.shown for partner in end.partners)
        end.recorder.note(f"{end.port} is joined to {partners}")
    time.settle()


def check_running(call: str, shown: str, uart: UartSession) -> None:
    """Refuse a board that is closed or gone."""
    try:
        uart.recorder.board.advance(0)
    except BoardLost as lost:
        raise ConfigError(f"{call}: {shown} hears nobody: {lost}") from lost


def check_two_boards(
    call: str, names: str, one: UartSession, other: UartSession
) -> None:
    """Refuse to join a board with itself."""
    if identity(one.recorder.board) == identity(other.recorder.board):
        raise ConfigError(
            f"{call}: {names} are of one board; boot two boards, each with a "
            "bench of its own"
        )
