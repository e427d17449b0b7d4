"""What a board is that exists once, on a cable: had in turns, and able to go away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.model import Absence


@runtime_checkable
class SharedBoard(Protocol):
    """A board that exists once; it is a ``Board`` too."""

    needs_recovery: bool
    """Whether a test has failed on it: then it is put right when it is closed."""

    @property
    def waited_s(self) -> float:
        """How long it took until the board was free."""
        ...

    @property
    def waited_for(self) -> str:
        """Who had it meanwhile; ``""`` if nobody."""
        ...

    @property
    def remarks(self) -> Sequence[str]:
        """What else a reader of the report should know of how we got it."""
        ...


@runtime_checkable
class HasLabRecord(Protocol):
    """A board that says which of a lab's it is, and what it cost to have it."""

    def lab_record(self) -> Mapping[str, Any]:
        """Return ``board``, ``wanted``, ``port``, ``usb_serial``, seconds, counts."""
        ...


@runtime_checkable
class CanBeMissed(Protocol):
    """A board that can go away while nobody looks."""

    def await_back(self) -> None:
        """Have it be there, or wait until it is back; also of one that is closed.

        Raises:
            BenchFault: it has gone for good, or somebody else has its port.
        """
        ...


@runtime_checkable
class IsPluggedIn(Protocol):
    """A board on a cable: it can go away, and it has a life before the test."""

    @property
    def absences(self) -> Sequence[Absence]:
        """When it was away since time 0 and nobody had asked for it, oldest first."""
        ...

    @property
    def ran_before(self) -> bool:
        """Whether nothing has started its firmware for this test."""
        ...
