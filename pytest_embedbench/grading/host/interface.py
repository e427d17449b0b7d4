"""A task's C interface, as the driver program is told of it."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_embedbench.grading.task import ControllerApi


_OURS = re.compile(r"\b(host|HOST)_(?!driver(?:_t)?\b|\w+\.h\b)")


def unguessed(text: str, overlay: Mapping[str, Path]) -> str:
    """Return C of ours whose names a submission cannot know, and so not put macros on.

    They have a digest of its files in them, which no file can have of itself.

    Args:
        text: C in which every name begins with ``host_`` or ``HOST_``; ``host_driver``
            and its type keep theirs, and so do files.
        overlay: What is submitted.
    """
    digest = hashlib.sha256()
    for name, file in sorted(overlay.items()):
        digest.update(f"{name}\n".encode() + hashlib.sha256(file.read_bytes()).digest())
    return _OURS.sub(rf"\1_{digest.hexdigest()[:12]}_", text)


def header(api: ControllerApi) -> str:
    """Return ``host_task.h``: the names of a task as lists that C can walk."""
    lines = [
        "/* Made from task.toml. */",
        f"#define HOST_VALUE_COUNT {len(api.values)}",
        f"#define HOST_ACTUATOR_COUNT {len(api.actuators)}",
        _list("HOST_KINDS", api.kinds),
        _list("HOST_VALUES", api.values),
        _list("HOST_ACTUATORS", api.actuators),
        _list("HOST_SERIALISERS", api.serialisers),
    ]
    if api.states:
        lines.append(_list("HOST_STATES", api.states))
    return "\n".join(lines) + "\n"


def _list(name: str, items: Iterable[str]) -> str:
    return f"#define {name}(X) " + " ".join(f"X({item})" for item in items)
