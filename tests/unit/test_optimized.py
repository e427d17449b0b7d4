"""What has to work under ``python -O``, which leaves every ``assert`` out."""

from __future__ import annotations

import subprocess
import sys

import pytest

ENGINE = """
from dataclasses import dataclass

from pytest_embedbench.testing import (
    LOOPBACK_SPEC, Loopback, check_engine, loopback_image, tank_firmware)

@dataclass(frozen=True)
class Nameless(Loopback):
    def version(self):
        return ""

check_engine(Nameless(tank_firmware), LOOPBACK_SPEC, loopback_image())
"""
PLANT = """
from types import SimpleNamespace

from pytest_embedbench.testing import check_plant

check_plant(SimpleNamespace(
    tick_ms=100, thresholds={}, initial=lambda: 0, step=lambda level: level + 1,
    actuate=lambda level, line: level, sense=lambda level: ()))
"""
BUILDER = """
from types import SimpleNamespace

from pytest_embedbench.testing import check_builder

image = SimpleNamespace(environment="uno")
check_builder(SimpleNamespace(environments=(), missing=None, version=None,
    fingerprint=lambda source: 1,
    build=lambda source, out_dir: image), SimpleNamespace(environment="nano"), "")
"""


@pytest.mark.parametrize(
    ("code", "promise"),
    [
        (ENGINE, "version() must name the engine"),
        (PLANT, "the state is a int, no dataclass"),
        (BUILDER, "it built another environment"),
    ],
    ids=["engine", "plant", "builder"],
)
def test_a_broken_promise_is_told_without_asserts(code: str, promise: str) -> None:
    done = subprocess.run(
        [sys.executable, "-O", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == (
        f"pytest_embedbench.errors.ContractViolation: {promise}"
    )
