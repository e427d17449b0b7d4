"""What one pytest process knows for a whole session."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.overrides import parse_override
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.bench.runs_in_use import release_runs
from pytest_embedbench.clock import host_stamp
from pytest_embedbench.contracts import VersionsByOptions
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import NO_SOURCE, BuilderSettings
from pytest_embedbench.plugin import workers
from pytest_embedbench.plugin.options import (
    path_setting,
    path_settings,
    setting,
    settings,
    written_path,
)
from pytest_embedbench.plugin.stash import RUN_NAME
from pytest_embedbench.support.image_kinds import image_kind
from pytest_embedbench.support.paths import cache_root
from pytest_embedbench.support.projects import (
    named_folder,
    plain_source,
    prebuilt_source,
    project_above,
    ready_source,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_embedbench.bench.rig import Rig
    from pytest_embedbench.model import BoardSpec, FirmwareSource


@dataclass(slots=True)
class Session:
    """Settings, the registry, the rig, and where this run's files go.

    ``run_name`` is the same in the controller and in every xdist worker.
    """

    config: pytest.Config
    run_name: str
    registry: Registry = field(default_factory=Registry)
    _engine_versions: dict[str, str] = field(default_factory=dict[str, str])
    _rig: Rig | None = None

    @property
    def run_dir(self) -> Path:
        """This run's folder of artifacts; made when something is put there."""
        root = path_setting(self.config, "artifacts")
        assert root is not None, "the option has a default"
        return root / self.run_name

    def board_names(self) -> tuple[str, ...]:
        """Return what ``--board`` asks for."""
        return settings(self.config, "board")

    def no_board_message(self) -> str:
        """Return what to say to someone who runs board tests without a board."""
        known = ", ".join(self.registry.names("board"))
        return (
            "these tests run on a board, and none is chosen: add --board=NAME "
            f"(repeatable); known boards: {known}"
        )

    def project_source(self, test_file: Path, spec: BoardSpec) -> FirmwareSource:
        """Return the nearest project, or what ``--embedbench-firmware`` names.

        It is ``NO_SOURCE`` for a board that runs what is on it.

        Raises:
            ConfigError: there is none.
            BoardDisabled: the lab file lets no test have the board.
        """
        if not self.rig.is_flashed(spec):
            return NO_SOURCE
        project = project_above(test_file)
        instead = named_folder(
            setting(self.config, "firmware"), project, self.config.invocation_params.dir
        )
        ready = ready_source(instead or project, spec.environments)
        return ready or plain_source(project, instead)

    def engine_version(self, board: str) -> str:
        """Return what the engine that runs a board calls itself."""
        if board not in self._engine_versions:
            spec = self.registry.board(board)
            engine = self.registry.engine(spec.engine)
            self._engine_versions[board] = (
                engine.version_for(spec)
                if isinstance(engine, VersionsByOptions)
                else engine.version()
            )
        return self._engine_versions[board]

    @property
    def rig(self) -> Rig:
        """What builds and boots, as the options set it up."""
        if self._rig is None:
            from pytest_embedbench.bench.images import ImageCache  # noqa: PLC0415
            from pytest_embedbench.bench.rig import Rig  # noqa: PLC0415  # late

            cache_dir = path_setting(self.config, "cache")
            self._rig = Rig(
                stands_ready=True,
                registry=self.registry,
                images=ImageCache(cache_dir or cache_root(), session=self.run_name),
                builder_name=setting(self.config, "builder"),
                environments=self.environments,
                builder_settings=BuilderSettings(
                    cache_dir=cache_dir,
                    pio=path_setting(self.config, "pio"),
                    core_dir=path_setting(self.config, "core"),
                    libraries=path_settings(self.config, "libraries"),
                    timeout_s=float(setting(self.config, "build_limit")),
                ),
            )
            self.config.add_cleanup(self._rig.close)
        return self._rig

    def prebuilt(self, item: pytest.Item, spec: BoardSpec) -> FirmwareSource | None:
        """Return the image that a test, or the user, has chosen for a board.

        Raises:
            ConfigError: there is no such file, or a firmware to build is chosen, too.
        """
        marker = item.get_closest_marker("image")
        file = item.path.parent / marker.args[0] if marker else self.image_for(spec)
        if file is None:
            return None
        if setting(self.config, "firmware"):
            raise ConfigError(
                f"image {file}: --embedbench-firmware names a firmware to build; give "
                "one of them"
            )
        return prebuilt_source(file)

    def _images(self) -> dict[str, str]:
        return by_board("image", settings(self.config, "image"))

    def image_for(self, spec: BoardSpec) -> Path | None:
        """Return the image that ``--embedbench-image`` names for a board, if any."""
        chosen = self._images()
        word = chosen.get(spec.name) or chosen.get("")
        return written_path(self.config, "image", word) if word else None

    @property
    def environments(self) -> dict[str, str]:
        """What ``--embedbench-environment`` says, by board."""
        return by_board("environment", settings(self.config, "environment"))

    def check_images(self) -> None:
        """Raise ``ConfigError`` if a chosen image is none, or not the only firmware."""
        for word in self._images().values():
            file = written_path(self.config, "image", word)
            image_kind(prebuilt_source(file).project_dir / file.name)
            if firmware := setting(self.config, "firmware"):
                raise ConfigError(
                    f"--embedbench-image={word} is built already, and "
                    f"--embedbench-firmware={firmware} is to be built: give one of them"
                )

    def check_names(self) -> None:
        """Raise ``ConfigError`` if options name a board or engine that there is not."""
        engines = self.registry.names("engine")
        for name in self.board_names():
            if (engine := self.registry.board(name).engine) not in engines:
                raise ConfigError(
                    f"board {name!r}: engine = {engine!r}: no such engine; known: "
                    f"{', '.join(engines)}"
                )
        named = [
            *(("require", name) for name in settings(self.config, "require")),
            *(("option", override.name) for override in self.registry.overrides),
            *(("environment", board) for board in self.environments if board),
            *(("image", board) for board in self._images() if board),
        ]
        if not named:
            return
        known = {"all"}
        for kind in ("board", "engine", "builder"):
            known.update(self.registry.names(kind))
        for option, name in named:
            if name not in known:
                message = f"--embedbench-{option}: {name!r} is no board and no engine"
                raise ConfigError(f"{message}; known: {', '.join(sorted(known))}")


