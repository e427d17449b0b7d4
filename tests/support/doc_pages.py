"""The blocks of documentation pages, and a walk through a page as a reader takes it.

A page says by a comment right above a block what becomes of it:

``<!-- file: NAME -->``
    the reader puts it into that file
``<!-- part of: NAME -->``
    it stands in that file of the checkout
``<!-- not run: REASON -->``
    nobody can run it here

As a program it walks pages in the environment that it is started in::

    python doc_pages.py FOLDER PAGE...
"""

from __future__ import annotations

import fnmatch
import os
import re
import shlex
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BLOCK = re.compile(
    r"(?:^[ ]*<!--\s*(?P<mark>[\w ]+):\s*(?P<word>.*?)\s*-->\n)?"
    r"^(?P<indent>[ ]*)```(?P<language>\S*)[^\n]*\n(?P<text>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_ACTIVE = ("python3 -m venv", ". .venv")
_VARIABLE = re.compile(r"[A-Z_]+=\S*")


@dataclass(frozen=True)
class Command:
    """One line behind a prompt, and what the page shows of its output."""

    text: str
    shown: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        """The words as a shell has them, without variables before them and comments."""
        words = shlex.split(self.text, comments=True)
        while words and _VARIABLE.fullmatch(words[0]):
            del words[0]
        return words


@dataclass(frozen=True)
class Block:
    """One fenced block of a page, with what the comment above it says."""

    page: Path
    line: int
    language: str
    text: str
    file: str = ""
    part_of: str = ""
    not_run: str = ""

    @property
    def commands(self) -> Iterator[Command]:
        """The commands of a ``console`` block."""
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            typed, _, shown = part.replace("\\\n", " ").partition("\n")
            yield Command(" ".join(typed.split()), tuple(shown.splitlines()))

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    return [
        Block(
            page=page,
            line=text.count("\n", 0, found.start("language")) + 1,
            language=found["language"],
            text=textwrap.dedent(found["text"]),
            **{(found["mark"] or "file").replace(" ", "_"): found["word"] or ""},
        )
        for found in _BLOCK.finditer(text)
    ]


def walk(
    page: Path,
    folder: Path,
    *,
    environment: Mapping[str, str],
    given: tuple[str, ...] = (),
    instead: Mapping[str, str] | None = None,
) -> list[str]:
    """Do in ``folder`` what the page says, and return the commands that were run.

    Commands that begin like one of ``given`` are left out: what they do is there. In
    files ``instead`` has what this place says for what the page says, such as a port.

    Raises:
        AssertionError: a command ended otherwise than the page shows.
    """
    done: list[str] = []
    for block in blocks(page):
        if block.file:
            text = block.text
            for old, new in (instead or {}).items():
                text = text.replace(old, new)
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(text, "utf-8")
        elif block.language == "console" and not block.not_run:
            for command in block.commands:
                if not command.text.startswith(given or ("\0",)):
                    _run(command, block, folder, environment)
                    done.append(command.text)
    return done


def _run(
    command: Command, block: Block, folder: Path, environment: Mapping[str, str]
) -> None:
    ended = subprocess.run(
        ["bash", "-c", command.text],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    # A page shows a failure by a line of its own.
    fails = any(line.startswith(("FAILED ", "embedbench: ")) for line in command.shown)
    missing = not_there(command.shown, ended.stdout)
    if (ended.returncode != 0) != fails or missing:
        raise AssertionError(
            f"{block}: {command.text}: exit code {ended.returncode}"
            f"{missing and f', no {missing!r}'}\n{ended.stdout}"
        )


def not_there(shown: tuple[str, ...], said: str) -> str:
    """Return the first line that is shown and was not said, in this order, if any.

    ``...`` stands for anything; how wide gaps and rules are, is not compared.
    """
    lines = iter([_plain(line) for line in said.splitlines()])
    for line in filter(str.strip, shown):
        pattern = re.sub(r"([*?[])", r"[\1]", _plain(line)).replace("...", "*")
        if not any(fnmatch.fnmatchcase(heard, pattern) for heard in lines):
            return line
    return ""


def _plain(line: str) -> str:
    return re.sub(r"=+", "=", re.sub(r"\s+", " ", line.strip()))


def main(folder: Path, *pages: Path) -> None:
    """Walk pages, each in a folder of its own, in the environment that is active."""
    for page in pages:
        desk = folder / page.stem
        desk.mkdir(parents=True)
        done = walk(page, desk, environment=os.environ, given=_ACTIVE)
        for command in done:
            sys.stdout.write(f"{page}: {command}\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
