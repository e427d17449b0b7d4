"""What one pytest process knows of the task packages whose tests it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.brief import read_brief
from pytest_embedbench.grading.edit_surface import check_surface
from pytest_embedbench.grading.plugin.options import PROFILE
from pytest_embedbench.grading.task import find_suite, suite_above
from pytest_embedbench.plugin.failures import skipped_if_not_here
from pytest_embedbench.plugin.options import path_setting, setting
from pytest_embedbench.plugin.stash import session_of
from pytest_embedbench.support.projects import PYTHON, python_program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest

    from pytest_embedbench.grading.host.program import HostProgram
    from pytest_embedbench.grading.task import Suite
    from pytest_embedbench.model import BoardSpec, FirmwareImage, FirmwareSource


@dataclass(slots=True)
class Grading:
    """The suites by folder, their briefs, and the submission that the options name."""

    config: pytest.Config
    _suites: dict[Path, Suite | None] = field(
        default_factory=dict["Path", "Suite | None"]
    )
    _programs: dict[Path, HostProgram] = field(
        default_factory=dict["Path", "HostProgram"]
    )
    _briefs: dict[Path, Mapping[str, str]] = field(
        default_factory=dict["Path", "Mapping[str, str]"]
    )

    def suite_or_none(self, test_file: Path) -> Suite | None:
        """Return the suite that a test file belongs to, if any."""
        folder = test_file.parent
        if folder not in self._suites:
            self._suites[folder] = suite_above(test_file)
        return self._suites[folder]

    def suite(self, test_file: Path) -> Suite:
        """Return the suite that a test file belongs to; ``ConfigError`` if none."""
        return self.suite_or_none(test_file) or find_suite(test_file)

    def brief(self, suite: Suite) -> Mapping[str, str]:
        """Return the sentences of a task's brief by id."""
        file = suite.root / suite.task.brief
        if file not in self._briefs:
            self._briefs[file] = read_brief(file)
        return self._briefs[file]

    def submission(self, suite: Suite) -> Path | None:
        """Return the folder that is submitted to ``suite``; none is its starter.

        Raises:
            ConfigError: there is no such folder.
        """
        return suite.submission(
            setting(self.config, "firmware"), self.config.invocation_params.dir
        )

    def source(self, suite: Suite, spec: BoardSpec) -> FirmwareSource:
        """Return what is built of the submission for a board."""
        program = python_program(self.submission(suite) or suite.root)
        if PYTHON in spec.environments and program is not None:
            return program
        return self._submitted(suite)

    def host_program(self, suite: Suite) -> HostProgram:
        """Return the program around the submission's C; it ends with the session."""
        from pytest_embedbench.grading.host.program import HostProgram  # noqa: PLC0415

        if suite.root not in self._programs:
            program = HostProgram(self.host_image(suite))
            self._programs[suite.root] = program
            self.config.add_cleanup(program.stop)
        return self._programs[suite.root]

    def host_image(self, suite: Suite) -> FirmwareImage:
        """Return the host driver around the submission, or skip without a compiler.

        The published evaluator looked for no undefined behaviour.
        """
        from pytest_embedbench.grading.host import builder  # noqa: PLC0415  # late

        if suite.task.controller is None:
            raise ConfigError(f"{suite.root}/task.toml: [controller]: missing")
        source = self._submitted(suite).for_environment(builder.ENVIRONMENT)
        driver = builder.HostDriver(
            api=suite.task.controller,
            sanitize=setting(self.config, PROFILE) != "paper",
            cache_dir=path_setting(self.config, "cache"),
        )
        with skipped_if_not_here(self.config):
            return session_of(self.config).rig.images.image(driver, source)

    def _submitted(self, suite: Suite) -> FirmwareSource:
        """Return what is built, once the submission has proved to be acceptable."""
        source = suite.source(
            submission=setting(self.config, "firmware"),
            relative_to=self.config.invocation_params.dir,
        )
        if (folder := self.submission(suite)) is not None:
            check_surface(suite, folder)
        return source
