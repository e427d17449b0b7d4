"""Names in a lab file: labels, pools, features, and what a name may be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_embedbench.contracts.capabilities import is_capability, meant_capability
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.toml_schema import check_items, check_keys, subtable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.lab.inventory.lab import LabBoard

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def labels_of(file: str, boards: Mapping[str, LabBoard]) -> dict[str, tuple[str, ...]]:
    """Return the boards of each label, by label."""
    members: dict[str, tuple[str, ...]] = {}
    for board in boards.values():
        for label in board.labels:
            if label in boards:
                raise ConfigError(
                    f"{file}: boards.{board.name}.labels: {label!r} is the name of a "
                    "board; rename one of them"
                )
            members[label] = (*members.get(label, ()), board.name)
    return members


def pools_of(
    file: str, boards: Mapping[str, LabBoard], table: Mapping[str, object]
) -> dict[str, tuple[str, ...]]:
    """Return the boards of each pool, by its name."""
    pools: dict[str, tuple[str, ...]] = {}
    labels = {label for board in boards.values() for label in board.labels}
    for name, entry in table.items():
        here = f"pools.{name}"
        check_name(file, here, name)
        row = subtable(file, here, entry)
        check_keys(file, f"{here}.", row, required={"boards": list})
        if name in boards or name in labels:
            raise ConfigError(
                f"{file}: {here}: is also the name of a board or a label; rename it"
            )
        pools[name] = names_of(file, f"{here}.boards", row["boards"])
        for member in pools[name]:
            if member not in boards:
                known = ", ".join(sorted(boards))
                raise ConfigError(
                    f"{file}: {here}.boards: no board {member!r}; there are: {known}"
                )
    return pools


def names_of(file: str, where: str, items: list[object] | None) -> tuple[str, ...]:
    """Return a list of names, each once; none where there is no list."""
    if items is None:
        return ()
    check_items(file, where, items, str)
    names = tuple(dict.fromkeys(str(item) for item in items))
    for name in names:
        check_name(file, where, name)
    return names


def features_of(file: str, where: str, items: list[object] | None) -> tuple[str, ...]:
    """Return what a board is wired to: no word that a test could not ask for."""
    names = names_of(file, where, items)
    for name in names:
        if is_capability(name):
            raise ConfigError(
                f"{file}: {where}: {name!r} is no feature but a capability, which "
                "follows from the board and its tables; leave it out"
            )
        if meant := meant_capability(name):
            raise ConfigError(
                f"{file}: {where}: {name!r} is too near to the capability {meant!r}: "
                "a test that needs it would be refused; call it something else"
            )
    return names


def check_name(file: str, where: str, name: str) -> None:
    """Insist on a name that needs no quotes, on a command line or in a path."""
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{file}: {where}: {name!r} is not a name: use letters, digits, '.', '_' "
            "and '-'"
        )
