"""What a test of such a firmware looks like: like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench import Bench, BoardUnderTest, Plant


def test_the_room_stays_warm(
    bench: Bench,
    plant: Callable[..., Plant[Any]],
    check_every_rule_fired: Callable[[], None],
) -> None:
    bench.wait_for_boot()
    loop = bench.connect(plant("acme_room", temperature_c=20))
    bench.run_for(60_000)
    warm = [sample.state.temperature_c for sample in loop.samples]
    assert 17 <= min(warm) <= max(warm) <= 24
    check_every_rule_fired()


def test_it_starts_with_the_heater_off(bench: Bench) -> None:
    bench.wait_for_boot()
    bench.reset()
    bench.expect("ACT HEATER OFF", within_ms=10)


@pytest.mark.needs("read-pins")
def test_a_lamp_is_asked_for_where_there_is_one(board: BoardUnderTest) -> None:
    assert board.pin_trace().events
