"""``embedbench cache``: what the cache holds, and making room."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.bench.cache_use import (
    BUILDS,
    CONVERSATIONS,
    FAILED,
    IMAGES,
    alone_in_cache,
    kept_in,
    remove_unused,
)
from pytest_embedbench.builders.platformio.scratch import empty_unused
from pytest_embedbench.clock import wall_now_ns
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.paths import cache_root

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pytest_embedbench.bench.cache_use import Kept
    from pytest_embedbench.support.commands import Subcommands

_DAY_NS = 24 * 3600 * 1_000_000_000
_KINDS = {
    IMAGES: "images",
    BUILDS: "scratch places",
    FAILED: "logs of failed builds",
    CONVERSATIONS: "suites with known answers",
}


def add_cache(commands: Subcommands) -> None:
    """Add ``embedbench cache info`` and ``embedbench cache prune``."""
    parser = commands.add_parser("cache", help="say what the cache holds; make room")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    info = actions.add_parser("info", help="say how much of what there is, and its age")
    info.set_defaults(run=_info)
    prune = actions.add_parser("prune", help="remove what has not been used lately")
    which = prune.add_mutually_exclusive_group()
    which.add_argument(
        "--older-than",
        type=float,
        default=30.0,
        metavar="DAYS",
        help="what nobody has used for so many days (default: %(default)g)",
    )
    which.add_argument("--all", action="store_true", help="everything")
    prune.set_defaults(run=_prune)
    for action in (info, prune):
        action.add_argument(
            "--cache",
            type=Path,
            default=None,
            metavar="DIR",
            help="which (env: EMBEDBENCH_CACHE; default: the user's)",
        )


def _info(arguments: argparse.Namespace) -> int:
    root = _root(arguments)
    now_ns = wall_now_ns()
    sys.stdout.write(f"cache: {root}\n")
    for folder, words in _KINDS.items():
        sys.stdout.write(f"{words}: {_sum(kept_in(root / folder), now_ns)}\n")
    return 0


def _prune(arguments: argparse.Namespace) -> int:
    root = _root(arguments)
    days: float = 0.0 if arguments.all else arguments.older_than
    if days < 0:
        raise ConfigError(f"--older-than={days:g}: must be 0 or more days")
    before_ns = wall_now_ns() - int(days * _DAY_NS)
    with alone_in_cache(root):
        for folder, words in _KINDS.items():
            kept = kept_in(root / folder)
            if folder == BUILDS:
                emptied = empty_unused(root / folder, before_ns)
                gone = [each for each in kept if each.path in emptied]
            else:
                gone = remove_unused(kept, before_ns)
            size_bytes = sum(each.size_bytes for each in gone)
            sys.stdout.write(f"removed {words}: {len(gone)}, {_mb(size_bytes)}\n")
    return 0


def _root(arguments: argparse.Namespace) -> Path:
    root: Path = (arguments.cache or cache_root()).absolute()
    if not root.is_dir():
        raise ConfigError(f"{root}: there is no cache (yet): no such folder")
    return root


def _sum(kept: Sequence[Kept], now_ns: int) -> str:
    if not kept:
        return "none"
    size_bytes = sum(each.size_bytes for each in kept)
    oldest, newest = (max(0, now_ns - kept[i].used_ns) // _DAY_NS for i in (0, -1))
    return f"{len(kept)}, {_mb(size_bytes)}, last used {newest} to {oldest} days ago"


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB"
