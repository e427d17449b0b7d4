"""The engine: boards of known MCUs, checked options, one child per board."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.engines.simavr.avr_program import read_image, read_program
from pytest_embedbench.engines.simavr.board import SimavrBoard
from pytest_embedbench.engines.simavr.child import Child
from pytest_embedbench.engines.simavr.core.mcus import MCUS
from pytest_embedbench.engines.simavr.drawn_circuit import (
    DRAWN_BOARDS,
    DrawnCircuit,
    circuit_of,
)
from pytest_embedbench.engines.simavr.options import SimavrOptions
from pytest_embedbench.engines.simavr.wired_board import WiredSimavrBoard
from pytest_embedbench.errors import ConfigError, ToolMissing
from pytest_embedbench.model import Capability
from pytest_embedbench.processes.time_budget import TimeBudget
from pytest_embedbench.support.image_kinds import ImageKind
from pytest_embedbench.support.options import read_options

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.engines.simavr.avr_program import AvrProgram
    from pytest_embedbench.model import BoardSpec, FirmwareImage

_BUDGET = TimeBudget(cpu_s=30.0, idle_s=120.0)
_CAPABILITIES = frozenset(
    {
        Capability.VIRTUAL_TIME,
        Capability.READ_PINS,
        Capability.DRIVE_PINS,
        Capability.DRIVE_PULSES,
        Capability.ANALOG,
        Capability.RESET,
        Capability.POWER_CYCLE,
    }
)
_WHY_NOT = {
    "atmega32u4": "its Serial is USB, and simavr has no host for that",
    "at90usb": "its Serial is USB, and simavr has no host for that",
    "attiny": "a test talks to a UART, which nearly all of these are without",
    "atmega1280": "simavr lacks an interrupt of its timer 2",
}
_PROBE: tuple[object, ...] = (
    *("atmega328p", 16_000_000, 5_000, (False,) * 3),
    *([], [], None),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Simavr:
    """Runs AVR boards on the libsimavr of the system.

    The options of a board are those of ``SimavrOptions``.

    Args:
        library: The shared library to load, by its soname or path.
        budget: What the simulator may use before any answer: a busy core needs 0.06 s
            of CPU per simulated second, all pins and UARTs at full speed some seconds;
            only a simulator caught in a loop needs more than this.
        cpu_s_per_s: CPU seconds that it may use more for every simulated second.
    """

    library: str = "libsimavr.so.2"
    budget: TimeBudget = _BUDGET
    cpu_s_per_s: float = 20.0

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> SimavrBoard:
        """Start ``image`` on ``spec`` at time 0."""
        program = self._program(spec, image)
        circuit = circuit_of(spec)
        child = self._child(spec, program, circuit)
        return _board(spec, program, child, circuit)

    def stand_ready(self, spec: BoardSpec, image: FirmwareImage) -> SimavrForkServer:
        """Load ``image`` once; each board is then a copy of the process."""
        program = self._program(spec, image)
        circuit = circuit_of(spec)

        def start() -> Child:
            return self._child(spec, program, circuit)

        def copy(original: Child) -> SimavrBoard:
            child = Child(spec.name, self.budget, self.cpu_s_per_s, original)
            return _board(spec, program, child, circuit)

        return SimavrForkServer(start, copy)

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        """Return what any board can, and whether it can stand in a circuit."""
        if spec.name in DRAWN_BOARDS:
            return _CAPABILITIES | {Capability.CIRCUIT}
        return _CAPABILITIES

    def check(self, spec: BoardSpec) -> None:
        """Raise ``ConfigError`` for a board that could never be booted."""
        read_options(spec, SimavrOptions)
        if spec.mcu not in MCUS:
            known = ", ".join(sorted(MCUS))
            whys = [
                why for start, why in _WHY_NOT.items() if spec.mcu.startswith(start)
            ]
            why = f" ({whys[0]})" if whys else ""
            raise ConfigError(
                f"{spec.name}: mcu {spec.mcu!r} is not one that simavr is set up "
                f"for{why}; known: {known}"
            )
        numbers = [_usart(spec, uart.name) for uart in spec.uarts]
        if len(set(numbers)) < len(numbers):
            names = ", ".join(uart.name for uart in spec.uarts)
            raise ConfigError(f"{spec.name}: two of its uarts are one USART: {names}")
        _check_pins(spec)

    def image_kinds(self, spec: BoardSpec) -> tuple[str, ...]:
        """Return what can be put into flash."""
        del spec
        return tuple(k.value for k in (ImageKind.ELF, ImageKind.HEX, ImageKind.BIN))

    def check_image(self, spec: BoardSpec, file: Path) -> None:
        """Raise ``FirmwareFault`` for what does not go into the flash."""
        self.check(spec)
        read_program(file, spec.mcu, MCUS[spec.mcu])

    def missing(self) -> ToolMissing | None:
        """Start the child once and say what it lacks."""
        try:
            self._start("simavr", *_PROBE).close()
        except ToolMissing as missing:
            return missing
        return None

    def version(self) -> str:
        """Return the library's name and, where Debian packaged it, its version."""
        ask_debian = ["dpkg-query", "-W", "-f", "${Version}", "libsimavr2"]
        try:
            done = subprocess.run(
                ask_debian, capture_output=True, text=True, check=True, timeout=20
            )
        except (OSError, subprocess.SubprocessError):
            return f"simavr ({self.library})"
        return f"simavr {done.stdout.strip()} ({self.library})"

    def version_for(self, spec: BoardSpec) -> str:
        """Return ``version()``, and whether ``delay()`` is leapt over on a board."""
        skips = read_options(spec, SimavrOptions).skip_delays
        way = "leapt over" if skips else "run through"
        return f"{self.version()}, delay() {way}"

    def _program(self, spec: BoardSpec, image: FirmwareImage) -> AvrProgram:
        self.check(spec)
        return read_image(image, spec.mcu, MCUS[spec.mcu])

    def _child(
        self, spec: BoardSpec, program: AvrProgram, circuit: DrawnCircuit | None
    ) -> Child:
        options = read_options(spec, SimavrOptions)
        return self._start(
            spec.name,
            spec.mcu,
            spec.cpu_hz,
            options.vcc_mv,
            (options.allow_resets, options.bootloader, options.skip_delays),
            [
                (_usart(spec, uart.name), uart.baud_bps, bool(uart.said_by))
                for uart in spec.uarts
            ],
            list(program.segments),
            circuit.for_child(spec) if circuit else None,
        )

    def _start(self, name: str, *request: object) -> Child:
        child = Child(name, self.budget, self.cpu_s_per_s)
        try:
            self._check(*child.ask((self.library, *request)))
        except BaseException:
            child.close()
            raise
        return child

    def _check(self, word: str, detail: str) -> None:
        if word == "ready":
            return
        if word == "refused":
            raise ConfigError(detail)
        tool = f"{self.library} of simavr 1.6 or 1.7"
        if word == "mismatch":
            tool += f" (not another version: {detail})"
        install = "install it: sudo apt-get install libsimavr2"
        raise ToolMissing("simavr", tool, install)


