"""What somebody sees who presses keys."""

import pytest

from pytest_embedbench import Level
from pytest_embedbench.grading.checks import insist_that

KEYS = ["123A", "456B", "789C", "*0#D"]
PIN = "4711"
ENTRY = "PIN:"


def control(key):
    row = next(row for row, keys in enumerate(KEYS) if key in keys)
    return f"row{row + 1}column{KEYS[row].index(key) + 1}"


def press(circuit, keys, duration_ms=50):
    for key in keys:
        circuit["keypad"].set(**{control(key): 1})
        circuit.bench.run_for(duration_ms)
        circuit["keypad"].set(**{control(key): 0})
        circuit.bench.run_for(50)


def show(circuit, row, lamp=""):
    at_ms = circuit.bench.uart.now_us / 1000
    insist_that("row 1", circuit["lcd"].text[0].rstrip(), row, at_ms=at_ms)
    for name in ("open", "locked"):
        due = Level.HIGH if name == lamp else Level.LOW
        insist_that(f"lamp {name}", circuit.level(f"{name}:A"), due, at_ms=at_ms)


@pytest.fixture
def lock(circuit):
    circuit.bench.run_for(300)
    show(circuit, ENTRY)
    return circuit


@pytest.mark.brief("K1", "K2", "K5", "K9")
def test_the_pin_opens_for_a_while(lock):
    for stars in range(1, 5):
        press(lock, PIN[stars - 1])
        show(lock, f"{ENTRY} {'*' * stars}")
    press(lock, "#")
    show(lock, "OPEN", lamp="open")
    lock.bench.run_for(1_800)
    show(lock, "OPEN", lamp="open")
    lock.bench.run_for(250)
    show(lock, ENTRY)
    press(lock, "#")
    show(lock, ENTRY)


@pytest.mark.brief("K5", "K6", "K9")
@pytest.mark.parametrize("entry", ["4712", "47", "471", "47110", "47114711", "04711"])
def test_anything_else_is_wrong(lock, entry):
    press(lock, f"{entry}#")
    show(lock, "WRONG")
    lock.bench.run_for(800)
    show(lock, "WRONG")
    lock.bench.run_for(250)
    show(lock, ENTRY)


@pytest.mark.brief("K2")
def test_a_long_press_is_one_digit(lock):
    press(lock, "4", duration_ms=900)
    show(lock, f"{ENTRY} *")
    press(lock, "711#")
    show(lock, "OPEN", lamp="open")


@pytest.mark.brief("K3", "K6")
def test_an_entry_has_8_digits_at_most(lock):
    press(lock, "#12345678")
    show(lock, f"{ENTRY} {'*' * 8}")
    press(lock, "9ABCD")
    show(lock, f"{ENTRY} {'*' * 8}")


@pytest.mark.brief("K2", "K3", "K4", "K5")
def test_a_star_clears_what_was_entered(lock):
    press(lock, "99*")
    show(lock, ENTRY)
    press(lock, "4A7B1C1D")
    show(lock, f"{ENTRY} ****")
    press(lock, "#")
    show(lock, "OPEN", lamp="open")


def be_wrong(lock):
    press(lock, "1#")
    show(lock, "WRONG")
    lock.bench.run_for(1_000)


@pytest.mark.brief("K7", "K8", "K9")
def test_three_wrong_entries_lock(lock):
    be_wrong(lock)
    be_wrong(lock)
    press(lock, "1#")
    show(lock, "LOCKED", lamp="locked")
    press(lock, f"{PIN}#")
    show(lock, "LOCKED", lamp="locked")
    lock.bench.run_for(2_300)
    show(lock, "LOCKED", lamp="locked")
    lock.bench.run_for(300)
    show(lock, ENTRY)
    be_wrong(lock)
    press(lock, f"{PIN}#")
    show(lock, "OPEN", lamp="open")


@pytest.mark.brief("K7")
def test_the_pin_makes_the_count_begin_anew(lock):
    be_wrong(lock)
    be_wrong(lock)
    press(lock, f"{PIN}#")
    lock.bench.run_for(2_050)
    be_wrong(lock)
    be_wrong(lock)
    show(lock, ENTRY)


@pytest.mark.brief("K8")
def test_keys_are_not_remembered(lock):
    press(lock, "1#")
    press(lock, "4711")
    lock.bench.run_for(700)
    show(lock, ENTRY)
    press(lock, "#")
    show(lock, ENTRY)
