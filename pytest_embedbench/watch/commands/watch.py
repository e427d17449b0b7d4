"""``embedbench watch``: see a run while it goes on, in a browser on this machine."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.bench.run_folders import LATEST
from pytest_embedbench.errors import BenchFault
from pytest_embedbench.lab.inventory.labfile import load_lab
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.processes.termination import sigterm_as_interrupt
from pytest_embedbench.watch.choosing import chosen
from pytest_embedbench.watch.lab_view import LabView
from pytest_embedbench.watch.server import HOST, WatchServer

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.support.commands import Subcommands

_ARTIFACTS = Path(".embedbench/runs")
_LAB = "EMBEDBENCH_LAB"


def add_watch(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "watch", help="show a run in a browser while it goes on: lines, plots, boards"
    )
    parser.add_argument(
        "what",
        nargs="?",
        default=LATEST,
        metavar="RUN|BOARD",
        help="a run's name or folder, or a board, whose tests are shown; default: the "
        "latest run, and the next once it begins",
    )
    parser.add_argument(
        "--artifacts",
        type=Path,
        default=_ARTIFACTS,
        metavar="DIR",
        help="where runs are (default: %(default)s)",
    )
    parser.add_argument(
        "--lab", default=os.environ.get(_LAB, ""), metavar="FILE",
        help=f"the lab file, whose boards are shown, too [env: {_LAB}]",
    )  # fmt: skip
    parser.add_argument("--port", type=int, default=0, help="default: any that is free")
    parser.set_defaults(run=_watch)


def _watch(arguments: argparse.Namespace) -> int:
    registry = Registry(lab=Path(arguments.lab) if arguments.lab else None)
    boards = registry.names("board")
    watched = chosen(arguments.what, arguments.artifacts.absolute(), boards)
    if arguments.lab:
        watched.lab = LabView(load_lab(Path(arguments.lab)), Leases())
    try:
        server = WatchServer(
            watched, token=secrets.token_urlsafe(24), port=arguments.port
        )
    except (OSError, OverflowError) as error:
        raise BenchFault(
            f"{HOST}:{arguments.port}: cannot be served: {error}"
        ) from error
    try:
        with sigterm_as_interrupt():
            sys.stdout.write(f"{server.url}\n")
            sys.stdout.flush()
            if not watched.state()["run"]:
                sys.stderr.write(f"no run in {watched.root} yet: waiting for one\n")
            server.serve_forever()
    except KeyboardInterrupt:
        sys.stderr.write("ended\n")
    finally:
        server.close()
    return 0
