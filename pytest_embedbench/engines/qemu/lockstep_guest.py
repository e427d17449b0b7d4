"""A firmware in lockstep: it stands at one of its ticks whenever the bench looks.

It runs in whole ticks of its own, and stands at the last one that is not later than the
bench's time. What it says is stamped with the tick by which it was out; what it is sent
reaches it at the tick that it stands at. The bench's time starts at its first tick.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.boot_words import ROM_BANNER, is_refused_by_rom
from pytest_embedbench.engines.qemu.diagnosis import GuestContext, explain
from pytest_embedbench.engines.qemu.early_faults import Faulted
from pytest_embedbench.engines.qemu.launch import launch, limit_time_warp
from pytest_embedbench.engines.qemu.lockstep import Lockstep, Restarted, Trapped
from pytest_embedbench.engines.qemu.receivers import Pace, receiver
from pytest_embedbench.processes.channel_errors import ChannelError
from pytest_embedbench.processes.core_pinning import SHARED_CORE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.engines.qemu.diagnosis import Cause
    from pytest_embedbench.engines.qemu.guest_setup import GuestSetup
    from pytest_embedbench.engines.qemu.launch import Emulator
    from pytest_embedbench.engines.qemu.links import QemuLink
    from pytest_embedbench.engines.qemu.receivers import Receiver
    from pytest_embedbench.errors import EmbedbenchError

_BITS_PER_BYTE = 10  # 8N1
_WATCHDOG = re.compile(rb"rst:0x\w+ \(\w*WDT|watchdog got triggered|wdt timeout")
_CAUSES = (ChannelError, Restarted, Trapped, Faulted)


@dataclass(slots=True)
class LockstepPower:
    """Starts guests in lockstep, one after the other, on the core that we are on."""

    setup: GuestSetup
    virtual_time: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        SHARED_CORE.pin()

    def __call__(self, links: Mapping[str, QemuLink], now_us: int) -> LockstepGuest:
        """Start an emulator; its guest stands at the reset vector."""
        setup = self.setup
        emulator = launch(setup.command, setup.serials(), setup.timing)
        return LockstepGuest(setup, emulator, links, now_us)

    def close(self) -> None:
        """Let another board have the core."""
        SHARED_CORE.unpin()
        self.setup.on_close()


class LockstepGuest:
    """A firmware that the bench leads from tick to tick."""

    def __init__(
        self,
        setup: GuestSetup,
        emulator: Emulator,
        links: Mapping[str, QemuLink],
        now_us: int,
    ) -> None:
        self.now_us = now_us
        self._started_us = now_us
        self._setup = setup
        self._emulator = emulator
        self._links = links
        self._clock = setup.find_clock()
        self._receivers: list[Receiver] = []
        self._lockstep = Lockstep(
            emulator.stub, self._clock.sync_point, self._receivers
        )

    @property
    def pid(self) -> int:
        """The emulator's process."""
        return self._emulator.popen.pid

    @property
    def notes(self) -> Sequence[str]:
        """Say what went wrong on the way, and that an emulator may be slower."""
        lost = zip(self._links, self._receivers, strict=False)
        notes = [*self._emulator.notes, *self._setup.notes]
        if self._clock.is_freertos:
            notes.append(self._clock.describe())
        notes += [
            f"{name} lost {receiver.unheard} bytes: its receiver was off"
            for name, receiver in lost
            if receiver.unheard
        ]
        if self._lockstep.widest > 1:
            notes.append(
                f"the firmware made up for {self._lockstep.widest} ticks at once: "
                "what it said in these is stamped with the last of them"
            )
        if _WATCHDOG.search(self._console()):
            mips = 1000 / 2**self._setup.timing.icount_shift
            notes.append(
                "emulator speed: a watchdog bit on a core that does "
                f"{mips:.0f} million instructions a second; a real one does more "
                "(option icount_shift, or watchdogs = false)"
            )
        return notes

    def boot(self) -> None:
        """Run from reset to the first tick; the bench's time stands still."""
        channel = self._emulator.stub.channel
        channel.watch = self._look_for_boot_loop
        setup = self._setup
        try:
            self._lockstep.start(
                self._clock.entry,
                setup.machine.pc_register,
                setup.rom_wait,
                setup.machine.fault_vector,
            )
            self._keep_time()
        except _CAUSES as cause:
            self._listen()
            raise self._explained(cause, at_us=None) from None
        channel.watch = None
        channel.budget = replace(channel.budget, cpu_s=self._setup.run_cpu_s)
        self._listen()

    def run(self, until_us: int) -> None:
        """Run to the last tick that is not later than ``until_us``."""
        ticks = int((until_us - self._started_us) / self._clock.period_us)
        links = self._links.values()
        for link, target in zip(links, self._receivers, strict=True):
            target.pending += link.take_sent()
        try:
            self._lockstep.run_to(ticks, self._listen)
        except _CAUSES as cause:
            self._listen()
            self.now_us = max(self.now_us, self._tick_us())
            raise self._explained(cause, at_us=self.now_us) from None
        self.now_us = until_us

    def close(self) -> None:
        """End the emulator."""
        self._emulator.close()

    def _keep_time(self) -> None:
        """Learn at the first tick how long one is, and what goes with it.

        Raises:
            ConfigError: it is not as long as its build says.
        """
        setup, stub = self._setup, self._emulator.stub
        timer = setup.machine.tick_timer
        if self._clock.is_freertos and timer is not None:
            self._clock = self._clock.agreed(timer.rate_hz(stub, setup.names))
        time_warp_us = setup.time_warp_us(self._clock)
        if time_warp_us != setup.timing.time_warp_us:
            limit_time_warp(stub, time_warp_us)
        self._receivers += [
            receiver(
                setup.machine.uarts[name],
                self._emulator.ports[name],
                self._pace(baud_bps, time_warp_us),
            )
            for name, baud_bps in setup.bauds_bps().items()
        ]

    def _pace(self, baud_bps: int, time_warp_us: int) -> Pace:
        byte_us = _BITS_PER_BYTE * 1_000_000 / baud_bps
        return Pace(
            bytes_per_tick=max(1, int(self._clock.period_us / byte_us)),
            time_warp_us=time_warp_us,
            read_word=self._setup.read_word,
        )

    def _look_for_boot_loop(self) -> None:
        console = next(iter(self._emulator.ports.values()))
        said = console.peek()
        if len(ROM_BANNER.findall(said)) > 1 or is_refused_by_rom(said):
            raise Restarted

    def _listen(self) -> None:
        at_us = self._tick_us()
        ports = self._emulator.ports.values()
        for link, port in zip(self._links.values(), ports, strict=True):
            if said := port.said():
                link.hear(at_us, said)
                port.forget()

    def _tick_us(self) -> int:
        """Return the bench's time of the tick that the guest stands at."""
        return self._started_us + int(self._lockstep.ticks * self._clock.period_us)

    def _explained(self, cause: Cause, at_us: int | None) -> EmbedbenchError:
        return explain(
            cause,
            GuestContext(
                emulator=self._emulator,
                machine=self._setup.machine,
                elf_path=self._setup.elf_path,
                at_us=at_us,
                said=self._console(),
            ),
        )

    def _console(self) -> bytes:
        """Return the last of what the first UART has said."""
        return next(iter(self._links.values())).tail
