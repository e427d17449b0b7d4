"""``embedbench examples``: the example suites, for those who have no checkout."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, ConfigError, UnknownName
from pytest_embedbench.support.own_firmware import BOARDS, FIRMWARE, stand_alone

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.support.commands import Subcommands

_SUITES = "example_suites"
_PACKAGE = Path(__file__).parents[1]
_PAGES = ("BRIEF.md", "README.md")
# What runs leave; in a checkout, suites are run where they are.
_LEFT_BEHIND = shutil.ignore_patterns("__pycache__", ".*")


def add_examples(commands: Subcommands) -> None:
    """Add ``embedbench examples list`` and ``embedbench examples copy``."""
    parser = commands.add_parser("examples", help="list and copy the example suites")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    lister = actions.add_parser("list", help="say which there are")
    lister.set_defaults(run=_list)
    copier = actions.add_parser("copy", help="copy one, to run and to change")
    copier.add_argument("name", metavar="NAME", help="which: see the list")
    copier.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        type=Path,
        help=f"where to; it is made (default: {_SUITES}/NAME)",
    )
    copier.set_defaults(run=_copy)


def example_suites() -> dict[str, Path]:
    """Return the folders of examples by name, in order: task packages, and groups.

    They are in the wheel, and beside the package in a checkout. What is in a group has
    its name, too: ``circuits/keypad_lock``.

    Raises:
        BenchFault: this installation has none.
    """
    places = (_PACKAGE / _SUITES, _PACKAGE.parent / _SUITES)
    home = next((place for place in places if place.is_dir()), None)
    if home is None:
        raise BenchFault(
            f"no example suites: neither {places[0]} nor {places[1]} is a folder; "
            "install pytest-embedbench again"
        )
    titled = {*home.glob("*/README.md"), *home.glob("*/BRIEF.md")}
    titled |= set(home.glob("*/*/BRIEF.md"))
    return {
        page.parent.relative_to(home).as_posix(): page.parent for page in sorted(titled)
    }


def copy_example(name: str, folder: Path) -> None:
    """Copy the example suite ``name`` to ``folder``, which is made.

    The copy has its boards beside each ``platformio.ini`` that names them, and finds
    the support libraries of this installation, also when it is built by hand.

    Raises:
        UnknownName: there is no such suite.
        ConfigError: there is something in its place, or it cannot be written.
    """
    suites = example_suites()
    if name not in suites:
        raise UnknownName("example suite", name, suites)
    try:
        shutil.copytree(suites[name], folder, ignore=_LEFT_BEHIND)
        for ini in folder.rglob("platformio.ini"):
            _set_up_alone(ini)
    except FileExistsError:
        raise ConfigError(f"{folder}: is there already") from None
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error}") from error


def _set_up_alone(ini: Path) -> None:
    before = ini.read_text("utf-8")
    if (alone := stand_alone(before)) != before:
        ini.write_text(alone, "utf-8")
        shutil.copyfile(FIRMWARE / BOARDS, ini.with_name(BOARDS))


def _list(arguments: argparse.Namespace) -> int:
    del arguments
    for name, folder in example_suites().items():
        page = next(folder / page for page in _PAGES if (folder / page).exists())
        title = page.read_text("utf-8").splitlines()[0]
        sys.stdout.write(f"{name:<28} {title.lstrip('# ')}\n")
    return 0


def _copy(arguments: argparse.Namespace) -> int:
    folder: Path = arguments.folder or Path(_SUITES) / arguments.name
    copy_example(arguments.name, folder)
    sys.stdout.write(f"{folder}: made; {_what_next(folder)}\n")
    return 0


def _what_next(folder: Path) -> str:
    if not (folder / "BRIEF.md").exists():
        return f"{folder / 'README.md'} says how to run it"
    if (folder / "visible").exists():
        tests, board = folder / "visible", "native"
    else:
        tests, board = folder / "hidden", "uno"
    command = f"pytest --board={board} {tests} --embedbench-firmware=solution"
    return f"to run it with its own solution:\n    {command}"
