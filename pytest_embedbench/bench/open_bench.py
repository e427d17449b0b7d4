"""A bench for people without pytest: for a script, a notebook, another test runner."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.bench.artifacts import new_folder
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.bench.rig import Rig
from pytest_embedbench.bench.run_folders import BENCHES
from pytest_embedbench.bench.runs_in_use import held_run
from pytest_embedbench.clock import host_stamp
from pytest_embedbench.errors import BenchFault, ConfigError, FirmwareFault
from pytest_embedbench.model import NO_IMAGE, FirmwareSource

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.model import BoardSpec, FirmwareImage


@contextmanager
def open_bench(  # noqa: PLR0913  # one for each option of a pytest run that matters here
    board: str,
    project: str | Path = ".",
    *,
    environment: str = "",
    lab: str | Path | None = None,
    options: Mapping[str, str | int | bool] | None = None,
    builder: str = "platformio",
    artifacts: str | Path = ".embedbench",
) -> Generator[Bench]:
    """Build a firmware, boot it on a board, and have the bench until the block ends.

    ``with open_bench("uno", "path/to/project") as bench: bench.expect(...)``

    Args:
        board: Its name: that of a datasheet, or of the lab file.
        project: The folder with the ``platformio.ini``, or with the ``main.py`` for
            boards that run one. A board that is not flashed runs what is on it.
        environment: What of the project is built; by default what suits the board.
        lab: A lab file, for real boards.
        options: Options of the board's engine, in place of those of its datasheet.
        builder: What builds, by its registered name.
        artifacts: Where the evidence goes, each time into a new folder in
            ``benches``: see ``bench.folder``.

    Raises:
        ConfigError: there is no such board, project, environment or option.
        BuildError: the firmware does not build.
        ToolMissing: something is not installed; the message says what and how.
        BenchFault: another fault of our side, such as a board that is not there.
        FirmwareFault: the image cannot run there.
    """
    rig = Rig(registry=Registry(lab=Path(lab) if lab else None), builder_name=builder)
    spec = rig.registry.board(board)
    if not _are_options(options):
        raise ConfigError(f"options = {options!r}: give a mapping of keys to values")
    spec = replace(spec, options={**spec.options, **(options or {})})
    image = _image(rig, spec, Path(project).resolve(), environment)
    with ExitStack() as opened:
        try:
            folder = _folder(Path(artifacts), board)
            opened.enter_context(held_run(folder))
            booting = rig.bench(spec, image, folder=folder)
            bench = opened.enter_context(booting)
        except FirmwareFault as fault:
            if environment and environment not in spec.environments:
                raise ConfigError(
                    f"what environment {environment!r} builds does not run on board "
                    f"{board!r}, which runs {', '.join(spec.environments)}: {fault}"
                ) from fault
            raise
        yield bench


def _image(rig: Rig, spec: BoardSpec, project: Path, environment: str) -> FirmwareImage:
    if not rig.is_flashed(spec):
        return NO_IMAGE
    if environment:
        source = FirmwareSource(project_dir=project, environment=environment)
        return rig.image(rig.for_board(source, spec))
    return rig.image(rig.source(project, spec))


def _folder(root: Path, board: str) -> Path:
    stamp = host_stamp().replace("-", "").replace(":", "")
    try:
        return new_folder(root, f"{BENCHES}::{stamp}-{board}")
    except OSError as error:
        raise BenchFault(
            f"no artifacts can be kept in {root} ({error.strerror}): give another "
            "folder as artifacts="
        ) from error


def _are_options(value: object) -> bool:
    return isinstance(value, Mapping | None)
