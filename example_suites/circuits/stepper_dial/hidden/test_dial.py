"""Where the dial stands, what it says, and how its coils are driven."""

import itertools

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_bound, insist_that

COILS = ("driver:IN1", "driver:IN2", "driver:IN3", "driver:IN4")
TOLERANCE_DEG = 0.1
ONE_TURN_MS = 5000


@pytest.fixture
def dial(circuit, bench):
    """A dial that has come home after a bit of a way."""
    bench.expect("^READY$", within_ms=100)
    bench.send("HOME")
    bench.run_for(50)
    circuit["home"].hold()
    bench.expect("^HOME$", within_ms=5)
    circuit["home"].release()
    return Dial(circuit, bench, circuit["motor"].angle_deg)


class Dial:
    """A dial, what it is told, and where it stands from home."""

    def __init__(self, circuit, bench, home_deg):
        self.circuit, self.bench, self.home_deg = circuit, bench, home_deg

    @property
    def angle_deg(self):
        return self.circuit["motor"].angle_deg - self.home_deg

    def go(self, deg, *, within_ms=ONE_TURN_MS):
        self.bench.send(f"GO {deg}")
        self.bench.expect(f"^AT {deg}$", within_ms=within_ms)
        self.insist_at(deg)

    def insist_at(self, deg):
        insist_bound(
            f"angle from home after GO {deg}",
            self.angle_deg,
            at_least=deg - TOLERANCE_DEG,
            at_most=deg + TOLERANCE_DEG,
            at_ms=self.bench.uart.now_us / 1000,
        )


@pytest.mark.brief("D1", "D2")
def test_home_is_sought_against_the_clock(circuit, bench):
    bench.expect("^READY$", within_ms=100)
    bench.run_for(50)
    insist_that("angle_deg before any command", circuit["motor"].angle_deg, 0)
    bench.send("HOME")
    bench.run_for(200)
    insist_bound("angle_deg", circuit["motor"].angle_deg, at_least=-25, at_most=-10)
    bench.expect_silence(for_ms=50)
    circuit["home"].hold()
    bench.expect("^HOME$", within_ms=5)
    home_deg = circuit["motor"].angle_deg
    bench.run_for(50)
    insist_that("angle_deg once home", circuit["motor"].angle_deg, home_deg)


@pytest.mark.brief("D2")
def test_at_home_it_does_not_move(circuit, bench):
    bench.expect("^READY$", within_ms=100)
    circuit["home"].hold()
    bench.run_for(5)
    bench.send("HOME")
    bench.expect("^HOME$", within_ms=10)
    insist_that("angle_deg", circuit["motor"].angle_deg, 0)


@pytest.mark.brief("D3", "D6", "D7")
def test_a_quarter_of_a_turn(dial):
    dial.go(90, within_ms=1200)


@pytest.mark.brief("D3", "D6")
def test_a_whole_turn_is_not_4096_half_steps(dial):
    dial.go(360)


@pytest.mark.brief("D3", "D6")
def test_it_comes_back_to_where_it_was(dial):
    for deg in (20, 3, 41, 0, 1):
        dial.go(deg)


@pytest.mark.brief("D5", "D6")
def test_told_anew_on_the_way_it_loses_no_step(dial, bench):
    for deg, ms in ((60, 143), (5, 31), (90, 202), (30, 17), (31, 40), (0, 33)):
        bench.send(f"GO {deg}")
        bench.run_for(ms)
    dial.go(25)


@pytest.mark.brief("D5")
def test_a_command_that_is_overtaken_is_not_answered(dial, bench):
    bench.uart.forbid("^AT 60$")
    bench.send("GO 60")
    bench.run_for(100)
    dial.go(10)
    bench.expect_silence(for_ms=50)


@pytest.mark.brief("D5")
def test_it_turns_back_at_once(dial, bench):
    bench.send("GO 60")
    bench.run_for(300)
    before_deg = dial.angle_deg
    bench.send("GO 0")
    bench.run_for(50)
    insist_bound("angle", dial.angle_deg, at_most=before_deg)


@pytest.mark.brief("D4")
@pytest.mark.parametrize(
    "line", ["GO 361", "GO -1", "GO", "GO x", "GO 9x", "go 9", "STOP", "", "G" * 40]
)
def test_what_is_no_command_has_no_effect(dial, bench, line):
    bench.send(line)
    bench.expect("^ERR COMMAND$", within_ms=20)
    bench.run_for(20)
    insist_that("angle from home", dial.angle_deg, 0)


@pytest.mark.brief("D4")
def test_without_a_home_it_goes_nowhere(circuit, bench):
    bench.expect("^READY$", within_ms=100)
    bench.send("GO 10")
    bench.expect("^ERR NOT HOME$", within_ms=20)
    bench.run_for(50)
    insist_that("angle_deg", circuit["motor"].angle_deg, 0)


@pytest.mark.brief("D7")
def test_steps_never_follow_too_fast(dial, circuit, bench):
    since_us = bench.uart.now_us
    dial.go(12)
    bench.send("GO 50")
    bench.run_for(100)
    dial.go(0)
    at_us = sorted(
        edge.at_ns / 1000
        for coil in COILS
        for edge in circuit.edges(coil, since_us=since_us)
    )
    # Coils that change for one step do so within a moment.
    steps_us = [b for a, b in zip([0, *at_us], at_us, strict=False) if b - a > 100]
    waits_us = [b - a for a, b in itertools.pairwise(steps_us)]
    insist_bound("shortest time between two steps, in us", min(waits_us), at_least=900)


@pytest.mark.brief("D8")
def test_at_rest_no_coil_has_current(dial, circuit, bench):
    dial.go(5)
    bench.run_for(500)
    levels = [circuit.level(coil) for coil in COILS]
    insist_that("levels of the inputs", levels, [Level.LOW] * 4, why="coils get warm")
    dial.insist_at(5)
    dial.go(6)
