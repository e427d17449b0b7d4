"""Boards in Wokwi's cloud, or at any server that speaks its protocol."""

from __future__ import annotations

from pytest_embedbench.engines.wokwi.engine import Wokwi

__all__ = ["Wokwi"]
