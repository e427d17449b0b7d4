"""``embedbench generate``: the C of a task that follows from its ``task.toml``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.grading.commands.task_folder import suite_in
from pytest_embedbench.grading.sources import write_sources

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.support.commands import Subcommands


def add_generate(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "generate", help="write a task's app.c and protocol.c/.h, made from task.toml"
    )
    parser.add_argument("task", type=Path, help="a folder with a task.toml")
    parser.set_defaults(run=_generate)


def _generate(arguments: argparse.Namespace) -> int:
    folder: Path = arguments.task
    for file in write_sources(suite_in(folder).task, folder):
        sys.stdout.write(f"{file}: written\n")
    return 0
