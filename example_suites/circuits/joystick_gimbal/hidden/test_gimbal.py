"""Where the servos point for a joystick, and every pulse that they get."""

import itertools

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_bound

SETTLED_MS, PERIOD_MS = 50, 20
TOLERANCE_DEG = 0.5


@pytest.fixture
def gimbal(circuit, bench):
    """A gimbal that has been switched on."""
    gimbal = Gimbal(circuit, bench)
    bench.run_for(SETTLED_MS)
    return gimbal


class Gimbal:
    """Two servos and their joystick."""

    def __init__(self, circuit, bench):
        self.circuit, self.bench = circuit, bench

    def push(self, *, x=0.0, y=0.0, for_ms):
        """Push the stick for a while, and let go of it."""
        self.circuit["stick"].set(x=x, y=y)
        self.bench.run_for(for_ms)
        self.circuit["stick"].set(x=0, y=0)
        self.bench.run_for(SETTLED_MS)

    def insist(self, servo, deg, within_deg=TOLERANCE_DEG, why=""):
        """Insist on where a servo points."""
        insist_bound(
            f"{servo}.angle_deg",
            self.circuit[servo].angle_deg,
            at_least=deg - within_deg,
            at_most=deg + within_deg,
            at_ms=self.bench.uart.now_us / 1000,
            why=why,
        )

    def pulses(self, servo):
        """Return begin and width of all pulses so far, in us."""
        edges = self.circuit.edges(f"{servo}:PWM")
        pairs = itertools.pairwise(edges)
        return [
            (rise.at_ns / 1000, (fall.at_ns - rise.at_ns) / 1000)
            for rise, fall in pairs
            if rise.level is Level.HIGH
        ]


@pytest.mark.brief("G1")
def test_both_begin_in_the_middle(circuit, bench):
    circuit["stick"].set(x=0, y=0)
    bench.run_for(SETTLED_MS)
    gimbal = Gimbal(circuit, bench)
    gimbal.insist("pan", 90)
    gimbal.insist("tilt", 90)


@pytest.mark.brief("G2")
@pytest.mark.parametrize(("x", "deg"), [(1, 144), (-1, 36), (0.5, 117), (-0.5, 63)])
def test_pan_moves_as_fast_as_the_stick_is_off(gimbal, x, deg):
    gimbal.push(x=x, for_ms=300)
    gimbal.insist("pan", deg, 5)
    gimbal.insist("tilt", 90)


@pytest.mark.brief("G2")
@pytest.mark.parametrize(("y", "deg"), [(1, 126), (-1, 54)])
def test_tilt_moves_too(gimbal, y, deg):
    gimbal.push(y=y, for_ms=200)
    gimbal.insist("tilt", deg, 5)
    gimbal.insist("pan", 90)


@pytest.mark.brief("G3")
def test_in_the_dead_zone_nothing_moves(gimbal):
    for x, y in ((0.04, -0.04), (-0.04, 0.04), (0.02, 0)):
        gimbal.push(x=x, y=y, for_ms=150)
    gimbal.insist("pan", 90, 0.1)
    gimbal.insist("tilt", 90, 0.1)


@pytest.mark.brief("G3")
@pytest.mark.parametrize("sign", [1, -1])
def test_just_outside_it_moves_slowly(gimbal, circuit, sign):
    gimbal.push(x=0.15 * sign, for_ms=200)
    moved_deg = (circuit["pan"].angle_deg - 90) * sign
    insist_bound("degrees moved in 0.2 s", moved_deg, at_least=1, at_most=8)


@pytest.mark.brief("G4")
def test_pan_ends_at_its_ends(gimbal):
    gimbal.push(x=1, for_ms=700)
    gimbal.insist("pan", 180)
    gimbal.push(x=-1, for_ms=100)
    gimbal.insist("pan", 162, 5, "it comes back at once")
    gimbal.push(x=-1, for_ms=1050)
    gimbal.insist("pan", 0)


@pytest.mark.brief("G4")
def test_tilt_never_leaves_its_frame(gimbal):
    gimbal.push(y=1, for_ms=500)
    gimbal.insist("tilt", 135)
    gimbal.push(y=-1, for_ms=700)
    gimbal.insist("tilt", 45)
    gimbal.push(y=1, for_ms=100)
    gimbal.insist("tilt", 63, 5, "it comes back at once")
    widths_us = [width_us for _, width_us in gimbal.pulses("tilt")]
    insist_bound("shortest pulse", min(widths_us), at_least=544 + 45 * 1856 / 180 - 3)
    insist_bound("longest pulse", max(widths_us), at_most=544 + 135 * 1856 / 180 + 3)


@pytest.mark.brief("G5")
def test_pressed_it_is_in_the_middle(gimbal, circuit, bench):
    gimbal.push(x=1, y=-1, for_ms=200)
    circuit["stick"].set(pressed=1)
    bench.run_for(SETTLED_MS)
    gimbal.insist("pan", 90)
    gimbal.insist("tilt", 90)
    circuit["stick"].set(x=1)
    bench.run_for(100)
    gimbal.insist("pan", 90, why="the stick is still pressed")
    circuit["stick"].set(pressed=0, x=0)
    bench.run_for(SETTLED_MS)
    gimbal.push(x=-1, for_ms=100)
    gimbal.insist("pan", 72, 5)


@pytest.mark.brief("G6")
def test_pulses_come_without_gaps(gimbal):
    gimbal.push(x=1, y=1, for_ms=200)
    for servo in ("pan", "tilt"):
        pulses = gimbal.pulses(servo)
        begins_us = [begin_us for begin_us, _ in pulses]
        waits_us = [b - a for a, b in itertools.pairwise(begins_us)]
        insist_bound("pulses in 0.3 s", len(pulses), at_least=12)
        insist_bound("shortest period in us", min(waits_us), at_least=19_000)
        insist_bound("longest period in us", max(waits_us), at_most=21_000)
        widths_us = [width_us for _, width_us in pulses]
        shrinks_us = [a - b for a, b in itertools.pairwise(widths_us)]
        insist_bound("us that a growing pulse shrinks", max(shrinks_us), at_most=10)
