"""What the OLED shows, pixel by pixel, and what the clock chip is set to."""

from datetime import datetime

import pytest

from pytest_embedbench.grading.checks import insist_bound, insist_that

FONT = """
### .#. ### ### #.# ### ### ### ### ###
#.# ##. ..# ..# #.# #.. #.. ..# #.# #.#
#.# .#. ### ### ### ### ### ..# ### ###
#.# .#. #.. ..# ..# ..# #.# ..# #.# ..#
### ### ### ### ..# ### ### ..# ### ###
"""
ROWS = [row.split() for row in FONT.split("\n") if row]
LEFT = (4, 32, 72, 100)
TOP, DOT = 8, 8
WIDTH, HEIGHT = 128, 64
DRAWN_MS, SEEN_MS = 400, 200


@pytest.fixture
def clock(circuit, bench):
    """A clock whose first picture is there."""
    bench.run_for(DRAWN_MS)
    return Clock(circuit, bench)


class Clock:
    """A clock with its button."""

    def __init__(self, circuit, bench):
        self.circuit, self.bench = circuit, bench

    @property
    def time(self):
        return datetime.fromisoformat(self.circuit["rtc"].time)

    def press(self, duration_ms=40):
        self.circuit["set"].press(duration_ms=duration_ms)
        self.bench.run_for(60)

    def insist(self, shown, why=""):
        """Insist on the whole picture; the colon may be a space."""
        seen = self.circuit["oled"].pixels
        lit = {(x, y) for y, row in enumerate(seen) for x, on in enumerate(row) if on}
        due = pixels_of(shown)
        at_ms = self.bench.uart.now_us / 1000
        insist_that(f"dark dots of {shown}", len(due - lit), 0, at_ms=at_ms, why=why)
        insist_that("other lit pixels", len(lit - due), 0, at_ms=at_ms, why=why)


def pixels_of(shown):
    """Return the pixels that are lit for a text of five signs."""
    dots = {(60, TOP + DOT), (60, TOP + 3 * DOT)} if shown[2] == ":" else set()
    for left, digit in zip(LEFT, shown[:2] + shown[3:], strict=True):
        for y, row in enumerate(ROWS):
            for x, dot in enumerate(row[int(digit)]):
                if dot == "#":
                    dots.add((left + x * DOT, TOP + y * DOT))
    return {(x + i, y + j) for x, y in dots for i in range(DOT) for j in range(DOT)}


@pytest.mark.brief("O1")
def test_the_first_picture(clock):
    clock.insist("09:57")


@pytest.mark.brief("O2", "O3")
def test_the_colon_blinks_with_the_seconds(clock, bench):
    for shown in ("09 57", "09:58", "09 58", "09:58"):
        bench.run_for(1000)
        clock.insist(shown)


@pytest.mark.brief("O3", "O5")
@pytest.mark.diagram("midnight.json")
def test_midnight(clock, bench):
    clock.insist("23 59")
    bench.run_for(600 + SEEN_MS)
    clock.insist("00:00")
    when = clock.time
    insist_that("date", (when.month, when.day), (2, 29), why="2024 is a leap year")


@pytest.mark.brief("O3", "O4")
def test_a_press_is_one_minute_and_begins_it(clock, bench):
    clock.press()
    insist_that("minute", clock.time.minute, 58)
    insist_that("second", clock.time.second, 0)
    bench.run_for(SEEN_MS)
    clock.insist("09:58")
    bench.run_for(800)
    clock.insist("09 58", why="a second after the press")


@pytest.mark.brief("O4")
def test_after_59_comes_00_of_the_same_hour(clock, bench):
    for shown in ("09:58", "09:59", "09:00", "09:01"):
        clock.press()
        bench.run_for(SEEN_MS)
        clock.insist(shown)
    when = clock.time
    insist_that("hour and day", (when.hour, when.day), (9, 28))


@pytest.mark.brief("O4")
def test_holding_the_button_counts_once(clock, bench):
    clock.press(duration_ms=700)
    bench.run_for(SEEN_MS)
    clock.insist("09:58")


@pytest.mark.brief("O5")
def test_it_loses_no_time(clock, bench):
    before = clock.time
    since_us = bench.uart.now_us
    bench.run_for(3000)
    passed_s = (clock.time - before).total_seconds()
    gone_s = (bench.uart.now_us - since_us) / 1e6
    insist_bound("seconds that the clock went on", passed_s, at_least=gone_s - 1)
