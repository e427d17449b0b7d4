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
        * ``BoardLost``        - the board or emulator went away
            * ``BoardGivenUp`` - it was lost earlier in this run
        * ``BoardUnreachable`` - no such port, or we may not open it
        * ``ContractViolation`` - an engine, builder or plant breaks a promise
        * ``FaultNeverFired``  - a fault was asked for and changed nothing
        * ``FlashFailed``      - the firmware could not be written to the board
        * ``NotSupported``     - this engine cannot do that
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
        * ``WrongOutput``      - the controller's step gave something else

Errors cross process borders (xdist), so each is picklable; see ``__reduce__``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


class EmbedbenchError(Exception):
    """Base of everything raised here; never raised itself.

    What a subclass takes besides a message it keeps under the same names: so it is
    made again on the other side of a process border.
    """

    def __reduce__(self) -> str | tuple[object, ...]:
        code = getattr(type(self).__init__, "__code__", None)
        if code is None:
            return super().__reduce__()
        names = code.co_varnames[1 : code.co_argcount]
        return (type(self), tuple(getattr(self, name) for name in names))


class ConfigError(EmbedbenchError):
    """The caller asked for something that cannot be; a usage error at start-up."""


class UnknownName(ConfigError):
    """No entry of that name is registered.

    Args:
        kind: What was looked up: ``board``, ``plant``, ``engine``, ``builder``.
        name: The name that is not known.
        known: The names that are.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(sorted(known))
        listed = ", ".join(self.known) or "none"
        super().__init__(f"no {kind} named {name!r}; known {kind}s: {listed}")


class SubmissionRefused(EmbedbenchError):
    """What was handed in is not taken: it is not even built."""


class NothingSubmitted(SubmissionRefused):
    """Nothing of a task's edit surface is in the submission's folder.

    Args:
        folder: The submission's folder.
        edit_surface: The files that a submission may replace.
    """

    def __init__(self, folder: Path, edit_surface: Iterable[str]) -> None:
        self.folder = folder
        self.edit_surface = tuple(edit_surface)
        wanted = ", ".join(self.edit_surface)
        super().__init__(f"{folder}: nothing submitted: none of {wanted} is there")


class OutsideEditSurface(SubmissionRefused):
    """A submission brings files that are not its to change, or reaches for others.

    Args:
        folder: The submission's folder.
        offences: Each with the file it is about, relative to ``folder``, first.
        edit_surface: The files that a submission may replace.
    """

    def __init__(
        self, folder: Path, offences: Iterable[str], edit_surface: Iterable[str]
    ) -> None:
        self.folder = folder
        self.offences = tuple(offences)
        self.edit_surface = tuple(edit_surface)
        listed, surface = "\n  ".join(self.offences), ", ".join(self.edit_surface)
        super().__init__(
            f"{folder}: outside the edit surface: {listed}\n(that is {surface})"
        )


class BuildError(EmbedbenchError):
    """The submission does not build: neither our fault nor firmware behaviour.

    Args:
        environment: The PlatformIO environment.
        returncode: What the build exited with.
        log_path: The whole build log.
        diagnostics: The compiler's own lines, verbatim.
    """

    def __init__(
        self, environment: str, returncode: int, log_path: Path, diagnostics: str
    ) -> None:
        self.environment = environment
        self.returncode = returncode
        self.log_path = log_path
        self.diagnostics = diagnostics
        lines = diagnostics.splitlines()
        first = next((line for line in lines if "error" in line), "".join(lines[:1]))
        what = f"the firmware does not build: environment {environment!r}: {first}"
        super().__init__(f"{what}\n{diagnostics}\nfull log: {log_path}")


class BenchFault(EmbedbenchError):
    """Our side of the wire broke; the firmware is not to blame."""


class BoardBusy(BenchFault):
    """Another process holds the board."""


class BoardLost(BenchFault):
    """The board or emulator went away while we were using it."""


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
    """

    def __init__(self, port: str, reason: str, attempts: Sequence[str]) -> None:
        self.port = port
        self.reason = reason
        self.attempts = tuple(attempts)
        listed = "".join(f"\n{attempt}" for attempt in self.attempts)
        super().__init__(f"the board on {port} was not flashed: {reason}{listed}")


class NotSupported(BenchFault):
    """This engine cannot do that."""


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
    """

    def __init__(self, port: str, expected: str, found: str) -> None:
        self.port = port
        self.expected = expected
        self.found = found
        super().__init__(
            f"the wrong board is on {port}: expected {expected}, found {found}; "
            "nothing was written to it"
        )


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


class WrongOutput(FirmwareFault):
    """The controller's step, or the parser, gave something else than it has to."""
