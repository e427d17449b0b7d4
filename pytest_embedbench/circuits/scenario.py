"""Wokwi's automation scenarios: what a ``*.test.yaml`` says, and doing it.

By docs.wokwi.com/wokwi-ci/automation-scenarios. Between steps the simulation stands
still; each step is one command.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

from pytest_embedbench.errors import ConfigError, ExpectTimeout
from pytest_embedbench.model import Level
from pytest_embedbench.wiring.findings import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.circuits.circuit import Circuit

LIMIT_MS = 30_000
"""Up to when what a scenario waits for has to come, as by Wokwi's command line."""
_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_NS_PER_MS = 1_000_000
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|ms|s)")
_MOST_BYTE = 0xFF
_ELSEWHERE = {
    "take-screenshot": "pictures of parts are not compared here",
    "touch": "no part here can be touched",
    "touch-press": "no part here can be touched",
    "touch-move": "no part here can be touched",
    "touch-release": "no part here can be touched",
    "expect-chip-output": "custom chips run in Wokwi's cloud alone",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioStep:
    """One step: its command, and what that is about; steps count from 1."""

    number: int
    command: str
    value: Any

    @property
    def where(self) -> str:
        """What messages call it."""
        return f"step {self.number} ({self.command})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioFile:
    """A scenario as a file has it."""

    file: str
    name: str
    steps: tuple[ScenarioStep, ...]

    def run(self, circuit: Circuit) -> None:
        """Do all its steps.

        Raises:
            ExpectTimeout: what it waits for did not come.
            AssertionError: a pin is not what it expects.
            ConfigError: a part, pin or control is not there.
            FirmwareFault: the firmware crashed, ... meanwhile.
        """
        for step in self.steps:
            try:
                _COMMANDS[step.command](circuit, step)
            except (ExpectTimeout, ConfigError) as error:
                error.add_note(f"in {self.file}, {step.where}")
                raise


def is_scenario(document: object) -> TypeGuard[Mapping[str, Any]]:
    """Say whether a document of YAML is meant to be a scenario."""
    return isinstance(document, dict) and {"version", "steps"} <= document.keys()


def read_scenario(document: Mapping[str, Any], file: str) -> ScenarioFile:
    """Return a scenario.

    Args:
        document: What a reader of YAML made of it; ``is_scenario`` holds.
        file: What messages call it.

    Raises:
        ConfigError: a key or command is unknown, or one is not what it has to be.
    """
    if unknown := document.keys() - {"name", "version", "author", "steps"}:
        raise _wrong(file, "", f"nobody reads {', '.join(sorted(map(str, unknown)))}")
    if document["version"] != 1:
        raise _wrong(file, "version", f"must be 1, is {document['version']!r}")
    steps = document["steps"]
    if not _is_list(steps):
        raise _wrong(file, "steps", f"must be a list, is {steps!r}")
    read = tuple(
        _step(file, number, step) for number, step in enumerate(steps, start=1)
    )
    return ScenarioFile(file=file, name=str(document.get("name", "")), steps=read)


def _is_table(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _step(file: str, number: int, step: object) -> ScenarioStep:
    where = f"step {number}"
    if not _is_table(step) or len(step) != 1:
        found = ", ".join(map(str, step)) if _is_table(step) else repr(step)
        raise _wrong(file, where, f"must be one command, is: {found}")
    ((command, value),) = step.items()
    if command in _ELSEWHERE:
        raise _wrong(file, where, f"{command}: {_ELSEWHERE[command]}")
    if command not in _COMMANDS:
        known = ", ".join(_COMMANDS)
        hint = nearest(str(command), _COMMANDS)
        raise _wrong(file, where, f"no command {command!r}{hint}; known: {known}")
    read = ScenarioStep(number=number, command=command, value=value)
    check = _CHECKS.get(command)
    if check is not None:
        try:
            check(value)
        except (TypeError, ValueError) as error:
            raise _wrong(file, read.where, str(error)) from error
    return read


def _wrong(file: str, where: str, what: str) -> ConfigError:
    return ConfigError(f"{file}: {f'{where}: ' if where else ''}{what}")


# ------------------------------------------------------------------------- commands
def duration_ns(text: object) -> int:
    """Return a duration such as ``500ms`` in ns.

    Raises:
        ValueError: it is none.
    """
    found = _DURATION.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise ValueError(f"{text!r} is no duration: write 500ms, with ns, us, ms or s")
    return round(float(found[1]) * _NS[found[2]])


def _whole_ms(text: object) -> int:
    lasts_ns = duration_ns(text)
    if lasts_ns % _NS_PER_MS:
        raise ValueError(f"{text!r}: a delay here is of whole milliseconds")
    return lasts_ns // _NS_PER_MS


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(f"must be text, is {value!r}")
    return str(value)


def _bytes(value: object) -> bytes:
    if _is_list(value):
        found = [it for it in value if type(it) is int and 0 <= it <= _MOST_BYTE]
        if len(found) < len(value):
            raise TypeError(f"must be text or a list of bytes, is {value!r}")
        return bytes(found)
    return _text(value).encode()


def _fields(value: object, name: str) -> tuple[str, str, float]:
    """Return part, pin or control, and value; ``name`` is the older key for it."""
    known = {"part-id", "name", name, "value"}
    if not _is_table(value) or not value.keys() <= known:
        raise TypeError(f"must have part-id, name and value, is {value!r}")
    chosen = value.get("name", value.get(name))
    part, number = value.get("part-id"), value.get("value")
    if not isinstance(part, str | int) or not isinstance(chosen, str | int):
        raise TypeError(f"must have part-id, name and value, is {value!r}")
    if not isinstance(number, int | float):
        raise TypeError(f"value must be a number, is {number!r}")
    return str(part), str(chosen), float(number)


def _control(value: object) -> tuple[str, str, float]:
    return _fields(value, "control")


def _pin(value: object) -> tuple[str, str, float]:
    return _fields(value, "pin")


def _delay(circuit: Circuit, step: ScenarioStep) -> None:
    circuit.bench.run_for(_whole_ms(step.value))


def _wait_serial(circuit: Circuit, step: ScenarioStep) -> None:
    left_ms = LIMIT_MS - circuit.bench.uart.now_us // 1000
    circuit.wait_serial(_text(step.value), within_ms=max(0, left_ms))


def _write_serial(circuit: Circuit, step: ScenarioStep) -> None:
    circuit.bench.uart.send_bytes(_bytes(step.value))


def _set_control(circuit: Circuit, step: ScenarioStep) -> None:
    part, control, value = _control(step.value)
    circuit[part].set(**{control: value})


def _expect_pin(circuit: Circuit, step: ScenarioStep) -> None:
    part, pin, value = _pin(step.value)
    shown = circuit.level(f"{part}:{pin}")
    wanted = Level.HIGH if value else Level.LOW
    if (shown is Level.HIGH) != bool(value):
        now_s = circuit.bench.uart.now_us / 1e6
        raise AssertionError(
            f"{step.where}: {part}:{pin} is {shown.name} at {now_s:.6f} s, and "
            f"{wanted.name} is expected"
        )


_COMMANDS: Mapping[str, Callable[[Circuit, ScenarioStep], None]] = {
    "delay": _delay,
    "wait-serial": _wait_serial,
    "write-serial": _write_serial,
    "set-control": _set_control,
    "expect-pin": _expect_pin,
}
_CHECKS: Mapping[str, Callable[[Any], object]] = {
    "delay": _whole_ms,
    "wait-serial": _text,
    "write-serial": _bytes,
    "set-control": _control,
    "expect-pin": _pin,
}
