"""The one way to a running board: what is opened is closed, what is needed is asked."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench import (
    NO_IMAGE,
    BenchFault,
    BoardLost,
    Capability,
    CapabilityMissing,
    ConfigError,
    FirmwareSource,
    Registry,
    Rig,
)
from pytest_embedbench.bench.images import ImageCache
from pytest_embedbench.testing import LOOPBACK_SPEC, loopback_image, tank_firmware
from tests.support.plain_board import PlainBoard, PlainBoardWithReset

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_embedbench import Board, BoardSpec, FirmwareImage

IMAGE = loopback_image()


@dataclass
class Bare:
    """An engine whose boards can do nothing but talk, and can be asked only then."""

    booted: list[PlainBoard] = field(default_factory=list["PlainBoard"])
    able: frozenset[Capability] = frozenset()
    """That, or a reset."""

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> PlainBoard:
        del image
        kind = PlainBoardWithReset if self.able else PlainBoard
        board = kind(tank_firmware, spec)
        self.booted.append(board)
        return board

    def missing(self) -> None:
        return None

    def version(self) -> str:
        return "1"


class Copying(Bare):
    """An engine that can copy a running board."""

    ready = 0

    def stand_ready(self, spec: BoardSpec, image: FirmwareImage) -> Copying:
        del spec, image
        self.ready += 1
        return self

    def boot(  # as a snapshot boots
        self, spec: BoardSpec = LOOPBACK_SPEC, image: FirmwareImage = IMAGE
    ) -> PlainBoard:
        return super().boot(spec, image)

    def close(self) -> None:
        self.ready -= 1


class Shared(Bare):
    """An engine whose boards exist once, and which knows them."""

    def boot_together(
        self, wanted: Sequence[tuple[BoardSpec, FirmwareImage]]
    ) -> list[Board]:
        return [self.boot(spec, image) for spec, image in wanted]

    def needs_image(self, spec: BoardSpec) -> bool:
        return "flash_method" in spec.options

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        del spec
        return self.able


@dataclass(frozen=True)
class Entry:
    """An entry point to something that is here already."""

    name: str
    thing: object

    def load(self) -> Callable[..., object]:
        return lambda **_: self.thing


def rig_with(engine: object, builder: object = None) -> Rig:
    entries: dict[str, list[Any]] = {
        "embedbench.engines": [Entry("loopback", engine), Entry("linux", engine)],
        "embedbench.builders": [Entry("platformio", builder)],
        "embedbench.boards": [
            EntryPoint("mine", "embedbench_boards", "embedbench.boards")
        ],
    }
    return Rig(registry=Registry(find=lambda group: entries[group]))


def is_closed(board: Board) -> bool:
    try:
        board.advance(1)
    except BoardLost:
        return True
    return False


def test_a_board_is_closed_whatever_ends_the_block() -> None:
    with suppress(ZeroDivisionError), rig_with(Bare()).boot(LOOPBACK_SPEC, IMAGE) as it:
        it.advance(1)
        raise ZeroDivisionError
    assert is_closed(it)


def test_boards_that_were_booted_are_closed_when_a_later_one_is_not() -> None:
    class Once(Bare):
        def boot(self, spec: BoardSpec, image: FirmwareImage) -> PlainBoard:
            if self.booted:
                raise BenchFault("no more")
            return super().boot(spec, image)

    engine = Once()
    wanted = [(LOOPBACK_SPEC, IMAGE)] * 2
    with pytest.raises(BenchFault), rig_with(engine).boot_together(wanted):
        pass
    assert is_closed(engine.booted[0])


@pytest.mark.parametrize(
    ("specs", "asked"),
    [
        ([LOOPBACK_SPEC, replace(LOOPBACK_SPEC, name="pi", engine="linux")], "pi"),
        ([], "no board at all"),
    ],
)
def test_boards_that_are_taken_together_are_of_one_engine(
    specs: list[BoardSpec], asked: str
) -> None:
    engine = Shared()
    wanted = [(spec, IMAGE) for spec in specs]
    with (
        pytest.raises(ConfigError, match=rf"all real ones; asked for: .*{asked}"),
        rig_with(engine).boot_together(wanted),
    ):
        pass
    assert not engine.booted


@pytest.mark.parametrize("kind", [Bare, Copying, Shared])
@pytest.mark.parametrize("way", ["boot", "boot_often"])
def test_what_a_board_lacks_is_said_before_a_test_has_it(
    kind: type[Bare], way: str
) -> None:
    engine = kind()
    lacking = r"^loopback lacks drive-pins, reset$"
    needs = ("reset", "drive-pins")
    with (
        pytest.raises(CapabilityMissing, match=lacking),
        getattr(rig_with(engine), way)(LOOPBACK_SPEC, IMAGE, needs=needs),
    ):
        pass
    assert all(map(is_closed, engine.booted))
    if isinstance(engine, Shared):
        assert not engine.booted, "nobody waits for a board that will not do"


@pytest.mark.parametrize("kind", [Bare, Copying, Shared])
def test_a_need_that_there_is_not_is_told_with_those_that_there_are(
    kind: type[Bare],
) -> None:
    engine = kind()
    with (
        pytest.raises(
            ConfigError, match=r"'rest'; do you mean 'reset'\? Known: analog, "
        ),
        rig_with(engine).boot(LOOPBACK_SPEC, IMAGE, needs=["rest"]),
    ):
        pass
    assert not engine.booted


@pytest.mark.parametrize("kind", [Bare, Copying, Shared])
@pytest.mark.parametrize("needs", [[], ["reset"]])
def test_a_fresh_board_ends_the_one_before(kind: type[Bare], needs: list[str]) -> None:
    engine = kind(able=frozenset({Capability.RESET}))
    with rig_with(engine).boot_often(LOOPBACK_SPEC, IMAGE, needs=needs) as fresh:
        boards: list[Board] = []
        for _ in range(3):
            board = fresh()
            assert board.now_us() == 0
            assert [is_closed(each) for each in boards] == [True] * len(boards)
            board.advance(5)
            boards.append(board)
        assert len(set(map(id, boards))) == 3
    assert len(engine.booted) == 3, "what was asked what it can do is used, too"
    assert is_closed(boards[-1])
    if isinstance(engine, Copying):
        assert engine.ready == 0


def test_a_board_that_is_not_flashed_takes_no_image() -> None:
    rig = rig_with(Shared())
    flashed = replace(LOOPBACK_SPEC, options={"flash_method": "esptool"})
    assert not rig.is_flashed(LOOPBACK_SPEC)
    assert rig.is_flashed(flashed)
    assert rig_with(Bare()).is_flashed(LOOPBACK_SPEC)


def test_a_place_is_a_port_with_a_board_on_it() -> None:
    spec = rig_with(Bare()).spec("/dev/ttyUSB7", board="esp32-devkit")
    assert spec.name == "esp32-devkit"
    assert spec.options["port"] == "/dev/ttyUSB7"


def test_a_program_goes_before_a_project_where_the_board_runs_one(
    tmp_path: Path,
) -> None:
    (tmp_path / "main.py").touch()
    target = replace(LOOPBACK_SPEC, environments=("python",))
    expected = FirmwareSource(project_dir=tmp_path, environment="python")
    assert rig_with(Bare()).source(tmp_path, target) == expected


def test_a_cache_that_cannot_be_is_a_fault_of_the_bench(tmp_path: Path) -> None:
    class Builds:
        environments = build = missing = version = None

        def fingerprint(self, source: FirmwareSource) -> str:
            return source.environment

    (tmp_path / "cache").touch()
    rig = replace(
        rig_with(Bare(), Builds()), images=ImageCache(tmp_path / "cache/here")
    )
    with pytest.raises(BenchFault, match=r"cannot be built and kept in .*here"):
        rig.image(FirmwareSource(project_dir=tmp_path))


def test_the_evidence_of_a_bench_is_in_its_folder(tmp_path: Path) -> None:
    rig = rig_with(Bare())
    with rig.bench(LOOPBACK_SPEC, NO_IMAGE, folder=tmp_path) as bench:
        bench.wait_for_boot()
        assert bench.elf_path is None, "a board that runs what is on it"
    assert "DBG BOOTED" in (tmp_path / "transcript.log").read_text()
    assert is_closed(bench.board)
