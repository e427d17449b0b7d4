"""What ESP-IDF was told to build, as its build folder's ``sdkconfig.json`` has it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.errors import ConfigError, NotSupported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.model import FirmwareImage

SDKCONFIG = "sdkconfig.json"
"""The artifact's name."""
_SECURE = {
    "SECURE_FLASH_ENC_ENABLED": "flash encryption",
    "SECURE_BOOT": "secure boot",
    "SECURE_BOOT_ENABLED": "secure boot",
    "SECURE_BOOT_V1_ENABLED": "secure boot",
    "SECURE_BOOT_V2_ENABLED": "secure boot",
}
_USB = ("ESP_CONSOLE_USB_SERIAL_JTAG", "ESP_CONSOLE_USB_CDC")


def read_sdkconfig(image: FirmwareImage) -> Mapping[str, Any]:
    """Return the options of a build, without ``CONFIG_``; nothing if it left none.

    Raises:
        ConfigError: the file is none of ESP-IDF's.
    """
    path = image.artifacts.get(SDKCONFIG)
    if path is None:
        return {}
    try:
        read = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read as {SDKCONFIG}: {error}") from error
    if not isinstance(read, dict):
        raise ConfigError(f"{path}: is no {SDKCONFIG}: it has no options by name")
    return cast("dict[str, Any]", read)


def check_not_secure(config: Mapping[str, Any], name: str) -> None:
    """Insist that a firmware does not want to lock its chip.

    Raises:
        NotSupported: it does.
    """
    for option, what in _SECURE.items():
        if config.get(option) is True:
            raise NotSupported(
                f"{name}: is built for {what} (CONFIG_{option}), which would burn keys "
                "into the chip at its first boot: the emulated chip has none, so build "
                "it without"
            )


def tick_hz(config: Mapping[str, Any]) -> int | None:
    """Return how often FreeRTOS ticks by the build's options, if they say so."""
    value = config.get("FREERTOS_HZ")
    return value if isinstance(value, int) and value > 0 else None


def console_is_usb(config: Mapping[str, Any]) -> bool:
    """Say whether the console is the chip's own USB, and no UART."""
    return any(config.get(option) is True for option in _USB)
