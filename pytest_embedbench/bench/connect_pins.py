"""Join pins of two benches, so that each board sees what the other does at its pin."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.joined_board import joined_board
from pytest_embedbench.bench.joining import (
    check_running,
    check_two_boards,
    group_of,
    member,
    tie,
)
from pytest_embedbench.bench.under_test import plain
from pytest_embedbench.contracts import HasCircuit, HasVirtualTime, JoinsPins, pin_port
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from pytest_embedbench.contracts import Board

BenchPin: TypeAlias = "tuple[Bench, str]"
"""A bench, and a pin's name in its board's datasheet."""

WIRE_DELAY_US = 100
"""How long an edge takes from one joined pin to the other."""
_LONGEST_DELAY_US = 1_000_000


def connect_pins(
    one: BenchPin, other: BenchPin, *, wire_delay_us: int = WIRE_DELAY_US
) -> None:
    """Join a pin of one bench's board to a pin of another's: one wire.

    ``connect_pins((node, "D7"), (controller, "D2"))``. What a firmware does at its pin
    (low, high, pulled up, nothing), the other board's pin sees exactly
    ``wire_delay_us`` later, to the microsecond: an output drives an input, an output
    that is either low or released meets a pull-up, and a timer's PWM crosses edge by
    edge. From now on time is the same for both boards, as with ``connect_uarts``; the
    delay is how far each may run ahead of the other, so a short one costs host time.
    What UART, SPI and I2C hardware says at its pins does not cross.

    Raises:
        ConfigError: no bench with a pin of its board; one board twice; a pin that is
            joined already, that a test drives, or that has no digital level; a board
            that is closed, in a circuit, or without pins that can be joined; boards of
            two groups; a delay that is no whole number of microseconds from 1 to
            1,000,000.
        PinContention: later, from whatever waits for either board: both pins are
            outputs, and one is low while the other is high.
    """
    if type(wire_delay_us) is not int or not 0 < wire_delay_us <= _LONGEST_DELAY_US:
        raise ConfigError(
            f"connect_pins: wire_delay_us = {wire_delay_us!r}: must be whole "
            f"microseconds from 1 to {_LONGEST_DELAY_US}"
        )
    pins = _checked(one), _checked(other)
    names = f"{_shown(*pins[0])} and {_shown(*pins[1])}"
    uarts = [bench.uart for bench, _ in pins]
    check_two_boards("connect_pins", names, *uarts)
    time = group_of("connect_pins", uarts)
    boards = [member(time, uart) for uart in uarts]
    tie(
        time,
        [
            board.join_pin(pin, wire_delay_us)
            for board, (_, pin) in zip(boards, pins, strict=True)
        ],
    )


def _checked(given: object) -> BenchPin:
    match given:
        case (Bench() as bench, str() as pin):
            pass
        case _:
            raise ConfigError(
                f"connect_pins: {given!r} is no pin of a bench; give (bench, 'PIN')"
            )
    board, shown = plain(bench.board), _shown(bench, pin)
    if not isinstance(board, JoinsPins) or isinstance(board, HasCircuit):
        raise ConfigError(f"connect_pins: {shown}: {_why_not(board)}")
    if pin not in board.spec.pins:
        known = ", ".join(board.spec.pins)
        raise ConfigError(
            f"connect_pins: {board.spec.name} has no pin {pin!r}; it has: {known}"
        )
    try:
        board.check_joinable(pin)
    except ConfigError as error:
        raise ConfigError(f"connect_pins: {error}") from error
    joined = joined_board(bench.uart)
    if joined is not None and pin_port(pin) in joined.ends:
        raise ConfigError(f"connect_pins: {shown} is joined already")
    check_running("connect_pins", shown, bench.uart)
    return bench, pin


def _why_not(board: Board) -> str:
    name, engine = board.spec.name, board.spec.engine
    if isinstance(board, HasCircuit):
        return "it stands in a circuit; draw the wire there, or boot it without one"
    if isinstance(board, HasVirtualTime) and board.virtual_time:
        return (
            f"{name} ({engine}) has no pins that can be joined; simulated AVRs have, "
            "such as uno"
        )
    return (
        f"{name} ({engine}) lives in host time, in which no edge comes at a given "
        "moment; put a real wire between real boards"
    )


def _shown(bench: Bench, pin: str) -> str:
    return f"{bench.board.spec.name}.{pin}"
