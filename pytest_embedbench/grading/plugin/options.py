"""The options and markers of grading."""

from __future__ import annotations

from pytest_embedbench.plugin.options import Setting

PROFILE = Setting(
    name="profile",
    flag="--embedbench-profile",
    metavar="NAME",
    help="Which tests of a task run: full, paper as published, or robust",
    default="full",
    choices=("full", "paper", "robust"),
)
MARKERS = (
    "brief(*ids): this test is a check; it enforces these sentences of BRIEF.md",
    "profile(*names): run only with --embedbench-profile set to one of these",
    "robust: no check; run only with --embedbench-profile=robust",
)
