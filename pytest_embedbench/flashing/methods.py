"""The flash methods by name, and the table of a lab file that chooses one."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast, get_origin, get_type_hints

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.flashing.avrdude import Avrdude
from pytest_embedbench.flashing.command import OwnCommand
from pytest_embedbench.flashing.esptool import Esptool
from pytest_embedbench.flashing.model import After, Erase, FlashMethod, FlashSettings
from pytest_embedbench.flashing.platformio import PlatformIOUpload
from pytest_embedbench.flashing.rp2040 import Picotool, Uf2Copy
from pytest_embedbench.flashing.stm32 import Openocd, Stflash, Stm32flash
from pytest_embedbench.support.toml_schema import check_items, check_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

METHODS: Mapping[str, type[FlashMethod]] = {
    method.name: method
    for method in (
        Avrdude,
        OwnCommand,
        Esptool,
        Openocd,
        Picotool,
        PlatformIOUpload,
        Stflash,
        Stm32flash,
        Uf2Copy,
    )
}
"""A lab's own tool is ``command``; these know what identity and images look like."""

_CHOICES: Mapping[str, type[After | Erase]] = {"after": After, "erase": Erase}


def read_settings(file: str, where: str, table: Mapping[str, Any]) -> FlashSettings:
    """Read a table like ``[board.left.flash]``: ``method`` and what it takes.

    Keys are the arguments of ``FlashSettings`` and those of the method itself.

    Raises:
        ConfigError: naming file and key.
    """
    name = str(table.get("method", ""))
    if name not in METHODS:
        known = ", ".join(sorted(METHODS))
        raise ConfigError(f"{file}: {where}.method: must be one of {known}")
    method, own = METHODS[name], _kinds(METHODS[name])
    common = {
        key: kind for key, kind in _kinds(FlashSettings).items() if key != "method"
    }
    check_keys(
        file,
        f"{where}.",
        table,
        required={"method": str, **_required(method)},
        optional={**common, **own},
    )
    values = {key: _value(file, f"{where}.{key}", key, table[key]) for key in table}
    try:
        chosen = method(**{key: values[key] for key in own if key in values})
    except ConfigError as error:
        raise ConfigError(f"{file}: {where}: {error}") from error
    return FlashSettings(
        method=chosen, **{key: values[key] for key in common if key in values}
    )


def _kinds(of: type) -> dict[str, type]:
    """Map the arguments of a dataclass to what TOML has for their types."""
    hints = get_type_hints(of, localns={"Path": Path})
    return {key: _kind(hint) for key, hint in hints.items() if not _is_class(hint)}


def _kind(hint: Any) -> type:  # noqa: ANN401  # a type annotation can be anything
    for kind in (bool, int, float):
        if hint in (kind, kind | None):
            return kind
    return list if get_origin(hint) is tuple else str


def _is_class(hint: Any) -> bool:  # noqa: ANN401
    return get_origin(hint) is ClassVar


def _required(of: type) -> dict[str, type]:
    needed = {field.name for field in fields(of) if field.default is MISSING}
    return {key: kind for key, kind in _kinds(of).items() if key in needed}


def _value(file: str, where: str, key: str, value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, list):
        words = cast("list[object]", value)
        check_items(file, where, words, str)
        return tuple(words)
    if key in _CHOICES:
        known = [choice.value for choice in _CHOICES[key]]
        if value not in known:
            raise ConfigError(f"{file}: {where}: must be one of {', '.join(known)}")
        return _CHOICES[key](value)
    return Path(file).parent / Path(value).expanduser() if key == "parking" else value
