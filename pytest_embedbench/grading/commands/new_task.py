"""``embedbench new-task``: a task package to start from, whole and working."""

from __future__ import annotations

import re
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.commands.task_names import TaskNames
from pytest_embedbench.grading.sources import write_sources
from pytest_embedbench.grading.task import load_task

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

    from pytest_embedbench.support.commands import Subcommands

_TEMPLATE, _BOARDS = "grading/task_template", "firmware/boards.ini"


def add_new_task(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "new-task", help="make a task package: brief, starter, reference, plant, checks"
    )
    parser.add_argument("name", help="lower case, as in Python: keep_it_bright")
    for option, what, example in (
        ("plant", "what is controlled", "room"),
        ("sensor", "what is measured of it; lines say SENSE and this", "light"),
        ("actuator", "what is switched; lines say ACT and this", "lamp"),
    ):
        default = getattr(TaskNames(task="task"), option)
        parser.add_argument(
            f"--{option}",
            default=default,
            metavar="NAME",
            help=f"{what}, such as {example} (default: {default})",
        )
    parser.add_argument(
        "--in",
        dest="parent",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="where its folder is made (default: here)",
    )
    parser.set_defaults(run=_new_task)


def make_task(names: TaskNames, parent: Path) -> Path:
    """Make a task package about ``names`` in a new folder, and return that.

    Raises:
        ConfigError: there is something in its place.
    """
    folder = parent / names.task
    ours = resources.files("pytest_embedbench")
    words = names.spellings()
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ConfigError(f"{folder}: is there already") from None
    for path, file in _files(ours / _TEMPLATE):
        made = folder / _filled_in(path, words)
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(_filled_in(file.read_text("utf-8"), words), "utf-8")
    boards = (ours / _BOARDS).read_text("utf-8")
    (folder / "boards.ini").write_text(boards, "utf-8")
    write_sources(load_task(folder / "task.toml"), folder)
    return folder


def _new_task(arguments: argparse.Namespace) -> int:
    names = TaskNames(
        task=arguments.name,
        plant=arguments.plant,
        sensor=arguments.sensor,
        actuator=arguments.actuator,
    )
    folder = make_task(names, arguments.parent)
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


def _filled_in(text: str, words: Mapping[str, str]) -> str:
    """Put names for placeholders, all at once: a name may be like a placeholder."""
    placeholders = "|".join(sorted(words, key=len, reverse=True))
    return re.sub(placeholders, lambda found: words[found[0]], text)
