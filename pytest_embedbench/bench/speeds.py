"""How fast a board's first UART is, where its project says so and nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.support.uart_speeds import at_speeds

if TYPE_CHECKING:
    from pytest_embedbench.model import BoardSpec, FirmwareImage

MONITOR_BPS = "monitor_bps"
"""What an image's metadata call ``monitor_speed`` of its project."""


def at_its_speed(spec: BoardSpec, image: FirmwareImage) -> BoardSpec:
    """Return a board whose first UART is as fast as the project says; others first."""
    bps = int(image.metadata.get(MONITOR_BPS, 0))
    if not bps or spec.uarts[0].said_by:
        return spec
    return at_speeds(spec, {"": bps}, said_by="monitor_speed")
