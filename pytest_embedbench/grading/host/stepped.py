"""What a controller is stepped in: the host's driver program, or one on a board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.grading.host.messages import Kind


class SteppedProgram(Protocol):
    """A submission's functions behind one request and one answer."""

    def open(self) -> None:
        """Begin as at power-on, with nothing left of what was."""
        ...

    def ask(
        self, kind: Kind, payload: bytes = b"", *, doing: Callable[[int], str]
    ) -> bytes:
        """Send a request and return its answer.

        ``doing`` returns what was going on, for the message of a fault, given how many
        steps of the request were begun.

        Raises:
            FirmwareFault: the submission crashed, restarted or did not come back.
        """
        ...

    def close(self) -> None:
        """End what runs; safe to call twice."""
        ...

    def stop(self) -> None:
        """Let go of everything; safe to call twice."""
        ...
