"""The builder itself: stage the project, run ``pio``, take the files."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from pytest_embedbench.builders.platformio.core_setup import is_set_up, set_up_core
from pytest_embedbench.builders.platformio.cores import (
    choose_core,
    names_in,
    own_core,
    private_core,
)
from pytest_embedbench.builders.platformio.diagnosis import diagnose, timed_out
from pytest_embedbench.builders.platformio.fingerprint import fingerprint
from pytest_embedbench.builders.platformio.ini import INI, read_ini
from pytest_embedbench.builders.platformio.missing import (
    missing_for,
    package_missing,
)
from pytest_embedbench.builders.platformio.pio import find_pio, pio_version
from pytest_embedbench.builders.platformio.platform_names import check_platform
from pytest_embedbench.builders.platformio.products import read_products
from pytest_embedbench.builders.platformio.project import read_project
from pytest_embedbench.builders.platformio.run import (
    REGISTRY,
    InstallWatch,
    pio_run,
    reachable,
)
from pytest_embedbench.builders.platformio.scratch import (
    Scratch,
    hold_scratch,
    scratch_name,
)
from pytest_embedbench.errors import BenchFault, ToolMissing
from pytest_embedbench.processes.guarded import GuardedExit
from pytest_embedbench.support.paths import cache_root

if TYPE_CHECKING:
    from pytest_embedbench.builders.platformio.core_setup import CoreSetup
    from pytest_embedbench.builders.platformio.cores import CoreDirectory
    from pytest_embedbench.builders.platformio.pio import Pio
    from pytest_embedbench.builders.platformio.project import Project
    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.model import (
        BoardSpec,
        BuilderSettings,
        FirmwareImage,
        FirmwareSource,
    )
    from pytest_embedbench.processes.guarded import Finished

_KILLED = 128
"""What a shell adds to the number of the signal that ended a program."""
_PACKAGE = Path(__file__).parents[2]
_OUR_LIBRARIES = _PACKAGE / "firmware"
_REPORT_SCRIPT = _PACKAGE / "platforms" / "report_build.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformIO:
    """Builds firmware with the ``pio`` command, from a scratch copy of the project.

    Args:
        pio: The command; by default the one on PATH or beside our own Python.
        cache_dir: Where scratch copies, object files and logs are kept.
        core_dir: PlatformIO's core directory; by default ``PLATFORMIO_CORE_DIR``,
            else the private one that ``embedbench setup`` made, else PlatformIO's own.
        timeout_s: How long one build may take, waiting for PlatformIO's locks included.
        offline: Never let PlatformIO install anything. Otherwise it may, one process
            at a time, when its registry can be reached.
    """

    pio: str | Path | None = None
    cache_dir: Path | None = None
    core_dir: Path | None = None
    timeout_s: float = 600.0
    offline: bool = False

    def with_settings(self, settings: BuilderSettings) -> PlatformIO:
        """Return one that heeds what the user has chosen."""
        return replace(
            self,
            pio=settings.pio or self.pio,
            cache_dir=settings.cache_dir or self.cache_dir,
            core_dir=settings.core_dir or self.core_dir,
        )

    def missing(self) -> ToolMissing | None:
        """Say what has to be installed before ``build`` can work, if anything."""
        try:
            self._command()
        except ToolMissing as missing:
            return missing
        return None

    def missing_for(self, spec: BoardSpec) -> list[ToolMissing]:
        """Say what else has to be installed before firmware for a board can be built.

        Looks at the environments of ``spec``: as long as they are named as PlatformIO
        names its boards, it is known what they need.
        """
        private = self.core_dir or private_core(self._cache())
        core_dir = private if is_set_up(private) else own_core()
        return missing_for(spec.environments, core_dir)

    def version(self) -> str:
        """Return one line that names PlatformIO's version, for reports."""
        return f"PlatformIO {pio_version(self._command(), self._cache())}"

    def set_up(self) -> CoreSetup:
        """Make the private core directory of this Python environment, or refresh it.

        Raises:
            ToolMissing: PlatformIO or SCons is not installed.
        """
        core_dir = self.core_dir or private_core(self._cache())
        return set_up_core(core_dir, self._command().scons_version())

    def environments(self, project_dir: Path) -> tuple[str, ...]:
        """Return the environments of a project; ``ConfigError`` if it is none."""
        return read_ini(project_dir / INI, project_dir).environments()

    def fingerprint(self, source: FirmwareSource) -> str:
        """Return a digest of all that the build of ``source`` depends on."""
        project = self._read(source)
        return fingerprint(
            project,
            core_dir=self._core(project).core_dir,
            pio_version=pio_version(self._command(), self._cache()),
            variables=os.environ,
        )

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        """Compile ``source`` into ``out_dir``, or raise ``BuildError``."""
        root = self._cache() / "builds" / scratch_name(source)
        root.mkdir(parents=True, exist_ok=True)
        with hold_scratch(root):
            # Not earlier: it may change while another process is at it.
            scratch = Scratch(root, self._read(source))
            scratch.fill()
            done = self._run(scratch)
            if done.ending is GuardedExit.TIMED_OUT or done.returncode != 0:
                raise self._failure(scratch, done)
            return read_products(scratch, out_dir, version=self.version())

    def _read(self, source: FirmwareSource) -> Project:
        shared = os.environ.get("PLATFORMIO_LIB_EXTRA_DIRS", "").replace(", ", "\n")
        theirs = [Path(line) for line in shared.splitlines() if line.strip()]
        return read_project(source, (*theirs, _OUR_LIBRARIES))

    def _run(self, scratch: Scratch) -> Finished:
        """Run the build; the first one of a project alone, for it may install.

        C2: PlatformIO cannot install from two processes at once.
        """
        core = self._core(scratch.project)
        if scratch.has_built_with(core.core_dir):
            watch = InstallWatch()
            done = self._pio(scratch, core, watch)
            if watch.wanted is None:
                return done
        with FileLock(self._install_lock(core.core_dir)):
            watch = InstallWatch()
            done = self._pio(scratch, core, watch)
            if watch.wanted is not None:
                if self.offline or not reachable(REGISTRY):
                    self._check_platform(scratch.project, core.core_dir)
                    raise package_missing(core.private_lacks or watch.wanted)
                done = self._pio(scratch, core)
        if done.returncode == 0:
            scratch.note_built_with(core.core_dir)
        return done

    def _check_platform(self, project: Project, core_dir: Path) -> None:
        source = project.source
        named = project.ini.option(source.environment, "platform")
        where = f"{source.project_dir / INI}: env:{source.environment}"
        check_platform(named, where, names_in(core_dir))

    def _pio(
        self, scratch: Scratch, core: CoreDirectory, watch: InstallWatch | None = None
    ) -> Finished:
        words = (*self._command().argv, "run", *_arguments(scratch))
        variables = self._variables(scratch, core.core_dir)
        return pio_run(words, variables, timeout_s=self.timeout_s, watch=watch)

    def _variables(self, scratch: Scratch, core_dir: Path) -> dict[str, str]:
        """Return where PlatformIO finds and puts things: never in the project."""
        workspace = scratch.workspace
        return {
            "PLATFORMIO_CORE_DIR": str(core_dir),
            "PLATFORMIO_WORKSPACE_DIR": str(workspace),
            "PLATFORMIO_BUILD_DIR": str(workspace / "build"),
            "PLATFORMIO_LIBDEPS_DIR": str(workspace / "libdeps"),
            # A test/test_x directory would make a plain build ask for Unity.
            "PLATFORMIO_TEST_DIR": str(workspace / "no-tests"),
            "PLATFORMIO_LIB_EXTRA_DIRS": _added_to(
                "PLATFORMIO_LIB_EXTRA_DIRS", str(_OUR_LIBRARIES)
            ),
            "PLATFORMIO_EXTRA_SCRIPTS": _added_to(
                "PLATFORMIO_EXTRA_SCRIPTS", f"post:{_REPORT_SCRIPT}"
            ),
            "EMBEDBENCH_REPORT": str(scratch.report),
        }

    def _failure(self, scratch: Scratch, done: Finished) -> EmbedbenchError:
        text = f"{done.stdout}\n{done.stderr}"
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        log_path = self._cache() / "failed" / f"{scratch.root.name}-{digest}.log"
        log_path.parent.mkdir(parents=True, exist_ok=True)
        log_path.write_text(text, encoding="utf-8")
        source = scratch.project.source
        if done.ending is GuardedExit.TIMED_OUT:
            return timed_out(
                source,
                done,
                timeout_s=self.timeout_s,
                core_dir=self._core(scratch.project).core_dir,
                log_path=log_path,
            )
        if done.returncode < 0 or done.returncode > _KILLED:
            return BenchFault(
                f"the build of {source.environment!r} was killed from outside "
                f"(exit code {done.returncode}); log: {log_path}"
            )
        return diagnose(source, done, log_path=log_path, scratch=scratch)

    def _command(self) -> Pio:
        return find_pio(self.pio or os.environ.get("EMBEDBENCH_PIO"))

    def _cache(self) -> Path:
        return self.cache_dir or cache_root()

    def _core(self, project: Project) -> CoreDirectory:
        ini, environment = project.ini, project.source.environment
        return choose_core(self.core_dir, self._cache(), ini, environment)

    def _install_lock(self, core_dir: Path) -> Path:
        digest = hashlib.sha256(str(core_dir).encode()).hexdigest()[:16]
        return self._cache() / f"install-{digest}.lock"


def _arguments(scratch: Scratch) -> list[str]:
    ini, environment = scratch.project.ini, scratch.project.source.environment
    arguments = ["-d", str(scratch.stage), "-e", environment]
    if ini.option(environment, "targets"):
        # Or a plain build would do what they say: upload, for one.
        is_native = ini.option(environment, "platform").startswith("native")
        arguments += ["-t", "checkprogsize" if is_native else "buildprog"]
    return arguments


def _added_to(variable: str, value: str) -> str:
    return "\n".join(filter(None, (os.environ.get(variable), value)))
