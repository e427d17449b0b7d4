"""What the checks of ``testing`` say to an implementation that breaks a promise."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench import model
from pytest_embedbench.errors import (
    ConfigError,
    ContractViolation,
    NotSupported,
    ToolMissing,
)
from pytest_embedbench.model import (
    BoardSpec,
    Capability,
    Chunk,
    FirmwareImage,
    FirmwareSource,
    PinEvent,
    PinTrace,
)
from pytest_embedbench.testing import (
    LOOPBACK_SPEC,
    Firmware,
    Loopback,
    LoopbackBoard,
    LoopbackUart,
    check_board,
    check_builder,
    check_engine,
    check_plant,
    loopback_image,
    tank_firmware,
)
from pytest_embedbench.testing.loopback import LoopbackLink
from tests.support.plain_board import PlainBoard, PlainBoardWithReset

if TYPE_CHECKING:
    from collections.abc import Generator

REFUSES = (
    "{} is there only to say no ({}): a board that lacks it leaves it out, and the "
    "bench says so"
)
HIGH = model.Level.HIGH  # a plant of these tests has a level, too


@dataclass
class Noise:
    """A link that has said all this when it is asked next."""

    board: LoopbackBoard
    chunks: list[Chunk]

    def send(self, data: bytes) -> None:
        del data

    def receive(self) -> list[Chunk]:
        return [chunk._replace(at_us=self.board.now_us()) for chunk in self.chunks]


class TalksForEver(LoopbackBoard):
    def link(self, uart: str = "") -> Noise:  # type: ignore[override]
        del uart
        return Noise(self, [Chunk(0, b"again\n")])


@dataclass
class Late:
    """A link that says what it is told to, once time has passed."""

    chunks: list[Chunk]
    asked_count: int = 0

    def send(self, data: bytes) -> None:
        del data

    def receive(self) -> list[Chunk]:
        self.asked_count += 1
        return self.chunks if self.asked_count == 5 else []


class Stamps(LoopbackBoard):
    """One whose link says this in the step that is looked at."""

    chunks: tuple[Chunk, ...] = ()
    made: Late | None = None

    def link(self, uart: str = "") -> Late:  # type: ignore[override]
        del uart
        if self.made is None:
            self.made = Late([*self.chunks])
        return self.made


class Backwards(Stamps):
    chunks: tuple[Chunk, ...] = (Chunk(50_000, b"b\n"), Chunk(49_999, b"a\n"))


class Early(Stamps):
    chunks: tuple[Chunk, ...] = (Chunk(9_999, b"a\n"),)


class Empty(Stamps):
    chunks: tuple[Chunk, ...] = (Chunk(50_000, b""),)


class TwoLines(Stamps):
    chunks: tuple[Chunk, ...] = (Chunk(50_000, b"a\nb\n"),)


class RunsShort(LoopbackBoard):
    def advance(self, duration_ms: int) -> None:
        super().advance(duration_ms)
        self.uart.now_us -= 1


class TakesAnything(LoopbackBoard):
    def advance(self, duration_ms: int) -> None:
        super().advance(int(max(0, duration_ms)))


class RunsOn(LoopbackBoard):
    def link(self, uart: str = "") -> LoopbackLink:
        self.uart.now_us += 1
        return super().link(uart)


class HasNoReset(LoopbackBoard):
    def reset(self) -> None:
        raise NotSupported("no button")


class DrivesAnything(LoopbackBoard):
    def drive_pin(self, pin: str, level: object) -> None:
        del pin, level


class TakesAnyVoltage(LoopbackBoard):
    def set_analog(self, pin: str, millivolts: int) -> None:
        del pin, millivolts


class HasNoPins(LoopbackBoard):
    def pin_trace(self) -> PinTrace:
        raise NotSupported("no pins")


class MixesUpItsPins(LoopbackBoard):
    def pin_trace(self) -> PinTrace:
        return PinTrace((PinEvent(2, "D2", HIGH), PinEvent(1, "D2", HIGH)))


class HasNoPower(LoopbackBoard):
    def power_cycle(self) -> None:
        raise NotSupported("no switch")


class AnotherBoard(LoopbackBoard):
    def __init__(self, spec: BoardSpec, firmware: Firmware) -> None:
        super().__init__(replace(spec, name="another"), firmware)


class TellsItAll(LoopbackBoard):
    def __repr__(self) -> str:
        return "x" * 101


class CutsWithTheSteps(LoopbackBoard):
    """It stamps a line with the end of the step that brought it."""

    def advance(self, duration_ms: int) -> None:
        super().advance(duration_ms)
        for index, chunk in enumerate(held := self.uart.drain()):
            held[index] = chunk._replace(at_us=self.now_us())
        self.uart._chunks = held


BOARDS: list[tuple[type[LoopbackBoard], str]] = [
    (AnotherBoard, "spec must be what the board was booted from"),
    (RunsShort, "advance(10) took 9999 us"),
    (TakesAnything, "advance(-1) must raise ConfigError"),
    (RunsOn, "time passed outside advance()"),
    (TalksForEver, "receive() must drain, and must not wait"),
    (Backwards, "stamps go backwards: [50000, 49999]"),
    (Early, "stamps [9999] are outside the step 10000..110000"),
    (Empty, "a chunk is never empty"),
    (TwoLines, "a chunk ends at its first newline"),
    (HasNoReset, REFUSES.format("reset", "no button")),
    (HasNoPower, REFUSES.format("power_cycle", "no switch")),
    (HasNoPins, REFUSES.format("pin_trace", "no pins")),
    (DrivesAnything, "drive_pin('no such pin') must raise ConfigError"),
    (TakesAnyVoltage, "set_analog('no such pin') must raise ConfigError"),
    (MixesUpItsPins, "the events of a trace are not in order"),
    (TellsItAll, f"no repr of one short line: {'x' * 101}"),
    (CutsWithTheSteps, "stamps depend on how time is cut into steps"),
]


@dataclass(frozen=True)
class Boots(Loopback):
    """An engine of boards of one kind."""

    kind: type[LoopbackBoard] = LoopbackBoard

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> LoopbackBoard:
        del image
        return self.kind(spec, self.firmware)


@pytest.mark.parametrize(
    ("kind", "promise"), BOARDS, ids=[kind.__name__ for kind, _ in BOARDS]
)
def test_a_board_that_breaks_a_promise(kind: type[LoopbackBoard], promise: str) -> None:
    engine = Boots(tank_firmware, kind)
    with pytest.raises(ContractViolation) as broken:
        check_engine(engine, LOOPBACK_SPEC, loopback_image())
    assert str(broken.value) == promise


class Absent(Loopback):
    def missing(self) -> ToolMissing | None:
        return ToolMissing("loopback", "the crane", "buy a crane")


class Nameless(Loopback):
    def version(self) -> str:
        return " "


class Modest(Loopback):
    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        del spec
        return frozenset(Capability) - {Capability.RESET}


class Choosy(Loopback):
    def check(self, spec: BoardSpec) -> None:
        raise ConfigError(f"{spec.name} will never do")


@dataclass(frozen=True)
class Other(Loopback):
    """An engine whose copies run something else."""

    def stand_ready(self, spec: BoardSpec, image: FirmwareImage) -> Other:
        del spec, image
        return self

    def boot(
        self, spec: BoardSpec = LOOPBACK_SPEC, image: FirmwareImage | None = None
    ) -> LoopbackBoard:
        firmware = self.firmware if image else silent
        return LoopbackBoard(spec, firmware)

    def close(self) -> None:
        pass


def silent(uart: LoopbackUart) -> Generator[int, None, None]:
    del uart
    yield 1


def test_a_copy_that_is_another_board() -> None:
    with pytest.raises(ContractViolation, match="a copy differs from a board that was"):
        check_engine(Other(tank_firmware), LOOPBACK_SPEC, loopback_image())


def test_an_engine_that_knows_boards_which_it_could_never_boot() -> None:
    with pytest.raises(ConfigError, match="loopback will never do"):
        check_engine(Choosy(tank_firmware), LOOPBACK_SPEC, loopback_image())


def test_what_is_not_even_whole() -> None:
    with pytest.raises(ContractViolation, match="no engine: it has no missing, versi"):
        check_engine(Halves(), LOOPBACK_SPEC, loopback_image())  # type: ignore[arg-type]
    with pytest.raises(ContractViolation, match="no board: it has no link, now_us, ad"):
        check_board(Halves())  # type: ignore[arg-type]
    with pytest.raises(ContractViolation, match="no plant: it has no tick_ms, thresh"):
        check_plant(Halves())  # type: ignore[arg-type]
    with pytest.raises(ContractViolation, match="no builder: it has no environments"):
        check_builder(Halves(), FirmwareSource(project_dir=Path()), Path())  # type: ignore[arg-type]


class Halves:
    spec = LOOPBACK_SPEC

    def boot(self) -> None:
        pass


@pytest.mark.parametrize("kind", [PlainBoard, PlainBoardWithReset])
def test_a_board_is_asked_for_what_it_claims_and_no_more(
    kind: type[PlainBoard],
) -> None:
    board = kind(tank_firmware)
    check_board(board)
    assert board.inner.closed


@pytest.mark.parametrize(
    ("kind", "promise"),
    [
        (Absent, "the crane"),
        (Nameless, r"version\(\) must name the engine"),
        (Modest, r"capabilities\(\) does not know of \['reset'\]"),
    ],
)
def test_an_engine_that_breaks_a_promise(kind: type[Loopback], promise: str) -> None:
    with pytest.raises(ContractViolation, match=promise):
        check_engine(kind(tank_firmware), LOOPBACK_SPEC, loopback_image())


@dataclass(frozen=True)
class Level:
    level_pct: int = 0


@dataclass(frozen=True)
class Rough:
    level_pct: float = 0.5


State = Level | Rough


@dataclass
class Vessel:
    """A plant that keeps its promises, unless a part of it is exchanged."""

    tick_ms: int = 100
    thresholds: dict[str, tuple[int, ...]] = field(default_factory=dict)
    start: State = Level()
    says: str = "SENSE LEVEL 1"
    obeys: bool = False
    drifts: bool = False
    turn_count: int = 0

    def initial(self) -> State:
        return self.start

    def step(self, state: State) -> State:
        self.turn_count += self.drifts
        rise = 1 + self.turn_count
        if isinstance(state, Rough):
            return Rough(state.level_pct + rise)
        return Level(state.level_pct + rise)

    def actuate(self, state: State, line: str) -> State:
        return replace(state, level_pct=7) if line and self.obeys else state

    def sense(self, state: State) -> tuple[str, ...]:
        del state
        return (self.says,)


def test_a_plant_that_keeps_its_promises_passes() -> None:
    check_plant(Vessel(thresholds={"level_pct": (80,)}), ("ACT PUMP ON",))


@pytest.mark.parametrize(
    ("plant", "promise"),
    [
        (Vessel(drifts=True), "two runs differ: the plant is not deterministic"),
        (Vessel(tick_ms=0), "tick_ms must be positive"),
        (Vessel(obeys=True), "it obeys any line"),
        (Vessel(says="two\nlines"), r"'two\nlines' is not one printable line"),
        (
            Vessel(thresholds={"temp_c": (1,)}),
            "threshold 'temp_c' is no field of the state: ['level_pct']",
        ),
        (Vessel(start=Rough()), "level_pct is 0.5, neither int nor bool"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_plant_that_breaks_a_promise(plant: Vessel, promise: str) -> None:
    with pytest.raises(ContractViolation) as broken:
        check_plant(plant)
    assert str(broken.value) == promise


@dataclass
class Copier:
    """A builder that keeps its promises, unless a part of it is exchanged."""

    environment: str = "lab"
    sha256: str = ""
    wanders: bool = False
    grows: bool = False
    away: bool = False
    extra: dict[str, Path] = field(default_factory=dict)

    def environments(self, project_dir: Path) -> tuple[str, ...]:
        del project_dir
        return ("lab",)

    def fingerprint(self, source: FirmwareSource) -> str:
        self.asked_count = getattr(self, "asked_count", 0) + self.wanders
        names = sorted(path.name for path in source.project_dir.iterdir())
        return f"{names} {self.asked_count}"

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        elf = (source.project_dir.parent if self.away else out_dir) / "firmware.elf"
        elf.write_bytes(b"ELF")
        if self.grows:
            (source.project_dir / "object.o").touch()
        return FirmwareImage(
            environment=self.environment,
            elf_path=elf,
            sha256=self.sha256 or hashlib.sha256(b"ELF").hexdigest(),
            key="0",
            artifacts=self.extra,
        )

    def missing(self) -> ToolMissing | None:
        return None

    def version(self) -> str:
        return "copier 1"


@pytest.mark.parametrize(
    ("builder", "promise"),
    [
        (Copier(wanders=True), "equal sources, unequal digests"),
        (Copier(grows=True), "building changes the source"),
        (Copier(environment="uno"), "it built another environment"),
        (Copier(away=True), "the ELF is outside out_dir"),
        (Copier(sha256="0"), "sha256 is not that of the ELF file"),
        (
            Copier(extra={"firmware.hex": Path("nowhere.hex")}),
            "artifact firmware.hex (nowhere.hex) is not there",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_builder_that_breaks_a_promise(
    builder: Copier, promise: str, tmp_path: Path
) -> None:
    project, out = tmp_path / "project", tmp_path / "out"
    project.mkdir()
    out.mkdir()
    source = FirmwareSource(project_dir=project, environment="lab")
    check_builder(Copier(), source, out)
    with pytest.raises(ContractViolation) as broken:
        check_builder(builder, source, out)
    assert str(broken.value) == promise
