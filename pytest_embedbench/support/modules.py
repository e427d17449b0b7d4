"""Python files that are found by path: a task's own plant, a task's oracle."""

from __future__ import annotations

import hashlib
import sys
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def load_name(file: Path, name: str) -> Any:  # noqa: ANN401  # typed by callers
    """Return what ``file`` calls ``name``; a file is run once in a process.

    Raises:
        ConfigError: no such file, it cannot be run, or has no such name.
    """
    digest = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:8]
    module_name = f"embedbench_{file.stem}_{digest}"
    if module_name not in sys.modules:
        _run(file, module_name)
    try:
        return getattr(sys.modules[module_name], name)
    except AttributeError:
        raise ConfigError(f"{file}: there is no {name} in it") from None


def _run(file: Path, module_name: str) -> None:
    spec = spec_from_file_location(module_name, file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise ConfigError(f"{file}: no such Python file")
    # Dataclasses look for the module that they are in.
    sys.modules[module_name] = module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module_name]
        message = f"{file}: cannot be run: {type(error).__name__}: {error}"
        raise ConfigError(message) from error
