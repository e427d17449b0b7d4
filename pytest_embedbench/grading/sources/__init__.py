"""The C of a task that follows from its ``task.toml``.

That is its line protocol, its shell, and the starter that a submission begins with.
``embedbench generate`` writes these files into the task, where whoever writes a
controller reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.sources.lines import app_c, protocol_c, protocol_h
from pytest_embedbench.grading.sources.starter import controller_c, controller_h

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_embedbench.grading.task import Task

_MADE = "Made from task.toml by `embedbench generate`"
"""What each of the files says; one that does not is its author's."""


def sources(task: Task) -> Mapping[str, str]:
    """Return the files that follow from ``task.toml``, by their paths in the task.

    Raises:
        ConfigError: it does not say enough: no C interface, no sensors, no
            ``safe_lines``, no ``[starter]``, or an actuator by whose name its line
            cannot be told.
    """
    api, starter = task.controller, task.starter
    if api is None or starter is None or not task.sensors or not task.safe_lines:
        raise ConfigError(
            f"{task.name}: no C can be made from its task.toml: it needs [controller], "
            "[starter], [[sensor]] and task.safe_lines"
        )
    return {
        "src/app.c": app_c(task, api),
        "src/protocol.h": protocol_h(task, api),
        "src/protocol.c": protocol_c(task, api),
        "src/controller.h": controller_h(task, api, starter),
        "src/controller.c": controller_c(task, api, starter),
    }


def write_sources(task: Task, folder: Path) -> list[Path]:
    """Write them into the task's folder; return those that were not so already.

    A file that no longer says that it was made is left as it is.

    Raises:
        ConfigError: as ``sources``.
    """
    written: list[Path] = []
    for path, text in sources(task).items():
        file = folder / path
        there = file.read_text("utf-8") if file.is_file() else _MADE
        if _MADE in there and there != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
            written.append(file)
    return written
