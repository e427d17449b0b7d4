"""Task packages: what ``task.toml`` says, and what is built of a submission to one.

The suite of a test is the nearest folder above it that holds a ``task.toml`` (an edit
surface, a starter, a reference solution). A plain project in between has none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.registry import PLANT_FILE
from pytest_embedbench.errors import ConfigError, NothingSubmitted
from pytest_embedbench.grading.submitted import submitted
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
    rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_TASK_FILE = "task.toml"
_FIRMWARE = ("src", "include", "lib", "boards", "data", *IDF_FILES)
"""What a build sees of a package: no hidden checks, no solution."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FORBIDDEN = ("wait", "allocate", "print")
_REQUIRED = {
    "name": str,
    "plant": str,
    "brief": str,
    "edit_surface": list,
    "boot_line": str,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerApi:
    """The names in a task's C interface; the host driver is made from them.

    ``kinds`` are ``CONTROLLER_INPUT_*`` after ``NONE``, in the order of the parser's
    results too; ``values`` are integer or boolean members of the input; ``actuators``
    are booleans of the output; ``serialisers`` are ``protocol_serialize_act_*``.
    ``states`` are ``CONTROLLER_STATE_*``, none where the brief leaves them free.
    ``forbidden`` is what the brief says that no submission may do: ``wait``,
    ``allocate``, ``print``.
    """

    kinds: tuple[str, ...]
    values: tuple[str, ...]
    actuators: tuple[str, ...]
    serialisers: tuple[str, ...]
    states: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    def __repr__(self) -> str:
        kinds, values = len(self.kinds), ", ".join(self.values)
        return f"<ControllerApi of {kinds} kinds: {values}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """What a submission begins with, beside the names of the C interface.

    ``constants`` are ``CONTROLLER_*`` and their values in C; ``members`` are those of
    ``controller_t`` as C declares them, which a submission may change; the first of
    ``states`` is the safe one.
    """

    states: tuple[str, ...]
    constants: Mapping[str, str]
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """A stream of lines: what they say, and what the controller takes them for.

    ``line`` is what stands before the value (``SENSE LEVEL``), which goes into the
    input's member ``value``. A valid one is a whole number from ``lowest`` to
    ``highest`` and of kind ``kind``, or one of ``words``, which go by the number of
    their place and have kinds of their own; ``around`` are the numbers at which
    something changes.
    """

    line: str
    value: str
    invalid: str
    kind: str = ""
    lowest: int = 0
    highest: int = 0
    around: tuple[int, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict[str, str])

    def __repr__(self) -> str:
        return f"<Sensor {self.line}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task package as its ``task.toml`` has it.

    ``plant`` is a registered name, or a class in a file of the package's own, from
    its root on (``plant.py:Room``); here that file's path is absolute.
    ``edit_surface`` are the files that a submission may replace, relative to the
    package; ``ignored`` are patterns of others that it may bring without their being
    looked at, ``*`` for any text; ``boot_line`` is what the firmware says once it is
    up, ``safe_lines`` what follows. ``sensors`` and ``timeouts_ms`` are what sequences
    of lines are made from: see ``properties``.
    """

    name: str
    plant: str
    brief: str
    edit_surface: tuple[str, ...]
    boot_line: str
    solution: str = "solution"
    controller: ControllerApi | None = None
    starter: Starter | None = None
    sensors: tuple[Sensor, ...] = ()
    timeouts_ms: tuple[int, ...] = ()
    safe_lines: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

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
    optional = {"controller": dict, "starter": dict, "sensor": list}
    check_keys(where, "", top, required={"task": dict}, optional=optional)
    table: dict[str, Any] = top["task"]
    optional = {
        "solution": str, "timeouts_ms": list, "safe_lines": list, "ignored": list
    }  # fmt: skip
    check_keys(where, "task.", table, required=_REQUIRED, optional=optional)
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
    controller = _controller(where, top["controller"]) if "controller" in top else None
    if PLANT_FILE in table["plant"]:
        table["plant"] = str(file.resolve().parent / table["plant"])
    return Task(
        **table,
        edit_surface=tuple(surface),
        controller=controller,
        starter=_starter(where, top, controller),
        sensors=tuple(_sensors(where, top.get("sensor", []))),
        timeouts_ms=tuple(timeouts_ms),
        safe_lines=tuple(safe_lines),
        ignored=tuple(ignored),
    )


def _controller(where: str, table: dict[str, Any]) -> ControllerApi:
    required = {"kinds": list, "values": list, "actuators": list, "serialisers": list}
    optional = {"states": list, "forbidden": list}
    check_keys(where, "controller.", table, required=required, optional=optional)
    for key, names in table.items():
        check_items(where, f"controller.{key}", names, str)
        for name in names:
            if not _NAME.fullmatch(name):
                message = f"{where}: controller.{key}: {name!r} is not a name in C"
                raise ConfigError(message)
    for name in table.get("forbidden", ()):
        if name not in _FORBIDDEN:
            message = f"{where}: controller.forbidden: {name!r} is none of: "
            raise ConfigError(message + ", ".join(_FORBIDDEN))
    return ControllerApi(**{key: tuple(names) for key, names in table.items()})


def _starter(
    where: str, top: dict[str, Any], api: ControllerApi | None
) -> Starter | None:
    """Read what a submission begins with; the states are those that are checked."""
    if "starter" not in top:
        return None
    table: dict[str, Any] = top["starter"]
    optional = {"states": list, "constants": dict, "members": list}
    check_keys(where, "starter.", table, required={}, optional=optional)
    states = table.get("states") or list(api.states if api else ())
    check_items(where, "starter.states", [*states], str)
    members = table.get("members", [])
    if members:
        check_items(where, "starter.members", members, str)
    constants = {name: str(n) for name, n in table.get("constants", {}).items()}
    return Starter(states=tuple(states), constants=constants, members=tuple(members))


def _sensors(where: str, entries: object) -> Iterator[Sensor]:
    required: dict[str, type] = {"line": str, "value": str, "invalid": str}
    words: dict[str, type] = {"words": dict}
    numeric = {"kind": str, "lowest": int, "highest": int, "around": list}
    for here, table in rows(where, "sensor", entries):
        own = words if "words" in table else numeric
        check_keys(where, f"{here}.", table, required=required | own)
        yield Sensor(**table | {"around": tuple(table.get("around", ()))})
