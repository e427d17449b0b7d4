"""Mutants that are no faults: declared with a reason, and looked at all the same.

They are held against the brief as a program, over histories and lines that reach
whatever the firmware can be told.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, FirmwareFault, WrongOutput
from pytest_embedbench.evaluation.host.builder import ENVIRONMENT, HostDriver
from pytest_embedbench.evaluation.host.controller import IDLE, Controller, Lines
from pytest_embedbench.evaluation.host.program import HostProgram
from pytest_embedbench.evaluation.lines import meaning
from pytest_embedbench.evaluation.oracle import difference, load_oracle
from pytest_embedbench.evaluation.roaming import odd_lines, roam
from pytest_embedbench.tables import check_keys, read_table, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.mutation.mutant import Mutant
    from pytest_embedbench.task import Suite, Task

DECLARED = "hidden/equivalents.toml"
STEP_COUNT = 200_000
_SEEDS = (1, 2, 3, 4)


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

    It takes ``step_count`` steps of a long history, and reads every line.

    Raises:
        BuildError: it does not compile.
        ConfigError: the task has no oracle, no sensors or no C interface.
    """
    task = suite.task
    if task is None or task.controller is None or not task.sensors:
        raise ConfigError(f"{suite.root}: no [controller] or no [[sensor]] to go by")
    with tempfile.TemporaryDirectory(prefix="embedbench-mutant-") as scratch:
        folder = Path(scratch)
        mutant.write(reference, folder)
        source = suite.source(str(folder), folder).for_environment(ENVIRONMENT)
        driver = HostDriver(api=task.controller, sanitize=False, cache_dir=folder)
        program = HostProgram(driver.build(source, folder))
        try:
            program.open()
            _read_lines(Lines(program, task.controller), task)
            make_oracle = load_oracle(suite)
            for seed in _SEEDS:
                controller = Controller(program, task.controller)
                controller.restart()
                history = roam(task, seed=seed, step_count=step_count // len(_SEEDS))
                if wrong := difference(controller, make_oracle(), history):
                    return wrong
        except FirmwareFault as fault:
            return str(fault)
        finally:
            program.stop()
    return ""


def _read_lines(protocol: Lines, task: Task) -> None:
    """Read and write every line there is.

    Raises:
        WrongOutput: one does not mean what the protocol says.
    """
    assert task.controller is not None, "its callers have looked"
    for line in odd_lines(task):
        told, wanted = protocol.parse(line), meaning(line, task.sensors)
        kind = wanted.kind if wanted else IDLE
        result = wanted.kind if wanted else "IGNORED"
        values = dict.fromkeys(task.controller.values, 0)
        if wanted and wanted.value:
            values[wanted.value] = wanted.number
        right = (result, kind, *values.values())
        if tuple(told) != right:
            raise WrongOutput(f"{line!r} is read as {tuple(told)}, and is {right}")
