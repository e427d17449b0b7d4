"""What a board is made of, at boot and again at each reset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.clocks import find_clock
from pytest_embedbench.engines.qemu.elf import SymbolAddresses, read_names
from pytest_embedbench.engines.qemu.launch import Timing
from pytest_embedbench.engines.qemu.lockstep import RomWait
from pytest_embedbench.engines.qemu.tick_rate import usual_time_warp_us
from pytest_embedbench.flashing.esp_config import read_sdkconfig, tick_hz

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_embedbench.engines.qemu.clocks import GuestClock
    from pytest_embedbench.engines.qemu.launch import QemuCommand
    from pytest_embedbench.engines.qemu.machines import QemuMachine
    from pytest_embedbench.engines.qemu.options import QemuOptions
    from pytest_embedbench.model import BoardSpec, FirmwareImage

_ROM_TIME_WARP_US = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestSetup:
    """A datasheet, a firmware, and the emulator to bring them together.

    ``find_clock`` returns the firmware's clock as it is at reset; ``read_word`` is a
    word that it writes when it has read a byte, if it has one; ``run_cpu_s`` is
    the CPU time from tick to tick, ``timing`` has that for booting. ``rom_wait`` is
    for a ROM that waits. ``on_close`` is called when the board is closed. ``names`` are
    the firmware's, ``notes`` what there is to say of it before it runs.
    """

    spec: BoardSpec
    machine: QemuMachine
    elf_path: Path
    command: QemuCommand
    timing: Timing
    rom_wait: RomWait | None
    find_clock: Callable[[], GuestClock]
    names: SymbolAddresses
    read_word: int | None
    run_cpu_s: float
    on_close: Callable[[], object]
    chosen_time_warp_us: int = 0
    notes: Sequence[str] = ()

    def time_warp_us(self, clock: GuestClock) -> int:
        """Return how far time may go at a stop of a guest with that clock."""
        return self.chosen_time_warp_us or usual_time_warp_us(
            clock.period_us, self.names
        )

    def serials(self) -> dict[str, int]:
        """Return QEMU's numbers for the board's UARTs, by name."""
        return {
            uart.name: self.machine.uarts[uart.name].serial for uart in self.spec.uarts
        }

    def bauds_bps(self) -> dict[str, int]:
        """Return the speed of the board's UARTs, by name."""
        return {uart.name: uart.baud_bps for uart in self.spec.uarts}


def set_up(
    spec: BoardSpec,
    machine: QemuMachine,
    image: FirmwareImage,
    options: QemuOptions,
    command: QemuCommand,
    on_close: Callable[[], object] = lambda: None,
) -> GuestSetup:
    """Find the firmware's clock, unless it runs in real time, and what goes with it.

    Raises:
        ConfigError: it has none that is known.
        FirmwareFault: it is no ELF file.
    """
    config_hz = tick_hz(read_sdkconfig(image))
    names = read_names(image.elf_path) if options.lockstep else SymbolAddresses({})

    def clock() -> GuestClock:
        symbol, period_us = options.sync_symbol, options.sync_period_us
        return find_clock(names, symbol, period_us, config_hz)

    time_warp_us = options.time_warp_us
    if options.lockstep and not time_warp_us:
        time_warp_us = usual_time_warp_us(clock().period_us, names)
    rom_time_warp_us = time_warp_us
    rom_wait = None
    if machine.rom_waits_at is not None:
        rom_time_warp_us = max(time_warp_us, _ROM_TIME_WARP_US)
        rom_wait = RomWait(
            waits_at=machine.rom_waits_at,
            leaves_at=command.image_entry,
            then_time_warp_us=time_warp_us,
        )
    timing = Timing(
        icount_shift=options.icount_shift,
        lockstep=options.lockstep,
        time_warp_us=time_warp_us,
        rom_time_warp_us=rom_time_warp_us,
        cpu_limit_s=options.boot_limit_ms / 1000,
        wall_limit_s=options.wall_limit_ms / 1000,
        grace_s=options.grace_ms / 1000,
    )
    return GuestSetup(
        spec=spec,
        machine=machine,
        elf_path=image.elf_path,
        command=command,
        timing=timing,
        rom_wait=rom_wait,
        find_clock=clock,
        names=names,
        read_word=names.get("embedbench_received"),
        run_cpu_s=options.cpu_limit_ms / 1000,
        on_close=on_close,
        chosen_time_warp_us=options.time_warp_us,
    )
