"""Wokwi's automation scenarios: what a ``*.test.yaml`` says, and doing it.

By docs.wokwi.com/wokwi-ci/automation-scenarios and wokwi-cli. Between steps the
simulation stands still; each step is one command, which may have a name.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from pytest_embedbench.circuits.scenario_steps import LIMIT_S, STEP_KINDS, StepPlace
from pytest_embedbench.circuits.scenario_values import is_list, is_table, quoted
from pytest_embedbench.errors import ConfigError, ExpectTimeout, NotSupported
from pytest_embedbench.wiring.findings import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.circuits.circuit import Circuit

_ELSEWHERE = {"expect-chip-output": "custom chips run in Wokwi's cloud alone"}
_NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioStep:
    """One step: its command, and what that is about; steps count from 1."""

    number: int
    command: str
    value: Any
    name: str = ""

    @property
    def where(self) -> str:
        """What messages call it."""
        named = f", {self.name!r}" if self.name else ""
        return f"step {self.number} ({self.command}{named})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioFile:
    """A scenario as a file has it; ``folder`` is where its pictures are."""

    file: str
    name: str
    steps: tuple[ScenarioStep, ...]
    folder: Path

    def run(self, circuit: Circuit, limit_s: int = LIMIT_S) -> None:
        """Do all its steps; what they wait for has to come within ``limit_s``.

        Raises:
            ExpectTimeout: what it waits for did not come.
            AssertionError: a pin or a picture is not what it expects.
            ConfigError: a part, pin, control or picture is not there, or the limit
                is over.
            NotSupported: a part cannot do that here.
            FirmwareFault: the firmware crashed, ... meanwhile.
        """
        for step in self.steps:
            place = StepPlace(
                circuit=circuit, folder=self.folder, where=step.where, limit_s=limit_s
            )
            try:
                STEP_KINDS[step.command].do(place, step.value)
            except (ExpectTimeout, ConfigError, NotSupported) as error:
                error.add_note(f"in {self.file}, {step.where}")
                raise


def is_scenario(document: object) -> TypeGuard[Mapping[str, Any]]:
    """Say whether a document of YAML is meant to be a scenario."""
    return isinstance(document, dict) and {"version", "steps"} <= document.keys()


def read_scenario(
    document: Mapping[str, Any], file: str, folder: Path | None = None
) -> ScenarioFile:
    """Return a scenario.

    Args:
        document: What a reader of YAML made of it; ``is_scenario`` holds.
        file: What messages call it.
        folder: Where it is; here, if nothing is said.

    Raises:
        ConfigError: a key or command is unknown, or one is not what it has to be.
    """
    if unknown := document.keys() - {_NAME, "version", "author", "steps"}:
        raise _wrong(file, "", f"nobody reads {', '.join(sorted(map(str, unknown)))}")
    version = document["version"]
    if type(version) is bool or version != 1:
        raise _wrong(file, "version", f"must be 1, is {quoted(version)}")
    steps = document["steps"]
    if not is_list(steps):
        raise _wrong(file, "steps", f"must be a list, is {quoted(steps)}")
    return ScenarioFile(
        file=file,
        name=_name(document, file, ""),
        steps=tuple(_step(file, number, it) for number, it in enumerate(steps, 1)),
        folder=folder or Path(),
    )


def _step(file: str, number: int, step: object) -> ScenarioStep:
    where = f"step {number}"
    commands = [*step.keys() - {_NAME}] if is_table(step) else []
    if not is_table(step) or len(commands) != 1:
        found = ", ".join(map(str, step)) if is_table(step) else quoted(step)
        raise _wrong(file, where, f"must be one command, is: {found or 'nothing'}")
    (command,) = commands
    if command in _ELSEWHERE:
        raise _wrong(file, where, f"{command}: {_ELSEWHERE[command]}")
    if command not in STEP_KINDS:
        known = ", ".join(STEP_KINDS)
        hint = nearest(str(command), STEP_KINDS)
        raise _wrong(file, where, f"no command {quoted(command)}{hint}; known: {known}")
    try:
        value = STEP_KINDS[command].read(step[command])
    except (TypeError, ValueError) as error:
        raise _wrong(file, f"{where} ({command})", str(error)) from error
    name = _name(step, file, where)
    return ScenarioStep(number=number, command=command, value=value, name=name)


def _name(table: Mapping[str, Any], file: str, where: str) -> str:
    """Return what a scenario or a step is called: nothing, if it has no name."""
    name: Any = table.get(_NAME)
    if type(name) in {list, dict}:
        raise _wrong(file, where, f"name: must be text, is {quoted(name)}")
    return "" if name is None else str(name)


def _wrong(file: str, where: str, what: str) -> ConfigError:
    return ConfigError(f"{file}: {f'{where}: ' if where else ''}{what}")
