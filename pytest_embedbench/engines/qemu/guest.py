"""What a board needs of a firmware that runs in an emulator, however it is paced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.engines.qemu.links import QemuLink


class Guest(Protocol):
    """An emulator with a firmware in it, from power-on to power-off.

    It takes what was sent from the links, and has them hear what is said.
    """

    now_us: int
    """The bench's time."""

    @property
    def pid(self) -> int:
        """The emulator's process."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What a test author should know of the run."""
        ...

    def boot(self) -> None:
        """Run until the bench's time can start.

        Raises:
            BoardLost: the emulator failed us.
            FirmwareFault: the firmware failed; what it has said is heard.
        """
        ...

    def run(self, until_us: int) -> None:
        """Run until the bench's time is ``until_us``; raises as ``boot`` does."""
        ...

    def close(self) -> None:
        """End the emulator."""
        ...


class PowerOn(Protocol):
    """How guests of one kind come to be."""

    @property
    def virtual_time(self) -> bool:
        """Whether the time of boards with such guests is exact."""
        ...

    def __call__(self, links: Mapping[str, QemuLink], now_us: int) -> Guest:
        """Start an emulator at ``now_us``; its guest has not run yet.

        Raises:
            BoardLost: it did not start.
        """
        ...

    def close(self) -> None:
        """Let go of what all of them have used."""
        ...
