"""xdist's workers: what they are told, and what is different on other machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.plugin.stash import session_of

if TYPE_CHECKING:
    import pytest

RUN_NAME = "embedbench_run_name"
_AWAY = "embedbench_away"


class GatewaySpec(Protocol):
    """Where a worker runs: what ``--tx`` says."""

    popen: bool | None
    chdir: str | None


class Gateway(Protocol):
    """The way to a worker."""

    spec: GatewaySpec


class WorkerNode(Protocol):
    """What xdist's controller knows of a worker that is about to start."""

    config: pytest.Config
    gateway: Gateway
    workerinput: dict[str, str]


def tell_worker(node: WorkerNode) -> None:
    """Hand an xdist worker what it must share with the controller."""
    node.workerinput[RUN_NAME] = session_of(node.config).run_name
    spec = node.gateway.spec
    if not spec.popen or spec.chdir:
        node.workerinput[_AWAY] = "yes"


def input_of(config: pytest.Config) -> dict[str, str]:
    """Return what a worker was told; nothing, in any other process."""
    told: dict[str, str] = getattr(config, "workerinput", {})
    return told


def is_away(config: pytest.Config) -> bool:
    """Say whether this is a worker whose files the controller cannot see."""
    return _AWAY in input_of(config)


def sends_tests_away(config: pytest.Config) -> bool:
    """Say whether this controller has workers on other machines (``--tx ssh=...``).

    Then the boards are theirs, and this machine need not know them.
    """
    specs: list[str] = getattr(config.option, "tx", None) or []
    return not input_of(config) and not all(map(_is_here, specs))


def _is_here(spec: str) -> bool:
    words = spec.rpartition("*")[2].split("//")
    return any(word.partition("=")[0] == "popen" for word in words)
