"""The nouns: frozen, comparable, picklable. No I/O, no clock, no pytest.

Units live in names: a stamp of simulated time is ``*_us``, a span of it ``*_ms``; a
span of host time is ``*_s``; a rate is ``*_hz`` or ``*_bps``.
"""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from pytest_embedbench.pins import (
    Level as Level,
    PinEvent as PinEvent,
    PinTrace as PinTrace,
    PwmEvent as PwmEvent,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    Option = str | int | float | bool | tuple[str, ...]


StateT = TypeVar("StateT")
"""The state of a plant: a frozen dataclass of int and bool fields."""


class Isolation(enum.Enum):
    """How somebody else's code is kept apart from this machine."""

    NONE = "none"
    """As any program of the user's."""
    LIMITS = "limits"
    """It can read what the user can, but not use up much, nor stay."""
    BUBBLEWRAP = "bubblewrap"
    """In a sandbox that shows it nothing but the system and itself."""


class Direction(enum.Enum):
    """Who said a line, as drawn in a transcript."""

    FROM_FIRMWARE = "fw->"
    TO_FIRMWARE = "->fw"
    BENCH = "--"


class Capability(enum.Enum):
    """What a board can do beyond moving bytes; the value is for ``needs(...)``."""

    VIRTUAL_TIME = "virtual-time"
    """``advance`` is exact: the same run twice gives the same bytes and stamps."""
    READ_PINS = "read-pins"
    DRIVE_PINS = "drive-pins"
    DRIVE_PULSES = "drive-pulses"
    """Inputs change at any microsecond, not only where ``advance`` starts."""
    ANALOG = "analog"
    RESET = "reset"
    POWER_CYCLE = "power-cycle"
    POWER_SWITCH = "power-switch"
    """Power goes off and comes back when a test says so, not only for a moment."""
    CONSOLE = "console"
    CIRCUIT = "circuit"
    """It can stand in a drawn circuit, whose parts a test can see and handle."""


class Absence(NamedTuple):
    """When the connection to a board was away, in us of its time.

    ``to_us`` is ``None`` while it still is.
    """

    from_us: int
    to_us: int | None

    def __str__(self) -> str:
        if self.to_us is None:
            return f"away since {self.from_us / 1e6:.3f} s"
        lasted_s = (self.to_us - self.from_us) / 1e6
        return f"away for {lasted_s:.3f} s from {self.from_us / 1e6:.3f} s on"


class Chunk(NamedTuple):
    """Bytes that a firmware said, stamped with when the last of them was out.

    A chunk ends at a newline or where ``Board.advance`` ended, so the stamp of a
    line does not depend on how time was cut into steps.
    """

    at_us: int
    data: bytes


class Line(NamedTuple):
    """One line of the conversation; ``payload`` has no line terminator."""

    at_us: int
    direction: Direction
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class UartSpec:
    """One serial port of a board, by its datasheet name.

    ``said_by`` is who said how fast its other end is (``"monitor_speed"``, ``"lab"``,
    ``"test"``); if nobody did, that of a simulated UART follows the firmware.
    """

    name: str
    baud_bps: int
    said_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinSpec:
    """One pin of a board: its silk-screen name and where the MCU has it.

    ``port`` is the MCU's own name (``PB5``); ``adc`` the ADC channel, if any.
    """

    name: str
    port: str
    adc: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSpec:
    """A board as its datasheet has it, and the engine that can run it.

    ``environments`` are names of environments and of PlatformIO's boards, best first.
    ``options`` belong to the engine.
    """

    name: str
    engine: str
    mcu: str
    cpu_hz: int
    uarts: tuple[UartSpec, ...]
    environments: tuple[str, ...]
    description: str = ""
    pins: Mapping[str, PinSpec] = field(default_factory=dict[str, PinSpec])
    options: Mapping[str, Option] = field(default_factory=dict[str, "Option"])

    def __repr__(self) -> str:
        return f"<BoardSpec {self.name}: {self.mcu} on {self.engine}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class FirmwareSource:
    """A PlatformIO project, an environment of it, and a submission laid over it.

    Without an ``environment`` it says what is built but not yet for which board.
    ``overlay`` maps a path relative to the project (``src/controller.c``) to the
    file that takes its place in the scratch tree that is built.
    ``parts`` are the entries of the project that a build may see, beside those that its
    settings name, and nothing above it; without any, all but tests and caches.
    ``isolation`` is how its build, and what was built, is kept apart. ``test_suite``
    names unit tests of it, to be built in its place.
    """

    project_dir: Path
    environment: str = ""
    overlay: Mapping[str, Path] = field(default_factory=dict[str, Path])
    parts: tuple[str, ...] = ()
    isolation: Isolation = Isolation.NONE
    test_suite: str = ""

    def __repr__(self) -> str:
        name, laid = self.project_dir.name, f"{len(self.overlay)} files laid over it"
        return f"<FirmwareSource {name} for {self.environment!r}: {laid}>"

    def for_environment(self, environment: str) -> FirmwareSource:
        """Return the same project and submission, built for ``environment``."""
        return replace(self, environment=environment)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuilderSettings:
    """What the user has chosen for what builds the firmware; ``None`` is no choice.

    Args:
        cache_dir: Where scratch copies, object files and logs may be kept.
        pio: The PlatformIO program.
        core_dir: PlatformIO's core directory.
        libraries: Folders of libraries that projects depend on.
        timeout_s: How long one build may take.
    """

    cache_dir: Path | None = None
    pio: Path | None = None
    core_dir: Path | None = None
    libraries: tuple[Path, ...] = ()
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirmwareImage:
    """What a builder hands to an engine; files are never changed once published.

    ``elf_path`` is what simulators load and symbols come from (for ``native`` the
    program itself). ``artifacts`` are all files by name (``firmware.hex``, ...).
    ``metadata`` is what the build tool says of itself (``toolchain``, ``pio``, ...).
    ``key`` is what the image is cached under; whoever caches it says so, no builder.
    ``isolation`` is that of its source.
    ``inputs`` is what the build read beyond its fingerprint: the SHA-256 by path, or
    ``""`` where there was no file; ``untold`` says why that may not be all.
    """

    environment: str
    elf_path: Path
    sha256: str
    key: str = ""
    artifacts: Mapping[str, Path] = field(default_factory=dict[str, Path])
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    isolation: Isolation = Isolation.NONE
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    untold: str = ""
    was_found: bool = field(default=False, compare=False)
    """Whether the cache had it when it was asked for."""

    @property
    def symbols_path(self) -> Path | None:
        """The ELF file that its builder found to belong to it, if there is one."""
        files = (self.elf_path, *self.artifacts.values())
        return next((path for path in files if path.suffix == ".elf"), None)

    @property
    def named_path(self) -> Path:
        """The file that was named, of an image built elsewhere, else ``elf_path``."""
        return self.artifacts.get(self.metadata.get("prebuilt", ""), self.elf_path)

    def __repr__(self) -> str:
        name, digest = self.elf_path.name, self.sha256[:12]
        return f"<FirmwareImage {name} for {self.environment!r}: sha256 {digest}>"


NO_IMAGE = FirmwareImage(environment="", elf_path=Path(os.devnull), sha256="", key="")
"""For boards that run what is on them."""
NO_SOURCE = FirmwareSource(project_dir=Path(os.devnull))
"""For the same: nothing is built for them."""


class Sample(NamedTuple, Generic[StateT]):
    """The plant's state at a plant time."""

    at_ms: int
    state: StateT

    def __str__(self) -> str:
        return f"at {self.at_ms} ms of plant time, with {self.state}"


class Reply(NamedTuple, Generic[StateT]):
    """Firmware lines that a plant was given at once; ``at_us`` is that of the last."""

    plant_ms: int
    at_us: int
    lines: tuple[str, ...]
    state: StateT


class Blame(NamedTuple):
    """Whose fault a failure is: one word for the records, and how a report says it."""

    who: str
    words: str


class StimulusKind(enum.Enum):
    """What was done to a firmware or its plant."""

    FRAME = "frame"
    """A sensor line of the plant."""
    INJECTED = "injected"
    """A line that the scenario put on the wire."""
    EVENT = "event"
    """A change that the scenario made to the plant."""


class Stimulus(NamedTuple):
    """What was done, at a plant time and a firmware time, and how it reads."""

    plant_ms: int
    at_us: int
    kind: StimulusKind
    text: str
