"""What the top of a report says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.plugin.options import settings
from pytest_embedbench.plugin.workers import sends_tests_away

if TYPE_CHECKING:
    from pytest_embedbench.plugin.session import Session


def lines(session: Session) -> list[str]:
    """Return the header of a session that has boards."""
    artifacts = f"embedbench artifacts: {session.run_dir} (a transcript.log per test)"
    if sends_tests_away(session.config):
        names = ", ".join(session.board_names())
        return [f"embedbench boards: {names}; those of the workers' hosts", artifacts]
    specs = [session.registry.board(name) for name in session.board_names()]
    boards = [f"{spec.name} ({spec.engine}, {spec.mcu})" for spec in specs]
    engines = {spec.engine: session.engine_version(spec.name) for spec in specs}
    required = ", ".join(settings(session.config, "require")) or "none"
    options = " ".join(
        f"{override.name}.{override.key}={override.value}"
        for override in session.registry.overrides
    )
    lab = session.registry.lab
    who = f"who has what: embedbench lab list --lab {lab}"
    return [
        f"embedbench boards: {', '.join(boards)}; required: {required}",
        f"embedbench engines: {'; '.join(f'{k}: {v}' for k, v in engines.items())}",
        *([f"embedbench options: {options}"] if options else []),
        f"embedbench builds: {_tool(session)}; images: {session.rig.images.root}",
        *([f"embedbench lab: {lab} ({who})"] if lab else []),
        artifacts,
    ]


def _tool(session: Session) -> str:
    """Return what builds, or why nothing does: that is for the tests to fail with."""
    builder = session.rig.builder()
    if (missing := builder.missing()) is not None:
        return f"missing: {missing}"
    try:
        return builder.version()
    except BenchFault as fault:
        return f"broken: {fault}"
