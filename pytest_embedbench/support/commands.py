"""What a command of ``embedbench`` needs of argparse.

A package brings one with an entry point of the group ``embedbench.commands``: its name
is the command's, its value a function that takes ``Subcommands``, adds a parser of that
name, and sets the default ``run`` to a function from the arguments to an exit code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import argparse


class Subcommands(Protocol):
    """Where subcommands are added: what ``add_subparsers`` returns."""

    def add_parser(self, name: str, *, help: str) -> argparse.ArgumentParser:  # noqa: A002  # argparse's word
        """Add one and return its parser."""
        ...
