"""The way from a board's name to a running board, the only one: build, boot, close.

Nobody here knows pytest. Whatever is opened is a context manager, and what cannot be
is an error: whoever asked decides what a missing tool means.
"""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.bench.able import (
    check_able,
    check_kind_of,
    engines_together,
    foretold,
    needs_named,
)
from pytest_embedbench.bench.environments import (
    check_clock,
    environment_for,
    facts_of,
)
from pytest_embedbench.bench.images import ImageCache
from pytest_embedbench.bench.places import board_at
from pytest_embedbench.bench.prebuilt import check_kind
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.bench.speeds import MONITOR_BPS
from pytest_embedbench.bench.stand_ins import as_booted, stand_in
from pytest_embedbench.bench.standing import StandingImages
from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.contracts import (
    EnvironmentFacts,
    HasConsoles,
    LabEngine,
    MayWrite,
    SharedEngine,
    SnapshotEngine,
    capabilities_of,
)
from pytest_embedbench.errors import BenchFault, ConfigError
from pytest_embedbench.model import (
    BuilderSettings,
    Capability,
    FirmwareImage,
    FirmwareSource,
)
from pytest_embedbench.support.projects import PREBUILT, PYTHON, ready_source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping, Sequence
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.contracts import (
        Board,
        BoardUnderTest,
        Builder,
        Snapshot,
        TargetConsole,
    )
    from pytest_embedbench.model import BoardSpec

