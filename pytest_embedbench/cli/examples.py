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
    """Return the folders of the example suites by name, in order.

    They are in the wheel, and beside the package in a checkout.

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
    found = {brief.parent.name: brief.parent for brief in home.glob("*/BRIEF.md")}
    return dict(sorted(found.items()))


def copy_example(name: str, folder: Path) -> None:
    """Copy the example suite ``name`` to ``folder``, which is made.

    The copy has its boards beside its ``platformio.ini``, and finds the support
    libraries of this installation, also when it is built by hand.

    Raises:
        UnknownName: there is no such suite.
        ConfigError: there is something in its place, or it cannot be written.
    """
    suites = example_suites()
    if name not in suites:
        raise UnknownName("example suite", name, suites)
    try:
        shutil.copytree(suites[name], folder, ignore=_LEFT_BEHIND)
        shutil.copyfile(FIRMWARE / BOARDS, folder / BOARDS)
        ini = folder / "platformio.ini"
        ini.write_text(stand_alone(ini.read_text("utf-8")), "utf-8")
    except FileExistsError:
        raise ConfigError(f"{folder}: is there already") from None
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error}") from error


def _list(arguments: argparse.Namespace) -> int:
    del arguments
    for name, folder in example_suites().items():
        title = (folder / "BRIEF.md").read_text("utf-8").splitlines()[0]
        sys.stdout.write(f"{name:<28} {title.lstrip('# ')}\n")
    return 0


def _copy(arguments: argparse.Namespace) -> int:
    folder: Path = arguments.folder or Path(_SUITES) / arguments.name
    copy_example(arguments.name, folder)
    sys.stdout.write(
        f"{folder}: made; to run it with its own solution:\n"
        f"    pytest --board=native {folder}/visible --embedbench-firmware=solution\n"
    )
    return 0
