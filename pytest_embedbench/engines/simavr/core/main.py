"""The child's side of the conversation: one request in, one answer out.

The first request boots, each further one is ``(commands, until_us)``; ``("stand",)``
before those makes an original of us, of which copies are made. Behind the time there
may be stretches to go on through, as times and what is sent before, and the lines that
may be said in them: an answer for each, up to the first with anything else.
``("script", steps)`` is a talk to go through. ``("meet", count)`` is answered before
and after open files have come: our ends of lines to other children. The socket is file
descriptor 0; when it closes, we end.
"""

from __future__ import annotations

import os
import sys
from collections import deque

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.avr_in_child import AvrInChild
from pytest_embedbench.engines.simavr.core.delay_loop import DelayLoop
from pytest_embedbench.engines.simavr.core.last_words import die_of
from pytest_embedbench.engines.simavr.core.machine import AvrMachine
from pytest_embedbench.engines.simavr.core.messages import HEADER, decode, encode
from pytest_embedbench.engines.simavr.core.ram_poll import RamPoll
from pytest_embedbench.engines.simavr.core.scripts import go_through
from pytest_embedbench.engines.simavr.core.spi_poll import SpiPoll
from pytest_embedbench.engines.simavr.core.standing import stand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_SOCKET = 0
# Small enough for malloc to keep: a bigger buffer is a system call per message.
_READ_BYTES = 1 << 15
_received = bytearray()
"""What of later requests has come with an earlier one."""


def receive() -> Any:  # noqa: ANN401  # whatever the parent packed
    """Return the next request; end the process when there will be none."""
    received = _received
    end = HEADER.size
    if len(received) >= end:
        end += HEADER.unpack_from(received)[0]
    while len(received) < end:
        data = os.read(_SOCKET, _READ_BYTES)
        if not data:
            sys.exit(0)
        received += data
        if len(received) >= HEADER.size:
            end = HEADER.size + HEADER.unpack_from(received)[0]
    payload = bytes(received[HEADER.size : end])
    del received[:end]
    return decode(payload)


def send(answer: tuple[Any, ...]) -> None:
    """Send one answer."""
    payload = encode(answer)
    message = HEADER.pack(len(payload)) + payload
    while message:
        message = message[os.write(_SOCKET, message) :]


def serve() -> None:
    """Boot what the first request describes, then obey until the parent is gone."""
    sys.unraisablehook = _die
    try:
        _serve()
    except Exception as error:  # noqa: BLE001  # parts of others may raise anything
        die_of(error)


def _serve() -> None:
    library, mmcu, cpu_hz, vcc_mv, options, uarts, segments, circuit = receive()
    allow_resets, bootloader, skip_delays = options
    try:
        machine = AvrMachine(library, mmcu, cpu_hz, vcc_mv)
        machine.allow_resets = allow_resets
        board = AvrInChild(machine, uarts, circuit)
        if bootloader:
            machine.started.append(board.watchdog.leave_bootloader)
        if skip_delays:
            DelayLoop(machine)
            board.spi.poll = SpiPoll(machine)
            board.twi.poll = RamPoll(machine)
        machine.load(segments)
    except OSError as error:
        send(("missing", str(error)))
        return
    except layout.LayoutMismatch as error:
        send(("mismatch", str(error)))
        return
    except layout.CannotBeWired as error:
        send(("refused", str(error)))
        return
    send(("ready", ""))
    while True:
        _obey(board, receive())


def _obey(board: AvrInChild, request: tuple[Any, ...]) -> None:
    match request:
        case ("stand",):
            stand()
        case ("script", steps):
            send(go_through(board, steps))
        case ("meet", count):
            send(())
            board.meet(count)
            send(())
        case _:
            run(board, *request)


def run(
    board: AvrInChild,
    commands: list[tuple[Any, ...]],
    until_us: int,
    ahead: tuple[tuple[int, bytes], ...] = (),
    expected: tuple[bytes, ...] = (),
) -> None:
    """Obey one request, and answer it: once, and for each stretch that is gone into."""
    machine = board.machine
    left = deque(ahead)
    while True:
        if commands:
            board.obey(commands)
        cycle = until_us * machine.cpu_hz // 1_000_000
        cycles = cycle - machine.avr.cycle
        if board.circuit is None or not board.circuit.has_stopped:
            board.run_until(until_us, cycle)
        if board.circuit is not None and board.circuit.has_stopped:
            cycle = machine.avr.cycle
        board.now_us = until_us
        answer = board.report(cycle)
        goes_on = bool(left) and board.is_as_expected(answer, expected, cycles)
        send((*answer, goes_on))
        if not goes_on:
            return
        until_us, data = left.popleft()
        commands = [("send", 0, data)] if data else []


def _die(unraisable: Any) -> NoReturn:  # noqa: ANN401  # typing is not loaded here
    """An exception in a callback cannot pass through C."""
    die_of(unraisable.exc_value)
