"""Task packages: what ``task.toml`` says, and what is built of a submission to one.

The suite of a test is the nearest folder above it that holds a ``task.toml`` (an edit
surface, a starter, a reference solution). A plain project in between has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.registry import PLANT_FILE
from pytest_embedbench.errors import ConfigError, NothingSubmitted
from pytest_embedbench.grading.submitted import submitted
from pytest_embedbench.grading.task_tables import (
    ControllerApi,
    Sensor,
    Starter,
    read_controller,
    read_sensors,
    read_starter,
)
from pytest_embedbench.model import FirmwareSource
from pytest_embedbench.support.projects import (
    IDF_FILES,
    PROGRAM_FILE,
    PROJECT_FILE,
    named_folder,
)
from pytest_embedbench.support.toml_schema import (
    check_items,
    check_keys,
    read_table,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "ControllerApi",
    "Sensor",
    "Starter",
    "Suite",
    "Task",
    "find_suite",
    "load_task",
    "suite_above",
]

_TASK_FILE = "task.toml"
_FIRMWARE = ("src", "include", "lib", "boards", "data", *IDF_FILES)
"""What a build sees of a package: no hidden checks, no solution."""
_REQUIRED = {"name": str, "brief": str, "edit_surface": list}
_OPTIONAL = {
    "plant": str,
    "boot_line": str,
    "host_stage": bool,
    "solution": str,
    "timeouts_ms": list,
    "safe_lines": list,
    "ignored": list,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task package as its ``task.toml`` has it.

    ``plant`` is a registered name, or a class in a file of the package's own, from
    its root on (``plant.py:Room``); here that file's path is absolute. Without one it
    is ``""``, and so is ``boot_line``.
    ``edit_surface`` are the files that a submission may replace, relative to the
    package; ``ignored`` are patterns of others that it may bring without their being
    looked at, ``*`` for any text; ``boot_line`` is what the firmware says once it is
    up, ``safe_lines`` what follows. ``sensors`` and ``timeouts_ms`` are what sequences
    of lines are made from: see ``properties``. ``diagram`` is the circuit that
    its boards stand in, if they do. ``host_stage`` says whether there are checks that
    need no board; without them one on boards alone can be a PASS.
    """

    name: str
    brief: str
    edit_surface: tuple[str, ...]
    plant: str = ""
    boot_line: str = ""
    host_stage: bool = True
    solution: str = "solution"
    controller: ControllerApi | None = None
    starter: Starter | None = None
    sensors: tuple[Sensor, ...] = ()
    timeouts_ms: tuple[int, ...] = ()
    safe_lines: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    diagram: Path | None = None

    def __repr__(self) -> str:
        return f"<Task {self.name}: {len(self.sensors)} sensors>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A task package: its folder and its rules."""

    root: Path
    task: Task

    def __repr__(self) -> str:
        return f"<Suite {self.root.name}>"

    def source(self, submission: str, relative_to: Path) -> FirmwareSource:
        """Return what to build: the starter, or ``submission`` in its place.

        Args:
            submission: A folder, ``""`` for the suite's own project. Relative ones
                are looked up in the suite first (``solution``), then under
                ``relative_to``.
            relative_to: Where the user stands.

        Raises:
            ConfigError: no such folder.
            NothingSubmitted: nothing of the task's edit surface is in it.
        """
        folder = self.submission(submission, relative_to)
        if folder is None:
            return FirmwareSource(project_dir=self.root, parts=_FIRMWARE)
        overlay = {
            name: found
            for name in self.task.edit_surface
            if (found := submitted(folder, name)) is not None
        }
        if not overlay:
            raise NothingSubmitted(folder, self.task.edit_surface)
        return FirmwareSource(project_dir=self.root, overlay=overlay, parts=_FIRMWARE)

    def diagram_for(self, board: str) -> Path | None:
        """Return the circuit that a board stands in, if the task has one.

        One for that board alone is beside it: ``diagram-mega.json``.
        """
        file = self.task.diagram
        if file is None:
            return None
        own = file.with_name(f"{file.stem}-{board}{file.suffix}")
        return own if own.is_file() else file

    def is_built(self, path: str) -> bool:
        """Say whether a file is built, by its path from the package's folder on."""
        parts = path.split("/")
        inside = parts[0] in _FIRMWARE and ".." not in parts
        return inside and (
            path in self.task.edit_surface or (self.root / path).is_file()
        )

    def submission(self, submission: str, relative_to: Path) -> Path | None:
        """Return the folder that ``submission`` names; see ``source``."""
        return named_folder(submission, self.root, relative_to)


def suite_above(test_file: Path) -> Suite | None:
    """Return the suite that ``test_file`` belongs to, if any.

    Raises:
        ConfigError: its ``task.toml`` is broken.
    """
    for folder in test_file.resolve().parents:
        if (folder / _TASK_FILE).is_file():
            return Suite(root=folder, task=load_task(folder / _TASK_FILE))
        if any((folder / name).is_file() for name in (PROJECT_FILE, PROGRAM_FILE)):
            return None
    return None


def find_suite(test_file: Path) -> Suite:
    """Return the suite that ``test_file`` belongs to.

    Raises:
        ConfigError: it is of no task, or its ``task.toml`` is broken.
    """
    suite = suite_above(test_file)
    if suite is None:
        raise ConfigError(
            f"{test_file}: is of no task: no {_TASK_FILE} in the nearest firmware "
            "project above it, or anywhere above it"
        )
    return suite


def load_task(file: Path) -> Task:
    """Read a ``task.toml``.

    Raises:
        ConfigError: not TOML, or a key is missing, unknown or of the wrong type.
    """
    where = str(file)
    top = read_table(file)
    optional = {"controller": dict, "starter": dict, "sensor": list, "circuit": dict}
    check_keys(where, "", top, required={"task": dict}, optional=optional)
    table: dict[str, Any] = top["task"]
    check_keys(where, "task.", table, required=_REQUIRED, optional=_OPTIONAL)
    check_items(where, "task.edit_surface", table["edit_surface"], str)
    surface: list[str] = table.pop("edit_surface")
    timeouts_ms: list[int] = table.pop("timeouts_ms", [])
    if timeouts_ms:
        check_items(where, "task.timeouts_ms", [*timeouts_ms], int)
    safe_lines: list[str] = table.pop("safe_lines", [])
    if safe_lines:
        check_items(where, "task.safe_lines", [*safe_lines], str)
    ignored: list[str] = table.pop("ignored", [])
    if ignored:
        check_items(where, "task.ignored", [*ignored], str)
    controller = (
        read_controller(where, top["controller"]) if "controller" in top else None
    )
    if PLANT_FILE in table.get("plant", ""):
        table["plant"] = str(file.resolve().parent / table["plant"])
    return Task(
        **table,
        edit_surface=tuple(surface),
        controller=controller,
        starter=read_starter(where, top, controller),
        sensors=tuple(read_sensors(where, top.get("sensor", []))),
        timeouts_ms=tuple(timeouts_ms),
        safe_lines=tuple(safe_lines),
        ignored=tuple(ignored),
        diagram=_diagram(file, top["circuit"]) if "circuit" in top else None,
    )


def _diagram(file: Path, table: dict[str, Any]) -> Path:
    check_keys(str(file), "circuit.", table, required={"diagram": str})
    diagram: Path = file.resolve().parent / table["diagram"]
    if not diagram.is_file():
        raise ConfigError(
            f"{file}: circuit.diagram: no such file in the package: "
            f"{table['diagram']!r}; name the diagram.json of its circuit"
        )
    return diagram
