"""Which environment of a project is for a board, and what it says of that board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.contracts import EnvironmentFacts, KnowsEnvironments
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_embedbench.contracts import Builder
    from pytest_embedbench.model import BoardSpec


def environment_for(
    builder: Builder,
    spec: BoardSpec,
    project_dir: Path,
    chosen: Mapping[str, str] | None = None,
) -> str:
    """Return the environment of the project that is built for a board.

    That is the one ``chosen`` for it, else one of a name that the board knows, else one
    whose own board or chip is the board's. Of several the project's first choice.

    Args:
        builder: What builds.
        spec: The board.
        project_dir: The project.
        chosen: Environments by board; that of ``""`` is for all others.

    Raises:
        ConfigError: the project has none; the message lists those that it has.
    """
    facts = facts_of(builder, project_dir)
    available = {its.name for its in facts}
    wanted = (chosen or {}).get(spec.name) or (chosen or {}).get("")
    if wanted in available:
        return wanted
    if wanted:
        raise ConfigError(
            f"{project_dir} has no environment {wanted!r}, which "
            f"--embedbench-environment names for board {spec.name!r}; it has: "
            f"{_listed(facts)}"
        )
    for name in spec.environments:
        if name in available:
            return name
    if fitting := fitting_environments(facts, spec):
        return fitting[0]
    raise ConfigError(
        f"{project_dir} has no environment for board {spec.name!r}: none is named, or "
        f"has as its board, {' or '.join(spec.environments)}, nor has its chip, "
        f"{spec.mcu}. It has: {_listed(facts)}. Add [env:{spec.environments[0]}] to "
        "its platformio.ini, or say which it is: "
        f"--embedbench-environment={spec.name}=NAME"
    )


def fitting_environments(
    facts: Sequence[EnvironmentFacts], spec: BoardSpec
) -> list[str]:
    """Return the environments whose own board, else whose chip, is the board's."""
    by_board = [its.name for its in facts if its.board in spec.environments]
    return by_board or [its.name for its in facts if _is_chip_of(its.mcu, spec)]


def facts_of(builder: Builder, project_dir: Path) -> Sequence[EnvironmentFacts]:
    """Return what is known of each environment: its name at least."""
    if isinstance(builder, KnowsEnvironments):
        return builder.environment_facts(project_dir)
    return [EnvironmentFacts(name) for name in builder.environments(project_dir)]


def check_clock(facts: EnvironmentFacts, spec: BoardSpec, project_dir: Path) -> None:
    """Insist that a firmware is compiled for the clock that its board has.

    Raises:
        ConfigError: it is for another, so all its times would be wrong.
    """
    if facts.cpu_hz in (0, spec.cpu_hz) or not _is_chip_of(facts.mcu, spec):
        return
    raise ConfigError(
        f"{project_dir}: env:{facts.name} is compiled for a clock of {facts.cpu_hz} "
        f"Hz, and board {spec.name!r} runs at {spec.cpu_hz} Hz: baud rates and delays "
        f"would be wrong by a factor of {spec.cpu_hz / facts.cpu_hz:g}. Correct "
        "board_build.f_cpu, or choose a board with that clock (one TOML file: "
        "docs/extending.md)"
    )


def _is_chip_of(mcu: str, spec: BoardSpec) -> bool:
    """Say whether a chip is the board's; a package's letters may follow its name."""
    return bool(mcu) and mcu.lower().startswith(spec.mcu.lower())


def _listed(facts: Sequence[EnvironmentFacts]) -> str:
    said = (
        f"{its.name} ({its.board or its.mcu})" if its.board or its.mcu else its.name
        for its in facts
    )
    return ", ".join(said) or "none"
