"""The nouns of ESR: what is tried, what came of it, and what is said of a case."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pytest_embedbench.esr.usual import TRIALS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_embedbench.model import BoardSpec, FirmwareSource
    from pytest_embedbench.pins import PinUse
    from pytest_embedbench.wiring.diagram import Diagram


class Outcome(enum.Enum):
    """What is said of a case; the value is for records and tables."""

    STRICT = "strict"
    """It works as it is wired."""
    PERMISSIVE_CONFIRMED = "permissive-confirmed"
    """It works as it is wired, once its pin constants are corrected."""
    PERMISSIVE_REWIRED = "permissive-rewired"
    """It works if the circuit is wired otherwise, and more could not be shown."""
    LOGIC_FAIL = "logic-fail"
    """It works with no pins that were to be tried, and there are no others."""
    BUILD_FAIL = "build-fail"
    BUDGET = "budget"
    """The search was ended before all that was to be tried had been."""
    BENCH_FAULT = "bench-fault"
    """Something of ours is missing or broken; nothing is said of the firmware."""

    @property
    def is_strict(self) -> bool:
        """Whether it counts for E_str."""
        return self is Outcome.STRICT

    @property
    def is_permissive(self) -> bool:
        """Whether it counts for E_per."""
        return self in (Outcome.STRICT, Outcome.PERMISSIVE_CONFIRMED)

    @property
    def is_undecided(self) -> bool:
        """Whether it is neither a success nor a failure of the firmware."""
        return self in (
            Outcome.PERMISSIVE_REWIRED,
            Outcome.BUDGET,
            Outcome.BENCH_FAULT,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFirmware:
    """What a trial runs: an image as it is, or a source that is built first.

    Args:
        source: What is built, if there is no ``image``.
        corrected: Files of it that take the place of what is there: bytes by path
            relative to the project, such as ``src/main.cpp``.
        image: An ELF file, which wins over ``source``.
    """

    source: FirmwareSource | None = None
    corrected: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    image: Path | None = None


class TrialEnd(enum.Enum):
    """How a trial ended."""

    PASSED = "passed"
    FAILED = "failed"
    """The firmware did not do what the check wants."""
    NOT_BUILT = "not-built"
    """The firmware does not compile or link, or does not fit."""
    BENCH_FAULT = "bench-fault"
    """A tool, a library, a board or the check itself failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """What came of one run of a functional check.

    ``why`` is what a person reads, empty if it passed. ``pin_use`` is there if it was
    asked for and the board can tell. ``image`` is the ELF file that ran. ``notes`` are
    those of the board and of the circuit, such as a contention.
    """

    end: TrialEnd
    why: str = ""
    pin_use: PinUse | None = None
    image: Path | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


class Trial(Protocol):
    """A functional check that can be run as often as it takes."""

    def run(
        self, firmware: TrialFirmware, diagram: str = "", *, observe: bool = False
    ) -> TrialResult:
        """Run the check once, on a fresh board, and end at the first failure.

        Args:
            firmware: What runs.
            diagram: The text of the ``diagram.json`` that the board stands in; the
                case's own if empty.
            observe: Whether what the firmware does with pins has to be told.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EsrCase:
    """A firmware, a circuit that it is for, and the board in it.

    Without ``source`` there has to be an ``image`` in ELF, and corrections are made in
    that, if it has been built on the Arduino core for AVRs. Without ``is_drawn`` the
    diagram only says how a real board is wired: nobody can wire that otherwise, and
    candidates are confirmed at once.
    """

    name: str
    board: BoardSpec
    diagram: Diagram
    source: FirmwareSource | None = None
    image: Path | None = None
    is_drawn: bool = True

    @property
    def firmware(self) -> TrialFirmware:
        """What is run first."""
        return TrialFirmware(source=self.source, image=self.image)


class PinMove(NamedTuple):
    """That what the firmware does at ``used`` belongs to ``wired``: ``10 -> 9``."""

    used: str
    wired: str

    def __str__(self) -> str:
        return f"{self.used} -> {self.wired}"


class PinMap(NamedTuple):
    """Pins that are to be taken for others, and how it came to be tried.

    ``is_against_names`` says that constants are called what their own pins are for: if
    it fits, either the pins or the logic are wrong, and nobody can tell which.
    """

    moves: tuple[PinMove, ...]
    why: str = ""
    is_against_names: bool = False

    def __str__(self) -> str:
        return ", ".join(str(move) for move in self.moves) or "as it is"


class Correction(NamedTuple):
    """A pin constant with another value: ``SERVO_PIN 9 -> 10``, and where it stands."""

    name: str
    before: str
    after: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = f" ({self.file}:{self.line})" if self.file else ""
        return f"{self.name} {self.before} -> {self.after}{where}".lstrip()


class FindingNote(NamedTuple):
    """Something beside the verdict, which never fails a case."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.text} [{self.kind}]"


class Evidence(NamedTuple):
    """A candidate that was tried: how, with what, and what came of it.

    ``how`` is ``strict``, ``rewired`` (the circuit), ``source`` or ``image`` (the
    constants, on the circuit as it is drawn).
    """

    how: str
    tried: str
    end: TrialEnd
    why: str = ""
    seconds: float = 0.0


class SearchBudget(NamedTuple):
    """What a search may use: runs of the check, builds among them, and seconds."""

    trials: int = TRIALS
    builds: int = 12
    seconds: float = 300.0

    @classmethod
    def of_trials(cls, trials: int) -> SearchBudget:
        """Return a budget with as many builds and seconds for each run as usual."""
        share = trials / DEFAULT_BUDGET.trials
        builds = math.ceil(DEFAULT_BUDGET.builds * share)
        return cls(trials, builds, DEFAULT_BUDGET.seconds * share)


DEFAULT_BUDGET = SearchBudget()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """All that is known of a case after its search.

    Args:
        name: Of the case.
        outcome: What is said of it.
        pins_used: What the firmware does, by pin of the board: ``9: output, pwm``.
        pins_wired: What is wired, by pin of the board: ``9: servo1 PWM``.
        corrections: The smallest set of corrections that works, if one does.
        candidates_tried: How many maps and corrections there was a trial for.
        evidence: Every trial, in order; the first is the strict one.
        findings: Notes, which never fail a case.
        why: For a person: why it failed, or could not be decided.
        seconds: Of host time, all trials together.
    """

    name: str
    outcome: Outcome
    pins_used: Mapping[str, str] = field(default_factory=dict[str, str])
    pins_wired: Mapping[str, str] = field(default_factory=dict[str, str])
    corrections: tuple[Correction, ...] = ()
    candidates_tried: int = 0
    evidence: tuple[Evidence, ...] = ()
    findings: tuple[FindingNote, ...] = ()
    why: str = ""
    seconds: float = 0.0