def _board(
    spec: BoardSpec, program: AvrProgram, child: Child, circuit: DrawnCircuit | None
) -> SimavrBoard:
    if circuit is None:
        return SimavrBoard(spec, program, child)
    return WiredSimavrBoard(spec, program, child, circuit)


class SimavrForkServer:
    """Boots the same image again and again, about two milliseconds apiece.

    The process has loaded it and stands before the first instruction; each board is a
    copy. Close the boards before the server.
    """

    def __init__(
        self, start: Callable[[], Child], copy: Callable[[Child], SimavrBoard]
    ) -> None:
        self._start = start
        self._copy = copy
        self._original = self._stood_up()

    def boot(self) -> SimavrBoard:
        """Return a fresh board at time 0."""
        if not self._original.is_standing():
            self._original.close()
            self._original = self._stood_up()
        return self._copy(self._original)

    def close(self) -> None:
        """End what stands ready, and all copies that are left."""
        self._original.close()

    def _stood_up(self) -> Child:
        child = self._start()
        child.stand()
        return child


def _check_pins(spec: BoardSpec) -> None:
    """Insist on ``PB5`` for a pin of a port and ``ADC6`` for one that has none."""
    for pin in spec.pins.values():
        on_port = re.fullmatch(r"P(\w)[0-7]", pin.port)
        if pin.port == f"ADC{pin.adc}":
            continue
        if on_port is None or on_port[1] not in MCUS[spec.mcu].ports:
            raise ConfigError(
                f"{spec.name}: pins.{pin.name}.port: {spec.mcu} has no {pin.port!r}; "
                "a port is written PB5, a pin for the ADC alone ADC6"
            )


def _usart(spec: BoardSpec, uart: str) -> int:
    """Return which USART a UART is: its name ends in the number."""
    known = MCUS[spec.mcu].uarts
    number = uart[-1:]
    if not number.isdigit() or int(number) not in known:
        names = ", ".join(f"serial{n}" for n in known)
        raise ConfigError(
            f"{spec.name}: uarts.{uart}: {spec.mcu} has no such UART; it has: {names}"
        )
    return int(number)
