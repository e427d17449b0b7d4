"""Who wins on a net, through what, and that all react to the same moment."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import (
    RELEASED,
    TIED,
    Drive,
    Strength,
    drive,
    stronger,
)
from pytest_embedbench.wiring.levels import DriveChange, Network, let_react

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_embedbench.wiring.levels import NetLevels

LOW, HIGH, FLOATING = Level.LOW, Level.HIGH, Level.FLOATING
DRIVES = [drive(*both) for both in product(Strength, (LOW, HIGH))]
GROUND, SUPPLY = drive(Strength.SUPPLY, LOW), drive(Strength.SUPPLY, HIGH)
OUT_LOW, OUT_HIGH = drive(Strength.OUTPUT, LOW), drive(Strength.OUTPUT, HIGH)
PULL_UP = drive(Strength.PULL, HIGH)


def network_of(*drives: tuple[int, Drive], **pairs: list[tuple[int, int]]) -> Network:
    """Return nets as many as are named, driven and settled."""
    joined = [net for some in pairs.values() for pair in some for net in pair]
    network = Network(max([*joined, *(net for net, _ in drives)]) + 1, **pairs)
    for net, one in drives:
        network.change(network.add_driver(net), one)
    network.settle()
    return network


@given(st.lists(st.sampled_from(DRIVES), max_size=5))
def test_drives_come_to_the_same_in_any_order(drives: list[Drive]) -> None:
    results = set[Drive]()
    for order in permutations(drives):
        held = RELEASED
        for one in order:
            held = stronger(held, one)
        results.add(held)
    assert len(results) == 1
    (held,) = results
    assert held.strength == max((it.strength for it in drives), default=0)
    firm = [it for it in drives if it.strength >= Strength.OUTPUT]
    assert held.is_contention == (
        any(it.is_low for it in firm) and any(it.is_high for it in firm)
    )


def test_a_drive_shows_what_it_is() -> None:
    assert repr(OUT_LOW) == "<Drive OUTPUT low>"
    assert repr(RELEASED) == "<Drive NOTHING>"
    both = stronger(OUT_LOW, OUT_HIGH)
    assert repr(both) == "<Drive OUTPUT low high in contention>"


@pytest.mark.parametrize(
    ("drives", "level"),
    [
        ([], FLOATING),
        ([PULL_UP], HIGH),
        ([PULL_UP, OUT_LOW], LOW),
        ([OUT_HIGH, GROUND], LOW),
        ([OUT_HIGH, OUT_LOW], FLOATING),
    ],
)
def test_the_strongest_wins(drives: list[Drive], level: Level) -> None:
    network = network_of(*((0, one) for one in drives), resistors=[(0, 1)])
    assert network.level(0) is level


def test_an_output_against_a_supply_is_told_though_the_supply_wins() -> None:
    network = network_of((0, OUT_HIGH), (0, GROUND), (1, OUT_HIGH))
    assert network.contentions() == [0]
    assert not network.state(0).is_short


def test_supplies_that_a_switch_joins_are_a_short() -> None:
    network = network_of((0, GROUND), (1, SUPPLY), switches=[(0, 1)])
    assert network.contentions() == []
    network.switch(0, closed=True)
    assert network.settle() == [0, 1]
    assert network.contentions() == [0, 1]
    assert network.state(0).is_short
    network.switch(0, closed=False)
    assert network.settle() == [0, 1]
    assert (network.level(0), network.level(1)) == (LOW, HIGH)


def test_values_decide_between_a_pull_up_and_a_resistor() -> None:
    network = network_of((0, GROUND), (1, PULL_UP), resistors=[(0, 1)])
    assert network.state(1) == TIED


def test_a_resistor_pulls_and_gives_way() -> None:
    network = network_of((0, GROUND), resistors=[(0, 1)])
    assert network.level(1) is LOW
    driver = network.add_driver(1)
    network.change(driver, OUT_HIGH)
    network.settle()
    assert network.level(1) is HIGH
    assert network.contentions() == []
    network.change(driver, RELEASED)
    assert network.settle() == [1]
    assert network.level(1) is LOW


def test_two_resistors_to_both_sides_leave_no_digital_level() -> None:
    network = network_of((0, GROUND), (2, SUPPLY), resistors=[(0, 1), (1, 2)])
    assert network.level(1) is FLOATING
    assert network.state(1).strength is Strength.RESISTOR
    assert network.contentions() == []
    assert network.floating() == []


def test_a_pull_through_a_resistor_is_no_stronger_than_it_was() -> None:
    network = network_of((0, PULL_UP), resistors=[(0, 1)])
    assert network.state(1) == PULL_UP


def test_a_key_of_a_matrix_joins_a_row_with_a_column() -> None:
    keys = [(row, 2 + column) for row, column in product(range(2), range(2))]
    rows, columns = ((0, OUT_LOW), (1, OUT_HIGH)), ((2, PULL_UP), (3, PULL_UP))
    network = network_of(*rows, *columns, switches=keys)
    assert [network.level(net) for net in (2, 3)] == [HIGH, HIGH]
    network.switch(keys.index((0, 3)), closed=True)
    assert network.settle() == [3]
    assert [network.level(net) for net in (2, 3)] == [HIGH, LOW]


def test_what_nothing_holds_floats() -> None:
    network = network_of((0, OUT_LOW), resistors=[(1, 2)], switches=[(0, 3)])
    assert network.floating() == [1, 2, 3]


def test_changes_wait_for_the_moment_at_which_all_settle() -> None:
    network = Network(1)
    driver = network.add_driver(0)
    network.change(driver, OUT_HIGH)
    assert network.level(0) is FLOATING
    assert network.settle() == [0]
    assert network.level(0) is HIGH
    assert network.settle() == []


class ShiftRegister:
    """One bit: on a rise of the clock it takes what its input was before."""

    def __init__(self, network: Network, clock: int, data: int, output: int) -> None:
        self.watches = (clock,)
        self._clock, self._data = clock, data
        self._driver = network.add_driver(output)

    def react(self, levels: NetLevels) -> Iterable[DriveChange]:
        if levels.level(self._clock) is HIGH:
            level = levels.level(self._data)
            yield DriveChange(self._driver, drive(Strength.OUTPUT, level))


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_chained_registers_take_one_step_per_clock_in_any_order(
    order: Sequence[int],
) -> None:
    network = Network(5)  # clock, input, and three outputs
    clock, data = network.add_driver(0), network.add_driver(1)
    chain = [ShiftRegister(network, 0, 1 + i, 2 + i) for i in range(3)]
    reacting = [chain[i] for i in order]
    seen: list[str] = []
    for bit in (HIGH, LOW, LOW, HIGH):
        network.change(data, drive(Strength.OUTPUT, bit))
        network.change(clock, OUT_LOW)
        let_react(network, reacting)
        network.change(clock, OUT_HIGH)
        assert let_react(network, reacting) == []
        seen.append("".join("01?"[network.level(net).value] for net in (2, 3, 4)))
    assert seen == ["1??", "01?", "001", "100"]


class Inverter:
    """Drives its output with the opposite of its input."""

    def __init__(self, network: Network, reads: int, drives: int) -> None:
        self.watches = (reads,)
        self._driver = network.add_driver(drives)

    def react(self, levels: NetLevels) -> Iterable[DriveChange]:
        level = LOW if levels.level(self.watches[0]) is HIGH else HIGH
        yield DriveChange(self._driver, drive(Strength.OUTPUT, level))


def test_a_loop_without_end_ends_and_is_told() -> None:
    network = Network(2)
    start = network.add_driver(0)
    ring = [Inverter(network, 0, 1), Inverter(network, 1, 0)]
    network.change(start, PULL_UP)
    assert let_react(network, ring) == [], "two inverters hold each other"
    odd = Network(1)
    oscillator = Inverter(odd, 0, 0)
    odd.change(odd.add_driver(0), PULL_UP)
    assert let_react(odd, [oscillator], rounds=50) == [0]
