"""What one pytest process knows of the task packages whose tests it runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.brief import load_brief
from pytest_embedbench.grading.edit_surface import check_surface
from pytest_embedbench.grading.plugin.apart import isolation
from pytest_embedbench.grading.plugin.options import PAPER, PAPER_STRICT, PROFILE
from pytest_embedbench.grading.plugin.submissions import label_of, submission_of
from pytest_embedbench.grading.task import find_suite, suite_above
from pytest_embedbench.plugin.failures import skipped_if_not_here
from pytest_embedbench.plugin.options import path_setting, setting
from pytest_embedbench.plugin.stash import session_of
from pytest_embedbench.support.projects import PYTHON, python_program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest

    from pytest_embedbench.grading.brief import Brief
    from pytest_embedbench.grading.host.program import HostProgram
    from pytest_embedbench.grading.target.program import TargetProgram
    from pytest_embedbench.grading.task import Suite
    from pytest_embedbench.model import BoardSpec, FirmwareImage, FirmwareSource


@dataclass(slots=True)
class Grading:
    """The suites by folder, their briefs, and the submission that the options name."""

    config: pytest.Config
    _suites: dict[Path, Suite | None] = field(
        default_factory=dict["Path", "Suite | None"]
    )
    _programs: dict[tuple[Path, str], HostProgram] = field(
        default_factory=dict["tuple[Path, str]", "HostProgram"]
    )
    _targets: dict[tuple[Path, str, str], TargetProgram] = field(
        default_factory=dict["tuple[Path, str, str]", "TargetProgram"]
    )
    _briefs: dict[Path, Brief] = field(default_factory=dict["Path", "Brief"])

    def suite_or_none(self, test_file: Path) -> Suite | None:
        """Return the suite that a test file belongs to, if any."""
        folder = test_file.parent
        if folder not in self._suites:
            self._suites[folder] = suite_above(test_file)
        return self._suites[folder]

    def suite(self, test_file: Path) -> Suite:
        """Return the suite that a test file belongs to; ``ConfigError`` if none."""
        return self.suite_or_none(test_file) or find_suite(test_file)

    def brief(self, suite: Suite) -> Brief:
        """Return a task's brief."""
        file = suite.root / suite.task.brief
        if file not in self._briefs:
            self._briefs[file] = load_brief(file)
        return self._briefs[file]

    def due(self, suite: Suite) -> Mapping[str, str]:
        """Return the sentences by id that the chosen profile goes by."""
        brief = self.brief(suite)
        return brief.published if self.is_published else brief.sentences

    @property
    def is_published(self) -> bool:
        """Whether nothing counts but what the published brief says."""
        return setting(self.config, PROFILE) == PAPER_STRICT

    def submission(self, suite: Suite, item: pytest.Item) -> Path | None:
        """Return the folder that a test judges; none is the suite's starter.

        Raises:
            ConfigError: there is no such folder.
        """
        return suite.submission(self._named(item), self.config.invocation_params.dir)

    def source(
        self, suite: Suite, item: pytest.Item, spec: BoardSpec
    ) -> FirmwareSource:
        """Return what is built of the submission for a board."""
        program = python_program(self.submission(suite, item) or suite.root)
        if PYTHON in spec.environments and program is not None:
            return program
        return self._submitted(suite, item)

    def host_program(self, suite: Suite, item: pytest.Item) -> HostProgram:
        """Return the program around the submission's C; it ends with the session.

        Of many submissions, it ends when another one's is asked for.
        """
        from pytest_embedbench.grading.host.program import HostProgram  # noqa: PLC0415

        label = label_of(item)
        for key in [key for key in self._programs if key[1] != label]:
            self._programs.pop(key).stop()
        if (suite.root, label) not in self._programs:
            program = HostProgram(self.host_image(suite, item))
            self._programs[suite.root, label] = program
            self.config.add_cleanup(program.stop)
        return self._programs[suite.root, label]

    def target_program(
        self, suite: Suite, item: pytest.Item, spec: BoardSpec
    ) -> TargetProgram:
        """Return the program around the submission's C on a board, as ``host_program``.

        Skips where a board or what builds for it is not here.
        """
        from pytest_embedbench.grading.plugin import target_stage  # noqa: PLC0415  # late

        label = label_of(item)
        for key in [key for key in self._targets if key[2] != label]:
            self._targets.pop(key).stop()
        where = (suite.root, spec.name, label)
        if where not in self._targets:
            source = self._submitted(suite, item)
            program = target_stage.start(self.config, suite, source, spec)
            self._targets[where] = program
            self.config.add_cleanup(program.stop)
        return self._targets[where]

    def built_target_program(
        self, suite: Suite, item: pytest.Item, spec: BoardSpec
    ) -> TargetProgram | None:
        """Return that program if nothing of it has to be built."""
        from pytest_embedbench.grading.plugin import target_stage  # noqa: PLC0415  # late

        if (suite.root, spec.name, label_of(item)) not in self._targets:
            source = self._submitted(suite, item)
            if not target_stage.is_built(self.config, suite, source, spec):
                return None
        return self.target_program(suite, item, spec)

    def host_image(self, suite: Suite, item: pytest.Item) -> FirmwareImage:
        """Return the host driver around the submission, or skip without a compiler.

        The published evaluator looked for no undefined behaviour.
        """
        from pytest_embedbench.grading.host import builder  # noqa: PLC0415  # late

        if suite.task.controller is None:
            raise ConfigError(f"{suite.root}/task.toml: [controller]: missing")
        source = self._submitted(suite, item).for_environment(builder.ENVIRONMENT)
        driver = builder.HostDriver(
            api=suite.task.controller,
            sanitize=setting(self.config, PROFILE) != PAPER,
            cache_dir=path_setting(self.config, "cache"),
        )
        with skipped_if_not_here(self.config):
            return session_of(self.config).rig.images.image(driver, source)

    def _named(self, item: pytest.Item) -> str:
        submission = submission_of(item)
        return submission.folder if submission else setting(self.config, "firmware")

    def _submitted(self, suite: Suite, item: pytest.Item) -> FirmwareSource:
        """Return what is built, once the submission has proved to be acceptable."""
        if (submission := submission_of(item)) is not None:
            submission.check_places(suite.task.edit_surface)
        source = suite.source(
            submission=self._named(item),
            relative_to=self.config.invocation_params.dir,
        )
        if (folder := self.submission(suite, item)) is not None:
            check_surface(suite, folder)
        return replace(source, isolation=isolation(self.config))
