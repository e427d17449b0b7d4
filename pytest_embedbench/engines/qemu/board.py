"""A board that QEMU emulates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.links import QemuLink
from pytest_embedbench.engines.qemu.lockstep_guest import LockstepPower
from pytest_embedbench.engines.qemu.realtime_guest import RealtimePower
from pytest_embedbench.errors import (
    BoardLost,
    EmbedbenchError,
    FirmwareFault,
    NotSupported,
    UnknownName,
)
from pytest_embedbench.support.validation import whole_ms

if TYPE_CHECKING:
    from pytest_embedbench.engines.qemu.guest import Guest, PowerOn
    from pytest_embedbench.engines.qemu.guest_setup import GuestSetup
    from pytest_embedbench.model import BoardSpec


class QemuBoard:
    """Firmware on an emulated chip; ``power_on`` starts it, at boot and at a reset."""

    def __repr__(self) -> str:
        return f"<QemuBoard {self.spec.name} at {self.now_us() / 1e6:.6f} s>"

    def __init__(self, spec: BoardSpec, power_on: PowerOn) -> None:
        self._spec = spec
        self._power_on = power_on
        self._links = {uart.name: QemuLink(self._check_open) for uart in spec.uarts}
        self._fault: EmbedbenchError | None = None
        self._closed = False
        try:
            self._guest = self._booted(0)
        except BaseException:
            power_on.close()
            raise
        self._arrive()

    @property
    def spec(self) -> BoardSpec:
        """The datasheet it was booted from."""
        return self._spec

    @property
    def virtual_time(self) -> bool:
        """Whether time is exact: in lockstep it is."""
        return self._power_on.virtual_time

    @property
    def notes(self) -> tuple[str, ...]:
        """What a test author should know of the run."""
        missing = [f"{self._fault}"] if isinstance(self._fault, NotSupported) else []
        return (*self._guest.notes, *missing)

    @property
    def pid(self) -> int:
        """The emulator's process."""
        return self._guest.pid

    def link(self, uart: str = "") -> QemuLink:
        """Return the link of one UART; the first by default."""
        name = uart or self._spec.uarts[0].name
        if name not in self._links:
            raise UnknownName("uart", name, self._links)
        return self._links[name]

    def now_us(self) -> int:
        """Return the time since the firmware's first tick."""
        return self._guest.now_us

    def advance(self, duration_ms: int) -> None:
        """Let the firmware run for ``duration_ms``."""
        self._check_open()
        if self._fault is not None:
            raise self._fault
        until_us = self._guest.now_us + whole_ms("duration_ms", duration_ms) * 1000
        # Whatever interrupts the exchange leaves us out of step: usable no more.
        self._fault = BoardLost("the board was interrupted in the middle of a step")
        try:
            self._guest.run(until_us)
        except EmbedbenchError as fault:
            self._fault = fault
            raise
        else:
            self._fault = None
        finally:
            self._arrive()

    def reset(self) -> None:
        """Power the chip off and on; what its flash holds stays."""
        self._check_open()
        self._guest.close()
        self._fault = None
        try:
            self._guest = self._booted(self._guest.now_us)
        except BoardLost as lost:
            self._fault = lost
            raise

    def close(self) -> None:
        """End the emulator; what was said stays readable."""
        if not self._closed:
            self._closed = True
            try:
                self._guest.close()
            finally:
                self._power_on.close()

    def _booted(self, now_us: int) -> Guest:
        guest = self._power_on(self._links, now_us)
        try:
            guest.boot()
        except (FirmwareFault, NotSupported) as fault:
            # It can still be heard: it may have said why. The first step raises.
            self._fault = fault
        except BaseException:
            guest.close()
            raise
        return guest

    def _arrive(self) -> None:
        for link in self._links.values():
            link.arrive(self._guest.now_us)

    def _check_open(self) -> None:
        if self._closed:
            raise BoardLost(f"{self._spec.name} has been closed")


def board_on(setup: GuestSetup) -> QemuBoard:
    """Start a firmware in lockstep, or in real time where its time has no steps."""
    lockstep = setup.timing.lockstep
    power_on = LockstepPower(setup) if lockstep else RealtimePower(setup)
    return QemuBoard(setup.spec, power_on)
