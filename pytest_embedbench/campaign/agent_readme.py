"""The page that tells an agent what is where, and what it can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.campaign.modes import Feedback

if TYPE_CHECKING:
    from pytest_embedbench.campaign.modes import Mode
    from pytest_embedbench.grading.task import Task

_SAID = {
    Feedback.NOTHING: "Nothing is said of it but that it was taken.",
    Feedback.RED_OR_GREEN: "You are told PASS or FAIL, and nothing else.",
    Feedback.EVERYTHING: (
        "You are told which checks failed, with their sentences of the brief, reasons "
        "and metrics; more is in `feedback/`, a folder for each submission."
    ),
}
_AIDS = """
## Trying things

```console
$ pytest --board=native visible/
$ pytest --board=native agent_tests/
```

builds the firmware as it is now and runs the tests on it. `visible/` is what you start
from; write tests of your own into `agent_tests/`. `platformio.ini` lists other boards.
`pytest --fixtures visible/` explains `bench`, `board` and `plant`. Both folders are
never built into the firmware and no part of what you submit.
"""


def agent_readme(task: Task, mode: Mode) -> str:
    """Return what ``README.md`` of a workspace says."""
    surface = ", ".join(f"`{name}`" for name in task.edit_surface)
    limit = mode.submission_limit
    count = {None: "as often as you like", 1: "once"}.get(limit, f"{limit} times")
    return (
        f"# Your workspace: {task.name}\n\n"
        f"What is wanted is in [{task.brief}]({task.brief}). You write {surface}, and "
        "nothing else: any other file that you change, add or remove makes a "
        "submission invalid.\n"
        f"{_AIDS if mode.has_aids else ''}"
        "\n## Submitting\n\n```console\n$ embedbench submit\n```\n\n"
        f"hands in {surface} as they are at that moment. You can submit {count}. "
        f"{_SAID[mode.feedback]}\n"
    )
