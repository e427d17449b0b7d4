"""What a run says of itself: ``run.json``."""

from __future__ import annotations

import platform
from contextlib import suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.bench.artifacts import RUN, point_latest, replace_json
from pytest_embedbench.clock import host_stamp
from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.plugin.options import path_setting
from pytest_embedbench.plugin.stash import session_of
from pytest_embedbench.report_page.plugin import REPORT

if TYPE_CHECKING:
    from pytest_embedbench.plugin.session import Session


def write(config: pytest.Config, exit_status: int) -> None:
    """Write what ran, if the run has left anything, or a page is asked for."""
    session = session_of(config)
    if not (session.run_dir.exists() or path_setting(config, REPORT)):
        return
    # A full disk is no reason to lose the run's summary as well.
    with suppress(OSError):
        replace_json(session.run_dir / RUN, _record(session, exit_status))
        point_latest(session.run_dir)


def _record(session: Session, exit_status: int) -> dict[str, Any]:
    return {
        "schema": 1,
        "run": session.run_name,
        "ended_at": host_stamp(),
        "exit_status": exit_status,
        "interrupted": exit_status == pytest.ExitCode.INTERRUPTED,
        "arguments": list(session.config.invocation_params.args),
        "boards": [_board(session, name) for name in session.board_names()],
        "versions": {
            "pytest-embedbench": version("pytest-embedbench"),
            "pytest": version("pytest"),
            "Python": platform.python_version(),
            "system": platform.platform(),
        },
    }


def _board(session: Session, name: str) -> dict[str, str]:
    """Return what a board is; one of another machine's has no more than its name."""
    try:
        spec = session.registry.board(name)
        engine = session.engine_version(name)
    except EmbedbenchError as error:
        return {"board": name, "engine": "", "mcu": "", "version": str(error)}
    return {
        "board": name,
        "engine": spec.engine,
        "mcu": spec.mcu,
        "version": engine,
        "options": ", ".join(f"{key}={value}" for key, value in spec.options.items()),
    }
