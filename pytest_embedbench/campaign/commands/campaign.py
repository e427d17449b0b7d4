"""``embedbench campaign``: the same as pytest with ``--embedbench-campaign``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

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
    parser.add_argument(
        "--resume",
        nargs="?",
        const="latest",
        default="",
        metavar="RUN",
        help="go on with a run; without a name it is the latest",
    )
    parser.add_argument(
        "--artifacts", type=Path, metavar="DIR", help="where the run's folder goes"
    )
    parser.set_defaults(run=_campaign)


def _campaign(arguments: argparse.Namespace) -> int:
    words = [
        *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
        f"--embedbench-campaign={arguments.file}",
        f"-n{arguments.workers}",
    ]
    if arguments.shard:
        words.append(f"--embedbench-shard={arguments.shard}")
    if arguments.resume:
        words.append(f"--embedbench-resume={arguments.resume}")
    if arguments.artifacts:
        words.append(f"--embedbench-artifacts={arguments.artifacts}")
    return subprocess.run(words, check=False).returncode
