"""A board that QEMU emulates, in lockstep with the bench."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.cores import claim_core
from pytest_embedbench.engines.qemu.faults import ROM_BANNER, Scene, explain
from pytest_embedbench.engines.qemu.launch import launch
from pytest_embedbench.engines.qemu.lockstep import Lockstep, Restarted, Trapped
from pytest_embedbench.engines.qemu.patience import Silent
from pytest_embedbench.engines.qemu.receivers import Pace, receiver
from pytest_embedbench.engines.qemu.rsp import Garbled, HungUp
from pytest_embedbench.errors import (
    BoardLost,
    FirmwareFault,
    NotSupported,
    UnknownName,
)
from pytest_embedbench.model import Capability, Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.engines.qemu.faults import Cause
    from pytest_embedbench.engines.qemu.setup import Setup
    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.model import BoardSpec, Level, PinTrace

_CAPABILITIES = frozenset({Capability.STEP_TIME, Capability.RESET})
_NO_PINS = "QEMU's model of this chip has UARTs and a clock, but no pins"
_TAIL_BYTES = 4_000
_BITS_PER_BYTE = 10  # 8N1


class QemuLink:
    """One UART of an emulated board."""

    def __init__(self, board: QemuBoard) -> None:
        self._board = board
        self._said: list[Chunk] = []
        self.to_send = bytearray()
        self.tail = b""

    def send(self, data: bytes) -> None:
        """Hand ``data`` over at the tick that the firmware stands at."""
        self._board.check_open()
        self.to_send += data

    def receive(self) -> Sequence[Chunk]:
        """Return what the firmware has said since the last call."""
        heard = [chunk for chunk in self._said if chunk.at_us <= self._board.now_us()]
        del self._said[: len(heard)]
        return heard

    def hear(self, at_us: int, data: bytes) -> None:
        """Keep what the firmware said in the tick that ended at ``at_us``."""
        *lines, rest = data.split(b"\n")
        self._said += [Chunk(at_us, line + b"\n") for line in lines]
        if rest:
            self._said.append(Chunk(at_us, rest))
        self.tail = (self.tail + data)[-_TAIL_BYTES:]


class QemuBoard:
    """Firmware on an emulated chip; its time starts at its first tick.

    The firmware runs in whole ticks of its own: it stands at the last one that is
    not later than ``now_us``. What it says is stamped with the tick by which it was
    out; what it is sent reaches it at the tick that it stands at.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._spec = setup.spec
        self._links = {uart.name: QemuLink(self) for uart in setup.spec.uarts}
        self._now_us = 0
        self._fault: EmbedbenchError | None = None
        self._closed = False
        self._core = claim_core()
        try:
            self._boot()
        except BaseException:
            self._core.release()
            raise

    @property
    def spec(self) -> BoardSpec:
        """The datasheet it was booted from."""
        return self._spec

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Exact time and a reset button; there are no pins."""
        return _CAPABILITIES

    @property
    def notes(self) -> tuple[str, ...]:
        """What a test author should know of the run."""
        lost = {
            name: receiver.unheard
            for name, receiver in zip(
                self._links, self._lockstep.receivers, strict=True
            )
        }
        return tuple(
            f"{name} lost {count} bytes: its receiver was off"
            for name, count in lost.items()
            if count
        )

    def link(self, uart: str = "") -> QemuLink:
        """Return the link of one UART; the first by default."""
        name = uart or self._spec.uarts[0].name
        if name not in self._links:
            raise UnknownName("uart", name, self._links)
        return self._links[name]

    def now_us(self) -> int:
        """Return simulated time since the first tick."""
        return self._now_us

    def advance(self, duration_ms: int) -> None:
        """Let the firmware run up to the last tick within ``duration_ms``."""
        self.check_open()
        if self._fault is not None:
            raise self._fault
        until_us = self._now_us + duration_ms * 1000
        ticks = (until_us - self._started_us) // self._clock.period_us
        # Whatever interrupts the exchange leaves us out of step: usable no more.
        self._fault = BoardLost("the board was interrupted in the middle of a step")
        self._hand_over()
        try:
            with self._core.used():
                self._lockstep.run_to(ticks, self._listen)
        except (HungUp, Garbled, Silent, Restarted, Trapped) as cause:
            self._listen()
            self._now_us = max(self._now_us, self._guest_us())
            self._fault = self._explained(cause, at_us=self._now_us)
            raise self._fault from None
        self._now_us = until_us
        self._fault = None

    def drive_pin(self, pin: str, level: Level) -> None:
        """Raise ``NotSupported``: there are no pins."""
        raise NotSupported(f"cannot drive {pin} {level.name}: {_NO_PINS}")

    def set_analog(self, pin: str, millivolts: int) -> None:
        """Raise ``NotSupported``: there are no pins."""
        raise NotSupported(f"cannot put {millivolts} mV on {pin}: {_NO_PINS}")

    def pin_trace(self) -> PinTrace:
        """Raise ``NotSupported``: there are no pins."""
        raise NotSupported(f"no pin trace: {_NO_PINS}")

    def reset(self) -> None:
        """Power the chip off and on; what its flash holds stays."""
        self.check_open()
        self._emulator.close()
        self._fault = None
        self._boot()

    def close(self) -> None:
        """End the emulator; what was said stays readable."""
        if not self._closed:
            self._closed = True
            self._emulator.close()
            self._core.release()
            self._setup.let_go()

    def check_open(self) -> None:
        """Raise ``BoardLost`` if the board has been closed."""
        if self._closed:
            raise BoardLost(f"{self._spec.name} has been closed")

    def _boot(self) -> None:
        """Run from reset to the first tick; bench time stands still meanwhile."""
        setup = self._setup
        uarts = {
            uart.name: setup.machine.uarts[uart.name].serial
            for uart in self._spec.uarts
        }
        with self._core.used():
            self._emulator = launch(setup.command, uarts, setup.timing)
        self._clock = setup.find_clock()
        self._started_us = self._now_us
        stub = self._emulator.stub
        self._lockstep = Lockstep(
            stub,
            self._clock.beat,
            [
                receiver(
                    setup.machine.uarts[uart.name],
                    self._emulator.ports[uart.name],
                    Pace(
                        bytes_per_tick=self._bytes_per_tick(uart.baud_bps),
                        leap_us=setup.timing.leap_us,
                        read_word=setup.read_word,
                    ),
                )
                for uart in self._spec.uarts
            ],
        )
        booting = stub.patience
        stub.patience = replace(booting, watch=self._look_for_boot_loop)
        try:
            self._lockstep.start(self._clock.entry, setup.machine.pc_register)
        except (HungUp, Garbled, Silent, Restarted, Trapped) as cause:
            self._listen()
            self._fault = self._explained(cause, at_us=None)
            # A firmware that failed can still be heard: it may have said why.
            if not isinstance(self._fault, FirmwareFault):
                self._emulator.close()
                raise self._fault from None
        else:
            stub.patience = replace(booting, cpu_s=setup.run_cpu_s)
            self._listen()

    def _bytes_per_tick(self, baud_bps: int) -> int:
        byte_us = _BITS_PER_BYTE * 1_000_000 / baud_bps
        return max(1, int(self._clock.period_us / byte_us))

    def _look_for_boot_loop(self) -> None:
        console = next(iter(self._emulator.ports.values()))
        if len(ROM_BANNER.findall(console.peek())) > 1:
            raise Restarted

    def _hand_over(self) -> None:
        links = self._links.values()
        for link, target in zip(links, self._lockstep.receivers, strict=True):
            target.pending += link.to_send
            link.to_send.clear()

    def _listen(self) -> None:
        at_us = self._guest_us()
        ports = self._emulator.ports.values()
        for link, port in zip(self._links.values(), ports, strict=True):
            if said := port.said():
                link.hear(at_us, said)

    def _guest_us(self) -> int:
        return self._started_us + self._lockstep.beats * self._clock.period_us

    def _explained(self, cause: Cause, at_us: int | None) -> EmbedbenchError:
        return explain(
            cause,
            Scene(
                emulator=self._emulator,
                machine=self._setup.machine,
                elf_path=self._setup.elf_path,
                at_us=at_us,
                said=self._links[self._spec.uarts[0].name].tail,
            ),
        )
