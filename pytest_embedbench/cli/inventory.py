"""``embedbench doctor``, ``boards`` and ``plants``: what there is, what is missing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.bench.stand_ins import stand_in
from pytest_embedbench.cli.tools import builder, builder_name
from pytest_embedbench.contracts import ChecksBoards, KnowsBoardTools, KnowsFrameworks
from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.processes import sandbox

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from pytest_embedbench.errors import ToolMissing
    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.support.commands import Subcommands


def add_boards(commands: Subcommands) -> None:
    """Add ``embedbench boards``."""
    parser = commands.add_parser("boards", help="list the boards")
    parser.set_defaults(run=_boards)


def add_plants(commands: Subcommands) -> None:
    """Add ``embedbench plants``."""
    parser = commands.add_parser("plants", help="list the plants")
    parser.set_defaults(run=_plants)


def add_doctor(commands: Subcommands) -> None:
    """Add ``embedbench doctor``."""
    parser = commands.add_parser(
        "doctor",
        help="say per board and builder what is there, what is missing, how to get it",
    )
    parser.add_argument(
        "board", nargs="*", help="only these boards; default: all, and all builders"
    )
    parser.set_defaults(run=_doctor)


def _boards(arguments: argparse.Namespace) -> int:
    del arguments
    registry = Registry()
    broken = 0
    for name in registry.names("board"):
        try:
            spec = registry.board(name)
        except EmbedbenchError as error:
            sys.stdout.write(f"{name:<16} broken: {error}\n")
            broken += 1
            continue
        row = f"{name:<16} {spec.engine:<10} {spec.mcu:<12} {spec.description}"
        sys.stdout.write(row.rstrip() + "\n")
    return 1 if broken else 0


def _plants(arguments: argparse.Namespace) -> int:
    del arguments
    registry = Registry()
    for name in registry.names("plant"):
        state = registry.plant(name).initial()
        sys.stdout.write(f"{name:<28} {state}\n")
    return 0


def _doctor(arguments: argparse.Namespace) -> int:
    registry = Registry()
    boards: list[str] = arguments.board or registry.names("board")
    builders = [] if arguments.board else registry.names("builder")
    ill = [name for name in boards if not _is_well(registry, name)]
    ill += [name for name in builders if not _builds(registry, name)]
    if not arguments.board and not _keeps_apart():
        ill.append("sandbox")
    if ill:
        sys.stdout.write(f"not ready: {', '.join(ill)}\n")
    return 1 if ill else 0


def _is_well(registry: Registry, name: str) -> bool:
    try:
        spec = registry.board(name)
        missing = _missing(registry, spec)
    except EmbedbenchError as error:
        sys.stdout.write(f"{name}: broken: {error}\n")
        return False
    except Exception as error:  # noqa: BLE001  # an engine may be anybody's
        sys.stdout.write(f"{name}: broken: {_raised('missing', error)}\n")
        return False
    is_well = _tell(name, missing, registry.engine(spec.engine).version)
    for line in _kinds(registry, spec):
        sys.stdout.write(f"    {line}\n")
    return is_well


def _kinds(registry: Registry, spec: BoardSpec) -> list[str]:
    """Say which kinds of firmware can be built for a board, and how to get others."""
    own = builder(registry, builder_name())
    if not isinstance(own, KnowsFrameworks):
        return []
    kinds = own.buildable(spec)
    able = [kind.name for kind in kinds if kind.missing is None]
    by_command: dict[str, list[str]] = {}
    for kind in kinds:
        if kind.missing is not None:
            by_command.setdefault(kind.missing.install, []).append(kind.name)
    lacks = (f"not {', '.join(names)}: {how}" for how, names in by_command.items())
    return [*([f"builds {', '.join(able)}"] if able else []), *lacks]


def _builds(registry: Registry, name: str) -> bool:
    """Say whether a builder is ready, whatever it is to build."""
    try:
        own = builder(registry, name)
        missing = own.missing()
        return _tell(f"builder {name}", [missing] if missing else [], own.version)
    except EmbedbenchError as error:
        sys.stdout.write(f"builder {name}: broken: {error}\n")
        return False


def _keeps_apart() -> bool:
    """Say whether submissions can be kept apart from this machine."""
    missing = sandbox.missing()
    return _tell("sandbox", [missing] if missing else [], sandbox.version)


def _tell(
    name: str, missing: Sequence[ToolMissing], version: Callable[[], str]
) -> bool:
    """Say how something is, and return whether it is well."""
    if not missing:
        try:
            words = version()
        except Exception as error:  # noqa: BLE001  # an engine may be anybody's
            sys.stdout.write(f"{name}: broken: {_raised('version', error)}\n")
            return False
        sys.stdout.write(f"{name}: ready ({words})\n")
        return True
    sys.stdout.write(f"{name}: not ready\n")
    for problem in missing:
        sys.stdout.write(f"    {problem}\n")
    return False


def _raised(method: str, error: Exception) -> str:
    """Say what a method raised: our own errors have said all, others less."""
    if isinstance(error, EmbedbenchError):
        return str(error)
    return f"{method}() raises {type(error).__name__}: {error}"


def _missing(registry: Registry, spec: BoardSpec) -> list[ToolMissing]:
    """Return what has to be installed for a board: its engine's, its builder's."""
    spec = stand_in(registry, spec)
    engine = registry.engine(spec.engine)
    if isinstance(engine, ChecksBoards):
        engine.check(spec)
    own = builder(registry, builder_name())
    problems = [
        *(engine.missing(), own.missing()),
        *(engine.missing_for(spec) if isinstance(engine, KnowsBoardTools) else ()),
        *(own.missing_for(spec) if isinstance(own, KnowsBoardTools) else ()),
    ]
    return [problem for problem in problems if problem is not None]
