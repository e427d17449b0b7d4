"""The constants of a program, in whatever it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.sources.pin_constant import SourceConstant

PYTHON_SUFFIX = ".py"


def constants_in(
    files: Mapping[str, bytes], pins: BoardPins
) -> tuple[SourceConstant, ...]:
    """Return the constants that are pins, in the order of the files.

    Raises:
        ToolMissing: C++ cannot be read without what the extra ``esr`` brings.
    """
    if any(name.endswith(PYTHON_SUFFIX) for name in files):
        from pytest_embedbench.esr.sources.python_pins import (  # noqa: PLC0415
            python_constants,
        )

        return python_constants(files, pins)
    from pytest_embedbench.esr.sources.constants import (  # noqa: PLC0415  # late
        pin_constants,
    )

    return pin_constants(files, pins)
