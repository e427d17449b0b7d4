"""Build with the ``pio`` command; PlatformIO itself is never imported."""

from __future__ import annotations

from pytest_embedbench.builders.platformio.builder import PlatformIO

__all__ = ["PlatformIO"]
