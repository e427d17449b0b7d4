"""The reference of commands and options, made of what they say themselves."""

from __future__ import annotations

import argparse
import os
import re
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from pytest_embedbench.cli import make_parser

if TYPE_CHECKING:
    from collections.abc import Iterator

_WAYS = re.compile(r"(.*) \[ini: (\S+); env: (\S+); default: (.*)\]", re.DOTALL)
_COLUMNS = "88"


def commands() -> str:
    """Return a section for each ``embedbench`` command, with its ``--help``."""
    os.environ["COLUMNS"] = _COLUMNS  # how wide argparse writes
    return "\n".join(_sections(make_parser()))


def _sections(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"## `{parser.prog}`\n\n```text\n{parser.format_help().rstrip()}\n```\n"
    for action in parser._actions:  # noqa: SLF001  # there is no other way to them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for below in action.choices.values():
                yield from _sections(below)


class _Options:
    """What stands in for pytest's parser, and writes down what is added to it."""

    def __init__(self) -> None:
        self.rows: list[str] = []

    def getgroup(self, *_names: str) -> _Options:
        return self

    def addini(self, *_names: str, **_rest: object) -> None:
        """Each is told with its option."""

    def addoption(self, flag: str, *, help: str, **rest: object) -> None:  # noqa: A002
        found = _WAYS.fullmatch(help)
        if found is None:  # how a process of ours talks to another one
            return
        about, ini, environment, default = found.groups()
        value = f"={rest['metavar']}" if rest.get("metavar") else ""
        cells = (f"`{flag}{value}`", f"`{ini}`", f"`{environment}`", default, about)
        self.rows.append(
            "| " + " | ".join(it.replace("|", r"\|") for it in cells) + " |"
        )


def options() -> str:
    """Return a table of all pytest options of this package."""
    parser = _Options()
    for entry in sorted(entry_points(group="pytest11")):
        if entry.value.startswith("pytest_embedbench."):
            plugin = entry.load()
            getattr(plugin, "pytest_addoption", lambda _: None)(parser)
    head = "| option | ini key | environment | default | |\n|---|---|---|---|---|"
    return "\n".join([head, *sorted(parser.rows)])
