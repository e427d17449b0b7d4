"""Strict and permissive bars of each model, with what wrong pins have cost it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.plotting.bars import Bar, BarGroup, draw_bars

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.esr.rates import Rate, Rates

LEGEND = ("E_str", "E_per")


def draw(models: Mapping[str, Rates]) -> str:
    """Return the picture as SVG text."""
    groups = [
        BarGroup(name, (_bar(of.strict), _bar(of.permissive)), _delta(of.delta))
        for name, of in models.items()
    ]
    return draw_bars("strict and permissive pins", LEGEND, groups)


def _bar(rate: Rate) -> Bar:
    return Bar(rate.share, rate.interval)


def _delta(rate: Rate) -> str:
    if rate.share is None:
        return "delta_pin unknown"
    found = rate.interval
    around = f" [{found.low:.2f}, {found.high:.2f}]" if found is not None else ""
    return f"delta_pin {rate.share:.2f}{around}"
