"""``embedbench runs``: what runs have left, and making room."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.run_folders import (
    BENCHES,
    LATEST,
    KeptRun,
    prunable,
    records_of,
    remove_run,
    runs_in,
)
from pytest_embedbench.clock import wall_now_ns
from pytest_embedbench.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.support.commands import Subcommands

_DAY_NS = 24 * 3600 * 1_000_000_000
_DAYS, _KEPT, _MOST_MB = 30.0, 10, 5_000.0
_FOLDER = Path(".embedbench/runs")


def add_runs(commands: Subcommands) -> None:
    """Add ``embedbench runs list``, ``show`` and ``prune``."""
    parser = commands.add_parser("runs", help="say what runs have left; make room")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="say which there are, oldest first")
    listing.set_defaults(run=_list)
    show = actions.add_parser("show", help="say what became of the tests of one")
    show.add_argument("name", nargs="?", default=LATEST, help="which (default: latest)")
    show.set_defaults(run=_show)
    prune = actions.add_parser(
        "prune", help="remove old ones; never the latest, or one that goes on"
    )
    prune.add_argument(
        "--older-than",
        type=float,
        default=_DAYS,
        metavar="DAYS",
        help="in which nothing was written for so many days (default: %(default)g)",
    )
    prune.add_argument(
        "--keep",
        type=int,
        default=_KEPT,
        metavar="N",
        help="how many of the newest stay, however old and large, of runs and of "
        "benches (default: %(default)s)",
    )
    prune.add_argument(
        "--max-mb",
        type=float,
        default=_MOST_MB,
        metavar="MB",
        help="how large all may be together: beyond it the oldest of the others go, "
        "too, whatever their age (default: %(default)g)",
    )
    prune.add_argument("--dry-run", action="store_true", help="only say which")
    prune.set_defaults(run=_prune)
    for action in (listing, show, prune):
        action.add_argument(
            "--artifacts",
            type=Path,
            default=_FOLDER,
            metavar="DIR",
            help="where they are (default: %(default)s)",
        )
        action.add_argument("--json", action="store_true", help="as JSON")


def _list(arguments: argparse.Namespace) -> int:
    runs = runs_in(_root(arguments))
    if arguments.json:
        _say_json([_table(run) for run in runs])
    for run in () if arguments.json else runs:
        sys.stdout.write(f"{run.name}  {_mb(run.size_bytes):>9}  {_words(run)}\n")
    if runs and not arguments.json:
        total_bytes = sum(run.size_bytes for run in runs)
        sys.stdout.write(f"together {_mb(total_bytes)}\n")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    runs = {run.name: run for run in runs_in(_root(arguments))}
    own = (run for run in runs.values() if not run.is_bench)
    latest = next((run.name for run in own if run.is_latest), "")
    name = latest if arguments.name == LATEST else arguments.name
    if name not in runs:
        raise UnknownName("run", name or LATEST, [*runs])
    if runs[name].broken:
        raise ConfigError(f"{runs[name].path} is broken: {runs[name].broken}")
    records = records_of(runs[name].path)
    if arguments.json:
        _say_json({**_table(runs[name]), "tests": records})
        return 0
    sys.stdout.write(f"{runs[name].path}: {_words(runs[name])}\n")
    for record in records:
        reason = f": {record['reason']}" if record.get("reason") else ""
        sys.stdout.write(f"{record['outcome']:<8} {record['test']}{reason}\n")
    for file in sorted(runs[name].path.iterdir()) if runs[name].is_bench else ():
        if not file.name.startswith("."):
            sys.stdout.write(f"{file.name}\n")
    return 0


def _prune(arguments: argparse.Namespace) -> int:
    limits = (arguments.older_than, arguments.keep, arguments.max_mb)
    if not all(0 <= limit < math.inf for limit in limits):
        raise ConfigError("--older-than, --keep and --max-mb: must be 0 or more")
    runs = runs_in(_root(arguments))
    before_ns = wall_now_ns() - int(arguments.older_than * _DAY_NS)
    gone: list[KeptRun] = []
    kept = {run.name: run.broken for run in runs if run.broken}
    may_go = prunable(
        runs,
        keep_count=arguments.keep,
        before_ns=before_ns,
        most_bytes=int(arguments.max_mb * 1e6),
    )
    for run in may_go:
        try:
            if arguments.dry_run or remove_run(run):
                gone.append(run)
        except OSError as error:
            kept[run.name] = f"{error}"
    size_bytes = sum(run.size_bytes for run in gone)
    if arguments.json:
        names = [run.name for run in gone]
        _say_json({"removed": names, "size_bytes": size_bytes, "broken": kept})
        return 0
    does = "would remove" if arguments.dry_run else "removed"
    sys.stdout.write(f"{does} runs: {len(gone)}, {_mb(size_bytes)}\n")
    for name, why in kept.items():
        sys.stdout.write(f"left alone: {name} is broken: {why}\n")
    return 0


def _root(arguments: argparse.Namespace) -> Path:
    root: Path = arguments.artifacts.absolute()
    if not (root.is_dir() or (root.parent / BENCHES).is_dir()):
        raise ConfigError(
            f"{root}: there are no runs (yet): no such folder; --artifacts=DIR says "
            "where else"
        )
    return root


def _table(run: KeptRun) -> dict[str, Any]:
    return {
        "name": run.name,
        "folder": str(run.path),
        "started_at": run.started_at,
        "size_bytes": run.size_bytes,
        "running": run.is_running,
        "latest": run.is_latest,
        "bench": run.is_bench,
        "outcomes": run.outcomes,
        "broken": run.broken or None,
    }


def _words(run: KeptRun) -> str:
    counts = [f"{count} {outcome}" for outcome, count in sorted(run.outcomes.items())]
    words = [", ".join(counts) or ("a bench" if run.is_bench else "no tests")]
    if run.broken:
        words = [f"broken: {run.broken}"]
    words += ["(running)"] * run.is_running + ["(latest)"] * run.is_latest
    return " ".join(words)


def _say_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB"
