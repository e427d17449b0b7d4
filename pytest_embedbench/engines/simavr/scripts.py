"""What a simulated board goes through by itself: the bench's side of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import BoardLost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.contracts import ScriptStep
    from pytest_embedbench.engines.simavr.child import Child


class RunsScriptsInChild:
    """What a board has of ``RunsScripts``: its process goes through the talks."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._now_us = 0
        self._about_s: list[float] = []
        """Of each talk that has begun and not been ended, how long it may take."""

    def begin_script(self, steps: Sequence[ScriptStep]) -> None:
        """Begin a talk, behind those that have begun."""
        self._child.begin(("script", [tuple(step) for step in steps]))
        about_ms = sum([step.first_ms + step.longest_ms for step in steps])
        self._about_s.append(about_ms / 1000)

    def script_has_ended(self) -> bool:
        """Say whether the oldest talk has ended."""
        return self._child.has_answered()

    def end_script(self) -> frozenset[int]:
        """Return the ways of which all answers of the oldest talk are."""
        if not self._about_s:
            raise BoardLost("no talk has begun that could end")
        ways, self._now_us = self._child.hear_begun(self._about_s.pop(0))
        return frozenset(ways)
