"""The way from a board's name to a running board, the only one: build, boot, close.

Nobody here knows pytest. Whatever is opened is a context manager, and what cannot be
is an error: whoever asked decides what a missing tool means.
"""

from __future__ import annotations

import warnings
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.bench.images import ImageCache, environment_for
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.contracts import (
    HasConsoles,
    KnowsCapabilities,
    SharedEngine,
    SnapshotEngine,
    capabilities_of,
)
from pytest_embedbench.errors import BenchFault, CapabilityMissing, ConfigError
from pytest_embedbench.model import (
    OLD_CAPABILITIES,
    BuilderSettings,
    Capability,
    FirmwareImage,
    FirmwareSource,
)
from pytest_embedbench.support.projects import PROGRAM_FILE, PYTHON

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Sequence
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

    ``builder_settings`` are for a builder that takes such. ``needs`` of what is booted
    are capabilities by the names that ``needs(...)`` takes.
    """

    registry: Registry = field(default_factory=Registry)
    images: ImageCache = field(default_factory=ImageCache)
    builder_name: str = "platformio"
    builder_settings: BuilderSettings = field(default_factory=BuilderSettings)
    _builders: dict[str, Builder] = field(
        default_factory=dict["str", "Builder"], init=False, repr=False, compare=False
    )

    def spec(self, place: str, *, board: str) -> BoardSpec:
        """Return what a place is: a name of the lab file, or a port with ``board``."""
        if place in self.registry.lab_names():
            return self.registry.board(place)
        spec = self.registry.board(board)
        return replace(spec, options={**spec.options, "port": place})

    def builder(self, environment: str = "") -> Builder:
        """Return what builds an environment; Python has a builder of its own."""
        name = PYTHON if environment == PYTHON else self.builder_name
        if name not in self._builders:
            self._builders[name] = self.registry.builder(name, self.builder_settings)
        return self._builders[name]

    def source(self, project_dir: Path, spec: BoardSpec) -> FirmwareSource:
        """Return what of a project is built for a board: its program, if it runs one.

        Raises:
            ConfigError: there is no project, or none of it is for this board.
        """
        if PYTHON in spec.environments and (project_dir / PROGRAM_FILE).is_file():
            return FirmwareSource(project_dir=project_dir, environment=PYTHON)
        return self.for_board(FirmwareSource(project_dir=project_dir), spec)

    def for_board(self, source: FirmwareSource, spec: BoardSpec) -> FirmwareSource:
        """Return ``source`` in the environment that suits a board, if it has none yet.

        Raises:
            ConfigError: its project has none of those that the board can run, or it is
                no source.
        """
        _check_kind(source, FirmwareSource, "FirmwareSource(project_dir=...)")
        if source.environment:
            return source
        environment = environment_for(self.builder(), spec, source.project_dir)
        return source.for_environment(environment)

    def image(self, source: FirmwareSource) -> FirmwareImage:
        """Return the built ``source``, from the cache if nothing has changed.

        Raises:
            BuildError: it does not build.
            ToolMissing: what builds it is not installed.
            BenchFault: there is no room for it, or it changes all the time.
        """
        try:
            return self.images.image(self.builder(source.environment), source)
        except OSError as error:
            raise BenchFault(
                f"firmware cannot be built and kept in {self.images.root} ({error}): "
                "choose another place with --embedbench-cache"
            ) from error

    def is_flashed(self, spec: BoardSpec) -> bool:
        """Say whether booting a board takes an image; others run what is on them."""
        engine = self.registry.engine(spec.engine)
        return not isinstance(engine, SharedEngine) or engine.needs_image(spec)

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
        """Have running boards of one engine, all taken before any is touched.

        Raises:
            CapabilityMissing: one of them lacks something of ``needs``; told before
                anything is waited for, if the engine can tell.
            ToolMissing: what the engine needs is not installed.
            BoardGivenUp: one of them was lost earlier in this run.
            ConfigError: they are none or of several engines, or ``needs`` has what is
                no capability.
        """
        needed = _capabilities(needs)
        for _, image in wanted:
            _check_kind(image, FirmwareImage, _GIVE_IMAGE)
        engine = self.registry.engine(_engine_of([spec for spec, _ in wanted]))
        with ExitStack() as opened:
            if isinstance(engine, KnowsCapabilities):
                for spec, _ in wanted:
                    _check_able(spec, engine.capabilities(spec), needed)
            boards: Sequence[Board]
            if isinstance(engine, SharedEngine):
                boards = engine.boot_together(wanted)
                for board in boards:
                    opened.callback(board.close)
            else:
                boards = [
                    opened.enter_context(closing(engine.boot(spec, image)))
                    for spec, image in wanted
                ]
            for board in boards:
                _check_able(board.spec, capabilities_of(board), needed)
            yield [under_test(board) for board in boards]

    @contextmanager
    def boot_often(
        self, spec: BoardSpec, image: FirmwareImage, *, needs: Collection[str] = ()
    ) -> Generator[Callable[[], BoardUnderTest]]:
        """Have a function that boots a board as good as new and ends the one before.

        The first one is booted at once if it has to be asked what it can do. Raises
        what ``boot_together`` raises.
        """
        _check_kind(image, FirmwareImage, _GIVE_IMAGE)
        with ExitStack() as opened:
            boot = partial(self.boot, spec, image, needs=needs)
            engine = self.registry.engine(spec.engine)
            if isinstance(engine, SnapshotEngine):
                ready = opened.enter_context(closing(engine.stand_ready(spec, image)))
                boot = partial(_copy, ready, _capabilities(needs))
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
        _check_able(board.spec, capabilities_of(board), needed)
        yield under_test(board)


def _engine_of(specs: Sequence[BoardSpec]) -> str:
    engines = {spec.engine: spec for spec in specs}
    if len(engines) != 1:
        asked = ", ".join(f"{spec.name} ({spec.engine})" for spec in specs)
        raise ConfigError(
            "boards that are taken together are of one engine; asked for: "
            f"{asked or 'no board at all'}"
        )
    return next(iter(engines))


def _check_kind(thing: object, kind: type, give: str) -> None:
    if not isinstance(thing, kind):
        raise ConfigError(f"{thing!r} is no {kind.__name__}: give {give}")


def _capabilities(names: Collection[str]) -> frozenset[Capability]:
    known = {capability.value: capability for capability in Capability}
    for old in OLD_CAPABILITIES.keys() & names:
        message = f"needs({old!r}) is called needs({OLD_CAPABILITIES[old]!r}) now"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
    names = {OLD_CAPABILITIES.get(name, name) for name in names}
    if unknown := sorted(names - known.keys()):
        raise ConfigError(
            f"needs(): no such capability: {', '.join(map(repr, unknown))}; known: "
            f"{', '.join(sorted(known))}"
        )
    return frozenset(known[name] for name in names)


def _check_able(
    spec: BoardSpec, able: Collection[Capability], needed: frozenset[Capability]
) -> None:
    if lacking := sorted(capability.value for capability in needed.difference(able)):
        raise CapabilityMissing(f"{spec.name} lacks {', '.join(lacking)}")
