"""The task that a command is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.task import Suite, load_task

if TYPE_CHECKING:
    from pathlib import Path

_TASK_FILE = "task.toml"


def suite_in(folder: Path) -> Suite:
    """Return the suite that is in a folder.

    Raises:
        ConfigError: there is none, or its ``task.toml`` is broken.
    """
    file = folder / _TASK_FILE
    if not file.is_file():
        there = "no such folder" if not folder.is_dir() else f"it has no {_TASK_FILE}"
        raise ConfigError(f"{folder}: is no task: {there}")
    return Suite(root=folder, task=load_task(file))
