"""What the digits show for loads, after the button, and beyond the limits."""

import itertools

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_bound, insist_that

NOTHING = "----"
FIRST_MS, SEEN_MS = 650, 250


@pytest.fixture
def scale(circuit, bench):
    """A scale that shows its first reading."""
    bench.run_for(FIRST_MS)
    return Scale(circuit, bench)


class Scale:
    """A scale with its button."""

    def __init__(self, circuit, bench):
        self.circuit, self.bench = circuit, bench

    def weigh(self, load, shown, why=""):
        """Put a load in kg on it, and insist on what is shown."""
        self.circuit["cell"].set(load=load)
        self.bench.run_for(SEEN_MS)
        self.insist(shown, why)

    def tare(self):
        self.circuit["tare"].press(duration_ms=50)
        self.bench.run_for(SEEN_MS)

    def insist(self, shown, why=""):
        """Insist on what the digits read."""
        seen = self.circuit["digits"].text
        at_ms = self.bench.uart.now_us / 1000
        insist_that("digits", f"{seen:4}", shown, at_ms=at_ms, why=why)


@pytest.mark.brief("S3")
def test_before_the_first_reading_there_is_none(circuit, bench):
    bench.run_for(50)
    insist_that("digits", circuit["digits"].text, NOTHING, at_ms=50)


@pytest.mark.brief("S1")
def test_an_empty_scale(scale):
    scale.insist("   0")


@pytest.mark.brief("S1")
@pytest.mark.parametrize(
    ("load", "shown"),
    [(0.01, "   1"), (0.5, "  50"), (2.5, " 250"), (12.34, "1234"), (40, "4000")],
)
def test_a_load_is_shown_in_units_of_10_g(scale, load, shown):
    scale.weigh(load, shown)


@pytest.mark.brief("S1")
def test_it_follows_both_ways(scale):
    for load, shown in ((5, " 500"), (20, "2000"), (0, "   0")):
        scale.weigh(load, shown)


@pytest.mark.brief("S2")
def test_tare_makes_the_load_the_new_zero(scale):
    scale.weigh(1.5, " 150")
    scale.tare()
    scale.insist("   0")
    scale.weigh(3.5, " 200")
    scale.weigh(0, "-150")
    scale.weigh(1.4, " -10")


@pytest.mark.brief("S2")
def test_it_can_be_tared_again(scale):
    for load, shown in ((2, " 200"), (5, " 300"), (1, "-400")):
        scale.weigh(load, shown)
        scale.tare()
        scale.insist("   0")
    scale.weigh(0, "-100")
    scale.tare()
    scale.weigh(4, " 400")


@pytest.mark.brief("S3", "S4")
def test_overload_is_told_and_forgotten(scale):
    scale.weigh(40.1, NOTHING)
    scale.weigh(50, NOTHING)
    scale.weigh(39.5, "3950")


@pytest.mark.brief("S3")
def test_overload_is_of_all_that_lies_there(scale):
    scale.weigh(20, "2000")
    scale.tare()
    scale.weigh(39, "1900")
    scale.weigh(41, NOTHING, why="41 kg lie on it, whatever the zero is")


@pytest.mark.brief("S3", "S4")
def test_nothing_is_tared_while_there_is_too_much(scale):
    scale.weigh(45, NOTHING)
    scale.tare()
    scale.insist(NOTHING)
    scale.weigh(10, "1000")


@pytest.mark.brief("S2", "S3")
def test_too_far_below_zero_there_is_no_number(scale):
    scale.weigh(9.99, " 999")
    scale.tare()
    scale.weigh(0, "-999")
    scale.weigh(11, " 101")
    scale.tare()
    scale.weigh(0, NOTHING)


@pytest.mark.brief("S5")
def test_the_chip_never_falls_asleep(circuit, bench):
    bench.run_for(FIRST_MS)
    insist_that("cell.is_on", circuit["cell"].is_on, at_ms=FIRST_MS)
    edges = circuit.edges("cell:SCK")
    highs_us = [
        (fall.at_ns - rise.at_ns) / 1000
        for rise, fall in itertools.pairwise(edges)
        if rise.level is Level.HIGH
    ]
    insist_bound("clocks in the first 650 ms", len(highs_us), at_least=25)
    insist_bound("longest high of SCK in us", max(highs_us), at_most=59)
