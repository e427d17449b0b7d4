"""The builder itself: stage the project, run ``pio``, take the files."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from pytest_embedbench.builders.platformio.diagnosis import diagnose, timed_out
from pytest_embedbench.builders.platformio.find import find_pio, pio_version
from pytest_embedbench.builders.platformio.fingerprint import fingerprint
from pytest_embedbench.builders.platformio.ini import INI, read_ini
from pytest_embedbench.builders.platformio.offline import package_missing
from pytest_embedbench.builders.platformio.products import read_products
from pytest_embedbench.builders.platformio.project import read_project
from pytest_embedbench.builders.platformio.run import (
    REGISTRY,
    InstallWatch,
    pio_run,
    reachable,
)
from pytest_embedbench.builders.platformio.seed import is_seeded, seed
from pytest_embedbench.builders.platformio.staging import mirror, sync
from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.places import cache_root
from pytest_embedbench.processes.guarded import Ending

if TYPE_CHECKING:
    from pytest_embedbench.builders.platformio.find import Pio
    from pytest_embedbench.builders.platformio.project import Project
    from pytest_embedbench.builders.platformio.seed import Seeded
    from pytest_embedbench.model import FirmwareImage, FirmwareSource
    from pytest_embedbench.processes.guarded import Finished

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

    def missing(self) -> ToolMissing | None:
        """Say what has to be installed before ``build`` can work, if anything."""
        try:
            self._command()
        except ToolMissing as missing:
            return missing
        return None

    def version(self) -> str:
        """Return one line that names PlatformIO's version, for reports."""
        return f"PlatformIO {pio_version(self._command(), self._cache())}"

    def set_up(self) -> Seeded:
        """Make the private core directory of this Python environment, or refresh it.

        Raises:
            ToolMissing: PlatformIO or SCons is not installed.
        """
        core_dir = self.core_dir or private_core(self._cache())
        return seed(core_dir, self._command())

    def environments(self, project_dir: Path) -> tuple[str, ...]:
        """Return the environments of a project; ``ConfigError`` if it is none."""
        return read_ini(project_dir / INI, project_dir).environments()

    def fingerprint(self, source: FirmwareSource) -> str:
        """Return a digest of all that the build of ``source`` depends on."""
        return self._fingerprint(self._read(source))

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        """Compile ``source`` into ``out_dir``, or raise ``BuildError``."""
        project = self._read(source)
        work = self._cache() / "builds" / project.identity()
        work.mkdir(parents=True, exist_ok=True)
        with FileLock(work / "lock"):
            # Read again: it may have changed while another process built.
            project = self._read(source)
            key = self._fingerprint(project)
            done = self._run(project, work)
            if done.ending is Ending.TIMED_OUT or done.returncode != 0:
                raise self._failure(project, work, done)
            return read_products(
                project, work, out_dir, key=key, version=self.version()
            )

    def _read(self, source: FirmwareSource) -> Project:
        shared = os.environ.get("PLATFORMIO_LIB_EXTRA_DIRS", "").replace(", ", "\n")
        theirs = [Path(line) for line in shared.splitlines() if line.strip()]
        return read_project(source, (*theirs, _OUR_LIBRARIES))

    def _fingerprint(self, project: Project) -> str:
        return fingerprint(
            project,
            core_dir=self._core() or Path.home() / ".platformio",
            pio_version=pio_version(self._command(), self._cache()),
            variables=os.environ,
        )

    def _run(self, project: Project, work: Path) -> Finished:
        """Run the build; packages are installed only where that can work."""
        stage = mirror(project.source.project_dir, project.levels, work / "tree")
        sync(project.files, stage)
        environment = project.source.environment
        words = (*self._command().argv, "run", "-d", str(stage), "-e", environment)
        variables = self._variables(work)
        watch = InstallWatch()
        done = pio_run(words, variables, timeout_s=self.timeout_s, watch=watch)
        if watch.wanted is None:
            return done
        if self.offline or not reachable(REGISTRY):
            raise package_missing(watch.wanted)
        with FileLock(self._install_lock()):
            return pio_run(words, variables, timeout_s=self.timeout_s)

    def _variables(self, work: Path) -> dict[str, str]:
        """Return where PlatformIO finds and puts things: never in the project."""
        workspace = work / "workspace"
        core_dir = self._core()
        return {
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
            "EMBEDBENCH_REPORT": str(work / "report.json"),
            **({"PLATFORMIO_CORE_DIR": str(core_dir)} if core_dir else {}),
        }

    def _failure(self, project: Project, work: Path, done: Finished) -> Exception:
        text = f"{done.stdout}\n{done.stderr}"
        name = f"{work.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.log"
        log_path = self._cache() / "failed" / name
        log_path.parent.mkdir(parents=True, exist_ok=True)
        log_path.write_text(text, encoding="utf-8")
        if done.ending is Ending.TIMED_OUT:
            core_dir = self._core() or Path.home() / ".platformio"
            return timed_out(project.source, self.timeout_s, core_dir, log_path)
        stage = mirror(project.source.project_dir, project.levels, work / "tree")
        return diagnose(project.source, done, log_path=log_path, stage=stage)

    def _command(self) -> Pio:
        return find_pio(self.pio or os.environ.get("EMBEDBENCH_PIO"))

    def _cache(self) -> Path:
        return self.cache_dir or cache_root()

    def _core(self) -> Path | None:
        """Return the core directory to use; None where PlatformIO uses its own."""
        told = os.environ.get("PLATFORMIO_CORE_DIR")
        if self.core_dir or told:
            return self.core_dir or Path(str(told))
        private = private_core(self._cache())
        return private if is_seeded(private) else None

    def _install_lock(self) -> Path:
        core_dir = self._core() or Path.home() / ".platformio"
        digest = hashlib.sha256(str(core_dir).encode()).hexdigest()[:16]
        return self._cache() / f"install-{digest}.lock"


def private_core(cache_dir: Path) -> Path:
    """Return the core directory that ``embedbench setup`` makes for this Python.

    Another Python environment has other wheels, so it has another one.
    """
    digest = hashlib.sha256(sys.prefix.encode()).hexdigest()[:8]
    return cache_dir / f"platformio-core-{digest}"


def _added_to(variable: str, value: str) -> str:
    return "\n".join(filter(None, (os.environ.get(variable), value)))
