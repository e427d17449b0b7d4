"""When a firmware dies of a peripheral that its emulator does not have.

A load or store at an address where nothing answers is an exception to the core. On the
real chip something does answer there, so the firmware is not to blame.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_BAD_ACCESS = re.compile(
    rb"panic'ed \((?:LoadStorePIF\w+|LoadStoreError|(?:Load|Store) access fault)\)"
)
_ADDRESS = re.compile(rb"(?:EXCVADDR|MTVAL)\s*: (0x[0-9a-f]{8})")
_PAGE = 0xFFF


@dataclass(frozen=True, slots=True, kw_only=True)
class PeripheralMap:
    """Where a chip has its peripherals, by its technical reference manual.

    ``names`` are those of pages of 4 KiB from ``start`` to ``end``.
    """

    start: int
    end: int
    names: Mapping[int, str]

    def describe(self, address: int) -> str | None:
        """Return what lies at an address, or nothing if it is no peripheral's."""
        if not self.start <= address < self.end:
            return None
        name = self.names.get(address & ~_PAGE)
        return f"{name} ({address:#x})" if name else f"the peripheral at {address:#x}"


def unmodelled(said: bytes, peripherals: PeripheralMap | None) -> str | None:
    """Return the peripheral that a panic was about, by the panic's own words."""
    panics = list(_BAD_ACCESS.finditer(said))
    if not panics or peripherals is None:
        return None
    address = _ADDRESS.search(said, panics[-1].end())
    return peripherals.describe(int(address[1], 16)) if address else None


_ESP32 = PeripheralMap(
    start=0x3FF0_0000,
    end=0x3FF8_0000,
    names={
        0x3FF4_3000: "SPI0",
        0x3FF4_4000: "GPIO",
        0x3FF4_8000: "RTC",
        0x3FF4_9000: "IO_MUX",
        0x3FF4_B000: "SDIO slave",
        0x3FF4_F000: "I2S0",
        0x3FF5_3000: "I2C0",
        0x3FF5_5000: "SDIO slave",
        0x3FF5_6000: "RMT",
        0x3FF5_7000: "PCNT",
        0x3FF5_8000: "SDIO slave",
        0x3FF5_9000: "LED PWM",
        0x3FF5_E000: "MCPWM0",
        0x3FF6_4000: "SPI2",
        0x3FF6_5000: "SPI3",
        0x3FF6_6000: "SYSCON",
        0x3FF6_7000: "I2C1",
        0x3FF6_8000: "SDMMC",
        0x3FF6_9000: "EMAC",
        0x3FF6_B000: "TWAI",
        0x3FF6_C000: "MCPWM1",
        0x3FF6_D000: "I2S1",
    },
)
_ESP32C3 = PeripheralMap(
    start=0x6000_0000,
    end=0x600D_1000,
    names={
        0x6000_4000: "GPIO",
        0x6000_8000: "RTC",
        0x6000_9000: "IO_MUX",
        0x6001_3000: "I2C0",
        0x6001_6000: "RMT",
        0x6001_9000: "LED PWM",
        0x6002_4000: "SPI2",
        0x6002_6000: "SYSCON",
        0x6002_B000: "TWAI",
        0x6002_D000: "I2S",
        0x6003_A000: "AES",
        0x6003_B000: "SHA",
        0x6003_C000: "RSA",
        0x6003_F000: "GDMA",
        0x6004_0000: "SAR ADC",
        0x6004_3000: "USB serial/JTAG",
    },
)
PERIPHERALS = {"esp32": _ESP32, "esp32c3": _ESP32C3}
"""By the name of a QEMU machine."""
