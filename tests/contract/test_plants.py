"""Every plant that is registered keeps the contract."""

from __future__ import annotations

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.testing import check_plant

LINES = tuple(
    f"ACT {actuator} {word}"
    for actuator, words in {
        "PUMP": ("ON", "OFF", "100", "30"),
        "HEATER": ("ON", "OFF", "100", "30"),
        "COMPRESSOR": ("ON", "OFF"),
        "VENT": ("CLOSED", "OPEN"),
        "INLET": ("OPEN", "CLOSED"),
        "FILTER": ("ON", "OFF"),
        "DRAIN": ("OPEN", "CLOSED"),
    }.items()
    for word in words
)


@pytest.mark.parametrize("name", Registry().names("plant"))
def test_a_plant_keeps_the_contract(name: str) -> None:
    check_plant(Registry().plant(name), LINES)
