"""Join UARTs of several benches, so that their boards talk to each other."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from pytest_embedbench.bench.joined_board import joined_board
from pytest_embedbench.bench.joined_time import JoinedTime
from pytest_embedbench.bench.uart_session import UartSession
from pytest_embedbench.bench.uarts import first_of
from pytest_embedbench.bench.under_test import identity
from pytest_embedbench.errors import BoardLost, ConfigError

if TYPE_CHECKING:
    from pytest_embedbench.bench.recorder import Recorder

_TOLERANCE = 0.05


def connect_uarts(*uarts: UartSession) -> None:
    """Join the UARTs of several boards: each hears what the others say.

    ``connect_uarts(left.uart, right.uart)`` crosses RX and TX of two; more are a bus.
    From now on time is the same for all: whichever bench waits, all boards run, and
    their plants live along. Between simulated boards of ``native`` and ``simavr`` a
    byte is heard at the very microsecond at which its stop bit is out; boards that
    count in milliseconds (QEMU, real ones) hear what has come when one begins. Every
    bench goes on to hear its own board, and may still send to it; the transcript of
    each shows both directions, in the board's own time.

    Raises:
        ConfigError: fewer than two, something that is no UART of a bench, one board
            twice, a UART that is joined already, boards of two groups, a board that
            is closed, or speeds that are known and differ.
    """
    for uart in uarts:
        _check_one(uart)
    if len(uarts) < 2:  # noqa: PLR2004  # a wire has two ends
        raise ConfigError("connect_uarts: give the UARTs of two benches or more")
    for one, other in combinations(uarts, 2):
        _check_pair(one.recorder, other.recorder)
    _join(uarts)


def _join(uarts: tuple[UartSession, ...]) -> None:
    groups = [board.time for each in uarts if (board := joined_board(each)) is not None]
    time, *others = groups or [JoinedTime()]
    if any(other is not time for other in others):
        raise ConfigError(
            "connect_uarts: these boards are of two groups, each with a time of its "
            "own: begin with one wire, and go on from the boards that it joins"
        )
    boards = [joined_board(each) or time.add(first_of(each)) for each in uarts]
    ends = [
        board.join(each.recorder) for board, each in zip(boards, uarts, strict=True)
    ]
    names = [end.shown for end in ends]
    for number, end in enumerate(ends, start=1):
        end.label = end.shown
        if names.count(end.shown) > 1:
            end.label += f" (no. {number} of {len(ends)})"
    for end in ends:
        end.partners += [other for other in ends if other is not end]
        partners = ", ".join(partner.shown for partner in end.partners)
        end.recorder.note(f"{end.name} is joined to {partners}")
    time.settle()


def _check_one(uart: object) -> None:
    if not isinstance(uart, UartSession):
        raise ConfigError(
            f"connect_uarts: {uart!r} is no UART of a bench; give bench.uart or "
            "bench.uarts['NAME']"
        )
    name = _shown(uart.recorder)
    board = joined_board(uart)
    if board is not None and uart.recorder in [
        joined.recorder for joined in board.uarts.values()
    ]:
        raise ConfigError(
            f"connect_uarts: {name} is joined already; name all of a bus in one call"
        )
    try:
        uart.recorder.board.advance(0)
    except BoardLost as lost:
        raise ConfigError(f"connect_uarts: {name} hears nobody: {lost}") from lost


def _check_pair(one: Recorder, other: Recorder) -> None:
    names = f"{_shown(one)} and {_shown(other)}"
    if identity(one.board) == identity(other.board):
        raise ConfigError(
            f"connect_uarts: {names} are of one board; boot two boards, each with a "
            "bench of its own"
        )
    speeds = {_said_bps(one), _said_bps(other)} - {0}
    if speeds and max(speeds) - min(speeds) > _TOLERANCE * min(speeds):
        raise ConfigError(
            f"connect_uarts: {names} do not understand each other, at {_said_bps(one)} "
            f"and {_said_bps(other)} Bd: give both the same monitor_speed or baud_bps="
        )


def _said_bps(recorder: Recorder) -> int:
    """Return how fast somebody has said that a UART is, or 0."""
    uart = recorder.uart or recorder.board.spec.uarts[0]
    return uart.baud_bps if uart.said_by else 0


def _shown(recorder: Recorder) -> str:
    uart = recorder.uart or recorder.board.spec.uarts[0]
    return f"{recorder.board.spec.name}.{uart.name}"
