"""What of a task package an agent is given: a table from path to content.

It is worked out anew whenever it is needed, so nothing has to be kept of it where an
agent could change it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.bench.registry import PLANT_FILE
from pytest_embedbench.campaign.agent_readme import agent_readme
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.own_firmware import BOARDS, FIRMWARE, stand_alone
from pytest_embedbench.support.projects import PROJECT_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.campaign.modes import Mode
    from pytest_embedbench.grading.task import Suite

VISIBLE = "visible"
OWN_TESTS = "agent_tests"
README = "README.md"
_TASK_FILE = "task.toml"
_SHARED_BOARDS = f"firmware/{BOARDS}"
_LEFT_BY_RUNS = "__pycache__"
FIRST_TEST = "test_the_firmware_boots"
"""The name of the one test that is there, to begin with."""
_OWN_TESTS = f'''"""Tests of your own: pytest --board=NAME agent_tests/"""


def {FIRST_TEST}(bench):
    bench.wait_for_boot()
'''


def handed_out(suite: Suite, mode: Mode) -> dict[str, bytes]:
    """Return all files of a workspace.

    That is the brief, the starter and a page for the agent; with aids also the visible
    tests, the public part of ``task.toml`` and one test to begin with. Hidden checks,
    the reference and the oracle are never read.

    Raises:
        ConfigError: a file of the package cannot be read.
    """
    task = suite.task
    files = dict(_starter(suite))
    files[task.brief] = _read(suite.root / task.brief)
    files[README] = agent_readme(task, mode).encode()
    if mode.has_aids:
        files |= _aids(suite)
    return dict(sorted(files.items()))


def _starter(suite: Suite) -> Iterator[tuple[str, bytes]]:
    """Yield what the firmware is built from."""
    source = suite.source("", Path())
    for part in source.parts or ():
        yield from _files(suite.root, suite.root / part)
    ini = suite.root / PROJECT_FILE
    if ini.is_file():
        text = _read(ini).decode("utf-8", "surrogateescape")
        if _SHARED_BOARDS in text:
            yield BOARDS, _read(FIRMWARE / BOARDS)
        yield PROJECT_FILE, stand_alone(text).encode("utf-8", "surrogateescape")
    if (suite.root / BOARDS).is_file():
        yield BOARDS, _read(suite.root / BOARDS)


def _aids(suite: Suite) -> dict[str, bytes]:
    files = dict(_files(suite.root, suite.root / VISIBLE))
    files[_TASK_FILE] = _public_task(suite).encode()
    files[f"{OWN_TESTS}/test_own.py"] = _OWN_TESTS.encode()
    if PLANT_FILE in suite.task.plant:
        plant = Path(suite.task.plant.partition(PLANT_FILE)[0] + PLANT_FILE[:-1])
        files[_inside(suite.root, plant)] = _read(plant)
    if suite.task.diagram is not None:
        here = suite.task.diagram
        for drawn in sorted(here.parent.glob(f"{here.stem}*{here.suffix}")):
            files[_inside(suite.root, drawn)] = _read(drawn)
    return files


def _public_task(suite: Suite) -> str:
    """Return a ``task.toml`` by which tests find firmware, plant and circuit."""
    task = suite.task
    words: dict[str, str | list[str]] = {
        "name": task.name,
        "brief": task.brief,
        "edit_surface": list(task.edit_surface),
    }
    if task.boot_line:
        words["boot_line"] = task.boot_line
    if task.plant:
        words["plant"] = task.plant
    if PLANT_FILE in task.plant:  # its path is absolute
        words["plant"] = task.plant.removeprefix(f"{suite.root.resolve()}/")
    lines = ["[task]", *(f"{key} = {_toml(value)}" for key, value in words.items())]
    if task.diagram is not None:
        diagram = _inside(suite.root, task.diagram)
        lines += ["", "[circuit]", f"diagram = {_toml(diagram)}"]
    return "\n".join(lines) + "\n"


def _toml(value: str | list[str]) -> str:
    # What is text in JSON is text in TOML, as long as nothing is escaped in pairs.
    return json.dumps(value, ensure_ascii=False)


def _files(root: Path, place: Path) -> Iterator[tuple[str, bytes]]:
    """Yield a file, or all files below a folder; nothing of what is not there."""
    if place.is_file():
        yield _inside(root, place), _read(place)
    for file in sorted(place.rglob("*")) if place.is_dir() else ():
        inside = file.relative_to(place)
        made_by_runs = any(
            part == _LEFT_BY_RUNS or part.startswith(".") for part in inside.parts
        )
        if file.is_file() and not made_by_runs:
            yield _inside(root, file), _read(file)


def _inside(root: Path, file: Path) -> str:
    try:
        return file.relative_to(root).as_posix()
    except ValueError:
        raise ConfigError(
            f"{file}: is not in the task package {root}, so no workspace can have it"
        ) from None


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}: it is handed out") from error
