"""Mutants that are no faults: declared with a reason, and looked at all the same.

They are held against the brief as a program, over histories and lines that reach
whatever the firmware can be told.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pytest_embedbench.errors import ConfigError, FirmwareFault
from pytest_embedbench.grading.checks.comparing import check_histories
from pytest_embedbench.grading.checks.malformed_lines import all_lines
from pytest_embedbench.grading.checks.oracle import load_oracle, walk
from pytest_embedbench.grading.checks.protocol_checks import check_lines
from pytest_embedbench.grading.checks.random_histories import boundary_parts, histories
from pytest_embedbench.grading.checks.systematic_histories import (
    jumps,
    long_silences,
    many_bad_lines,
    starts,
)
from pytest_embedbench.grading.checks.timing_histories import (
    between_steps,
    long_states,
    returns,
)
from pytest_embedbench.grading.host.builder import ENVIRONMENT, HostDriver
from pytest_embedbench.grading.host.controller import Controller
from pytest_embedbench.grading.host.line_protocol import LineProtocol
from pytest_embedbench.grading.host.messages import Kind
from pytest_embedbench.grading.host.program import HostProgram
from pytest_embedbench.support.toml_schema import (
    check_items,
    check_keys,
    read_table,
    rows,
)

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Generator,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from pytest_embedbench.grading.checks.oracle import Oracle
    from pytest_embedbench.grading.host.controller import Row
    from pytest_embedbench.grading.host.history import StepBatch
    from pytest_embedbench.grading.host.holding import Hold
    from pytest_embedbench.grading.mutation.mutant import Mutant
    from pytest_embedbench.grading.task import Suite, Task

DECLARED = "hidden/equivalents.toml"
STEP_COUNT = 200_000
_LONG, _SHORT = 4, 1000
"""How many histories these steps make."""


def equivalents_of(suite: Suite, board: str) -> Mapping[str, str]:
    """Return the mutants that a task declares to be no faults, with the reasons.

    Those that are none on some boards only, where ``int`` has 32 bits, are left out
    for others.

    Raises:
        ConfigError: the file is broken, or names a mutant twice.
    """
    file = suite.root / DECLARED
    if not file.is_file():
        return {}
    table, where = read_table(file), str(file)
    check_keys(where, "", table, required={"equivalent": list})
    reasons: dict[str, str] = {}
    known: set[str] = set()
    for here, entry in rows(where, "equivalent", table["equivalent"]):
        required = {"mutants": list, "reason": str}
        check_keys(
            where, f"{here}.", entry, required=required, optional={"boards": list}
        )
        for key in entry.keys() & {"mutants", "boards"}:
            check_items(where, f"{here}.{key}", entry[key], str)
        for mutant in entry["mutants"]:
            if mutant in known:
                raise ConfigError(f"{where}: {here}: {mutant} is declared twice")
            known.add(mutant)
            if board in entry.get("boards", [board]):
                reasons[mutant] = entry["reason"]
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


@dataclass(frozen=True, slots=True)
class Ways:
    """All that a firmware can be told, and what the reference answers, in bytes.

    Every line, any three things in a row at the limits, what comes late, lasts long,
    comes often or far apart, and then steps of a few long histories and of many short
    ones, each from power-on.
    """

    suite: Suite
    reference: Mapping[str, bytes]
    taken: Sequence[tuple[Sequence[Row | Hold], Sequence[StepBatch]]]
    """Histories, each with all of its steps."""

    @classmethod
    def of(
        cls,
        suite: Suite,
        reference: Mapping[str, bytes],
        *,
        step_count: int = STEP_COUNT,
    ) -> Self:
        """Take the reference through everything.

        Raises:
            WrongOutput: the oracle does not agree with it.
            ConfigError: the task has no oracle, no sensors or no C interface.
        """
        make_oracle = load_oracle(suite)
        taken: list[tuple[Sequence[Row | Hold], Sequence[StepBatch]]] = []
        with _built(suite, reference) as (_, controller):
            for history in _histories(suite.task, make_oracle, step_count):
                story = [*history]
                check_histories(controller, make_oracle, [story])
                taken.append((story, [*controller.batches]))
        return cls(suite, reference, taken)

    def told_apart(self, mutant: Mutant) -> str:
        """Return how a mutant shows that it breaks the brief; ``""`` if it never does.

        Raises:
            BuildError: it does not compile.
        """
        task, make_oracle = self.suite.task, load_oracle(self.suite)
        files = {**self.reference, mutant.file: mutant.source}
        with _built(self.suite, files) as (lines, controller):
            try:
                check_lines(lines, task, all_lines(task))
                for story, batches in self.taken:
                    if not _answers(controller, batches):
                        check_histories(controller, make_oracle, [story])
            except FirmwareFault as fault:
                return str(fault)
        return ""


def _answers(controller: Controller, batches: Iterable[StepBatch]) -> bool:
    """Say whether a controller answers the same steps in the same way."""
    controller.restart()
    return all(
        controller.program.ask(Kind.STEPS, batch.payload, doing=_stepping)
        == batch.answer
        for batch in batches
    )


def _stepping(_begun: int) -> str:
    return "in controller_step"


@contextmanager
def _built(
    suite: Suite, files: Mapping[str, bytes]
) -> Generator[tuple[LineProtocol, Controller]]:
    """Build a submission without sanitizers, and start it."""
    api = suite.task.controller
    if api is None or not suite.task.sensors:
        raise ConfigError(f"{suite.root}: no [controller] or no [[sensor]] to go by")
    with tempfile.TemporaryDirectory(prefix="embedbench-mutant-") as scratch:
        folder = Path(scratch)
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        source = suite.source(str(folder), folder).for_environment(ENVIRONMENT)
        driver = HostDriver(api=api, sanitize=False, cache_dir=folder)
        program = HostProgram(driver.build(source, folder))
        try:
            program.open()
            yield LineProtocol(program, api), Controller(program, api)
        finally:
            program.stop()


def _histories(
    task: Task, make_oracle: Callable[[], Oracle], step_count: int
) -> Iterator[Iterable[Row | Hold]]:
    """Yield all that can follow each other at the limits, and long ways and short."""
    yield walk(boundary_parts(task), in_a_row=3)
    for systematic in (jumps, starts, long_silences, many_bad_lines):
        yield from systematic(task)
    for timing in (between_steps, returns):
        yield from timing(task)
    yield from long_states(task, make_oracle)
    for count in (_LONG, _SHORT):
        yield from histories(
            task, seed=count, count=count, step_count=step_count // count
        )
