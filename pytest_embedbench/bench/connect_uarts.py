"""Join UARTs of several benches, so that their boards talk to each other."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from pytest_embedbench.bench.joined_board import joined_board
from pytest_embedbench.bench.joined_uart import JoinedUart
from pytest_embedbench.bench.joining import (
    check_running,
    check_two_boards,
    group_of,
    member,
    tie,
)
from pytest_embedbench.bench.uart_session import UartSession
from pytest_embedbench.errors import ConfigError

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
        _check_pair(one, other)
    _join(uarts)


def _join(uarts: tuple[UartSession, ...]) -> None:
    time = group_of("connect_uarts", uarts)
    boards = [member(time, each) for each in uarts]
    tie(
        time,
        [board.join(each.recorder) for board, each in zip(boards, uarts, strict=True)],
    )


def _check_one(uart: object) -> None:
    if not isinstance(uart, UartSession):
        raise ConfigError(
            f"connect_uarts: {uart!r} is no UART of a bench; give bench.uart or "
            "bench.uarts['NAME']"
        )
    name = _shown(uart.recorder)
    board = joined_board(uart)
    if board is not None and uart.recorder in [
        joined.recorder
        for joined in board.ends.values()
        if isinstance(joined, JoinedUart)
    ]:
        raise ConfigError(
            f"connect_uarts: {name} is joined already; name all of a bus in one call"
        )
    check_running("connect_uarts", name, uart)


def _check_pair(left: UartSession, right: UartSession) -> None:
    one, other = left.recorder, right.recorder
    names = f"{_shown(one)} and {_shown(other)}"
    check_two_boards("connect_uarts", names, left, right)
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
