"""What a part that a package brings has promised beyond its model's promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import UnknownName
from pytest_embedbench.installed_parts import installed_parts
from pytest_embedbench.parts.part_files import load_part
from pytest_embedbench.testing.check_part import check_part
from pytest_embedbench.testing.insist import insist

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROOT = Path(__file__).parents[2]
_ALONE = """
import sys
sys.path.append(sys.argv[1])
from pytest_embedbench.parts.part_files import PartFile, all_parts
all_parts([PartFile(*sys.argv[2:])])
"""


def check_installed_part(
    type_name: str, attrs: Mapping[str, str] | None = None
) -> None:
    """Insist that an installed part keeps its promises where an engine loads it.

    Its file is loaded in a Python without site-packages, as an engine does; then its
    model goes through ``check_part``.

    Args:
        type_name: The type, which is the name of its entry point.
        attrs: Attributes of the part that is made.

    Raises:
        ConfigError: it cannot be found or loaded.
        ContractViolation: naming the promise that was broken.
        UnknownName: no package brings it.
    """
    files = {file.type_name: file for file in installed_parts()}
    if type_name not in files:
        raise UnknownName("installed part", type_name, files)
    part = load_part(files[type_name])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _ALONE, str(_ROOT), *files[type_name]],
        capture_output=True,
        text=True,
        check=False,
    )
    told = done.stderr.strip().rpartition("\n")[2]
    insist(done.returncode == 0, f"its file does not stand alone: {told}")
    check_part(part.kind, part.make, attrs)
