"""Bring a test's files home from a worker on another machine.

They travel with its last report, and nothing of them stays there. In all its reports
what is said of the files' place is changed into where they are here.
"""

from __future__ import annotations

import shutil
import zlib
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.bench.artifacts import point_latest
from pytest_embedbench.plugin.stash import SHIPPED, session_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def ship(report: pytest.TestReport, run_dir: Path, folder: Path | None) -> None:
    """Put a folder of ``run_dir`` into a report, and remove it."""
    files: dict[str, bytes] = {}
    if folder is not None:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = file.relative_to(run_dir).as_posix()
            files[name] = zlib.compress(file.read_bytes())
        shutil.rmtree(folder)
    setattr(report, SHIPPED, {"run_dir": str(run_dir), "files": files})


def receive(config: pytest.Config, data: dict[str, Any]) -> None:
    """Write the files of a report that has come, as it was sent, and mend its words."""
    shipped = data.pop(SHIPPED)
    there, here = shipped["run_dir"], session_of(config).run_dir
    for name, packed in shipped["files"].items():
        content = zlib.decompress(packed)
        if name.endswith(".json"):
            content = content.replace(there.encode(), str(here).encode())
        file = here / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    if shipped["files"]:
        point_latest(here)
    data.update(_moved(data, there, str(here)))


def _moved(value: object, there: str, here: str) -> Any:  # noqa: ANN401  # as it came
    """Return a value with a path in all its texts replaced."""
    if isinstance(value, str):
        return value.replace(there, here)
    if isinstance(value, dict):
        table = cast("dict[object, object]", value)
        return {key: _moved(entry, there, here) for key, entry in table.items()}
    if isinstance(value, (list, tuple)):
        entries = cast("list[object] | tuple[object, ...]", value)
        return type(entries)(_moved(entry, there, here) for entry in entries)
    return value
