"""``embedbench lab stats``: how boards have done over many runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.lab.inventory.stats import SCHEMA, over_runs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from pytest_embedbench.support.commands import Subcommands

_RUNS = Path(".embedbench") / "runs"
_FILE = "lab.json"
_HEAD = (
    "board",
    "tests",
    "passed",
    "faults",
    "faulty runs",
    "retries",
    "used",
    "waited",
    "last seen",
)


def add_stats(actions: Subcommands) -> None:
    """Add ``stats``."""
    action = actions.add_parser(
        "stats", help="say how each board has done over runs: a flaky one is seen"
    )
    action.add_argument(
        "folders",
        metavar="RUN",
        nargs="*",
        type=Path,
        help=f"folders of runs, or their {_FILE}; default: all in {_RUNS}",
    )
    action.add_argument("--json", action="store_true", help="for programs")
    action.set_defaults(run=_stats)


def _stats(arguments: argparse.Namespace) -> int:
    boards = over_runs(map(_read, _files(arguments.folders)))
    if arguments.json:
        sys.stdout.write(f"{json.dumps(boards, indent=2)}\n")
        return 0
    rows = [_HEAD, *(_row(name, its) for name, its in boards.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(f"{'  '.join(cells).rstrip()}\n")
    return 0


def _files(given: list[Path]) -> list[Path]:
    """Return the files that were asked for, or those of all runs, oldest first."""
    if not given:
        runs = _RUNS.iterdir() if _RUNS.is_dir() else ()
        files = sorted(run / _FILE for run in runs if not run.is_symlink())
        if found := [file for file in files if file.is_file()]:
            return found
        raise ConfigError(f"no run with a {_FILE} in {_RUNS}: name one")
    return [place / _FILE if place.is_dir() else place for place in given]


def _read(file: Path) -> Mapping[str, Any]:
    try:
        record: Any = json.loads(file.read_text("utf-8"))
    except OSError as error:
        message = f"{file}: no {_FILE} of a run: {error.strerror}"
        raise ConfigError(message) from error
    except (ValueError, RecursionError) as error:
        raise _damaged(file) from error
    table = cast("dict[str, Any]", record if isinstance(record, dict) else {})
    if "schema" not in table:
        raise _damaged(file)
    if table["schema"] != SCHEMA:
        raise ConfigError(
            f"{file}: has schema {table['schema']!r}, and this version reads {SCHEMA}: "
            "name the runs to count"
        )
    try:
        over_runs([table])
    except (AttributeError, KeyError, TypeError) as error:
        raise _damaged(file) from error
    return table


def _damaged(file: Path) -> ConfigError:
    return ConfigError(f"{file}: is damaged: remove it, or name the runs to count")


def _row(name: str, its: Mapping[str, Any]) -> tuple[str, ...]:
    blamed = " ".join(f"{count} {who}" for who, count in its["faults"].items())
    own = f"{its['fault_count']} own" if its["fault_count"] else ""
    return (
        name,
        str(its["tests"]),
        str(its["passed"]),
        " ".join(filter(None, (blamed, own))) or "none",
        f"{its['faulty_runs']} of {its['runs']}",
        str(its["retries"]),
        f"{its['used_s']:.1f} s",
        f"{its['waited_s']:.1f} s",
        its["last_seen"],
    )
