"""Interrupts at a low level, and pins that are low without any."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.engines.simavr.avr_program import read_program
from pytest_embedbench.engines.simavr.core.mcus import MCUS
from pytest_embedbench.model import Level
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr import Simavr, SimavrBoard
    from tests.e2e.avr_firmware import Boot, Build

__all__ = ["avr_image", "boot", "simavr"]

# Runs 20 ms with INT0's pin low and prints what is due in each cycle.
LOOKING = """
import sys
from pytest_embedbench.engines.simavr.core.machine import AvrMachine
from pytest_embedbench.engines.simavr.core.avr_in_child import AvrInChild
library, mmcu, segments, pin = sys.argv[1], sys.argv[2], eval(sys.argv[3]), sys.argv[4]
machine = AvrMachine(library, mmcu, 16_000_000, 5_000)
board = AvrInChild(machine, [(0, 9600, False)])
machine.load(segments)
machine.run_until(160_000)
board.ports[pin[1]].drive(int(pin[2]), 1)
machine.run_until(240_000)
board.ports[pin[1]].drive(int(pin[2]), 0)
machine.run_until(320_000)
print(sum(each[0] <= machine.avr.cycle + 1 for each in machine.cycle_timers()))
"""


def heard(board: SimavrBoard) -> bytes:
    return b"".join(chunk.data for chunk in board.link().receive())


@pytest.mark.parametrize("low_before", [False, True])
def test_an_interrupt_comes_again_and_again_while_its_pin_is_low(
    boot: Boot, *, low_before: bool
) -> None:
    board = boot("level", "-DLEVEL")
    board.advance(10)
    board.drive_pin("D8" if not low_before else "D2", Level.LOW)
    board.advance(20)
    assert heard(board) == b"B"
    board.drive_pin("D2" if not low_before else "D8", Level.LOW)
    board.advance(20)
    assert heard(board) == b"12345"


def test_no_interrupt_comes_of_a_pin_that_is_high(boot: Boot) -> None:
    board = boot("level", "-DLEVEL")
    board.drive_pin("D8", Level.LOW)
    board.advance(20)
    board.drive_pin("D2", Level.HIGH)
    board.advance(20)
    assert heard(board) == b"B"


@pytest.mark.parametrize(
    ("board", "pin"), [("uno", "PD2"), ("uno", "PD3"), ("mega", "PD0"), ("mega", "PE4")]
)
def test_a_pin_that_is_low_without_an_interrupt_is_not_looked_at(
    simavr: Simavr, avr_image: Build, board: str, pin: str
) -> None:
    mmcu = {"uno": "atmega328p", "mega": "atmega2560"}[board]
    image = avr_image("level", board=board)
    segments = read_program(image.elf_path, mmcu, MCUS[mmcu]).segments
    argv = [sys.executable, "-c", LOOKING, simavr.library, mmcu, repr(list(segments))]
    done = subprocess.run([*argv, pin], capture_output=True, text=True, check=True)
    assert int(done.stdout) == 0
