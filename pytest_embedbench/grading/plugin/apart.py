"""How submissions are kept apart from this machine, and what a verdict says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.grading.plugin.options import SANDBOX
from pytest_embedbench.model import Isolation
from pytest_embedbench.plugin.options import setting
from pytest_embedbench.processes import sandbox

if TYPE_CHECKING:
    from pytest_embedbench.grading.check_records import SandboxRecord

_SWITCHED_OFF = (
    "--embedbench-sandbox=off: the submission had the rights of whoever ran this, and "
    "could read what they can"
)
_LIMITS_ONLY = (
    "no sandbox: the submission could read what whoever ran this can; limits on what "
    "it uses up held, and what it left running was ended; "
)


def require_sandbox() -> None:
    """Insist that there is a sandbox.

    Raises:
        pytest.UsageError: with what to do.
    """
    if (missing := sandbox.missing()) is not None:
        raise pytest.UsageError(f"--embedbench-sandbox=require: {missing}")


def isolation(config: pytest.Config) -> Isolation:
    """Return how the code of submissions is kept apart in this process.

    Raises:
        BenchFault: not as the user requires it.
    """
    mode = setting(config, SANDBOX)
    if mode == "off":
        return Isolation.NONE
    if (missing := sandbox.missing()) is None:
        return Isolation.BUBBLEWRAP
    if mode == "require":
        raise BenchFault(f"--embedbench-sandbox=require: {missing}")
    return Isolation.LIMITS


def sandbox_record(config: pytest.Config) -> SandboxRecord:
    """Return what the verdict says of it."""
    if setting(config, SANDBOX) == "off":
        return {"kind": Isolation.NONE.value, "warning": _SWITCHED_OFF}
    if (missing := sandbox.missing()) is not None:
        return {"kind": Isolation.LIMITS.value, "warning": f"{_LIMITS_ONLY}{missing}"}
    return {"kind": Isolation.BUBBLEWRAP.value, "warning": None}
