"""What flashing speaks of: an identity, an attempt, a report, and a method."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_embedbench.model import FirmwareImage

_COMPLAINT = re.compile(r"(?i)\b(error|fail(ed|ure)?|fatal|cannot|mismatch)\b")
_IDLE_COMPLAINT = re.compile(r"TIOCM|^\d+ failed, \d+ succeeded|^=+ ")
"""A port without modem lines is no error; a summary says nothing new."""
BAUD_BPS = 115_200
"""The rate that every adapter and every bootloader of today can do."""


class Erase(enum.Enum):
    """What is wiped before the firmware is written."""

    NONE = "none"
    """Nothing but the pages that the firmware takes."""
    NVS = "nvs"
    """Also what the firmware had stored: settings, calibration, counters."""
    ALL = "all"
    """The whole flash."""


class After(enum.Enum):
    """How the board is left."""

    RUN = "run"
    """Reset, so that the new firmware runs."""
    HOLD = "hold"
    """In its bootloader where the tool can do that: no byte of the boot is lost to
    whoever opens the port next and then presses reset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a board says it is, asked through its own flash tool.

    ``serial`` is the MAC or unique id, in lower case; empty where the chip has none.
    ``detail`` is the tool's own wording.
    """

    chip: str
    serial: str = ""
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.chip} {self.serial}".rstrip()


def normalized_chip(chip: str) -> str:
    """Return a chip's name as datasheets have it: ``esp32c3`` for ``ESP32-C3``."""
    return chip.strip().replace("-", "").lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One command that was run, and how it ended."""

    step: str
    argv: tuple[str, ...]
    baud_bps: int
    returncode: int
    outcome: str
    """``exit 2``, ``timed out after 20 s``."""
    duration_s: float
    output: str

    def __str__(self) -> str:
        return (
            f"{self.step} at {self.baud_bps} baud: {self.outcome} after "
            f"{self.duration_s:.1f} s: {self.said()}  [{' '.join(self.argv)}]"
        )

    def said(self) -> str:
        """Return the line of output that says most: the last error, else the last."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        errors = [
            line
            for line in lines
            if _COMPLAINT.search(line) and not _IDLE_COMPLAINT.search(line)
        ]
        return (errors or lines or ["(no output)"])[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashReport:
    """What was done to get an image onto a board.

    ``identity`` is ``None`` where the method has no way to ask. ``written`` is false
    where the board was seen to hold the image already.
    """

    port: str
    method: str
    image_sha256: str
    written: bool
    identity: Identity | None = None
    attempts: tuple[Attempt, ...] = ()

    @property
    def retries(self) -> int:
        """How many commands failed and were given again."""
        return sum(
            attempt.returncode != 0 and attempt.step != "compare"
            for attempt in self.attempts
        )

    def __str__(self) -> str:
        did = "written" if self.written else "already there, checked on the board"
        board = self.identity or "board of unknown identity"
        return f"{board} on {self.port}: {did} ({self.method}, {self.retries} retries)"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashTarget:
    """Where a method works: a port, a chip, a rate, and how to leave the board.

    ``scratch`` is an empty folder that is gone after the flash.
    """

    port: str
    chip: str
    baud_bps: int
    after: After
    scratch: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command to run."""

    name: str
    argv: tuple[str, ...]
    timeout_s: float
    cwd: Path | None = None
    env: dict[str, str] | None = None


class FlashMethod(Protocol):
    """How one tool flashes: its commands, and what its output means.

    It runs nothing, except to ask a tool for its version.
    """

    name: ClassVar[str]
    """The name that a lab file uses: ``esptool``, ``avrdude``, ..."""

    def baud_rates(self, wanted_bps: int) -> Sequence[int]:
        """Return the rates to try, best first; the last one is tried again."""
        ...

    def query_identity(self, target: FlashTarget) -> Step | None:
        """Return what asks the board who it is, if the tool can."""
        ...

    def parse_identity(self, target: FlashTarget, output: str) -> Identity | None:
        """Read an answer, also of a query that failed; ``None`` if it is none."""
        ...

    def compare(self, target: FlashTarget, image: FirmwareImage) -> Step | None:
        """Return what succeeds only if the board holds ``image``, if the tool can."""
        ...

    def erase(self, target: FlashTarget, image: FirmwareImage, erase: Erase) -> Step:
        """Return what wipes that much.

        Raises:
            NotSupported: this tool, or this image, cannot say what to wipe.
        """
        ...

    def write(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Return what writes ``image`` and reads it back.

        Raises:
            ConfigError: the image has no file that this tool could write.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashSettings:
    """How a board is flashed.

    Args:
        method: The tool and its own options.
        chip: What must be on the port; by default the datasheet's MCU.
        serial: The MAC or unique id that must be on the port; empty for any.
        baud_bps: The rate to begin with; each failure goes one standard rate down.
        attempts: How often a command is tried in all.
        backoff_s: The pause after the first failure; it doubles with each.
        reset: A command that presses reset before the tool runs, for boards whose
            port cannot; ``{port}`` in its words is the port.
        erase: What is wiped first.
        after: How the board is left.
        parking: A firmware file that a board is put back on after a fault.
        parking_offset: Where in flash it goes, if not where the tool puts it.
    """

    method: FlashMethod
    chip: str = ""
    serial: str = ""
    baud_bps: int = BAUD_BPS
    attempts: int = 4
    backoff_s: float = 0.25
    reset: tuple[str, ...] = ()
    erase: Erase = Erase.NONE
    after: After = After.RUN
    parking: Path | None = None
    parking_offset: int | None = None
