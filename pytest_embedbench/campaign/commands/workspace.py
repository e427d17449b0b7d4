"""``embedbench workspace``: make one, and let an agent work in it beside a desk."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.agent_run import Agent, run_agent
from pytest_embedbench.campaign.carrying_out import is_apart
from pytest_embedbench.campaign.desk import Desk
from pytest_embedbench.campaign.judging import Evaluator
from pytest_embedbench.campaign.modes import MODES, mode_named
from pytest_embedbench.campaign.record import Record
from pytest_embedbench.campaign.workspace import create_workspace
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.task import Suite, load_task
from pytest_embedbench.processes import sandbox

if TYPE_CHECKING:
    import argparse

    from pytest_embedbench.support.commands import Subcommands

_TIMED_OUT = 124


def add_workspace(commands: Subcommands) -> None:
    """Add ``embedbench workspace create`` and ``embedbench workspace run``."""
    parser = commands.add_parser("workspace", help="what an agent works in")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    creator = actions.add_parser("create", help="make one for a task")
    _add_places(creator)
    creator.set_defaults(run=_create)
    runner = actions.add_parser("run", help="let an agent work in one, beside a desk")
    _add_places(runner)
    runner.add_argument(
        "--board",
        action="append",
        required=True,
        metavar="NAME",
        help="where submissions are judged (repeatable)",
    )
    runner.add_argument(
        "--profile", default="full", metavar="NAME", help="which checks"
    )
    runner.add_argument(
        "--records",
        type=Path,
        required=True,
        metavar="DIR",
        help="for the record, the log and what comes of submissions; it is made",
    )
    runner.add_argument(
        "--time-limit-s", type=float, default=3600.0, metavar="S", help="default: 3600"
    )
    runner.add_argument("--network", action="store_true", help="it may use the network")
    runner.add_argument(
        "--sandbox",
        choices=("auto", "require", "off"),
        default="auto",
        help="for the agent, and for what it submits (default: auto)",
    )
    runner.add_argument(
        "--readable",
        action="append",
        type=Path,
        default=[],
        metavar="PATH",
        help="what the agent's program needs beside the system's (repeatable)",
    )
    runner.add_argument(
        "--variable",
        action="append",
        default=[],
        metavar="NAME",
        help="an environment variable that it is given (repeatable)",
    )
    runner.add_argument(
        "command", nargs="+", metavar="COMMAND", help="the agent, behind --"
    )
    runner.set_defaults(run=_run)


def _add_places(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", type=Path, help="a folder with a task.toml")
    parser.add_argument("folder", type=Path, metavar="DIR", help="the workspace")
    parser.add_argument(
        "--mode", required=True, choices=MODES, help="what it is given, and told"
    )


def _suite(arguments: argparse.Namespace) -> Suite:
    task: Path = arguments.task.resolve()
    return Suite(root=task, task=load_task(task / "task.toml"))


def _create(arguments: argparse.Namespace) -> int:
    create_workspace(_suite(arguments), arguments.folder, mode_named(arguments.mode))
    sys.stdout.write(f"{arguments.folder}: made; start with its README.md\n")
    return 0


def _run(arguments: argparse.Namespace) -> int:
    suite, mode = _suite(arguments), mode_named(arguments.mode)
    sandboxed = is_apart(arguments.sandbox)
    if not sandboxed and arguments.sandbox == "auto":
        sys.stderr.write(
            f"embedbench workspace: no sandbox ({sandbox.missing()}): the agent can "
            "see and change whatever you can\n"
        )
    workspace: Path = arguments.folder.resolve()
    records: Path = arguments.records.resolve()
    if records.is_relative_to(workspace):
        raise ConfigError(f"{records}: is in the workspace: an agent could change it")
    if not workspace.exists():
        create_workspace(suite, workspace, mode)
    record = Record(records / "record.jsonl")
    judge = Evaluator(
        task=suite.root,
        boards=tuple(arguments.board),
        profile=arguments.profile,
        sandbox=arguments.sandbox,
    )
    agent = Agent(
        command=tuple(arguments.command),
        limit_s=arguments.time_limit_s,
        network=arguments.network,
        readable=tuple(path.resolve() for path in arguments.readable),
        variables=tuple(arguments.variable),
        sandbox=sandboxed,
    )
    with Desk(
        suite=suite,
        workspace=workspace,
        mode=mode,
        judge=judge,
        record=record,
        folder=records / "submissions",
    ) as desk:
        end = run_agent(
            agent,
            workspace,
            desk.socket,
            hidden=(suite.root, records),
            log=records / "agent.log",
        )
    for each in desk.submissions:
        judged = each.judgement
        words = (str(each.number), judged.verdict or "no verdict", judged.stage or "-")
        sys.stdout.write(f"{'  '.join(words)}  {judged.reason.partition(chr(10))[0]}\n")
    seal = record.seal
    sys.stdout.write(f"record: {seal.count} lines, sealed {seal.digest}\n")
    if end.timed_out:
        sys.stdout.write(f"the agent was ended after {agent.limit_s:g} s\n")
        return _TIMED_OUT
    return end.returncode
