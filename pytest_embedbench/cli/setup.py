"""``embedbench setup``: have a builder make what it needs of what this machine has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.cli.tools import builder, builder_name
from pytest_embedbench.contracts import SetsUp
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.support.commands import Subcommands


def add_setup(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "setup",
        help="make PlatformIO platforms of what this machine has, for offline builds",
    )
    parser.add_argument(
        "--core",
        type=Path,
        default=None,
        metavar="DIR",
        help="the core directory to make (env: EMBEDBENCH_CORE; default: a private "
        "one in the user's cache, which builds then use by themselves)",
    )
    parser.add_argument(
        "--builder",
        default=builder_name(),
        metavar="NAME",
        help="the builder to set up (env: EMBEDBENCH_BUILDER; default: %(default)s)",
    )
    parser.add_argument(
        "--libraries",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder of libraries that lib_deps are taken from (repeatable; "
        "default: those named in an earlier setup)",
    )
    parser.set_defaults(run=_setup)


def _setup(arguments: argparse.Namespace) -> int:
    name: str = arguments.builder
    own = builder(Registry(), name, arguments.core, tuple(arguments.libraries))
    if not isinstance(own, SetsUp):
        raise ConfigError(f"builder {name!r} has nothing to set up: it has no set_up")
    for line in own.set_up().lines():
        sys.stdout.write(f"{line}\n")
    return 0
