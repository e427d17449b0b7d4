"""A command of ``embedbench``: look at rules without running them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from acme_bench.rules import parse

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench import Subcommands


def add_acme_rules(commands: Subcommands) -> None:
    """Add ``embedbench acme-rules``."""
    parser = commands.add_parser("acme-rules", help="list the rules in a file")
    parser.add_argument("file", type=Path)
    parser.set_defaults(run=_list)


def _list(arguments: argparse.Namespace) -> int:
    program = parse(arguments.file.read_text("utf-8"), arguments.file.name)
    sys.stdout.writelines(f"{rule}\n" for rule in program.rules)
    sys.stderr.writelines(f"{complaint}\n" for complaint in program.complaints)
    return 1 if program.complaints else 0
