"""The child's side of the conversation: one request in, one answer out.

The first request boots, each further one is ``(commands, until_us)``. The socket is
file descriptor 0; when it closes, we end.
"""

from __future__ import annotations

import os
import sys

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.adc import Adc
from pytest_embedbench.engines.simavr.core.machine import AvrMachine
from pytest_embedbench.engines.simavr.core.messages import HEADER, decode, encode
from pytest_embedbench.engines.simavr.core.pins import AvrPort
from pytest_embedbench.engines.simavr.core.pwm import Pwm
from pytest_embedbench.engines.simavr.core.uart import Usart
from pytest_embedbench.engines.simavr.core.watchdog import Watchdog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

MAX_PIN_CHANGES = 250_000
_SOCKET = 0
# Small enough for malloc to keep: a bigger buffer is a system call per message.
_READ_BYTES = 1 << 15


def receive() -> Any:  # noqa: ANN401  # whatever the parent packed
    """Return the next request; end the process when there will be none."""
    received = bytearray()
    end = HEADER.size
    while len(received) < end:
        data = os.read(_SOCKET, _READ_BYTES)
        if not data:
            sys.exit(0)
        received += data
        if len(received) >= HEADER.size:
            end = HEADER.size + HEADER.unpack_from(received)[0]
    return decode(memoryview(received)[HEADER.size :])


def send(answer: tuple[Any, ...]) -> None:
    """Send one answer."""
    payload = encode(answer)
    message = HEADER.pack(len(payload)) + payload
    while message:
        message = message[os.write(_SOCKET, message) :]


class AvrInChild:
    """A machine with its peripherals, and what they have done since last asked."""

    def __init__(self, machine: AvrMachine, uarts: list[tuple[int, int]]) -> None:
        self.machine = machine
        self.pins: list[tuple[int, str, int, int]] = []
        self.pwm: list[tuple[int, str, float, float]] = []
        self.pins_left = MAX_PIN_CHANGES
        self.uarts = [Usart(machine, number, bps) for number, bps in uarts]
        self.ports = {
            letter: AvrPort(machine, letter, self._on_pin, self._on_direction)
            for letter in machine.mcu.ports
        }
        self.timers = [
            Pwm(machine, timer, self.ports, self._on_pwm)
            for timer in machine.mcu.timers
        ]
        self.adc = Adc(machine)
        self.watchdog = Watchdog(machine)

    def obey(self, commands: list[tuple[Any, ...]]) -> None:
        """Do what the bench does to a board, now."""
        for command in commands:
            match command:
                case ("send", int(index), data):
                    self.uarts[index].send(data)
                case ("drive", letter, bit, level):
                    self.ports[letter].drive(bit, level)
                case ("analog", channel, millivolts):
                    self.adc.millivolts[channel] = millivolts
                case ("reset",):
                    self.machine.press_reset()
                case _:
                    raise ValueError(command)

    def report(self, cycle: int) -> tuple[Any, ...]:
        """Return all that happened since the last report."""
        chunks = [
            (index, *chunk)
            for index, uart in enumerate(self.uarts)
            for chunk in uart.take(cycle)
        ]
        lost = [(uart.overruns, uart.unheard, uart.odd_bps) for uart in self.uarts]
        for uart in self.uarts:
            uart.overruns = uart.unheard = uart.odd_bps = 0
        machine = self.machine
        answer = (
            machine.avr.cycle,
            chunks,
            self.pins[:],
            self.pwm[:],
            lost,
            machine.resets[:],
            self.pins_left < 0,
            machine.sleeps_deep(),
            machine.has_ended(),
            machine.avr.pc,
            machine.avr.state == layout.SLEEPING,
            machine.fault,
        )
        self.pins.clear()
        self.pwm.clear()
        machine.resets.clear()
        return answer

    def _on_pin(self, change: tuple[int, str, int, int]) -> None:
        self.pins_left -= 1
        if self.pins_left >= 0:
            self.pins.append(change)

    def _on_pwm(self, change: tuple[int, str, float, float]) -> None:
        self.pins_left -= 1
        if self.pins_left >= 0:
            self.pwm.append(change)

    def _on_direction(self) -> None:
        for timer in self.timers:
            timer.refresh()


def serve() -> None:
    """Boot what the first request describes, then obey until the parent is gone."""
    sys.unraisablehook = _die
    library, mmcu, cpu_hz, vcc_mv, allow_resets, uarts, segments = receive()
    try:
        machine = AvrMachine(library, mmcu, cpu_hz, vcc_mv)
        machine.allow_resets = allow_resets
        board = AvrInChild(machine, uarts)
        machine.load(segments)
    except OSError as error:
        send(("missing", str(error)))
        return
    except layout.LayoutMismatch as error:
        send(("mismatch", str(error)))
        return
    send(("ready", ""))
    while True:
        commands, until_us = receive()
        if commands:
            board.obey(commands)
        cycle = until_us * cpu_hz // 1_000_000
        machine.run_until(cycle)
        send(board.report(cycle))


def _die(unraisable: Any) -> NoReturn:  # noqa: ANN401  # typing is not loaded here
    """An exception in a callback cannot pass through C: end with its traceback."""
    import traceback  # noqa: PLC0415  # slow to load, and never needed

    traceback.print_exception(unraisable.exc_value)
    os._exit(70)