def start(config: pytest.Config) -> Session:
    """Make the session of this process; workers take the controller's run name.

    Raises:
        pytest.UsageError: an unknown board, a broken datasheet, a bad option.
    """
    told = workers.input_of(config)
    if told:
        from pytest_embedbench.processes import die_with_parent  # noqa: PLC0415

        # Or a worker in the middle of a build would outlive a killed pytest by 15 s.
        die_with_parent()
    fresh = f"{host_stamp().replace('-', '').replace(':', '')}-{os.getpid()}"
    try:
        session = Session(
            config=config,
            run_name=config.stash.get(RUN_NAME, told.get(workers.RUN_NAME, fresh)),
            registry=Registry(
                lab=path_setting(config, "lab"),
                overrides=tuple(map(parse_override, settings(config, "option"))),
            ),
        )
        config.add_cleanup(release_runs)
        # A worker that ended here would be replaced for ever: there, tests say it.
        if not workers.sends_tests_away(config) and not workers.is_away(config):
            session.check_names()
            session.check_images()
            check_core(config)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from error
    setting(config, "plots")
    return session


def by_board(option: str, words: Iterable[str]) -> dict[str, str]:
    """Return what an option says by board, ``BOARD=NAME``; for all others by ``""``.

    Raises:
        ConfigError: one is empty, or a board has two.
    """
    found: dict[str, str] = {}
    for word in words:
        board, _, name = word.rpartition("=")
        if not name.strip():
            message = f"--embedbench-{option}={word}: write BOARD=NAME, or NAME"
            raise ConfigError(message)
        if found.setdefault(board.strip(), name.strip()) != name.strip():
            raise ConfigError(
                f"--embedbench-{option}: for {board or 'all boards'}, is it "
                f"{found[board]!r} or {name!r}? Give one of them"
            )
    return found


def check_core(config: pytest.Config) -> None:
    """Insist that PlatformIO's core directory is none or a folder, others that it is.

    Raises:
        ConfigError: it is a file or below one, or there is no such folder.
    """
    folder = path_setting(config, "core")
    for libraries in path_settings(config, "libraries"):
        if not libraries.is_dir():
            raise ConfigError(f"--embedbench-libraries: {libraries}: no such folder")
    for place in (folder, *folder.parents) if folder is not None else ():
        if place.is_file():
            raise ConfigError(f"--embedbench-core: {place} is a file, and no folder")
