"""What cannot be joined pin to pin is said in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.connect_pins import connect_pins
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.testing import tank_firmware

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.bench.bench import Bench


@pytest.mark.parametrize(
    ("exact", "why"),
    [
        (True, r"left\.D2: left \(loopback\) has no pins that can be joined"),
        (False, r"left\.D2: left \(loopback\) lives in host time.*put a real wire"),
    ],
)
def test_boards_whose_pins_cannot_be_joined(
    on_bench: Callable[..., Bench],
    exact: bool,  # noqa: FBT001  # a parameter
    why: str,
) -> None:
    left, right = on_bench(tank_firmware, "left", exact=exact), on_bench(tank_firmware)
    with pytest.raises(ConfigError, match=why):
        connect_pins((left, "D2"), (right, "D2"))


@pytest.mark.parametrize("given", ["left.D2", ("D2", "left"), None])
def test_what_is_no_pin(on_bench: Callable[..., Bench], given: object) -> None:
    with pytest.raises(ConfigError, match=r"is no pin of a bench; give \(bench, 'PIN'"):
        connect_pins(given, (on_bench(tank_firmware), "D2"))  # type: ignore[arg-type]


@pytest.mark.parametrize("delay_us", [0, -1, 0.5, 1_000_001, True])
def test_what_is_no_delay(on_bench: Callable[..., Bench], delay_us: object) -> None:
    pins = (on_bench(tank_firmware), "D2"), (on_bench(tank_firmware), "D2")
    with pytest.raises(ConfigError, match=r"wire_delay_us = .*: must be whole micros"):
        connect_pins(*pins, wire_delay_us=delay_us)  # type: ignore[arg-type]
