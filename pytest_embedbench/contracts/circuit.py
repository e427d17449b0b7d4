"""What a board that stands in a drawn circuit lets a test do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.model import Level
    from pytest_embedbench.wiring.chip_pin import PinDrive
    from pytest_embedbench.wiring.diagram import Diagram, Endpoint
    from pytest_embedbench.wiring.part_model import Reading
    from pytest_embedbench.wiring.stops import Stop, StopMet
    from pytest_embedbench.wiring.waves import CircuitRecord


class BoardCircuit(Protocol):
    """The circuit around a board. What is done to it is done where time goes on."""

    @property
    def diagram(self) -> Diagram:
        """How it is drawn."""
        ...

    def control(self, part: str, name: str, value: float) -> None:
        """Set a control of a part from where the next ``advance`` starts.

        Raises:
            UnknownName: there is no such part, or it has no such control.
            ConfigError: the value is out of its range.
        """
        ...

    def check_control(self, part: str, name: str) -> None:
        """Insist that a part has a control.

        Raises:
            UnknownName: there is no such part, or it has no such control.
        """
        ...

    def observe(self, part: str, name: str) -> Reading:
        """Return what is seen of a part now.

        Raises:
            UnknownName: there is no such part, or nothing of that name is seen of it.
        """
        ...

    def level(self, pin: Endpoint) -> Level:
        """Return what the net of a pin shows now."""
        ...

    def voltage_mv(self, pin: Endpoint) -> float:
        """Return the voltage of a pin's net now, in mV over ground."""
        ...

    def record(self) -> CircuitRecord:
        """Return what all nets did so far."""
        ...

    def look_out(self, stops: Sequence[Stop], *, stay: bool = False) -> None:
        """Let time end where the first of ``stops`` is met, until one was or for none.

        That ``advance`` ends there, to the instruction. With ``stay`` it goes on, and
        only ``take_met`` tells. Those that were looked out for before, and are again,
        go on where they are: words may be half said.
        """
        ...

    def take_met(self) -> StopMet | None:
        """Return a stop that was met, each once and in order, if there is one.

        Several may end a stretch; with ``stay`` it is the first alone.
        """
        ...


@runtime_checkable
class TakesCardFiles(Protocol):
    """A circuit in which files can be put on memory cards; it is a ``BoardCircuit``."""

    def put_file(self, part: str, path: str, content: bytes) -> None:
        """Put a file on a part.

        Raises:
            UnknownName: there is no such part.
            ConfigError: it takes no files, or cannot have that one.
        """
        ...


@runtime_checkable
class ShowsDrives(Protocol):
    """A circuit of a board whose pins can be looked into; it is a ``BoardCircuit``."""

    def pin_drive(self, pin: Endpoint) -> PinDrive | None:
        """Return what the firmware does at a pin of the board; None at all others.

        Raises:
            UnknownName: there is no such part, or no such pin.
        """
        ...


@runtime_checkable
class ShowsPictures(Protocol):
    """A circuit whose displays are drawn elsewhere; it is a ``BoardCircuit``."""

    def framebuffer_png(self, part: str) -> bytes:
        """Return the picture that a display shows now, as a PNG.

        Raises:
            UnknownName: there is no such part.
            ConfigError: it has none.
        """
        ...


@runtime_checkable
class TakesTouches(Protocol):
    """A circuit with screens that can be touched; it is a ``BoardCircuit``."""

    def touch(
        self, part: str, event: str, *, x: float, y: float, lasts_ns: int | None = None
    ) -> None:
        """Touch a screen: ``press`` (for so long), ``move`` or ``release``.

        Raises:
            UnknownName: there is no such part.
            ConfigError: it cannot be touched.
        """
        ...


@runtime_checkable
class HasCircuit(Protocol):
    """A board that stands in a circuit."""

    @property
    def circuit(self) -> BoardCircuit:
        """What is around it."""
        ...
