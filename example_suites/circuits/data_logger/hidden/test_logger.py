"""What is on the card: whole lines, at their times, over power cycles."""

import re

import pytest

from pytest_embedbench.grading.checks import insist_bound, insist_that

HEADER = "seconds,celsius,lowest,highest"
PERIOD_MS, WRITTEN_MS = 125, 60
LINE = re.compile(r"\d+\.\d{3}(,-?\d+\.[05]){3}")


@pytest.fixture
def log(circuit, bench):
    """The file on the card."""
    return Log(circuit, bench)


class Log:
    """The file, and the thermometer that it is about."""

    def __init__(self, circuit, bench):
        self.circuit, self.bench = circuit, bench

    def run(self, lines, celsius):
        """Let as many lines be written at a temperature."""
        self.circuit["thermometer"].set(temperature=celsius)
        self.bench.run_for(lines * PERIOD_MS)

    @property
    def lines(self):
        """The lines, of which the last one has to be whole too."""
        text = text_of(self.circuit)
        insist_that("end of the file", text[-1:], "\n", why="lines are whole")
        return text.split("\n")[:-1]


def text_of(circuit):
    """Return what is in LOG.CSV, nothing if it is not there."""
    for path, content in dict(circuit["card"].files).items():
        if path.strip("/").upper() == "LOG.CSV":
            return content if isinstance(content, str) else content.decode("ascii")
    return ""


def insist_times(lines, first=1):
    """Insist on times that are multiples of the period, with none left out."""
    seen = [line.split(",")[0] for line in lines]
    due = [f"{n * 0.125:.3f}" for n in range(first, first + len(lines))]
    insist_that("seconds", seen, due)


@pytest.mark.brief("T1", "T2")
def test_lines_come_at_their_times(log, bench):
    bench.run_for(5 * PERIOD_MS + WRITTEN_MS)
    lines = log.lines
    insist_that("first line", lines[0], HEADER)
    insist_that("lines", len(lines), 6)
    insist_times(lines[1:])
    insist_that("first reading", lines[1], "0.125,21.0,21.0,21.0")


@pytest.mark.brief("T2")
@pytest.mark.parametrize(
    ("celsius", "told"),
    [(-10.5, "-10.5"), (-0.5, "-0.5"), (0, "0.0"), (-55, "-55.0"), (125, "125.0")],
)
def test_temperatures_of_all_kinds(log, circuit, bench, celsius, told):
    circuit["thermometer"].set(temperature=celsius)
    bench.run_for(2 * PERIOD_MS + WRITTEN_MS)
    insist_that("reading", log.lines[-1].split(",")[1], told)


@pytest.mark.brief("T2")
def test_lowest_and_highest_are_kept(log, bench):
    log.run(2, 20)
    log.run(2, 30.5)
    log.run(2, -5)
    log.run(2, 10)
    bench.run_for(WRITTEN_MS)
    lines = log.lines[1:]
    strange = [line for line in lines if not LINE.fullmatch(line)]
    insist_that("lines of another form", strange, [])
    readings = [tuple(map(float, line.split(",")[1:])) for line in lines]
    insist_that("last line", readings[-1], (10, -5, 30.5))
    for n, (celsius, lowest, highest) in enumerate(readings):
        so_far = [reading[0] for reading in readings[: n + 1]]
        due = (so_far[-1], min(so_far), max(so_far))
        insist_that(f"line {n + 1}", (celsius, lowest, highest), due)


@pytest.mark.brief("T3")
def test_a_reading_is_fresh(log, bench):
    log.run(3, 20)
    log.run(2, 25)
    bench.run_for(WRITTEN_MS)
    insist_that("reading", log.lines[-1].split(",")[1], "25.0", why="130 ms at most")


@pytest.mark.brief("T1", "T2")
def test_the_file_grows_over_blocks_of_the_card(log, circuit, bench):
    lines = 26
    bench.run_for(lines * PERIOD_MS + WRITTEN_MS)
    insist_bound("size in bytes", len(text_of(circuit)), at_least=513)
    seen = log.lines
    insist_that("first line", seen[0], HEADER)
    insist_times(seen[1:])
    readings = {line.partition(",")[2] for line in seen[1:]}
    insist_that("readings", readings, {"21.0,21.0,21.0"})
    insist_that("lines", len(seen), lines + 1)


@pytest.mark.brief("T4")
def test_after_a_power_cycle_it_goes_on(log, bench):
    bench.run_for(3 * PERIOD_MS + WRITTEN_MS)
    before = log.lines
    for _ in range(2):
        bench.power_cycle()
        bench.run_for(2 * PERIOD_MS + WRITTEN_MS)
        after = log.lines
        insist_that("old lines", after[: len(before)], before, why="nothing is lost")
        insist_that("new lines", len(after) - len(before), 2)
        insist_times(after[len(before) :])
        before = after
    insist_that("headers", before.count(HEADER), 1)


@pytest.mark.brief("T1", "T5")
def test_what_is_on_the_card_stays(log, circuit, bench):
    others = {"NOTES.TXT": b"mine " * 300, "OLD/LOG.CSV": b"not this one\n"}
    for path, content in others.items():
        circuit["card"].put_file(path, content)
    bench.run_for(3 * PERIOD_MS + WRITTEN_MS)
    files = dict(circuit["card"].files)
    insist_that("other files", {path: files.get(path) for path in others}, others)
    insist_times(log.lines[1:])
    insist_that("lines", len(log.lines), 4)
