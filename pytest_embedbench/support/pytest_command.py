"""The pytest that a command of ``embedbench`` runs, and what both take of a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def pytest_words(*flags: str, workers: int, **settings: str | Path | None) -> list[str]:
    """Return the words that start pytest in a process of its own.

    Args:
        flags: Options of pytest's own.
        workers: Processes of xdist, 0 for none.
        settings: Ours, by the name behind ``--embedbench-``; empty ones are left out.
    """
    return [
        *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"-n{workers}"),
        *flags,
        *(f"--embedbench-{name}={value}" for name, value in settings.items() if value),
    ]


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add where a run's folder goes, and going on with a run."""
    parser.add_argument(
        "--artifacts", type=Path, metavar="DIR", help="where the run's folder goes"
    )
    parser.add_argument(
        "--resume",
        nargs="?",
        const="latest",
        default="",
        metavar="RUN",
        help="go on with a run; without a name it is the latest",
    )
