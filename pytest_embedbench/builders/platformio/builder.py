"""The builder itself: stage the project, run ``pio``, take the files."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio import apart, diagnosis, unit_tests
from pytest_embedbench.builders.platformio.build_runs import BuildRuns
from pytest_embedbench.builders.platformio.core_setup import (
    is_set_up,
    named_libraries,
    set_up_core,
)
from pytest_embedbench.builders.platformio.cores import (
    choose_core,
    own_core,
    private_core,
)
from pytest_embedbench.builders.platformio.environments import known_facts
from pytest_embedbench.builders.platformio.filesystem import (
    BUILD_FILESYSTEM,
    wants_filesystem,
)
from pytest_embedbench.builders.platformio.fingerprint import fingerprint, surroundings
from pytest_embedbench.builders.platformio.ini import INI, read_ini
from pytest_embedbench.builders.platformio.known_objects import (
    BuildInputs,
    known_objects,
)
from pytest_embedbench.builders.platformio.memo import MEMO, witnesses
from pytest_embedbench.builders.platformio.missing import (
    buildable,
    missing_for,
)
from pytest_embedbench.builders.platformio.pio import find_pio, pio_version
from pytest_embedbench.builders.platformio.products import read_products
from pytest_embedbench.builders.platformio.project import read_project
from pytest_embedbench.builders.platformio.recipes import (
    Recipes,
    may_be_replayed,
    told_by_commands,
)
from pytest_embedbench.builders.platformio.replaying import replay
from pytest_embedbench.builders.platformio.run import (
    was_killed,
)
from pytest_embedbench.builders.platformio.scratch import (
    Scratch,
    hold_scratch,
    scratch_name,
)
from pytest_embedbench.builders.platformio.test_frameworks import lend_framework
from pytest_embedbench.builders.platformio.variables import (
    shared_libraries,
)
from pytest_embedbench.clock import wall_now_ns
from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.processes.guarded import GuardedExit
from pytest_embedbench.support.paths import cache_root, made_cache

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup
    from pytest_embedbench.builders.platformio.cores import CoreDirectory
    from pytest_embedbench.builders.platformio.known_objects import KnownObjects
    from pytest_embedbench.builders.platformio.pio import Pio
    from pytest_embedbench.builders.platformio.project import Project
    from pytest_embedbench.contracts import (
        Buildable,
        EnvironmentFacts,
        LentTools,
        UnitTestSuite,
    )
    from pytest_embedbench.model import (
        BoardSpec,
        BuilderSettings,
        FirmwareImage,
        FirmwareSource,
    )


_SOON_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformIO:
    """Builds firmware with the ``pio`` command, from a scratch copy of the project.

    Args:
        pio: The command; by default the one on PATH or beside our own Python.
        cache_dir: Where scratch copies, object files and logs are kept.
        core_dir: PlatformIO's core directory; by default ``PLATFORMIO_CORE_DIR``,
            else the private one that ``embedbench setup`` made, else PlatformIO's own.
        libraries: Folders of libraries that ``lib_deps`` are taken from, before those
            that ``embedbench setup --libraries`` has named.
        timeout_s: How long one build may take, waiting for PlatformIO's locks included.
        offline: Never let PlatformIO install anything. Otherwise it may, one process
            at a time, when its registry can be reached.
    """

    pio: str | Path | None = None
    cache_dir: Path | None = None
    core_dir: Path | None = None
    libraries: tuple[Path, ...] = ()
    timeout_s: float = 600.0
    offline: bool = False

    def with_settings(self, settings: BuilderSettings) -> PlatformIO:
        """Return one that heeds what the user has chosen."""
        return replace(
            self,
            pio=settings.pio or self.pio,
            cache_dir=settings.cache_dir or self.cache_dir,
            core_dir=settings.core_dir or self.core_dir,
            libraries=settings.libraries or self.libraries,
            timeout_s=settings.timeout_s or self.timeout_s,
        )

    def missing(self) -> ToolMissing | None:
        """Say what has to be installed before ``build`` can work, if anything."""
        try:
            self._command()
        except ToolMissing as missing:
            return missing
        return None

    def missing_for(self, spec: BoardSpec) -> list[ToolMissing]:
        """Say what firmware for a board takes, as far as its environments tell."""
        return missing_for(spec.environments, self._usual_core())

    def buildable(self, spec: BoardSpec) -> list[Buildable]:
        """Return which kinds of firmware can be built for a board, and which not."""
        return buildable(spec.environments, (self._private(), own_core()))

    def version(self) -> str:
        """Return one line that names PlatformIO's version, for reports."""
        return f"PlatformIO {pio_version(self._command(), self._cache())}"

    def set_up(self) -> CoreSetup:
        """Make the private core directory of this Python environment, or refresh it.

        Raises:
            ToolMissing: PlatformIO or SCons is not installed.
        """
        scons = self._command().scons_version()
        if self.core_dir is None:
            made_cache(self._cache())
        return set_up_core(self._private(), scons, libraries=self.libraries)

    def lent_tools(self) -> LentTools:
        """Return what has to be seen in a sandbox to build there."""
        return apart.lent_tools(self._usual_core(), self._command().argv[0])

    def environments(self, project_dir: Path) -> tuple[str, ...]:
        """Return the environments of a project; ``ConfigError`` if it is none."""
        return read_ini(project_dir / INI, project_dir).environments()

    def environment_facts(self, project_dir: Path) -> list[EnvironmentFacts]:
        """Return what a project says of its environments; ``ConfigError`` if none."""
        return known_facts(project_dir, (self.core_dir or own_core(),))

    def unit_tests(self, project_dir: Path, environment: str) -> list[UnitTestSuite]:
        """Return the suites that ``pio test`` would run in an environment."""
        return unit_tests.unit_tests(project_dir, environment)

    def fingerprint(self, source: FirmwareSource) -> str:
        """Return a digest of all that the build of ``source`` depends on."""
        overlay = tuple(sorted(source.overlay.items()))
        what = (source.environment, source.test_suite, source.parts)
        asked = (self, overlay, source.project_dir, *what)
        digest = MEMO.recall(asked)
        if digest is None:
            begun_ns = wall_now_ns()
            project = self._read(source)
            digest = self._about(project, fingerprint)
            private = private_core(self._cache())
            cores = (self._core(project).core_dir, private, own_core())
            seen = witnesses(project, cores, self._command().argv[0])
            MEMO.remember(asked, digest, seen, begun_ns)
        return digest

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        """Compile ``source`` into ``out_dir``, or raise ``BuildError``."""
        root = made_cache(self._cache()) / "builds" / scratch_name(source)
        root.mkdir(parents=True, exist_ok=True)
        with hold_scratch(root):
            # Not earlier: it may change while another process is at it.
            scratch = Scratch(root, self._read(source))
            with scratch.filled():
                return self._built(scratch, out_dir)

    def _built(self, scratch: Scratch, out_dir: Path) -> FirmwareImage:
        core_dir = self._core(scratch.project).core_dir
        lend_framework(scratch, core_dir)
        around = self._about(scratch.project, surroundings)
        known = known_objects(scratch, core_dir / "packages", around)
        recipes = self._recipes(scratch, core_dir)
        if recipes is not None and self._replayed(recipes, known):
            inputs = known.remember()
            return read_products(
                scratch, out_dir, version=self.version(), inputs=inputs
            )
        runs = self._runs(scratch)
        done = runs.run()
        cut_short = done.ending is not GuardedExit.EXITED or was_killed(done)
        is_plain = not scratch.project.source.test_suite
        if done.returncode > 0 and not cut_short and is_plain:
            # Which of several compilers fails first is chance: once more, one by one.
            done = runs.once(more=("-j", "1"))
        if not cut_short:
            scratch.note_settings()
        if done.returncode == 0 and wants_filesystem(scratch):
            done, recipes = runs.run(BUILD_FILESYSTEM), None
        inputs = BuildInputs() if cut_short else known.remember()
        if done.ending is GuardedExit.TIMED_OUT or done.returncode != 0:
            logs, limit_s = self._cache() / "failed", self.timeout_s
            raise diagnosis.failure(
                scratch, done, logs=logs, core_dir=core_dir, timeout_s=limit_s
            )
        version = self.version()
        image = read_products(scratch, out_dir, version=version, inputs=inputs)
        if recipes is not None:
            recipes.remember()
        return image

    def _recipes(self, scratch: Scratch, core_dir: Path) -> Recipes | None:
        if not may_be_replayed(scratch.project, core_dir):
            return None
        sources = told_by_commands(scratch.project)
        key = self._about(scratch.project, partial(fingerprint, but_for=sources))
        return Recipes(scratch, key, core_dir)

    def _replayed(self, recipes: Recipes, known: KnownObjects) -> bool:
        recipe = recipes.fitting(known)
        return recipe is not None and replay(
            recipes.scratch,
            recipe,
            recipes.core_dir,
            pio=self._command().argv[0],
            timeout_s=self.timeout_s,
        )

    def _about(self, project: Project, digest: Callable[..., str]) -> str:
        return digest(
            project,
            core_dir=self._core(project).core_dir,
            pio_version=pio_version(self._command(), self._cache()),
            variables=os.environ,
        )

    def _read(self, source: FirmwareSource) -> Project:
        return read_project(
            source,
            shared_libraries(),
            library_dirs=(*self.libraries, *named_libraries(self._private())),
            core_dir=self._private(),
        )

    def _private(self) -> Path:
        return self.core_dir or private_core(self._cache())

    def _usual_core(self) -> Path:
        private = self._private()
        return private if is_set_up(private) else own_core()

    def _runs(self, scratch: Scratch) -> BuildRuns:
        return BuildRuns(
            scratch=scratch,
            core=self._core(scratch.project),
            pio=self._command(),
            cache_dir=self._cache(),
            timeout_s=self.timeout_s,
            offline=self.offline,
        )

    def _command(self) -> Pio:
        return find_pio(self.pio or os.environ.get("EMBEDBENCH_PIO"))

    def _cache(self) -> Path:
        return self.cache_dir or cache_root()

    def _core(self, project: Project) -> CoreDirectory:
        ini, environment = project.ini, project.source.environment
        return choose_core(self.core_dir, self._cache(), ini, environment)
