"""The engine ``wokwi`` keeps the contract, at a server of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.testing import check_engine
from tests.support.scripted_service import ScriptedService, running
from tests.support.wokwi_boards import at_service, avr_hex, engine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("listen", ["", "mcu:13"])
def test_wokwi_keeps_the_contract(tmp_path: Path, listen: str) -> None:
    with running(ScriptedService()) as service:
        spec = at_service(service, "wokwi-uno", listen=listen)
        check_engine(engine(), spec, avr_hex(tmp_path))
