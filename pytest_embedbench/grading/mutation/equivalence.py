"""Mutants that are no faults: declared with a reason, and looked at all the same.

They are held against the brief as a program, over histories and lines that reach
whatever the firmware can be told.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, FirmwareFault
from pytest_embedbench.grading.checks.malformed_lines import all_lines
from pytest_embedbench.grading.checks.oracle import check_histories, load_oracle, walk
from pytest_embedbench.grading.checks.protocol_checks import check_lines
from pytest_embedbench.grading.checks.random_histories import boundary_parts, histories
from pytest_embedbench.grading.host.builder import ENVIRONMENT, HostDriver
from pytest_embedbench.grading.host.controller import Controller, LineProtocol
from pytest_embedbench.grading.host.program import HostProgram
from pytest_embedbench.support.toml_schema import check_keys, read_table, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_embedbench.grading.host.controller import Row
    from pytest_embedbench.grading.mutation.mutant import Mutant
    from pytest_embedbench.grading.task import Suite, Task

DECLARED = "hidden/equivalents.toml"
STEP_COUNT = 200_000
_LONG, _SHORT = 4, 1000
"""How many histories these steps make."""


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


def told_apart(
    suite: Suite,
    mutant: Mutant,
    reference: Mapping[str, bytes],
    *,
    step_count: int = STEP_COUNT,
) -> str:
    """Return how a mutant shows that it breaks the brief; ``""`` if it never does.

    It reads every line, goes through any three things in a row at the limits, and then
    through ``step_count`` steps of a few long histories and of many short ones, each
    after a ``controller_init`` on what the one before has left.

    Raises:
        BuildError: it does not compile.
        ConfigError: the task has no oracle, no sensors or no C interface.
    """
    task = suite.task
    if task.controller is None or not task.sensors:
        raise ConfigError(f"{suite.root}: no [controller] or no [[sensor]] to go by")
    with tempfile.TemporaryDirectory(prefix="embedbench-mutant-") as scratch:
        folder = Path(scratch)
        mutant.write(reference, folder)
        source = suite.source(str(folder), folder).for_environment(ENVIRONMENT)
        driver = HostDriver(api=task.controller, sanitize=False, cache_dir=folder)
        program = HostProgram(driver.build(source, folder))
        try:
            program.open()
            check_lines(LineProtocol(program, task.controller), task, all_lines(task))
            check_histories(
                Controller(program, task.controller),
                load_oracle(suite),
                _histories(task, step_count),
            )
        except FirmwareFault as fault:
            return str(fault)
        finally:
            program.stop()
    return ""


def _histories(task: Task, step_count: int) -> Iterator[Iterable[Row]]:
    """Yield all that can follow each other at the limits, and long ways and short."""
    yield walk(boundary_parts(task), in_a_row=3)
    for count in (_LONG, _SHORT):
        yield from histories(
            task, seed=count, count=count, step_count=step_count // count
        )
