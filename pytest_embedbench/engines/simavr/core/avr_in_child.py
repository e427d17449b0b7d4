"""What the child simulates: a chip, and all of it that the bench reaches."""

from __future__ import annotations

from collections import deque
from functools import partial

from pytest_embedbench.engines.simavr.core.adc import Adc
from pytest_embedbench.engines.simavr.core.clock import ClockPrescaler
from pytest_embedbench.engines.simavr.core.edges import MAX_EDGES, EdgeLog
from pytest_embedbench.engines.simavr.core.eeprom import Eeprom
from pytest_embedbench.engines.simavr.core.flags import pin_flags
from pytest_embedbench.engines.simavr.core.levels import LevelInterrupts
from pytest_embedbench.engines.simavr.core.pin_changes import add_pin_changes
from pytest_embedbench.engines.simavr.core.pins import AvrPort
from pytest_embedbench.engines.simavr.core.pwm import Pwm
from pytest_embedbench.engines.simavr.core.sleep import DeepSleep
from pytest_embedbench.engines.simavr.core.spi import Spi
from pytest_embedbench.engines.simavr.core.stimuli import Stimuli
from pytest_embedbench.engines.simavr.core.timer import AvrTimer
from pytest_embedbench.engines.simavr.core.twi import Twi
from pytest_embedbench.engines.simavr.core.uart import Usart
from pytest_embedbench.engines.simavr.core.watchdog import Watchdog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pytest_embedbench.engines.simavr.core.asked_circuit import AskedCircuit
    from pytest_embedbench.engines.simavr.core.joined_pin import JoinedPin
    from pytest_embedbench.engines.simavr.core.joined_wire import JoinedWire
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.pin_use import PinWatch
    from pytest_embedbench.engines.simavr.core.together import AmongPeers


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
        self.spi = Spi(machine, self.ports)
        self.twi = Twi(machine)
        self.watchdog = Watchdog(machine)
        add_pin_changes(machine)
        self.flags = pin_flags(machine)
        self.eeprom = Eeprom(machine)
        self.clock = ClockPrescaler(machine)
        self.levels = LevelInterrupts(machine)
        self.sleep = DeepSleep(machine, [*self.timers, *self.pwms, *self.uarts])
        self.pin_watch: PinWatch | None = None
        self.joined: dict[str, JoinedWire] = {}
        self.joined_pins: dict[str, JoinedPin] = {}
        self._pins_by_port: dict[str, JoinedPin] = {}
        self.together: AmongPeers | None = None
        self._begun: list[tuple[str, int, int, int]] = []
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
                case ("arrive", port, begins, ends, value):
                    self._arrive(port, begins, ends, value)
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
                case ("join", names):
                    self._join(names)
                case ("join_pin", name, letter, bit, delay_cycles, channel):
                    self._join_pin(name, letter, bit, delay_cycles, channel)
                case ("together", *plan):
                    if self.together is not None:
                        self.together.set_out(*plan)
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
        begun, self._begun = self._begun, []
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
            (begun, [wire.take_garbled() for wire in self.joined.values()]),
            machine.fault,
            () if self.circuit is None else self.circuit.report(),
        )
        self.trace = ()
        machine.resets.clear()
        return answer

    def _join(self, names: list[str]) -> None:
        # Only boards that talk to others load what that needs.
        from pytest_embedbench.engines.simavr.core.joined_wire import (  # noqa: PLC0415
            JoinedWire,
        )

        self.joined = {
            name: JoinedWire(self.machine, uart, partial(self._say, name))
            for name, uart in zip(names, self.uarts, strict=True)
        }

    def _join_pin(
        self, name: str, letter: str, bit: int, delay_cycles: int, channel: int | None
    ) -> None:
        from pytest_embedbench.engines.simavr.core.joined_pin import (  # noqa: PLC0415
            JoinedPin,
        )

        say, port = partial(self._say, name), f"P{letter}{bit}"
        pin = JoinedPin(self.machine, self.ports[letter], bit, delay_cycles, say)
        self.joined_pins[name] = self._pins_by_port[port] = pin
        if channel is not None:
            self.adc.wired[channel] = pin.millivolts
        for setting in [pwm.running_at(port) for pwm in self.pwms]:
            if setting is not None:
                pin.pwm(*setting)

    def meet(self, count: int) -> None:
        """Have lines to other children, whose ends come next."""
        from pytest_embedbench.engines.simavr.core.together import (  # noqa: PLC0415
            AmongPeers,
            take_ends,
        )

        self.together = AmongPeers(
            self.machine, take_ends(count), self._arrive, self._line_free
        )

    def run_until(self, until_us: int, cycle: int) -> None:
        """Let the core run to a moment, which is that cycle, and maybe others too."""
        if self.together is not None and self.together.is_due:
            self.together.run(until_us)
        else:
            self.machine.run_until(cycle)
        if self.machine.fault is not None:
            for wire in self.joined.values():
                wire.miss()
            for pin in self.joined_pins.values():
                pin.miss()

    def _say(self, port: str, begins: int, ends: int, value: int) -> None:
        self._begun.append((port, begins, ends, value))
        if self.together is not None:
            self.together.say(port, begins, ends, value)

    def _arrive(self, port: str, begins: int, ends: int, value: int) -> None:
        end = self.joined_pins.get(port) or self.joined[port]
        end.arrive(begins, ends, value)

    def _line_free(self, port: str) -> int:
        return self.joined[port].line_free() if port in self.joined else 0

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
        if (pin := self._pins_by_port.get(setting[1])) is not None:
            cycle, _, period_us, duty = setting
            pin.pwm(cycle, period_us, duty)

    def _on_direction(self) -> None:
        for pwm in self.pwms:
            pwm.refresh()
