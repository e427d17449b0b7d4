"""Which lab file a command is about, and which board of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.lab.inventory.lab import Lab, LabBoard

LAB_ENV = "EMBEDBENCH_LAB"


def add_lab_option(parser: argparse.ArgumentParser) -> None:
    """Let a command be told the lab file."""
    parser.add_argument("--lab", metavar="FILE", help=f"the lab file [env: {LAB_ENV}]")


def lab_file(arguments: argparse.Namespace) -> Path:
    """Return the lab file.

    Raises:
        ConfigError: nobody names one.
    """
    text: str = arguments.lab or os.environ.get(LAB_ENV, "")
    if not text:
        raise ConfigError(f"no lab file: name one with --lab or {LAB_ENV}")
    return Path(text)


def board_named(lab: Lab, name: str) -> LabBoard:
    """Return a board of the lab.

    Raises:
        UnknownName: there is none of that name.
    """
    if name not in lab.boards:
        raise UnknownName("lab board", name, lab.boards)
    return lab.boards[name]
