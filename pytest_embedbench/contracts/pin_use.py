"""A board that can tell what its firmware does with pins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from pytest_embedbench.pins import PinUse


@runtime_checkable
class HasPinUse(Protocol):
    """A board whose firmware is watched at its registers, if somebody asks for it."""

    def watch_pins(self) -> None:
        """Watch from where the next ``advance`` starts; nothing is watched before."""
        ...

    def pin_use(self) -> PinUse:
        """Return what the firmware did with pins since ``watch_pins``.

        Raises:
            ConfigError: nobody has asked for it.
        """
        ...
