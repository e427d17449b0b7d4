"""What the top of a report says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.bench.environments import (
    environment_for,
    facts_of,
    fitting_environments,
)
from pytest_embedbench.errors import BenchFault, EmbedbenchError
from pytest_embedbench.plugin.options import settings
from pytest_embedbench.plugin.workers import sends_tests_away
from pytest_embedbench.support.image_kinds import ImageKind, image_kind
from pytest_embedbench.support.projects import project_above

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.plugin.session import Session


_WITH_NAMES = (ImageKind.ELF, ImageKind.FLASHER_ARGS)


def lines(session: Session) -> list[str]:
    """Return the header of a session that has boards."""
    artifacts = f"embedbench artifacts: {session.run_dir} (a transcript.log per test)"
    if sends_tests_away(session.config):
        names = ", ".join(session.board_names())
        return [f"embedbench boards: {names}; those of the workers' hosts", artifacts]
    specs = [session.registry.board(name) for name in session.board_names()]
    boards = [f"{spec.name} ({spec.engine}, {spec.mcu})" for spec in specs]
    engines = [f"{s.engine}: {session.engine_version(s.name)}" for s in specs]
    required = ", ".join(settings(session.config, "require")) or "none"
    options = " ".join(
        f"{override.name}.{override.key}={override.value}"
        for override in session.registry.overrides
    )
    chosen = _environments(session, specs)
    images = _images(session, specs)
    lab = session.registry.lab
    who = f"who has what: embedbench lab list --lab {lab}"
    return [
        f"embedbench boards: {', '.join(boards)}; required: {required}",
        f"embedbench engines: {'; '.join(dict.fromkeys(engines))}",
        *([f"embedbench options: {options}"] if options else []),
        *([f"embedbench prebuilt: {'; '.join(images)}"] if images else []),
        *([f"embedbench environments: {'; '.join(chosen)}"] if chosen else []),
        f"embedbench builds: {_tool(session)}; images: {session.rig.images.root}",
        *([f"embedbench lab: {lab} ({who})"] if lab else []),
        *(_missing(session, lab) if lab else []),
        artifacts,
    ]


def _missing(session: Session, file: Path) -> list[str]:
    """Say which of the boards that would do are not there as the run begins."""
    from pytest_embedbench.lab.inventory.labfile import load_lab  # noqa: PLC0415
    from pytest_embedbench.lab.inventory.status import missing_boards  # noqa: PLC0415

    missing = missing_boards(load_lab(file), session.board_names())
    return [f"embedbench lab: {name} is missing: {why}" for name, why in missing]


def _environments(session: Session, specs: Sequence[BoardSpec]) -> list[str]:
    """Say which environments are built that a board does not know by name.

    Of the project above what pytest was told to run; a project that has none for a
    board is for the test to fail with.
    """
    found: list[str] = []
    for argument in session.config.args:
        path = session.config.invocation_params.dir / argument.partition("::")[0]
        try:
            project = project_above(path / "any")
            facts = facts_of(session.rig.builder(), project)
            for spec in specs:
                name = environment_for(
                    session.rig.builder(), spec, project, session.environments
                )
                if name not in spec.environments:
                    others = [n for n in fitting_environments(facts, spec) if n != name]
                    also = f" (also for it: {', '.join(others)})" if others else ""
                    found.append(f"{spec.name}: {name}{also}")
        except EmbedbenchError:
            continue
    return list(dict.fromkeys(found))


def _images(session: Session, specs: Sequence[BoardSpec]) -> list[str]:
    """Say which firmware is not built, and what of it cannot be known therefore."""
    found: list[str] = []
    for spec in specs:
        file = session.image_for(spec)
        if file is not None:
            kind = image_kind(file)
            lacks = "" if kind in _WITH_NAMES else ", without symbols"
            found.append(f"{spec.name}: {file} ({kind.value}{lacks})")
    return found


def _tool(session: Session) -> str:
    """Return what builds, or why nothing does: that is for the tests to fail with."""
    builder = session.rig.builder()
    if (missing := builder.missing()) is not None:
        return f"missing: {missing}"
    try:
        return builder.version()
    except BenchFault as fault:
        return f"broken: {fault}"
