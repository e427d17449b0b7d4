"""What a subcommand's module needs of argparse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import argparse


class Subcommands(Protocol):
    """Where subcommands are added: what ``add_subparsers`` returns."""

    def add_parser(self, name: str, *, help: str) -> argparse.ArgumentParser:  # noqa: A002  # argparse's word
        """Add one and return its parser."""
        ...
