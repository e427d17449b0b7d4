"""What is built for a test: a suite's own project, or a submission laid over it.

A *suite* is the nearest folder above a test file that holds a ``task.toml`` (a task
package: an edit surface, a starter, a reference solution) or a ``platformio.ini``
(any firmware project with tests beside it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import FirmwareSource
from pytest_embedbench.tables import check_items, check_keys, read_table

if TYPE_CHECKING:
    from pathlib import Path

_TASK_FILE = "task.toml"
_PROJECT_FILE = "platformio.ini"
_REQUIRED = {
    "name": str,
    "plant": str,
    "brief": str,
    "edit_surface": list,
    "boot_line": str,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task package as its ``task.toml`` has it.

    ``edit_surface`` are the files that a submission may replace, relative to the
    package; ``boot_line`` is what the firmware says once it is up.
    """

    name: str
    plant: str
    brief: str
    edit_surface: tuple[str, ...]
    boot_line: str
    solution: str = "solution"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A folder with a firmware project and, for a task package, its rules."""

    root: Path
    task: Task | None = None

    def source(self, submission: str, relative_to: Path) -> FirmwareSource:
        """Return what to build: the starter, or ``submission`` in its place.

        Args:
            submission: A folder, ``""`` for the suite's own project. Relative ones
                are looked up in the suite first (``solution``), then under
                ``relative_to``.
            relative_to: Where the user stands.

        Raises:
            ConfigError: no such folder, or nothing in it that could be submitted.
        """
        if not submission:
            return FirmwareSource(project_dir=self.root)
        folder = self._folder(submission, relative_to)
        if self.task is None:
            if not (folder / _PROJECT_FILE).is_file():
                message = f"{folder}: not a PlatformIO project: no {_PROJECT_FILE}"
                raise ConfigError(message)
            return FirmwareSource(project_dir=folder)
        overlay = {
            name: found
            for name in self.task.edit_surface
            if (found := _submitted(folder, name)) is not None
        }
        if not overlay:
            wanted = ", ".join(self.task.edit_surface)
            message = f"{folder}: nothing submitted: none of {wanted} is there"
            raise ConfigError(message)
        return FirmwareSource(project_dir=self.root, overlay=overlay)

    def _folder(self, submission: str, relative_to: Path) -> Path:
        tried = (self.root / submission, relative_to / submission)
        for folder in tried:
            if folder.is_dir():
                return folder.resolve()
        listed = " or ".join(str(folder) for folder in dict.fromkeys(tried))
        raise ConfigError(f"no submission folder {submission!r}: looked for {listed}")


def find_suite(test_file: Path) -> Suite:
    """Return the suite that ``test_file`` belongs to.

    Raises:
        ConfigError: no ``task.toml`` or ``platformio.ini`` above it, or a broken one.
    """
    for folder in test_file.resolve().parents:
        if (folder / _TASK_FILE).is_file():
            return Suite(root=folder, task=load_task(folder / _TASK_FILE))
        if (folder / _PROJECT_FILE).is_file():
            return Suite(root=folder)
    raise ConfigError(
        f"{test_file}: no {_TASK_FILE} or {_PROJECT_FILE} in any folder above it, so "
        "there is no firmware to build; put one there or override the "
        "'firmware_source' fixture"
    )


def load_task(file: Path) -> Task:
    """Read a ``task.toml``.

    Raises:
        ConfigError: not TOML, or a key is missing, unknown or of the wrong type.
    """
    where = str(file)
    top = read_table(file)
    check_keys(where, "", top, required={"task": dict})
    table: dict[str, Any] = top["task"]
    check_keys(where, "task.", table, required=_REQUIRED, optional={"solution": str})
    check_items(where, "task.edit_surface", table["edit_surface"], str)
    surface: list[str] = table.pop("edit_surface")
    return Task(**table, edit_surface=tuple(surface))


def _submitted(folder: Path, name: str) -> Path | None:
    """Find ``src/controller.c`` as such, or as a bare ``controller.c``."""
    for candidate in (folder / name, folder / name.rpartition("/")[2]):
        if candidate.is_file():
            return candidate
    return None
