"""A command of ``embedbench``: look at rules without running them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from acme_bench.rules import parse
from pytest_embedbench import ConfigError

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench import Subcommands


def add_acme_rules(commands: Subcommands) -> None:
    """Add ``embedbench acme-rules``."""
    parser = commands.add_parser("acme-rules", help="list the rules in a file")
    parser.add_argument("file", type=Path)
    parser.set_defaults(run=_list)


def _list(arguments: argparse.Namespace) -> int:
    try:
        text = arguments.file.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{arguments.file}: {error.strerror}") from error
    program = parse(text, arguments.file.name)
    sys.stdout.writelines(f"{rule}\n" for rule in program.rules)
    sys.stderr.writelines(f"{complaint}\n" for complaint in program.complaints)
    return 1 if program.complaints else 0
