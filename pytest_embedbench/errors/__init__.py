"""Everything this package raises, in a tree that says whose fault it is.

* ``EmbedbenchError``
    * ``ConfigError``          - the caller asked for something that cannot be
        * ``UnknownName``      - no entry of that name is registered
    * ``SubmissionRefused``    - what was handed in is not taken
        * ``NothingSubmitted`` - nothing of the edit surface is there
        * ``OutsideEditSurface`` - it brings or reaches for more than it may
    * ``BuildError``           - the submission does not build
    * ``BenchFault``           - our side of the wire broke
        * ``BoardBusy``        - another process holds the board
        * ``BoardDisabled``    - the lab file lets no test have the board
        * ``BoardLost``        - the board or emulator went away
            * ``BoardGivenUp`` - it was lost earlier in this run
            * ``ServiceFault`` - a service that runs boards elsewhere refuses, or fails
                * ``BadFrame``   - it said what its protocol has no place for
        * ``BoardUnreachable`` - no such port, or we may not open it
        * ``ContractViolation`` - an engine, builder or plant breaks a promise
        * ``EndpointFault``    - a model's endpoint refuses or fails
            * ``RequestRefused`` - it takes no such request
        * ``FaultNeverFired``  - a fault was asked for and changed nothing
        * ``FlashFailed``      - the firmware could not be written to the board
        * ``NotSupported``     - this engine cannot do that
            * ``CapabilityMissing`` - the board lacks what a test needs of it
            * ``BoardLacks``   - also an ``AttributeError``: a board has no such thing
        * ``PinCheckUndecided`` - nothing can be said of a firmware's pins
        * ``ToolMissing``      - a program or library is not installed here
        * ``WrongBoard``       - another board than expected is on the port
    * ``FirmwareFault``        - also an ``AssertionError``: the test has failed
        * ``DoesNotFit``       - the image is more than its chip can hold
        * ``ExpectTimeout``    - the firmware did not say it in time
        * ``FirmwareCrash``    - the firmware died: signal, bad jump, exit
        * ``FirmwareFlood``    - the firmware never stops talking
        * ``FirmwareReset``    - the firmware restarted itself
        * ``FirmwareSpin``     - the firmware runs on without ever waiting
        * ``FirmwareStuck``    - the firmware sleeps and nothing can wake it
        * ``ForbiddenOutput``  - the firmware said what it must not say
        * ``InvariantBroken``  - the plant was driven where it must not go
        * ``PinCheckFailed``   - a case of ESR failed: with its pins, or with any
        * ``PinContention``    - outputs of two boards work against each other
        * ``UnitTestsFailed``  - cases of its unit tests failed on the board
        * ``WrongOutput``      - the controller's step gave something else

Errors cross process borders (xdist), so each is picklable; see ``__reduce__``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors.base import (
    BenchFault as BenchFault,
    BoardLost as BoardLost,
    ConfigError as ConfigError,
    EmbedbenchError as EmbedbenchError,
    UnknownName as UnknownName,
)
from pytest_embedbench.errors.endpoint import (
    EndpointFault as EndpointFault,
    RequestRefused as RequestRefused,
)
from pytest_embedbench.errors.firmware import (
    DoesNotFit as DoesNotFit,
    ExpectTimeout as ExpectTimeout,
    FirmwareCrash as FirmwareCrash,
    FirmwareFault as FirmwareFault,
    FirmwareFlood as FirmwareFlood,
    FirmwareReset as FirmwareReset,
    FirmwareSpin as FirmwareSpin,
    FirmwareStuck as FirmwareStuck,
    ForbiddenOutput as ForbiddenOutput,
    InvariantBroken as InvariantBroken,
    PinCheckFailed as PinCheckFailed,
    PinContention as PinContention,
    UnitTestsFailed as UnitTestsFailed,
    WrongOutput as WrongOutput,
)
from pytest_embedbench.errors.service import (
    BadFrame as BadFrame,
    ServiceFault as ServiceFault,
)
from pytest_embedbench.errors.submission import (
    BuildError as BuildError,
    NothingSubmitted as NothingSubmitted,
    OutsideEditSurface as OutsideEditSurface,
    SubmissionRefused as SubmissionRefused,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class PinCheckUndecided(BenchFault):
    """Nothing can be said of a firmware's pins, for a reason that is ours."""


