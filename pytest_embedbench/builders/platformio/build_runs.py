"""Run PlatformIO on a scratch copy, and let it install what it lacks, if it may."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from filelock import FileLock

from pytest_embedbench.builders.platformio import apart
from pytest_embedbench.builders.platformio.missing import package_missing
from pytest_embedbench.builders.platformio.platform_names import check_platform_of
from pytest_embedbench.builders.platformio.run import (
    REGISTRY,
    InstallWatch,
    install_lock,
    pio_run,
    reachable,
)
from pytest_embedbench.builders.platformio.seeding import check_resolved
from pytest_embedbench.builders.platformio.variables import build_variables
from pytest_embedbench.model import Isolation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_embedbench.builders.platformio.cores import CoreDirectory
    from pytest_embedbench.builders.platformio.pio import Pio
    from pytest_embedbench.builders.platformio.scratch import Scratch
    from pytest_embedbench.processes.guarded import Finished

_SOON_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRuns:
    """How PlatformIO is run in one scratch place."""

    scratch: Scratch
    core: CoreDirectory
    pio: Pio
    cache_dir: Path
    timeout_s: float
    offline: bool

    def run(self, more: Sequence[str] = ()) -> Finished:
        """Run the build; the first one of a project alone, for it may install.

        C2: PlatformIO cannot install from two processes at once.
        """
        scratch, core = self.scratch, self.core
        if scratch.project.libraries.unresolved and (
            self.offline or not reachable(REGISTRY, _SOON_S)
        ):
            check_resolved(scratch.project.libraries, scratch.libraries)
        if scratch.has_built_with(core.core_dir):
            watch = InstallWatch()
            done = self.once(watch, more)
            if watch.wanted is None:
                return done
        with FileLock(install_lock(self.cache_dir, core.core_dir)):
            watch = InstallWatch()
            done = self.once(watch, more)
            if watch.wanted is not None:
                if self.offline or not reachable(REGISTRY):
                    check_platform_of(scratch.project, core.core_dir)
                    raise package_missing(core.private_lacks or watch.wanted)
                if scratch.project.source.isolation is Isolation.BUBBLEWRAP:
                    words = self.pio.argv
                    apart.fetch(words, scratch, core.core_dir, self.timeout_s)
                done = self.once(more=more)
        if done.returncode == 0:
            scratch.note_built_with(core.core_dir)
        return done

    def once(
        self, watch: InstallWatch | None = None, more: Sequence[str] = ()
    ) -> Finished:
        """Run it, whatever it comes to; with ``watch``, end it rather than install."""
        scratch, core_dir = self.scratch, self.core.core_dir
        words = (*self.pio.argv, *scratch.arguments(), *more)
        variables = build_variables(scratch, core_dir)
        return pio_run(
            words,
            variables | apart.variables(),
            timeout_s=self.timeout_s,
            watch=watch,
            limits=apart.limits(scratch.project.source.isolation),
            policy=apart.policy(scratch, core_dir, words[0]),
        )
