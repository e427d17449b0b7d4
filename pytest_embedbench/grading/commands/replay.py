"""``embedbench replay``: take the steps of a failed check once more, one by one."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError, EmbedbenchError, FirmwareFault
from pytest_embedbench.grading.checks.oracle import ORACLE_FILE, due_of, load_oracle
from pytest_embedbench.grading.host.builder import ENVIRONMENT, HostDriver
from pytest_embedbench.grading.host.controller import Controller
from pytest_embedbench.grading.host.history import (
    TakenStep,
    fields,
    lines,
    read_history,
)
from pytest_embedbench.grading.host.program import HostProgram
from pytest_embedbench.grading.task import Suite, load_task

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.grading.checks.oracle import Oracle
    from pytest_embedbench.grading.host.calling import Row
    from pytest_embedbench.support.commands import Subcommands

_DIFFERS, _USAGE = 1, 2


def add_replay(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "replay", help="take the steps of a failed check's history.txt once more"
    )
    parser.add_argument("task", type=Path, help="a folder with a task.toml")
    parser.add_argument("history", type=Path, help="a history.txt of a run's artifacts")
    parser.add_argument(
        "--embedbench-firmware",
        default="",
        metavar="DIR",
        dest="firmware",
        help="the submission; default: the task's starter",
    )
    parser.set_defaults(run=_replay)


def _replay(arguments: argparse.Namespace) -> int:
    """Print each step, what it returns and what is asked for; 1 if they differ."""
    try:
        suite = _suite(arguments.task)
        rows = read_history(arguments.history)
        agreed = _print_steps(suite, arguments.firmware, rows)
    except EmbedbenchError as error:
        sys.stderr.write(f"embedbench replay: {error}\n")
        return _USAGE
    return 0 if agreed else _DIFFERS


def _suite(folder: Path) -> Suite:
    task = load_task(folder / "task.toml")
    if task.controller is None:
        raise ConfigError(f"{folder}/task.toml: [controller]: missing")
    return Suite(root=folder.resolve(), task=task)


def _print_steps(suite: Suite, firmware: str, rows: Sequence[Row]) -> bool:
    """Print the steps; return whether nothing was wrong with them."""
    assert suite.task.controller is not None
    with tempfile.TemporaryDirectory(prefix="embedbench-replay-") as scratch:
        folder = Path(scratch)
        source = suite.source(firmware, Path.cwd()).for_environment(ENVIRONMENT)
        driver = HostDriver(api=suite.task.controller, cache_dir=folder)
        program = HostProgram(driver.build(source, folder))
        taken = _Taken(Controller(program, suite.task.controller), _oracle(suite))
        try:
            for line in lines(taken.steps(rows)):
                sys.stdout.write(line + "\n")
        finally:
            program.stop()
    return taken.agreed


def _oracle(suite: Suite) -> Oracle | None:
    return load_oracle(suite)() if (suite.root / ORACLE_FILE).is_file() else None


class _Taken:
    """Steps that are taken, beside what the brief asks for."""

    def __init__(self, controller: Controller, oracle: Oracle | None) -> None:
        self.agreed = True
        self._controller, self._oracle = controller, oracle

    def steps(self, rows: Sequence[Row]) -> Iterator[TakenStep]:
        """Yield each step with what it returned, until one does not come back."""
        try:
            self._controller.restart()
            for row in rows:
                output = self._controller.run([row])[0]
                returned = fields(output._asdict())
                yield TakenStep(row, returned + self._differing(row, output))
        except FirmwareFault as fault:
            self.agreed = False
            sys.stdout.flush()
            sys.stderr.write(f"{fault}\n")

    def _differing(self, row: Row, output: Any) -> str:  # noqa: ANN401  # of the task
        if self._oracle is None:
            return ""
        expected = due_of(self._oracle, self._controller.api, row)._asdict()
        wrong = {
            name: value
            for name, value in expected.items()
            if value is not None and getattr(output, name) != value
        }
        if not wrong:
            return ""
        self.agreed = False
        return f"; the brief: {fields(wrong)}"
