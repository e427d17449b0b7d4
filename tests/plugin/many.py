"""A small task, and submissions to it that end in different stages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.plugin.conftest import TANK
from tests.plugin.test_verdicts import (
    BRIEF,
    CONFTEST,
    CRASHES_AT_BOOT,
    HOST,
    LAZY,
    LOOP,
    TASK,
)

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

KINDS = {
    "broken": "syntax error",
    "crashes": CRASHES_AT_BOOT,
    "good": TANK,
    "lazy": LAZY,
}
STAGES = {
    "broken": ("INT", "TARGET_BUILD"),
    "crashes": ("INT", "BOOT"),
    "empty": ("NONE", None),
    "good": ("PASS", "INTEGRATION"),
    "lazy": ("INT", "INTEGRATION"),
}


def make_task(suite: Suite) -> Suite:
    """Return a task whose firmware is the file that is submitted, with submissions."""
    surface = 'edit_surface = ["firmware.py"]'
    (suite.root / "task.toml").write_text(re.sub("edit_surface.*", surface, TASK))
    (suite.root / "BRIEF.md").write_text(BRIEF)
    (suite.root / "conftest.py").write_text(CONFTEST)
    suite.test(HOST, "test_host.py")
    suite.test(LOOP, "test_loop.py")
    for name, text in KINDS.items():
        folder = suite.root / "all" / name
        folder.mkdir(parents=True)
        (folder / "firmware.py").write_text(text)
    (suite.root / "all" / "empty").mkdir()
    return suite
