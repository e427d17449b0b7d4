"""Lines of UARTs on the terminal, while tests run: ``--embedbench-live``."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_embedbench.plugin.options import Setting, setting
from pytest_embedbench.plugin.workers import input_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import pytest

LIVE = Setting(
    name="live",
    flag="--embedbench-live",
    metavar="on",
    help="Show the lines of UARTs on the terminal as they are said, with -s or without",
    default="off",
    choices=("on", "off"),
    alone="on",
)


def begin(config: pytest.Config) -> None:
    """Show lines until the end of the run; xdist's workers have no terminal."""
    if setting(config, LIVE) == "off" or input_of(config):
        return
    from pytest_embedbench.bench.live_lines import listen  # noqa: PLC0415  # late

    config.add_cleanup(listen(partial(_show, config.pluginmanager)))


def header(config: pytest.Config) -> list[str]:
    """Say why nothing will be shown, where that is so."""
    if setting(config, LIVE) == "off" or not getattr(config.option, "tx", None):
        return []
    where = "do not reach this terminal: run without -n, or see 'embedbench watch'"
    return [f"embedbench live: lines of xdist's workers {where}"]


def _show(plugins: pytest.PytestPluginManager, line: str) -> None:
    """Write on the terminal, past all capturing, as pytest's own live logs do."""
    reporter: Any = plugins.get_plugin("terminalreporter")
    capture: Any = plugins.get_plugin("capturemanager")
    uncaptured: AbstractContextManager[None] = (
        capture.global_and_fixture_disabled() if capture else nullcontext()
    )
    if reporter is not None:
        with uncaptured:
            reporter.ensure_newline()
            reporter.write_line(line)
