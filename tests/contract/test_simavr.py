"""The simavr engine keeps the contract on every board it ships."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.testing import check_engine
from tests.e2e.avr_firmware import MCUS, avr_image, board_spec, simavr

if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr import Simavr
    from tests.e2e.avr_firmware import Build

__all__ = ["avr_image", "simavr"]


@pytest.mark.parametrize("name", MCUS)
def test_simavr_keeps_the_contract(simavr: Simavr, avr_image: Build, name: str) -> None:
    check_engine(simavr, board_spec(name), avr_image("line", board=name))
