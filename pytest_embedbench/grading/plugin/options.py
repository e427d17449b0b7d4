"""The options and markers of grading."""

from __future__ import annotations

from pytest_embedbench.plugin.options import Setting

PAPER, PAPER_STRICT = "paper", "paper-strict"
PROFILE = Setting(
    name="profile",
    flag="--embedbench-profile",
    metavar="NAME",
    help="Which tests of a task run: full; paper, the published ones; paper-strict, "
    "all that hold without sentences of our own; or robust",
    default="full",
    choices=("full", PAPER, PAPER_STRICT, "robust"),
)
SANDBOX = Setting(
    name="sandbox",
    flag="--embedbench-sandbox",
    metavar="WHEN",
    help="Build and run submissions in a sandbox: auto (if it works), require, off",
    default="auto",
    choices=("auto", "require", "off"),
)
SUBMISSIONS = Setting(
    name="submissions",
    flag="--embedbench-submissions",
    metavar="DIR",
    help="Judge each folder in DIR (or each line of a JSONL file) as a submission",
)
SETTINGS = (PROFILE, SANDBOX, SUBMISSIONS)
MARKERS = (
    "brief(*ids): this test is a check; it enforces these sentences of BRIEF.md",
    "profile(*names): run only with --embedbench-profile set to one of these",
    "host_only(reason): a check that does not run on a board's CPU, and why",
    "robust: no check; run only with --embedbench-profile=robust",
)
