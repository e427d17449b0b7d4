"""What the child says as it dies of an exception: whose part it was, or a traceback."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

    from pytest_embedbench.wiring.placed_part import PlacedPart

PART_FAILED = 71
"""The exit code after a sentence about a part; else a traceback was said."""
_OTHER = 70


def die_of(error: BaseException) -> NoReturn:
    """Say what it was, and end: what is half done cannot go on."""
    told = _told_of_a_part(error)
    if told:
        sys.stderr.write(told)
        sys.stderr.flush()
        os._exit(PART_FAILED)
    import traceback  # noqa: PLC0415  # slow to load, and never needed

    traceback.print_exception(error)
    os._exit(_OTHER)


def _told_of_a_part(error: BaseException) -> str:
    """Return whose model raised it, and where; ``""`` if none did."""
    frames: list[tuple[FrameType, int]] = []
    step = error.__traceback__
    while step is not None:
        frames.append((step.tb_frame, step.tb_lineno))
        step = step.tb_next
    parts = _all_parts()
    for index in reversed(range(len(frames))):
        if part := _part_in(frames[index][0], parts):
            # A model that is being made is not at hand yet: it is what comes next.
            is_ours = any(it is part for it in frames[index][0].f_locals.values())
            frame, line = (frames[index + is_ours :] or frames[index:])[0]
            return (
                f"part {part.id} ({part.kind.name}): its model raised "
                f"{type(error).__name__}: {error} (from "
                f"{frame.f_code.co_filename}:{line})"
            )
    return ""


def _all_parts() -> list[PlacedPart]:
    wiring = sys.modules.get("pytest_embedbench.wiring.placed_part")
    if wiring is None:
        return []
    gc.unfreeze()  # a copy has all that it began with out of sight
    return [it for it in gc.get_objects() if isinstance(it, wiring.PlacedPart)]


def _part_in(frame: FrameType, parts: list[PlacedPart]) -> PlacedPart | None:
    """Return the part that a frame is of, or whose model it has at hand."""
    for part in parts:
        wires = getattr(part, "wires", None)  # a part that is being made has none yet
        theirs = [part, getattr(part, "model", part), *getattr(wires, "devices", ())]
        for value in frame.f_locals.values():
            if any(value is each for each in theirs):
                return part
    return None
