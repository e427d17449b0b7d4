"""The flash methods by name, and the table of a lab file that chooses one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.flashing.avrdude import Avrdude
from pytest_embedbench.flashing.command import OwnCommand
from pytest_embedbench.flashing.esptool import Esptool
from pytest_embedbench.flashing.model import FlashMethod, FlashSettings
from pytest_embedbench.flashing.platformio import PlatformIOUpload
from pytest_embedbench.flashing.rp2040 import Picotool, Uf2Copy
from pytest_embedbench.flashing.stm32 import Openocd, Stflash, Stm32flash
from pytest_embedbench.support.options import check_options, option_fields
from pytest_embedbench.support.toml_schema import unknown_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


def read_settings(
    table: Mapping[str, object],
    location: Callable[[str], str],
    *,
    relative_to: str = "",
) -> FlashSettings:
    """Read a table like ``[boards.left.flash]``: ``method`` and what it takes.

    Args:
        table: The arguments of ``FlashSettings`` and those of the method itself.
        location: Returns where a key stands: file and table.
        relative_to: The file that ``parking`` is relative to.

    Raises:
        ConfigError: naming file and key.
    """
    name = str(table.get("method", ""))
    if name not in METHODS:
        known = ", ".join(sorted(METHODS))
        raise ConfigError(f"{location('method')}: must be one of {known}, none")
    method = METHODS[name]
    own = option_fields(method)
    common = {
        key: about
        for key, about in option_fields(FlashSettings).items()
        if key != "method"
    }
    told = {key: value for key, value in table.items() if key != "method"}
    values = check_options(told, {**common, **own}, location)
    try:
        chosen = method(**{key: values[key] for key in own if key in values})
    except ConfigError as error:
        raise ConfigError(f"{location('method')}: {error}") from error
    if "parking" in values:
        parking = values["parking"].expanduser()
        values["parking"] = Path(relative_to).parent / parking
    return FlashSettings(
        method=chosen, **{key: values[key] for key in common if key in values}
    )


def check_keys_of_any(
    table: Mapping[str, object], location: Callable[[str], str]
) -> None:
    """Insist that some method takes each key, of a board that is not flashed at all.

    Raises:
        ConfigError: naming file and key.
    """
    known = set(option_fields(FlashSettings)).union(
        *map(option_fields, METHODS.values())
    )
    for key in table:
        if key not in known:
            raise unknown_key(location(key), key, known)
