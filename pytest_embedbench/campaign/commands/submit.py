"""``embedbench submit``: in a workspace, hand in what is there."""

from __future__ import annotations

import base64
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.desk import SOCKET
from pytest_embedbench.campaign.desk_socket import ask
from pytest_embedbench.errors import BenchFault

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from pytest_embedbench.support.commands import Subcommands

_FEEDBACK = Path("feedback")


def add_submit(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser("submit", help="hand in what is in this workspace")
    parser.set_defaults(run=_submit)


def _submit(arguments: argparse.Namespace) -> int:
    del arguments
    place = os.environ.get(SOCKET)
    if not place:
        raise BenchFault(
            f"no desk is open here ({SOCKET} is not set): run the agent by "
            "`embedbench workspace run`, or in a campaign"
        )
    told = ask(Path(place), {"do": "submit"})
    files: Mapping[str, str] = told.get("files", {})
    if files:
        _write(files)
    sys.stdout.write(told.get("text", ""))
    return 0


def _write(files: Mapping[str, str]) -> None:
    """Write the files of an answer into a new folder of the workspace."""
    _FEEDBACK.mkdir(exist_ok=True)
    number = 1 + sum(1 for _ in _FEEDBACK.iterdir())
    for name, data in files.items():
        file = _FEEDBACK / f"{number:03}" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(data))
