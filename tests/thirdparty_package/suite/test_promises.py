"""What the bench asks of an engine, a builder and a plant, held."""

from __future__ import annotations

from pathlib import Path

from acme_bench.builder import RuleBuilder
from acme_bench.engine import RuleEngine
from acme_bench.plant import Room

from pytest_embedbench import FirmwareSource, Registry
from pytest_embedbench.testing import (
    check_builder,
    check_engine,
    check_installed_part,
    check_plant,
)

SOURCE = FirmwareSource(project_dir=Path(__file__).parent, environment="rules")


def test_the_engine_keeps_its_promises(tmp_path: Path) -> None:
    image = RuleBuilder().build(SOURCE, tmp_path)
    check_engine(RuleEngine(), Registry().board("acme-thermostat"), image)


def test_the_builder_keeps_its_promises(tmp_path: Path) -> None:
    check_builder(RuleBuilder(), SOURCE, tmp_path)


def test_the_plant_keeps_its_promises() -> None:
    check_plant(Room(), ("ACT HEATER ON", "ACT HEATER OFF"))


def test_the_part_keeps_its_promises_where_an_engine_loads_it() -> None:
    check_installed_part("acme-stair-lamp")
    check_installed_part("acme-stair-lamp", {"seconds": "0.5"})
