"""Pins that a timer moves by itself, in circuits."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_embedbench import Level
from pytest_embedbench.wiring.diagram import Endpoint
from tests.e2e.avr_circuit import circuit, wired
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.engines.simavr import SimavrBoard
    from pytest_embedbench.wiring.waves import Edge
    from tests.e2e.avr_circuit import Wired

__all__ = ["avr_image", "boot", "simavr", "wired"]


def test_what_a_timer_turns_over_is_heard_and_recorded(wired: Wired) -> None:
    board = wired("squares", {"bz": "wokwi-buzzer"}, "uno:9 - bz:2", "uno:GND.1 - bz:1")
    board.advance(50)
    assert circuit(board).observe("bz", "tone_hz") == 16e6 / (16 * 1136)
    board.advance(200)
    assert circuit(board).observe("bz", "tone_hz") == 16e6 / (16 * 568)
    board.advance(250)
    assert circuit(board).observe("bz", "tone_hz") == 0
    edges = edges_at(board, "9")
    halves_ns = [b.at_ns - a.at_ns for a, b in pairwise(edges)]
    odd = [each for each in halves_ns if each not in {568_000, 284_000}]
    assert len(odd) < 5  # where the firmware sets it anew
    assert {568_000, 284_000} <= {*halves_ns}
    assert edges[-1].level is Level.LOW


def test_a_pwm_stands_still_in_deep_sleep(wired: Wired) -> None:
    board = wired(
        "squares",
        {"bz": "wokwi-buzzer"},
        *("uno:11 - bz:2", "uno:GND.1 - bz:1"),
        flags=["-DSLEEPS"],
    )
    board.advance(100)
    edges = edges_at(board, "11")
    gaps_ns = [b.at_ns - a.at_ns for a, b in pairwise(edges)]
    *others, longest = sorted(gaps_ns)
    assert max(others) <= 1_536_000
    assert 32_000_000 < longest < 34_000_000
    assert {*gaps_ns[-2:]} == {1_536_000, 504_000}


def edges_at(board: SimavrBoard, pin: str) -> Sequence[Edge]:
    record = circuit(board).record()
    return record.edges_of(record.netlist.number_of(Endpoint("uno", pin)), 0)
