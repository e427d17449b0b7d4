"""What the lamp shows after keys, held keys, and keys that are not its own."""

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_bound

POWER, PLUS, MINUS = 162, 2, 152
WHITE, RED, GREEN, BLUE = 104, 48, 24, 122
COLOURS = {WHITE: (1, 1, 1), RED: (1, 0, 0), GREEN: (0, 1, 0), BLUE: (0, 0, 1)}
REPEAT_MS, ANSWER_MS = 108, 100
TOLERANCE = 0.01


@pytest.fixture
def lamp(circuit, bench):
    """A lamp that is off, and its remote control."""
    bench.run_for(50)
    return Lamp(circuit, bench)


class Lamp:
    """A lamp as a person with a remote control sees it."""

    def __init__(self, circuit, bench):
        self.circuit, self.bench = circuit, bench

    def press(self, key, *, repeats=0):
        """Press a key, hold it for some repeats, and see the lamp do what it says."""
        remote = self.circuit["remote"]
        remote.set(repeats=repeats)
        remote.set(command=key)
        self.bench.run_for(ANSWER_MS + REPEAT_MS * repeats)

    def insist(self, level, colour=WHITE, why=""):
        """Insist on what is to be seen: a level of 8, 0 while it is off."""
        self.bench.run_for(30)
        seen = zip("rgb", self.circuit["lamp"].rgb, COLOURS[colour], strict=True)
        for name, light, is_lit in seen:
            insist_bound(
                f"light {name}",
                light,
                at_least=is_lit * level / 8 - TOLERANCE,
                at_most=is_lit * level / 8 + TOLERANCE,
                at_ms=self.bench.uart.now_us / 1000,
                why=why,
            )


@pytest.mark.brief("L1", "L2")
def test_power_switches_it_on_and_off(lamp):
    lamp.insist(0, why="it is off after power on")
    for level in (4, 0, 4):
        lamp.press(POWER)
        lamp.insist(level)


@pytest.mark.brief("L5")
def test_a_held_power_key_switches_once(lamp):
    lamp.press(POWER, repeats=3)
    lamp.insist(4, why="repeats of Power do nothing")


@pytest.mark.brief("L1", "L3")
def test_brighter_by_one_level_and_never_above_the_last(lamp):
    lamp.press(POWER)
    lamp.press(PLUS)
    lamp.insist(5)
    lamp.press(PLUS, repeats=2)
    lamp.insist(8)
    lamp.press(PLUS, repeats=1)
    lamp.insist(8)
    lamp.press(MINUS)
    lamp.insist(7, why="what is above the last level is not counted")


@pytest.mark.brief("L1", "L3")
def test_darker_but_never_dark(lamp):
    lamp.press(POWER)
    lamp.press(MINUS, repeats=1)
    lamp.insist(2)
    lamp.press(MINUS, repeats=3)
    lamp.insist(1)
    lamp.press(PLUS)
    lamp.insist(2)


@pytest.mark.brief("L1", "L5")
@pytest.mark.parametrize("key", [RED, GREEN, BLUE])
def test_colours_keep_the_level(lamp, key):
    lamp.press(POWER)
    lamp.press(PLUS)
    lamp.press(key, repeats=1)
    lamp.insist(5, key)
    lamp.press(WHITE)
    lamp.insist(5)


@pytest.mark.brief("L4")
def test_while_it_is_off_only_colours_are_kept(lamp):
    lamp.press(PLUS, repeats=1)
    lamp.press(GREEN)
    lamp.insist(0)
    lamp.press(POWER)
    lamp.insist(4, GREEN)
    lamp.press(MINUS)
    lamp.press(POWER)
    lamp.press(POWER)
    lamp.insist(3, GREEN)


@pytest.mark.brief("L5")
def test_other_keys_do_nothing_however_long_they_are_held(lamp):
    lamp.press(POWER)
    lamp.press(PLUS)
    for key in (226, 0, 255):
        lamp.press(key, repeats=2)
        lamp.insist(5)


@pytest.mark.brief("L6")
def test_it_answers_in_time(circuit, bench):
    bench.run_for(50)
    circuit["remote"].set(command=POWER)
    sent_us = bench.uart.now_us
    lit_us = circuit.wait_pin("uno:9", Level.HIGH, within_ms=98)
    insist_bound(
        "time from the start of the frame to light, in ms",
        (lit_us - sent_us) / 1000,
        at_least=67,
        at_most=97.5,
    )


@pytest.mark.brief("L2")
def test_it_does_not_flicker(lamp, circuit, bench):
    lamp.press(POWER)
    since_us = bench.uart.now_us
    bench.run_for(20)
    for pin in ("uno:9", "uno:10", "uno:11"):
        edges = circuit.edges(pin, since_us=since_us)
        rises = sum(edge.level is Level.HIGH for edge in edges)
        insist_bound(f"flashes on {pin} in 20 ms", rises, at_least=8)
