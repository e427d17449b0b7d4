"""Mutants that are no faults: declared with a reason, and looked at all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.tables import check_keys, read_table, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.mutation.mutant import Mutant
    from pytest_embedbench.task import Suite

DECLARED = "hidden/equivalents.toml"


def equivalents_of(suite: Suite) -> Mapping[str, str]:
    """Return the mutants that a task declares to be no faults, with the reasons.

    Raises:
        ConfigError: the file is broken, or names a mutant twice.
    """
    file = suite.root / DECLARED
    if not file.is_file():
        return {}
    table, where = read_table(file), str(file)
    check_keys(where, "", table, required={"equivalent": list})
    reasons: dict[str, str] = {}
    for here, entry in rows(where, "equivalent", table["equivalent"]):
        check_keys(where, f"{here}.", entry, required={"mutant": str, "reason": str})
        if entry["mutant"] in reasons:
            raise ConfigError(f"{where}: {here}: {entry['mutant']} is declared twice")
        reasons[entry["mutant"]] = entry["reason"]
    return reasons


def check_known(suite: Suite, names: Iterable[str], mutants: Iterable[Mutant]) -> None:
    """Insist that what is declared to be equivalent is there.

    Raises:
        ConfigError: there is no such mutant: the reference has changed.
    """
    known = {mutant.name for mutant in mutants}
    for name in names:
        if name not in known:
            raise ConfigError(
                f"{suite.root / DECLARED}: there is no mutant {name!r} any more; "
                "`embedbench mutate --list` has those that there are"
            )
