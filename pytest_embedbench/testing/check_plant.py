"""What a plant has promised."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import Plant
from pytest_embedbench.testing.insist import insist, insist_on_all

if TYPE_CHECKING:
    from pytest_embedbench.contracts import StateT

TICK_COUNT = 50


def check_plant(plant: Plant[StateT], lines: tuple[str, ...] = ()) -> None:
    """Insist that a plant is a pure, deterministic function of its state.

    ``lines`` are firmware lines that it obeys; they are given to it in turn.

    Raises:
        ContractViolation: naming the promise that was broken.
    """
    insist_on_all(plant, Plant)

    def run() -> list[StateT]:
        states = [plant.initial()]
        for index in range(TICK_COUNT):
            state = states[-1]
            if lines:
                state = plant.actuate(state, lines[index % len(lines)])
            states.append(plant.step(state))
        return states

    states = run()
    insist(states == run(), "two runs differ: the plant is not deterministic")
    insist(plant.tick_ms > 0, "tick_ms must be positive")
    for state in states:
        _check_state(state)
        unmoved = plant.actuate(state, "no such line") == state
        insist(unmoved, "it obeys any line")
        insist(plant.sense(state) == plant.sense(state), "sense() is not pure")
        for line in plant.sense(state):
            insist(line.isprintable(), f"{line!r} is not one printable line")
    names = _field_names(states[0])
    for name in plant.thresholds:
        is_field = name in names
        insist(is_field, f"threshold {name!r} is no field of the state: {names}")


def _check_state(state: object) -> None:
    kind = type(state).__name__
    insist(is_dataclass(state), f"the state is a {kind}, no dataclass")
    insist(hash(state) == hash(state), "the state must be frozen")
    for name in _field_names(state):
        value = getattr(state, name)
        insist(isinstance(value, int), f"{name} is {value!r}, neither int nor bool")


def _field_names(state: object) -> list[str]:
    return [field.name for field in fields(state)]  # type: ignore[arg-type]
