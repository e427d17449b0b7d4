"""The ``embedbench`` command.

Commands of products and of third parties come by entry point, each loaded when it is
called or listed.

Exit codes: 0 all is well; 1 something is missing or broken, and the output says
what; 2 the command line makes no sense.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from pytest_embedbench.cli import cache, examples, inventory, lab, runs, setup
from pytest_embedbench.errors import ConfigError, EmbedbenchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from importlib.metadata import EntryPoint

    from pytest_embedbench.support.commands import Subcommands

    Add = Callable[[Subcommands], None]

GROUP = "embedbench.commands"
_OWN: dict[str, Add] = {
    "setup": setup.add_setup,
    "doctor": inventory.add_doctor,
    "boards": inventory.add_boards,
    "plants": inventory.add_plants,
    "lab": lab.add_lab,
    "cache": cache.add_cache,
    "runs": runs.add_runs,
    "examples": examples.add_examples,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; errors of ours become one line, never a traceback."""
    words = sys.argv[1:] if argv is None else argv
    try:
        arguments = make_parser(words[0] if words else "").parse_args(words)
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except EmbedbenchError as error:
        sys.stderr.write(f"embedbench: {error}\n")
        return 1
    except BrokenPipeError:  # whoever reads us has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def make_parser(word: str = "") -> argparse.ArgumentParser:
    """Return the parser of the command ``word``; if there is none such, of all.

    Raises:
        ConfigError: the command is there and cannot be loaded.
    """
    parser = argparse.ArgumentParser(
        prog="embedbench", description="Set up and inspect hardware-in-the-loop benches"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in _adders(word):
        add(commands)
    return parser


def _adders(word: str) -> Iterator[Add]:
    """Yield what adds the command ``word``; if there is no such command, all of them.

    Raises:
        ConfigError: the command is there and cannot be loaded.
    """
    if word in _OWN:
        yield _OWN[word]
        return
    entries = {entry.name: entry for entry in entry_points(group=GROUP)}
    if word in entries:
        yield _loaded(entries[word])
        return
    yield from _OWN.values()
    for name in sorted(entries.keys() - _OWN.keys()):
        try:
            yield _loaded(entries[name])
        except ConfigError as error:  # the others work all the same
            yield partial(_add_broken, name=name, why=str(error))


def _loaded(entry: EntryPoint) -> Add:
    try:
        add: Add = entry.load()
    except (ImportError, AttributeError) as error:
        message = f"command {entry.name!r} ({entry.value}) cannot load: {error}"
        raise ConfigError(message) from error
    return add


def _add_broken(commands: Subcommands, *, name: str, why: str) -> None:
    commands.add_parser(name, help=why.replace("%", "%%"))