class BoardBusy(BenchFault):
    """Another process holds the board."""


class BoardDisabled(BenchFault):
    """The lab file says ``disabled``; the plugin skips tests that meet it."""


class BoardGivenUp(BoardLost):
    """The board was lost earlier in this run; the message has the first cause.

    The plugin skips tests that meet it: one broken board is one failure.
    """


class BoardUnreachable(BenchFault):
    """There is no such port, more than one, or we may not open it."""


class ContractViolation(BenchFault, AssertionError):
    """An engine, a builder or a plant breaks a promise; ``testing.check_*`` say it."""


class FaultNeverFired(BenchFault):
    """A fault was asked for and changed nothing: the run proves nothing about it.

    Args:
        faults: Each that never took effect, as it reads.
        seed: What the run's chance came from.
    """

    def __init__(self, faults: Iterable[str], seed: int) -> None:
        self.faults = tuple(faults)
        self.seed = seed
        super().__init__(
            "the run says nothing about these faults, which changed nothing in it "
            f"(seed {seed}); check place, stream and times:"
            + "".join(f"\n  {fault}" for fault in self.faults)
        )


class FlashFailed(BenchFault):
    """The firmware could not be written to the board; it was never asked to run.

    Args:
        port: Where the board is.
        reason: What failed, as a sentence.
        attempts: Every command that was tried and how it ended, one each, in order.
        board: What the board is called, if it has a name.
    """

    def __init__(
        self, port: str, reason: str, attempts: Sequence[str], board: str = ""
    ) -> None:
        self.board = board
        self.port = port
        self.reason = reason
        self.attempts = tuple(attempts)
        listed = "".join(f"\n{attempt}" for attempt in self.attempts)
        name = f"{board}: " if board else ""
        message = f"{name}the board on {port} was not flashed: {reason}{listed}"
        super().__init__(message)


class NotSupported(BenchFault):
    """This engine cannot do that."""


class CapabilityMissing(NotSupported):
    """The board lacks what it is needed for; the plugin skips tests that meet it."""


class BoardLacks(NotSupported, AttributeError):
    """A test has asked a board for what it has not.

    Args:
        board: Its name.
        engine: That of its engine.
        lacks: What it has not, as in "it has ...".
        capability: What a test needs that asks for it.
        able: The boards that are known to have it.
    """

    def __init__(
        self, board: str, engine: str, lacks: str, capability: str, able: Iterable[str]
    ) -> None:
        self.board = board
        self.engine = engine
        self.lacks = lacks
        self.capability = capability
        self.able = tuple(able)
        others = ", ".join(self.able) or "none that is known"
        super().__init__(
            f"{board} has {lacks}, on engine {engine}; boards that have: {others}; "
            f"@pytest.mark.needs({capability!r}) skips a test on all others"
        )


class ToolMissing(BenchFault):
    """A program or library is not installed here.

    Args:
        needed_by: The engine or builder that needs it, by registered name.
        tool: What is missing.
        install: The one thing to do about it, as a sentence with a command.
    """

    def __init__(self, needed_by: str, tool: str, install: str) -> None:
        self.needed_by = needed_by
        self.tool = tool
        self.install = install
        super().__init__(f"{needed_by} needs {tool}, not found here: {install}")


class WrongBoard(BenchFault):
    """Another board than expected is on the port; nothing was written to it.

    Args:
        port: Where it is.
        expected: What should be there: chip and, where the chip has one, serial.
        found: What is there.
        board: What the board is called that should be there, if it has a name.
    """

    def __init__(self, port: str, expected: str, found: str, board: str = "") -> None:
        self.board = board
        self.port = port
        self.expected = expected
        self.found = found
        name = f"{board}: " if board else ""
        super().__init__(
            f"{name}the wrong board is on {port}: expected {expected}, found {found}; "
            "nothing was written to it"
        )
