"""The child's side of the conversation: one request in, one answer out.

The first request boots, each further one is ``(commands, until_us)``; ``("stand",)``
before those makes an original of us, of which copies are made. Behind the time there
may be stretches to go on through, as times and what is sent before, and the lines that
may be said in them: an answer for each, up to the first with anything else.
``("script", steps)`` is a talk to go through. The socket is file descriptor 0; when it
closes, we end.
"""

from __future__ import annotations

import os
import sys
from collections import deque

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.adc import Adc
from pytest_embedbench.engines.simavr.core.clock import ClockPrescaler
from pytest_embedbench.engines.simavr.core.delay_loop import DelayLoop
from pytest_embedbench.engines.simavr.core.edges import MAX_EDGES, EdgeLog
from pytest_embedbench.engines.simavr.core.eeprom import Eeprom
from pytest_embedbench.engines.simavr.core.flags import pin_flags
from pytest_embedbench.engines.simavr.core.last_words import die_of
from pytest_embedbench.engines.simavr.core.levels import LevelInterrupts
from pytest_embedbench.engines.simavr.core.machine import AvrMachine
from pytest_embedbench.engines.simavr.core.messages import HEADER, decode, encode
from pytest_embedbench.engines.simavr.core.pin_changes import add_pin_changes
from pytest_embedbench.engines.simavr.core.pins import AvrPort
from pytest_embedbench.engines.simavr.core.pwm import Pwm
from pytest_embedbench.engines.simavr.core.scripts import go_through
from pytest_embedbench.engines.simavr.core.sleep import DeepSleep
from pytest_embedbench.engines.simavr.core.spi import Spi
from pytest_embedbench.engines.simavr.core.spi_poll import SpiPoll
from pytest_embedbench.engines.simavr.core.standing import stand
from pytest_embedbench.engines.simavr.core.stimuli import Stimuli
from pytest_embedbench.engines.simavr.core.timer import AvrTimer
from pytest_embedbench.engines.simavr.core.twi import Twi
from pytest_embedbench.engines.simavr.core.uart import Usart
from pytest_embedbench.engines.simavr.core.watchdog import Watchdog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from pytest_embedbench.engines.simavr.core.asked_circuit import AskedCircuit
    from pytest_embedbench.engines.simavr.core.pin_use import PinWatch

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


class AvrInChild:
    """A machine with its peripherals, and what they have done since last asked."""

    def __init__(
        self,
        machine: AvrMachine,
        uarts: list[tuple[int, int, bool]],
        circuit: tuple[Any, ...] | None = None,
    ) -> None:
        self.machine = machine
        self.now_us = 0
        self.edges = EdgeLog()
        self.pwm: deque[tuple[int, str, float, float]] = deque(maxlen=MAX_EDGES)
        self.trace: tuple[Any, ...] = ()
        self.uarts = [
            Usart(machine, number, bps, told=told) for number, bps, told in uarts
        ]
        self.ports = {
            letter: AvrPort(machine, letter, self.edges, self._on_direction)
            for letter in machine.mcu.ports
        }
        self.timers = [AvrTimer(machine, timer) for timer in machine.mcu.timers]
        self.pwms = [
            Pwm(machine, timer, self.ports, self._on_pwm)
            for timer in machine.mcu.timers
        ]
        self.stimuli = Stimuli(machine, self.ports)
        self.adc = Adc(machine)
        self.spi = Spi(machine)
        self.twi = Twi(machine)
        self.watchdog = Watchdog(machine)
        add_pin_changes(machine)
        self.flags = pin_flags(machine)
        self.eeprom = Eeprom(machine)
        self.clock = ClockPrescaler(machine)
        self.levels = LevelInterrupts(machine)
        self.sleep = DeepSleep(machine, [*self.timers, *self.pwms, *self.uarts])
        self.pin_watch: PinWatch | None = None
        self.circuit: AskedCircuit | None = None
        if circuit is not None:
            # Only boards in circuits load what circuits need.
            from pytest_embedbench.engines.simavr.core.asked_circuit import (  # noqa: PLC0415
                AskedCircuit,
            )

            self.circuit = AskedCircuit(self, *circuit)

    def obey(self, commands: list[tuple[Any, ...]]) -> None:  # noqa: PLR0912, PLR0915  # a table
        """Do what the bench does to a board, now."""
        for command in commands:
            match command:
                case ("send", int(index), data):
                    self.uarts[index].send(data)
                case ("drive", letter, bit, level):
                    self.ports[letter].drive(bit, level)
                case ("drive_later", letter, bit, edges):
                    self.stimuli.add(letter, bit, edges)
                case ("analog", channel, millivolts):
                    self.adc.put(channel, millivolts)
                case ("compare", signal, millivolts):
                    self.adc.compare(signal, millivolts)
                case ("trace",):
                    watch = self.pin_watch
                    used = watch.report() if watch is not None else None
                    self.trace = (*self.edges.take(), list(self.pwm), used)
                    self.pwm.clear()
                case ("watch_pins",):
                    self._watch_pins()
                case ("run_on",):
                    self.machine.run_on()
                case ("reset",):
                    self.machine.press_reset()
                case ("power_cycle",):
                    self.eeprom.cut_power()
                    self.machine.cut_power()
                    if self.circuit is not None:
                        self.circuit.avr.live.power_on(self.machine.avr.cycle)
                case _ if self.circuit is not None:
                    self.circuit.obey(command)
                case _:
                    raise ValueError(command)

    def is_as_expected(
        self, answer: tuple[Any, ...], expected: tuple[bytes, ...], cycles: int
    ) -> bool:
        """Say whether an answer has nothing that the bench would have to think about.

        Who talks half of the time may be on the way to what it calls a flood.
        """
        _, chunks, _, lost, resets, *_, fault, replies = answer
        if fault is not None or resets or replies or any(map(any, lost)):
            return False
        if any(index or data not in expected for index, _, data in chunks):
            return False
        said_bytes = sum([len(data) for _, _, data in chunks])
        return 2 * said_bytes * self.uarts[0].byte_cycles() <= cycles

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
            self.trace,
            lost,
            machine.resets[:],
            machine.ending.has_come(),
            self.clock.divisor,
            machine.avr.pc,
            machine.sleeps(),
            machine.fault,
            () if self.circuit is None else self.circuit.report(),
        )
        self.trace = ()
        machine.resets.clear()
        return answer

    def _watch_pins(self) -> None:
        # Only boards that are watched load what that needs.
        from pytest_embedbench.engines.simavr.core.pin_use import (  # noqa: PLC0415
            PinWatch,
        )

        if self.pin_watch is None:
            self.pin_watch = PinWatch(self.machine, self.ports, self.adc)

    def _on_pwm(self, setting: tuple[int, str, float, float]) -> None:
        self.pwm.append(setting)
        if self.circuit is not None:
            self.circuit.avr.pwm(*setting)

    def _on_direction(self) -> None:
        for pwm in self.pwms:
            pwm.refresh()


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
        request = receive()
        if request == ("stand",):
            stand()
        elif request[0] == "script":
            send(go_through(board, request[1]))
        else:
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
            machine.run_until(cycle)
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
