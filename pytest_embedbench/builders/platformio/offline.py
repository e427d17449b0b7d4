"""What to tell someone whose build wants a package that is not here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.packages import STAND_INS, local_platforms
from pytest_embedbench.errors import ToolMissing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.builders.platformio.packages import StandIn

_NAME = re.compile(r"(?:[\w.-]+/)?([\w.+-]+)")


def package_missing(
    wanted: str, stand_ins: Sequence[StandIn] = STAND_INS
) -> ToolMissing:
    """Return the error for a package that PlatformIO wants and must not download."""
    match = _NAME.match(wanted)
    name = match[1] if match else wanted
    return ToolMissing(
        "platformio", f"the package {wanted!r}", _install(name, stand_ins)
    )


def _install(name: str, stand_ins: Sequence[StandIn]) -> str:
    if name == "tool-scons" or name in local_platforms():
        return "run `embedbench setup`"
    for stand_in in stand_ins:
        if stand_in.name == name and stand_in.find():
            return "run `embedbench setup`"
        if stand_in.name == name:
            return f"run `{stand_in.install}`, then `embedbench setup`"
    return "build once where PlatformIO can reach its registry"
