"""A firmware in real time, for images that no bench can keep step with.

Nothing here is exact: bytes come and go when this computer gets round to it, and the
firmware's time is ours. Tests that need more say so with ``needs("virtual-time")``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.clock import host_now_s, pause
from pytest_embedbench.engines.qemu.launch import board_lost, launch
from pytest_embedbench.processes.channel_errors import Disconnected

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.engines.qemu.guest_setup import GuestSetup
    from pytest_embedbench.engines.qemu.launch import Emulator
    from pytest_embedbench.engines.qemu.links import QemuLink

_LOOK_EVERY_S = 0.005


@dataclass(frozen=True, slots=True)
class RealtimePower:
    """Starts guests that run by themselves."""

    setup: GuestSetup
    virtual_time: bool = field(default=False, init=False)

    def __call__(self, links: Mapping[str, QemuLink], now_us: int) -> RealtimeGuest:
        """Start an emulator; its guest stands at the reset vector."""
        setup = self.setup
        emulator = launch(setup.command, setup.serials(), setup.timing)
        return RealtimeGuest(setup, emulator, links, now_us)

    def close(self) -> None:
        """Let go of the chip."""
        self.setup.on_close()


class RealtimeGuest:
    """A firmware that nobody leads."""

    def __init__(
        self,
        setup: GuestSetup,
        emulator: Emulator,
        links: Mapping[str, QemuLink],
        now_us: int,
    ) -> None:
        self._setup = setup
        self.now_us = now_us
        self._emulator = emulator
        self._links = links
        self._pending = {name: bytearray() for name in links}
        self._began_s = 0.0

    @property
    def pid(self) -> int:
        """The emulator's process."""
        return self._emulator.popen.pid

    @property
    def notes(self) -> Sequence[str]:
        """Say that no figure of time is exact."""
        real_time = "ran in real time, not in lockstep: no stamp is exact"
        return [*self._emulator.notes, *self._setup.notes, real_time]

    def boot(self) -> None:
        """Let it run, for good."""
        self._began_s = host_now_s() - self.now_us / 1e6
        self._emulator.stub.let_run()

    def run(self, until_us: int) -> None:
        """Let host time pass; where this computer was too slow, more than was asked."""
        while self.now_us < until_us:
            left_s = until_us / 1e6 + self._began_s - host_now_s()
            pause(min(max(left_s, 0.0), _LOOK_EVERY_S))
            self.now_us = int((host_now_s() - self._began_s) * 1e6)
            self._exchange()
            if self._emulator.popen.poll() is not None:
                raise board_lost(
                    self._emulator, Disconnected(), f"at {self.now_us / 1e6:.3f} s"
                )

    def close(self) -> None:
        """End the emulator."""
        self._emulator.close()

    def _exchange(self) -> None:
        for name, link in self._links.items():
            port, pending = self._emulator.ports[name], self._pending[name]
            pending += link.take_sent()
            if pending:
                del pending[: port.put(pending)]
            if said := port.said():
                link.hear(self.now_us, said)
