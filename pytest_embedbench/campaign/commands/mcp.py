"""``embedbench mcp``: the agents' door, over standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.door.server import serve

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.support.commands import Subcommands


def add_mcp(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "mcp", help="serve tests and boards to an agent (Model Context Protocol)"
    )
    parser.set_defaults(run=_mcp)


def _mcp(arguments: argparse.Namespace) -> int:
    del arguments
    serve(Path.cwd())
    return 0
