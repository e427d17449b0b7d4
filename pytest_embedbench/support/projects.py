"""Firmware projects: by which files a folder is known as one, and where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import FirmwareSource
from pytest_embedbench.support.wokwi_project import WOKWI_FILE, wokwi_firmware

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PROJECT_FILE = "platformio.ini"
PROGRAM_FILE = "main.py"
IDF_FILES = ("components", "CMakeLists.txt", "sdkconfig.defaults")
"""What ESP-IDF reads beside the sources, at the top of a project."""
PYTHON = "python"
"""The environment of Python programs, for boards that run those."""
PREBUILT = "prebuilt"
"""The environment of firmware that was built elsewhere, and its builder's name."""


_PROJECT_FILES = (PROJECT_FILE, PROGRAM_FILE, WOKWI_FILE)


def project_above(test_file: Path) -> Path:
    """Return the nearest folder above a test that holds a project or a program.

    Raises:
        ConfigError: there is none.
    """
    for folder in test_file.resolve().parents:
        if any((folder / name).is_file() for name in _PROJECT_FILES):
            return folder
    raise ConfigError(
        f"{test_file}: no {PROJECT_FILE}, {PROGRAM_FILE} or {WOKWI_FILE} in any folder "
        "above it, so there is no firmware to build or run; put one there or override "
        "the 'firmware_source' fixture"
    )


def ready_source(folder: Path, environments: Sequence[str]) -> FirmwareSource | None:
    """Return what of a folder runs as it is, if something does.

    That is its Python program for a board that runs such, or what its ``wokwi.toml``
    names where there is nothing to build beside that.

    Args:
        folder: A project.
        environments: What the board runs.

    Raises:
        ConfigError: the ``wokwi.toml`` makes no sense, or the firmware is not there.
    """
    program = python_program(folder)
    if PYTHON in environments and program is not None:
        return program
    if program is not None or (folder / PROJECT_FILE).is_file():
        return None
    if not (folder / WOKWI_FILE).is_file():
        return None
    return prebuilt_source(wokwi_firmware(folder))


def named_folder(name: str, *places: Path) -> Path | None:
    """Return the folder of that name in the first place that has it; none for ``""``.

    Raises:
        ConfigError: no place has it.
    """
    if not name:
        return None
    tried = [place / name for place in places]
    for folder in tried:
        if _is_folder(folder):
            return folder.resolve()
    for file in tried:
        if file.is_file():
            raise ConfigError(f"{file}: is a file, and a submission is a folder")
    listed = " or ".join(str(folder) for folder in dict.fromkeys(tried))
    raise ConfigError(f"no submission folder {name!r}: looked for {listed}")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except PermissionError as error:
        raise ConfigError(
            f"{path}: cannot be looked at ({error.strerror}): let the user that runs "
            "pytest do so"
        ) from error


def python_program(folder: Path) -> FirmwareSource | None:
    """Return the Python program in a folder, if there is one.

    For boards that can run one it comes before anything to be compiled.
    """
    if not (folder / PROGRAM_FILE).is_file():
        return None
    return FirmwareSource(project_dir=folder, environment=PYTHON)


def prebuilt_source(file: Path) -> FirmwareSource:
    """Return an image that is run as it is.

    Raises:
        ConfigError: there is no such file.
    """
    if not file.is_file():
        what = "is a folder, not a file" if file.is_dir() else "no such file"
        raise ConfigError(f"image {file}: {what}")
    file = file.resolve()
    return FirmwareSource(
        project_dir=file.parent, environment=PREBUILT, parts=(file.name,)
    )


def plain_source(project: Path, instead: Path | None) -> FirmwareSource:
    """Return what is built: a project, or the folder that is named in its place.

    Raises:
        ConfigError: there is no PlatformIO project in that folder.
    """
    if instead is not None and not (instead / PROJECT_FILE).is_file():
        raise ConfigError(f"{instead}: not a PlatformIO project: no {PROJECT_FILE}")
    return FirmwareSource(project_dir=instead or project)
