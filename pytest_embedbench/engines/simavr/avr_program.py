"""A firmware's ELF file, checked for the MCU before simavr sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, ConfigError, DoesNotFit, FirmwareFault
from pytest_embedbench.support.image_kinds import ImageKind, image_kind, read_segments
from pytest_embedbench.support.symbols import load_symbols

if TYPE_CHECKING:
    from pathlib import Path

    from elftools.elf.segments import Segment

    from pytest_embedbench.engines.simavr.core.mcus import Mcu
    from pytest_embedbench.model import FirmwareImage

# avr-gcc's view of a Harvard machine: flash, then RAM, EEPROM, fuses, lock, signature.
_RAM, _EEPROM = 0x80_0000, 0x81_0000
# The core that an AVR ELF says it is for (EF_AVR_MACH of binutils' elf/avr.h): avr4 has
# up to 8 KiB of flash, avr5 64, avr51 128, avr6 256. Assemblers say avr2 if not told.
_CORE_MASK, _NO_CORE = 0x7F, 3
_CORES = ((0x2000, 4), (0x1_0000, 5), (0x2_0000, 51), (0x4_0000, 6))


@dataclass(frozen=True, slots=True, kw_only=True)
class AvrProgram:
    """What goes into flash: ``(address, bytes)`` segments; symbols on demand.

    ``symbols_path`` is the ELF file beside a HEX or BIN file that says no names.
    """

    path: Path
    segments: tuple[tuple[int, bytes], ...]
    symbols_path: Path | None = None

    def describe(self, pc: int) -> str:
        """Return where ``pc`` is, as ``0x01a4 (main+0x1c)``."""
        symbols = load_symbols(self.symbols_path or self.path)
        if not symbols.functions:
            return f"{pc:#06x} ({self.path.name} has no symbols)"
        function = symbols.at(pc)
        if function is None:
            return f"{pc:#06x} (in no function)"
        offset = f"+{pc - function.start:#x}" if pc > function.start else ""
        return f"{pc:#06x} ({function.name}{offset})"


def read_image(image: FirmwareImage, mmcu: str, mcu: Mcu) -> AvrProgram:
    """Read what belongs into flash, and where its names are.

    Raises:
        FirmwareFault: also where the ELF file beside it is of another build.
        DoesNotFit, BenchFault: as ``read_program``.
    """
    program = read_program(image.named_path, mmcu, mcu)
    names = image.symbols_path
    if names is None or names == program.path:
        return program
    named = _flash(read_program(names, mmcu, mcu))
    if not named.items() <= _flash(program).items():
        raise FirmwareFault(
            f"{program.path}: is of another build than {names.name} beside it"
        )
    return replace(program, symbols_path=names)


def _flash(program: AvrProgram) -> dict[int, int]:
    """Return each byte of flash by its address."""
    return {
        at + offset: value
        for at, code in program.segments
        for offset, value in enumerate(code)
    }


def read_program(path: Path, mmcu: str, mcu: Mcu) -> AvrProgram:
    """Read what belongs into flash.

    Raises:
        DoesNotFit: too big for flash or RAM.
        FirmwareFault: not an AVR program in ELF, or one for another core.
        BenchFault: the file cannot be read.
    """
    segments: list[tuple[int, bytes]] = []
    flash_end, ram_end = 0, 0
    core, loadable = _loadable(path)
    for virtual, physical, code, size in loadable:
        if physical < _RAM and code:
            segments.append((physical, code))
            flash_end = max(flash_end, physical + len(code))
        if _RAM <= virtual < _EEPROM:
            ram_end = max(ram_end, virtual - _RAM + size)
    if flash_end > mcu.flash_bytes:
        raise DoesNotFit(
            f"{path}: needs {flash_end} bytes of flash, {mmcu} has {mcu.flash_bytes}"
        )
    if ram_end > mcu.ramend + 1:
        raise DoesNotFit(
            f"{path}: its variables end at RAM address {ram_end:#x}, "
            f"the RAM of {mmcu} at {mcu.ramend:#x}"
        )
    _check_core(path, core, mmcu, mcu)
    if not segments:
        raise FirmwareFault(f"{path}: has no program in it")
    return AvrProgram(path=path, segments=tuple(segments))


def _loadable(path: Path) -> tuple[int, list[tuple[int, int, bytes, int]]]:
    """Return the core and, of each segment, both addresses, bytes, size in memory."""
    try:
        kind = image_kind(path)
    except ConfigError as error:
        raise BenchFault(str(error)) from error
    if path.suffix != ".elf" and kind in (ImageKind.HEX, ImageKind.BIN):
        return _NO_CORE, [(at, at, code, len(code)) for at, code in read_segments(path)]
    from elftools.common.exceptions import ELFError  # noqa: PLC0415  # slow to load
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            if elf["e_machine"] != "EM_AVR":
                raise FirmwareFault(
                    f"{path}: is a program for {elf['e_machine']}, not for an AVR"
                )
            return elf["e_flags"] & _CORE_MASK, [
                (
                    segment["p_vaddr"],
                    segment["p_paddr"],
                    _whole(path, segment),
                    segment["p_memsz"],
                )
                for segment in elf.iter_segments("PT_LOAD")
            ]
    except ELFError as error:
        raise FirmwareFault(f"{path}: is not an ELF file: {error}") from error
    except OSError as error:
        raise BenchFault(f"{path}: cannot be read: {error}") from error


def _whole(path: Path, segment: Segment) -> bytes:
    code: bytes = segment.data()
    if len(code) < segment["p_filesz"]:
        raise FirmwareFault(f"{path}: is cut short")
    return code


def _check_core(path: Path, core: int, mmcu: str, mcu: Mcu) -> None:
    """Refuse what would crash at its first interrupt vector."""
    meant = next(number for most, number in _CORES if mcu.flash_bytes <= most)
    if core > _NO_CORE and core != meant:
        raise FirmwareFault(
            f"{path}: is a program for another MCU (core avr{core}; {mmcu} is "
            f"avr{meant})"
        )