_GIVE_IMAGE = "what a builder or the fixture firmware_image returns"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """Boards by name, the images that they run, and what builds those.

    ``builder_settings`` are for a builder that takes such; ``environments`` says by
    board what of a project is built, for all others by ``""``. ``needs`` of what is
    booted are capabilities and features by the names that ``needs(...)`` takes.
    With ``stands_ready`` boards are copies of programs that are kept, where an engine
    can make such; a rig that does so has to be closed.
    """

    registry: Registry = field(default_factory=Registry)
    images: ImageCache = field(default_factory=ImageCache)
    builder_name: str = "platformio"
    builder_settings: BuilderSettings = field(default_factory=BuilderSettings)
    environments: Mapping[str, str] = field(default_factory=dict["str", "str"])
    stands_ready: bool = False
    _builders: dict[str, Builder] = field(
        default_factory=dict["str", "Builder"], init=False, repr=False, compare=False
    )
    _standing: StandingImages = field(
        default_factory=StandingImages, init=False, repr=False, compare=False
    )

    def spec(self, place: str, *, board: str) -> BoardSpec:
        """Return what a place is: a name of the lab file, or a port with ``board``."""
        return board_at(self.registry, place, board)

    def builder(self, environment: str = "") -> Builder:
        """Return what builds an environment; some have a builder of their own."""
        name = environment if environment in (PYTHON, PREBUILT) else self.builder_name
        if name not in self._builders:
            self._builders[name] = self.registry.builder(name, self.builder_settings)
        return self._builders[name]

    def source(self, project_dir: Path, spec: BoardSpec) -> FirmwareSource:
        """Return what of a project is built for a board: its program, if it runs one.

        Raises:
            ConfigError: there is no project, or none of it is for this board.
        """
        ready = ready_source(project_dir, spec.environments)
        if ready is not None and ready.environment == PYTHON:
            return ready
        return self.for_board(ready or FirmwareSource(project_dir=project_dir), spec)

    def for_board(self, source: FirmwareSource, spec: BoardSpec) -> FirmwareSource:
        """Return ``source`` in the environment that suits a board, if it has none yet.

        Raises:
            ConfigError: its project has none of those that the board can run, or it is
                no source.
        """
        check_kind_of(source, FirmwareSource, "FirmwareSource(project_dir=...)")
        if not source.environment:
            environment = environment_for(
                self.builder(), spec, source.project_dir, self.environments
            )
            source = source.for_environment(environment)
        if source.environment == PREBUILT:
            check_kind(self.registry.engine(spec.engine), spec, source)
        check_clock(self._facts(source), spec, source.project_dir)
        return source

    def image(self, source: FirmwareSource) -> FirmwareImage:
        """Return the built ``source``, from the cache if nothing has changed.

        Raises:
            BuildError: it does not build.
            ToolMissing: what builds it is not installed.
            BenchFault: there is no room for it, or it changes all the time.
        """
        try:
            image = self.images.image(self.builder(source.environment), source)
        except OSError as error:
            raise BenchFault(
                f"firmware cannot be built and kept in {self.images.root} ({error}): "
                "choose another place with --embedbench-cache"
            ) from error
        bps = self._facts(source).monitor_bps
        said = {MONITOR_BPS: str(bps)} if bps else {}
        return replace(image, metadata={**image.metadata, **said})

    def _facts(self, source: FirmwareSource) -> EnvironmentFacts:
        builder = self.builder(source.environment)
        known = {its.name: its for its in facts_of(builder, source.project_dir)}
        return known.get(source.environment, EnvironmentFacts(source.environment))

    def is_flashed(self, spec: BoardSpec) -> bool:
        """Say whether booting a board takes an image; others run what is on them."""
        engine = self.registry.engine(spec.engine)
        return not isinstance(engine, MayWrite) or engine.needs_image(spec)

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        """Return what a board can do, as far as its engine can tell beforehand."""
        spec = stand_in(self.registry, spec)
        return foretold(self.registry.engine(spec.engine), spec) or frozenset()

    @contextmanager
    def boot(
        self, spec: BoardSpec, image: FirmwareImage, *, needs: Collection[str] = ()
    ) -> Generator[BoardUnderTest]:
        """Have a running board; see ``boot_together``."""
        with self.boot_together([(spec, image)], needs=needs) as (board,):
            yield board

    @contextmanager
    def boot_together(
        self,
        wanted: Sequence[tuple[BoardSpec, FirmwareImage]],
        *,
        needs: Collection[str] = (),
    ) -> Generator[Sequence[BoardUnderTest]]:
        """Have running boards of one engine or of a lab, all taken before any starts.

        Raises:
            CapabilityMissing: one of them lacks something of ``needs``; told before
                anything is waited for, if the engine can tell.
            ToolMissing: what the engine needs is not installed.
            BoardGivenUp: one of them was lost earlier in this run.
            ConfigError: they are none or of several engines, or ``needs`` has a
                capability misspelt.
        """
        needed, features = needs_named(needs)
        for _, image in wanted:
            check_kind_of(image, FirmwareImage, _GIVE_IMAGE)
        specs = [as_booted(self.registry, *each, features) for each in wanted]
        wanted = [(spec, image) for spec, (_, image) in zip(specs, wanted, strict=True)]
        engines = engines_together(self.registry.engine, specs)
        engine = engines[0]
        with ExitStack() as opened:
            for each, spec in zip(engines, specs, strict=True):
                if (able := foretold(each, spec)) is not None:
                    check_able(spec, able, needed)
            boards: Sequence[Board]
            if isinstance(engine, LabEngine):
                by_engine = [
                    (each, *one) for each, one in zip(engines, wanted, strict=True)
                ]
                boards = opened.enter_context(engine.booted_together(by_engine))
            elif isinstance(engine, SharedEngine):
                boards = engine.boot_together(wanted)
                for board in boards:
                    opened.callback(board.close)
            else:
                boot = partial(self._standing.boot, always=self.stands_ready)
                boards = [
                    opened.enter_context(closing(boot(engine, spec, image)))
                    for spec, image in wanted
                ]
            for board in boards:
                check_able(board.spec, capabilities_of(board), needed)
            yield [under_test(board) for board in boards]

    def close(self) -> None:
        """Let go of what stands ready; the boards have been closed."""
        self._standing.close()

    @contextmanager
    def boot_often(
        self, spec: BoardSpec, image: FirmwareImage, *, needs: Collection[str] = ()
    ) -> Generator[Callable[[], BoardUnderTest]]:
        """Have a function that boots a board as good as new and ends the one before.

        The first one is booted at once if it has to be asked what it can do. Raises
        what ``boot_together`` raises.
        """
        check_kind_of(image, FirmwareImage, _GIVE_IMAGE)
        asked = needs_named(needs)
        spec = as_booted(self.registry, spec, image, asked.features)
        with ExitStack() as opened:
            boot = partial(self.boot, spec, image, needs=asked.names)
            engine = self.registry.engine(spec.engine)
            if isinstance(engine, SnapshotEngine):
                ready = opened.enter_context(closing(engine.stand_ready(spec, image)))
                boot = partial(_copy, ready, asked.capabilities)
            current = opened.enter_context(ExitStack())
            unused = [current.enter_context(boot())] if needs else []

            def fresh() -> BoardUnderTest:
                if unused:
                    return unused.pop()
                current.close()
                return current.enter_context(boot())

            yield fresh

    @contextmanager
    def console(self, spec: BoardSpec) -> Generator[TargetConsole]:
        """Have a shell on a Linux target, logged in, without a program of ours there.

        Raises:
            ConfigError: the board has no console.
            BoardGivenUp: it was lost earlier in this run.
        """
        engine = self.registry.engine(spec.engine)
        if not isinstance(engine, HasConsoles):
            raise ConfigError(f"{spec.name} runs on {spec.engine} and has no console")
        with closing(engine.open_console(spec)) as held:
            yield held.console

    @contextmanager
    def bench(
        self,
        spec: BoardSpec,
        image: FirmwareImage,
        *,
        folder: Path,
        needs: Collection[str] = (),
    ) -> Generator[Bench]:
        """Have a bench around a running board, with its evidence in a new ``folder``.

        Raises what ``boot_together`` raises.
        """
        from pytest_embedbench.bench.bench import Bench  # noqa: PLC0415  # late

        elf_path = image.elf_path if image.key else None
        with (
            self.boot(spec, image, needs=needs) as board,
            closing(Bench(board, folder, elf_path=elf_path)) as bench,
        ):
            yield bench


@contextmanager
def _copy(ready: Snapshot, needed: frozenset[Capability]) -> Generator[BoardUnderTest]:
    with closing(ready.boot()) as board:
        check_able(board.spec, capabilities_of(board), needed)
        yield under_test(board)
