"""The fixtures. Each wires; none decides."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.options import setting
from pytest_embedbench.plugin.stash import NO_BOARD, SEED, item_of, rig_for, session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.bench.registry import Registry
    from pytest_embedbench.bench.scenario import Scenario
    from pytest_embedbench.contracts import Board, BoardUnderTest, Plant
    from pytest_embedbench.model import BoardSpec, FirmwareImage, FirmwareSource
    from pytest_embedbench.plugin.testlog import TestLog
_ASK_IN_SIGNATURE = (
    "ask for the board in the signature of a test function, so that it can run once "
    "per --board: getfixturevalue() and unittest.TestCase come too late for that"
)


@pytest.fixture
def board_spec(request: pytest.FixtureRequest) -> BoardSpec:
    """The datasheet of the board that ``--board`` names; one test run for each."""
    name: str = getattr(request, "param", "")
    if name == NO_BOARD:
        pytest.fail(session_of(request.config).no_board_message(), pytrace=False)
    if not name:
        pytest.fail(_ASK_IN_SIGNATURE, pytrace=False)
    return session_of(request.config).registry.board(name)


@pytest.fixture
def firmware_source(
    request: pytest.FixtureRequest, board_spec: BoardSpec
) -> FirmwareSource:
    """What is built: the suite's project, or ``--embedbench-firmware`` laid over it.

    Override it to build something else.
    """
    return rig_for(request).source(board_spec)


@pytest.fixture
def firmware_image(
    request: pytest.FixtureRequest,
    board_spec: BoardSpec,
    firmware_source: FirmwareSource,
) -> FirmwareImage:
    """The built firmware: once per content, whichever worker or run asks first."""
    return rig_for(request).image(board_spec, firmware_source)


@pytest.fixture
def board(
    request: pytest.FixtureRequest,
    board_spec: BoardSpec,
    firmware_image: FirmwareImage,
) -> Iterator[BoardUnderTest]:
    """A fresh board of each ``--board``, running the firmware since time 0."""
    with ExitStack() as opened:
        yield rig_for(request).boot(opened, board_spec, firmware_image)


@pytest.fixture
def fresh_board(
    request: pytest.FixtureRequest,
    board_spec: BoardSpec,
    firmware_image: FirmwareImage,
) -> Iterator[Callable[[], BoardUnderTest]]:
    """A function that boots a board as good as new, and closes the one before it.

    About a millisecond a board where the engine can copy a running one (``native``).
    """
    with ExitStack() as opened:
        yield rig_for(request).boot_often(opened, board_spec, firmware_image)


@pytest.fixture
def boot(request: pytest.FixtureRequest) -> Iterator[Callable[..., BoardUnderTest]]:
    """A function from a board's name to a fresh one that runs the suite's firmware.

    ``boot("uno")`` builds for that board whatever ``--board`` says; an ``image=``
    or a ``source=`` takes the place of the suite's firmware, and ``baud_bps=`` is how
    fast the other end of its first UART is.
    """
    with ExitStack() as opened:

        def boot_named(
            name: str,
            *,
            source: FirmwareSource | None = None,
            image: FirmwareImage | None = None,
            baud_bps: int | None = None,
        ) -> BoardUnderTest:
            rig = rig_for(request)
            spec = rig.spec(name, baud_bps=baud_bps)
            return rig.boot(opened, spec, image or rig.image(spec, source))

        yield boot_named


@pytest.fixture
def native_board(boot: Callable[..., BoardUnderTest]) -> BoardUnderTest:
    """The firmware as a program of this computer, in virtual time."""
    return boot("native")


@pytest.fixture
def uno_board(boot: Callable[..., BoardUnderTest]) -> BoardUnderTest:
    """A simulated Arduino Uno, in virtual time."""
    return boot("uno")


@pytest.fixture
def nano_board(boot: Callable[..., BoardUnderTest]) -> BoardUnderTest:
    """A simulated Arduino Nano, in virtual time."""
    return boot("nano")


@pytest.fixture
def mega_board(boot: Callable[..., BoardUnderTest]) -> BoardUnderTest:
    """A simulated Arduino Mega 2560, in virtual time."""
    return boot("mega")


@pytest.fixture
def qemu_esp32(boot: Callable[..., BoardUnderTest]) -> BoardUnderTest:
    """An ESP32 on Espressif's QEMU, in virtual time."""
    return boot("qemu-esp32")


@pytest.fixture
def make_bench(request: pytest.FixtureRequest) -> Iterator[Callable[[Board], Bench]]:
    """A function from a board to a bench around it, with its artifacts folder."""
    from pytest_embedbench.bench.bench import Bench  # noqa: PLC0415  # late on purpose

    with ExitStack() as opened:

        def make(board: Board) -> Bench:
            rig = rig_for(request)
            log, item = rig.log, rig.item
            with told_plainly():
                boot_line = item.ihook.pytest_embedbench_boot_line(item=item)
                bench = Bench(
                    board,
                    folder=log.bench_folder(board),
                    boot_line=boot_line or "",
                    elf_path=log.elf_paths.get(id(board)),
                )
            log.note_bench(bench)
            for name in getattr(board, "more", ()):
                bench.uarts[name]  # so that its transcript is there in any case
            opened.callback(_close, bench, log, plots=setting(request.config, "plots"))
            return bench

        yield make


@pytest.fixture
def bench(board: Board, make_bench: Callable[[Board], Bench]) -> Bench:
    """What a test holds: the board, its UART conversation, its closed loops."""
    return make_bench(board)


@pytest.fixture
def plant(request: pytest.FixtureRequest) -> Callable[..., Plant[Any]]:
    """A factory: ``plant("tank_fill_drain", level=20)``; parameters set its start.

    Without a name it is the plant of the test's own suite, if that has one.
    """

    def make(name: str = "", **parameters: object) -> Plant[Any]:
        item, registry = item_of(request), session_of(request.config).registry
        with told_plainly():
            chosen = name or item.ihook.pytest_embedbench_plant(item=item)
            return registry.plant(chosen or _no_plant(registry), **parameters)

    return make


@pytest.fixture
def scenario(request: pytest.FixtureRequest) -> Callable[[str], Scenario]:
    """A function from a name to the scenario in ``scenarios.toml`` beside the test."""
    from pytest_embedbench.bench.scenario import load_scenarios, pick  # noqa: PLC0415

    def find(name: str) -> Scenario:
        with told_plainly():
            file = request.path.with_name("scenarios.toml")
            return pick(load_scenarios(file), name)

    return find


@pytest.fixture
def fault_seed(request: pytest.FixtureRequest) -> int:
    """What all chance in faults comes from: ``--embedbench-seed``; the records have it.

    Give it to ``scenario("day").with_faults(..., seed=fault_seed)``.
    """
    seed = int(setting(request.config, "seed"))
    item_of(request).user_properties.append((SEED, seed))
    return seed


def _no_plant(registry: Registry) -> NoReturn:
    from pytest_embedbench.errors import ConfigError  # noqa: PLC0415  # late

    raise ConfigError(
        "plant() without a name: this test's suite has no plant of its own; known "
        f"plants: {', '.join(registry.names('plant'))}"
    )


def _close(bench: Bench, log: TestLog, *, plots: str) -> None:
    bench.plots = log.wants_plots(plots)
    bench.close()
