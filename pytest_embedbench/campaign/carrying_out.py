"""Carrying out one run of a campaign: workspace, desk, agent, and what came of it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.artifacts import replace_json
from pytest_embedbench.campaign.agent_run import run_agent
from pytest_embedbench.campaign.desk import Desk
from pytest_embedbench.campaign.judging import Evaluator
from pytest_embedbench.campaign.record import Record
from pytest_embedbench.campaign.result import result_of
from pytest_embedbench.campaign.usage import usage_so_far
from pytest_embedbench.campaign.workspace import create_workspace
from pytest_embedbench.processes import sandbox

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.campaign.campaign_file import Campaign, Cell
    from pytest_embedbench.campaign.usage import Usage

RESULT = "result.json"


def carry_out(campaign: Campaign, cell: Cell, folder: Path) -> dict[str, Any]:
    """Let an agent work; return what came of it, which is in ``result.json`` too.

    Whatever an earlier attempt has left in ``folder`` goes.

    Raises:
        BenchFault: the record could not be kept, or no sandbox be made.
        ToolMissing: a sandbox is required, and there can be none.
    """
    shutil.rmtree(folder, ignore_errors=True)
    workspace, records = folder / "workspace", folder / "records"
    create_workspace(cell.suite, workspace, cell.mode)
    usage: dict[str, Usage | None] = {"before_first": None}
    desk = Desk(
        suite=cell.suite,
        workspace=workspace,
        mode=cell.mode,
        judge=Evaluator(
            task=cell.suite.root,
            boards=campaign.boards,
            profile=campaign.profile,
            sandbox=campaign.sandbox,
        ),
        record=Record(records / "record.jsonl"),
        folder=records / "submissions",
        on_first=lambda: usage.update(before_first=usage_so_far(workspace)),
    )
    agent = replace(cell.entry.agent, sandbox=is_apart(campaign.sandbox))
    others = (cell.suite.root, campaign.file.resolve(), folder.parent, records)
    with desk:
        end = run_agent(
            agent, workspace, desk.socket, hidden=others, log=folder / "agent.log"
        )
    usage["total"] = usage_so_far(workspace)
    result = result_of(campaign, cell, desk, end, workspace, usage)
    result["sandbox"] = "bubblewrap" if agent.sandbox else "none"
    replace_json(folder / RESULT, result)
    return result


def is_apart(wanted: str) -> bool:
    """Say whether an agent gets a sandbox.

    Raises:
        ToolMissing: it has to, and there can be none.
    """
    missing = None if wanted == "off" else sandbox.missing()
    if wanted == "require" and missing is not None:
        raise missing
    return wanted != "off" and missing is None
