"""``embedbench setup``: build firmware without PlatformIO's registry."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.cli.tools import builder

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.support.commands import Subcommands


class _Seeded(Protocol):
    core_dir: Path
    platforms: Sequence[str]
    absent: Mapping[str, str]


class _SetUp(Protocol):
    """A builder that can be set up for a machine without a registry."""

    def set_up(self) -> _Seeded: ...


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
    parser.set_defaults(run=_setup)


def _setup(arguments: argparse.Namespace) -> int:
    own = cast("_SetUp", builder(Registry(), arguments.core))
    seeded = own.set_up()
    sys.stdout.write(
        f"PlatformIO core directory: {seeded.core_dir}\n"
        f"platforms: {', '.join(seeded.platforms)}\n"
    )
    for package, command in seeded.absent.items():
        sys.stdout.write(f"without {package} (to have it: {command})\n")
    return 0
