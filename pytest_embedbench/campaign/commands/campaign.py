"""``embedbench campaign``: the same as pytest with ``--embedbench-campaign``."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.support.pytest_command import add_run_options, pytest_words

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.support.commands import Subcommands


def add_campaign(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "campaign", help="let agents work at tasks, as a campaign's file says"
    )
    parser.add_argument("file", type=Path, help="the campaign: a TOML file")
    parser.add_argument(
        "-n", dest="workers", type=int, default=0, metavar="N", help="runs at a time"
    )
    parser.add_argument(
        "--shard", default="", metavar="I/N", help="the I-th of N parts of it"
    )
    add_run_options(parser)
    parser.set_defaults(run=_campaign)


def _campaign(arguments: argparse.Namespace) -> int:
    words = pytest_words(
        workers=arguments.workers,
        campaign=arguments.file,
        shard=arguments.shard,
        resume=arguments.resume,
        artifacts=arguments.artifacts,
    )
    with subprocess.Popen(words) as run:
        while True:
            # Ctrl-C is pytest's, too: it ends its workers and prints the table.
            with suppress(KeyboardInterrupt):
                return run.wait()
