"""``embedbench new-task``: a task package to start from, whole and working."""

from __future__ import annotations

import re
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from pytest_embedbench.support.commands import Subcommands

_TEMPLATE = "grading/task_template"
_PLACEHOLDER, _CLASS_PLACEHOLDER = "task_name", "TaskName"
_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


def add_new_task(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "new-task", help="make a task package: brief, starter, reference, plant, checks"
    )
    parser.add_argument("name", help="lower case, as in Python: keep_it_bright")
    parser.add_argument(
        "--in",
        dest="parent",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="where its folder is made (default: here)",
    )
    parser.set_defaults(run=_new_task)


def make_task(name: str, parent: Path) -> Path:
    """Make a task package called ``name`` in a new folder, and return that.

    Raises:
        ConfigError: it is no name for a task, or there is something in its place.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} is no name for a task: lower-case letters and digits, with "
            "single underscores in between"
        )
    folder = parent / name
    class_name = "".join(word.capitalize() for word in name.split("_"))
    words = {_PLACEHOLDER: name, _CLASS_PLACEHOLDER: class_name}
    try:
        folder.mkdir(parents=True)
        for path, file in _files(resources.files("pytest_embedbench") / _TEMPLATE):
            made = folder / _filled_in(path, words)
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(_filled_in(file.read_text("utf-8"), words), "utf-8")
    except FileExistsError:
        raise ConfigError(f"{folder}: is there already") from None
    return folder


def _new_task(arguments: argparse.Namespace) -> int:
    folder = make_task(arguments.name, arguments.parent)
    sys.stdout.write(
        f"{folder}: made; it works as it is:\n"
        f"    pytest --board=native {folder} --embedbench-firmware=solution\n"
        "then make it yours: docs/new_task.md says in which order\n"
    )
    return 0


def _files(folder: Traversable, inside: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        path = f"{inside}{entry.name}"
        if entry.is_file():
            yield path, entry
        elif entry.name != "__pycache__":
            yield from _files(entry, f"{path}/")


def _filled_in(text: str, words: dict[str, str]) -> str:
    for placeholder, word in words.items():
        text = text.replace(placeholder, word)
    return text
