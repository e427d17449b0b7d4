"""The controller beside a node that works, falls silent, babbles, or begins anew."""

from pathlib import Path

import pytest

from pytest_embedbench import Coupling, FirmwareSource, connect_uarts
from pytest_embedbench.grading.checks import insist_bound, insist_that

NODE = FirmwareSource(project_dir=Path(__file__).parents[1] / "node")


@pytest.fixture
def desk(bench, board_spec, boot, make_bench, plant):
    """A controller, a node of the same kind, and a tank between them."""
    node = make_bench(boot(board_spec.name, source=NODE))
    connect_uarts(bench.uart, node.uart)
    for each in (bench, node):
        each.wait_for_boot("^DBG BOOTED$")
    coupling = Coupling(sensed_by=node.uart)
    return bench, node, bench.connect(plant(level=50), coupling=coupling)


def last_level_us(bench):
    """Return when the controller last heard a level from the node."""
    return max(
        line.at_us
        for _, line in bench.transcript.since(0)
        if line.direction.value == "->fw" and line.payload.startswith(b"LEVEL ")
    )


def pump(loop):
    return "on" if loop.state.pump_on else "off"


def insist_lost(bench, since_us):
    """Insist on what R3 says of a link that was last alive then."""
    lost = bench.expect("^LINK LOST$", within_ms=700)
    insist_bound(
        "LINK LOST after the last valid line, in ms",
        (lost.at_us - since_us) / 1000,
        at_least=500,
        at_most=600,
    )


@pytest.mark.brief("R1", "R2")
def test_the_tank_stays_in_its_band(desk):
    controller, _, loop = desk
    controller.run_for(100)
    insist_that("the pump at the start", pump(loop), "off")
    loop.change(level=29)
    controller.expect("^ACT PUMP ON$", within_ms=150)
    controller.run_for(5_000)
    levels = [sample.state.level for sample in loop.samples]
    insist_bound("the level", max(levels), at_least=80, at_most=90)
    said = controller.uart.heard()
    insist_that("how often it switches", sum("PUMP" in line for line in said), 2)


@pytest.mark.brief("R3", "R5")
def test_a_node_that_falls_silent_is_noticed(desk):
    controller, node, loop = desk
    loop.change(level=20)
    controller.expect("^ACT PUMP ON$", within_ms=150)
    node.send("MUTE")
    node.run_for(200)
    insist_lost(controller, last_level_us(controller))
    controller.expect("^ACT PUMP OFF$", within_ms=20)
    insist_that("the pump", pump(loop), "off")
    controller.expect_silence(for_ms=1_000)
    node.send("WORK")
    controller.expect("^LINK UP$", within_ms=200)


@pytest.mark.brief("R3", "R4")
def test_a_node_that_speaks_nonsense_is_noticed(desk):
    controller, node, loop = desk
    loop.change(level=20)
    controller.expect("^ACT PUMP ON$", within_ms=150)
    last_us = last_level_us(controller)
    node.send("BABBLE")
    insist_lost(controller, last_us)
    controller.expect("^ACT PUMP OFF$", within_ms=20)
    insist_that("the pump", pump(loop), "off")


@pytest.mark.brief("R4", "R5")
def test_a_node_that_begins_anew_is_heard_again(desk):
    controller, node, loop = desk
    node.send("MUTE")
    controller.expect("^LINK LOST$", within_ms=800)
    node.reset()
    loop.change(level=20)
    controller.expect("^LINK UP$", within_ms=300)
    controller.expect("^ACT PUMP ON$", within_ms=50)
