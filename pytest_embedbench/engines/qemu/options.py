"""What a board's options can say to these engines."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_embedbench.model import Capability
from pytest_embedbench.support.options import option

USUAL = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class QemuOptions:
    """The options of any board, under the names that its datasheet uses."""

    qemu: str = option("", "a QEMU program, or a folder with one; empty to look for it")
    lockstep: bool = option(
        default=True,
        help="`false`: real time, nothing exact",
    )
    icount_shift: int = option(
        6,
        "one instruction takes 2 to the power of this, in ns; 3 on an STM32",
        lowest=0,
        highest=10,
    )
    sync_symbol: str = option(
        "",
        "a function that the firmware calls at a fixed rate, as the clock",
        default_text="the tick of a known operating system",
    )
    sync_period_us: int = option(
        0,
        "the period of that function, or of the tick",
        lowest=0,
        default_text="as built, or the usual",
    )
    time_warp_us: int = option(
        0,
        "time lost to a busy firmware at each of the stops of a tick; bigger is faster",
        lowest=0,
        default_text="a fifth of a tick, two for one stop, or 20",
        formerly="leap_us",
    )
    cpu_limit_ms: int = option(
        10_000,
        "CPU time without a tick after which a firmware counts as stuck",
        lowest=1,
    )
    boot_limit_ms: int = option(
        60_000, "CPU time from reset to the first tick", lowest=1
    )
    wall_limit_ms: int = option(
        120_000,
        "host time for either, for a QEMU that does nothing at all",
        lowest=1,
    )
    grace_ms: int = option(2_000, "how long a QEMU may take to end", lowest=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EspOptions(QemuOptions):
    """The options of an ESP board."""

    flash_mb: int = option(
        0,
        "size of the flash chip: 2, 4, 8 or 16",
        choices=(0, 2, 4, 8, 16),
        default_text="what the board's manifest says, or the image asks for",
    )
    flash_file: str = option(
        "",
        "a file that is the chip from boot to boot: the firmware is written over it, "
        "NVS stays",
        default_text="a new chip at each boot",
    )
    nvs_file: str = option("", "an NVS partition image that is in the flash at boot")
    chip_revision: int = option(
        USUAL, "300 for v3.0", lowest=USUAL, default_text="a usual one"
    )
    psram_mb: int = option(
        USUAL,
        "size of the external RAM, 0 for none",
        lowest=USUAL,
        default_text="what the board's manifest or sdkconfig.json says",
    )
    strap_mode: int = option(
        USUAL,
        "the GPIO straps at reset; 15 for download",
        lowest=USUAL,
        default_text="a normal start",
    )
    watchdogs: bool = option(default=False, help="leave those on that are on at reset")


def capabilities(options: QemuOptions) -> frozenset[Capability]:
    """Return what a board with these options can do."""
    exact = {Capability.VIRTUAL_TIME} if options.lockstep else set[Capability]()
    return frozenset({Capability.RESET} | exact)
