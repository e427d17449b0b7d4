"""What a board has promised: time, its lines, and whatever else it has methods for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import (
    Board,
    DrivesPins,
    ExchangesBytes,
    HasAnalog,
    HasConsole,
    HasPower,
    HasReset,
    HasVirtualTime,
    JoinsPins,
    ReadsPins,
    SwitchesPower,
    WireByte,
)
from pytest_embedbench.errors import ConfigError, ContractViolation, NotSupported
from pytest_embedbench.model import Level
from pytest_embedbench.testing.insist import insist, insist_on_all, insist_on_refusal

if TYPE_CHECKING:
    from collections.abc import Callable

STEP_MS = 10
NO_PIN = "no such pin"
REPR_CHARS = 100
"""How much of itself a thing shows where an assert about it fails, at most."""


def check_board(board: Board) -> None:
    """Insist on the promises of ``Board`` and ``Link``, and of what else it has.

    Its firmware has to run for 300 ms without a fault, resets included. The board is
    closed afterwards.

    Raises:
        ContractViolation: naming the promise that was broken.
    """
    insist_on_all(board, Board)
    try:
        _check_time(board)
        _check_link(board)
        _check_reprs(board, board.link())
        _check_pins(board)
        _check_exchange(board)
        _check_joined_pins(board)
        _check_buttons(board)
        board.advance(STEP_MS)
    finally:
        board.close()
        board.close()


def is_exact(board: Board) -> bool:
    """Say whether a board's time is simulated."""
    return isinstance(board, HasVirtualTime) and board.virtual_time


def _check_time(board: Board) -> None:
    before_us = board.now_us()
    board.advance(STEP_MS)
    passed_us, step_us = board.now_us() - before_us, STEP_MS * 1000
    kept = passed_us == step_us if is_exact(board) else passed_us >= step_us
    insist(kept, f"advance({STEP_MS}) took {passed_us} us")
    for nonsense in (-1, 1.5):
        advance = partial(board.advance, nonsense)  # type: ignore[arg-type]
        insist_on_refusal(f"advance({nonsense})", advance, ConfigError)
    now_us = board.now_us()
    board.link().receive()
    stands_still = board.now_us() == now_us
    insist(stands_still or not is_exact(board), "time passed outside advance()")


def _check_link(board: Board) -> None:
    link = board.link()
    link.receive()
    insist(not link.receive(), "receive() must drain, and must not wait")
    link.send(b"")
    link.send(b"embedbench\n")
    for uart in board.spec.uarts:
        board.link(uart.name).receive()
    # Where time is the host's, the firmware talks while nobody looks, too.
    since_us = board.now_us() if is_exact(board) else 0
    board.advance(100)
    chunks = link.receive()
    stamps = [chunk.at_us for chunk in chunks]
    until_us = board.now_us()
    insist(stamps == sorted(stamps), f"stamps go backwards: {stamps}")
    insist(
        all(since_us <= stamp <= until_us for stamp in stamps),
        f"stamps {stamps} are outside the step {since_us}..{until_us}",
    )
    insist(all(chunk.data for chunk in chunks), "a chunk is never empty")
    insist(
        all(b"\n" not in chunk.data[:-1] for chunk in chunks),
        "a chunk ends at its first newline",
    )


def _check_exchange(board: Board) -> None:
    if not isinstance(board, ExchangesBytes):
        return
    until_us = board.now_us() + 1_234
    uart = board.spec.uarts[0]
    ends_us = until_us - 100
    byte = WireByte(uart.name, ends_us - 10_000_000 // uart.baud_bps, ends_us, 10)
    said = board.exchange(until_us, [byte])
    now_us = board.now_us()
    insist(now_us == until_us, f"exchange({until_us}) ran to {now_us} us")
    insist(
        all(byte.begins_us < byte.ends_us for byte in said),
        f"a byte ends before it begins: {said}",
    )
    board.advance(1)


def _check_joined_pins(board: Board) -> None:
    if isinstance(board, JoinsPins):
        nowhere = partial(board.join_pin, NO_PIN, 100)
        insist_on_refusal(f"join_pin({NO_PIN!r}, 100)", nowhere, ConfigError)


def _check_reprs(*held: object) -> None:
    for each in held:
        shown = repr(each)
        is_short = shown.isprintable() and len(shown) <= REPR_CHARS
        insist(is_short, f"no repr of one short line: {shown:.400}")


def _check_pins(board: Board) -> None:
    pins = board.spec.pins.values()
    if isinstance(board, DrivesPins):
        insist(pins, "it drives pins, and its datasheet has none")
        digital = [pin.name for pin in pins if pin.adc is None] or [*board.spec.pins]
        drive = board.drive_pin
        _insist_that_it_works("drive_pin", lambda: drive(digital[0], Level.FLOATING))
        nowhere = partial(drive, NO_PIN, Level.FLOATING)
        insist_on_refusal(f"drive_pin({NO_PIN!r})", nowhere, ConfigError)
    if isinstance(board, HasAnalog):
        analog = [pin.name for pin in pins if pin.adc is not None]
        insist(analog, "it takes voltages, and no pin of its datasheet has an adc")
        put = board.set_analog
        _insist_that_it_works("set_analog", lambda: put(analog[0], 0))
        nowhere = partial(put, NO_PIN, 0)
        insist_on_refusal(f"set_analog({NO_PIN!r})", nowhere, ConfigError)
    if isinstance(board, ReadsPins):
        _insist_that_it_works("pin_trace", board.pin_trace)
        stamps = [event.at_us for event in board.pin_trace().events]
        insist(stamps == sorted(stamps), "the events of a trace are not in order")


def _check_buttons(board: Board) -> None:
    if isinstance(board, HasReset):
        _insist_that_it_works("reset", board.reset)
    if isinstance(board, HasPower):
        _insist_that_it_works("power_cycle", board.power_cycle)
    if isinstance(board, SwitchesPower):
        _insist_that_it_works("power_off", board.power_off)
        _insist_that_it_works("power_on", board.power_on)
    if isinstance(board, HasConsole):
        _insist_that_it_works("console", lambda: board.console.run("true").check())


def _insist_that_it_works(method: str, call: Callable[[], object]) -> None:
    try:
        call()
    except NotSupported as refusal:
        raise ContractViolation(
            f"{method} is there only to say no ({refusal}): a board that lacks it "
            "leaves it out, and the bench says so"
        ) from refusal
