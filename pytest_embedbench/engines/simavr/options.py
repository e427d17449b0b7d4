"""What a board's options can say to this engine."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_embedbench.support.options import option


@dataclass(frozen=True, slots=True, kw_only=True)
class SimavrOptions:
    """The options of engine ``simavr``."""

    allow_resets: bool = option(
        default=False,
        help="neither a watchdog reset nor a jump to address 0 is a fault; without it "
        "the first word of flash is a trap, and a firmware that reads its own program "
        "sees that",
    )
    vcc_mv: int = option(
        5_000, "the supply, which the ADC measures against by default", lowest=0
    )
