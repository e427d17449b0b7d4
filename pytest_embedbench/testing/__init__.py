"""Fakes to test with, and checks that every implementation must pass.

The fakes pass the same checks as the real engines, so a test against a fake is a
test against the contract. Nothing here imports pytest: a check raises
``ContractViolation`` with a sentence that says which promise was broken.
"""

from __future__ import annotations

from pytest_embedbench.testing.check_board import check_board
from pytest_embedbench.testing.check_builder import check_builder
from pytest_embedbench.testing.check_engine import check_engine
from pytest_embedbench.testing.check_installed_part import check_installed_part
from pytest_embedbench.testing.check_part import check_part
from pytest_embedbench.testing.check_plant import check_plant
from pytest_embedbench.testing.fake_wires import Broadcast, FakeWires, WireEvent
from pytest_embedbench.testing.loopback import (
    LOOPBACK_SPEC,
    Firmware,
    Loopback,
    LoopbackBoard,
    LoopbackUart,
    loopback_image,
)
from pytest_embedbench.testing.shell import line_shell
from pytest_embedbench.testing.tank import tank_firmware

__all__ = [
    "LOOPBACK_SPEC",
    "Broadcast",
    "FakeWires",
    "Firmware",
    "Loopback",
    "LoopbackBoard",
    "LoopbackUart",
    "WireEvent",
    "check_board",
    "check_builder",
    "check_engine",
    "check_installed_part",
    "check_part",
    "check_plant",
    "line_shell",
    "loopback_image",
    "tank_firmware",
]
