"""What a board's options can say to this engine."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_embedbench.support.options import option


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeOptions:
    """The options of engine ``native``."""

    cpu_limit_ms: int = option(
        2_000, "CPU time without an answer after which it counts as stuck", lowest=0
    )
    wall_limit_ms: int = option(60_000, "host time for the same", lowest=0)
    asleep_limit_ms: int = option(
        10_000, "how long it may sleep in a call of the host's", lowest=0
    )
    memory_limit_mb: int = option(
        256, "how much memory it may take; 0 is any amount", lowest=0
    )
