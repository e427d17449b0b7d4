"""Projects of Wokwi: a ``wokwi.toml`` that says where a built firmware is.

By docs.wokwi.com/vscode/project-config: firmware and program are files from the folder
of the ``wokwi.toml`` on; whoever has built them is asked for nothing here.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.toml_schema import check_keys, read_table, unknown_key

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WOKWI_FILE = "wokwi.toml"
_TEXTS = {"firmware": str, "elf": str, "vcdFile": str}
_KNOWN = {**_TEXTS, "version": int, "gdbServerPort": int, "rfc2217ServerPort": int}
_TABLE = "wokwi."


def wokwi_firmware(folder: Path) -> Path:
    """Return the firmware that a project's ``wokwi.toml`` names.

    Raises:
        ConfigError: the file makes no sense, or there is no such firmware (yet).
    """
    file = folder / WOKWI_FILE
    whole = read_table(file)
    if "wokwi" not in whole:
        raise ConfigError(f"{file}: has no table [wokwi]")
    check_keys(f"{file}", "", {"wokwi": whole["wokwi"]}, required={"wokwi": dict})
    table: Mapping[str, object] = whole["wokwi"]
    _check(f"{file}", table)
    key = "firmware" if "firmware" in table else "elf"
    name = str(table.get(key, ""))
    if not name:
        raise ConfigError(f"{file}: {_TABLE}firmware: missing")
    firmware = folder / name.replace("\\", "/")
    if not firmware.is_file():
        what = "is a folder" if firmware.is_dir() else "there is no such file"
        raise ConfigError(f"{file}: {_TABLE}{key}: {name!r}: {what}: {_advice(name)}")
    return firmware


def _check(file: str, table: Mapping[str, object]) -> None:
    """Insist on known keys; what is near to none may be one of a newer Wokwi."""
    for key in table.keys() - _KNOWN.keys():
        if difflib.get_close_matches(key, _KNOWN, n=1):
            raise unknown_key(f"{file}: {_TABLE}{key}", key, _KNOWN)
    known = {key: value for key, value in table.items() if key in _KNOWN}
    check_keys(file, _TABLE, known, required={"version": int}, optional=_KNOWN)
    if table["version"] != 1:
        raise ConfigError(f"{file}: {_TABLE}version: must be 1, is {table['version']}")


def _advice(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    if parts[:2] == [".pio", "build"]:
        environment = f" -e {parts[2]}" if len(parts) > 3 else ""  # noqa: PLR2004  # with a file
        return f"build it first: pio run{environment}"
    return "build the project first, or say where its firmware is"
