"""What a firmware has done wrong: ordinary test failures, so all are assertions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors.base import EmbedbenchError

if TYPE_CHECKING:
    from collections.abc import Sequence


class FirmwareFault(EmbedbenchError, AssertionError):
    """The firmware misbehaved: an ordinary test failure."""


class DoesNotFit(FirmwareFault):
    """The image is more than its chip can hold: nothing has run."""


class ExpectTimeout(FirmwareFault):
    """The firmware did not say it in time."""


class FirmwareCrash(FirmwareFault):
    """The firmware died; the message has the signal or cause, PC and symbol."""


class FirmwareFlood(FirmwareFault):
    """The firmware never stops talking."""


class FirmwareReset(FirmwareFault):
    """The firmware restarted itself."""


class FirmwareSpin(FirmwareFault):
    """The firmware runs on without ever waiting, so its time cannot pass."""


class FirmwareStuck(FirmwareFault):
    """The firmware sleeps and nothing can ever wake it."""


class ForbiddenOutput(FirmwareFault):
    """The firmware said what it must not say."""


class InvariantBroken(FirmwareFault):
    """The plant was driven where it must not go.

    Args:
        invariant: What should hold, as a sentence.
        seen: When it did not, and the plant's state then.
        evidence: The conversation before it.
    """

    def __init__(self, invariant: str, seen: str, evidence: str = "") -> None:
        self.invariant = invariant
        self.seen = seen
        self.evidence = evidence
        super().__init__(f"{invariant}: does not hold {seen}\n{evidence}".rstrip())


class PinCheckFailed(FirmwareFault):
    """A case of ESR has failed: with its pins, or with any."""


class PinContention(FirmwareFault):
    """Outputs of two boards that are joined work against each other.

    Args:
        message: Which they are, and what each does.
        at_us: Since when, by the clock of the board that tells of it.
    """

    def __init__(self, message: str, at_us: int) -> None:
        self.message = message
        self.at_us = at_us
        super().__init__(message)


class UnitTestsFailed(FirmwareFault):
    """Unit tests that run on the board have failed there.

    Args:
        failed: What each of them said.
        count: How many there were in all.
    """

    def __init__(self, failed: Sequence[str], count: int) -> None:
        self.failed = tuple(failed)
        self.count = count
        listed = "\n  ".join(self.failed)
        super().__init__(f"{len(self.failed)} of {count} cases failed:\n  {listed}")


class WrongOutput(FirmwareFault):
    """The controller's step, or the parser, gave something else than it has to."""
