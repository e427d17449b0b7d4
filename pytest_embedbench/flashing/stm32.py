"""Flash STM32: the ROM's UART bootloader, or a debug probe by openocd or st-flash."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pytest_embedbench.errors import ConfigError, NotSupported
from pytest_embedbench.flashing.images import artifact
from pytest_embedbench.flashing.model import After, Erase, Identity, Step
from pytest_embedbench.flashing.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.flashing.model import FlashTarget
    from pytest_embedbench.model import FirmwareImage

FLASH_START = 0x0800_0000
_ASKED_WITHIN_S = 20.0
_WRITTEN_WITHIN_S = 180.0
_STANDARD_BAUDS_BPS = (230_400, 115_200, 57_600, 38_400, 19_200)

# DEV_ID of DBGMCU_IDCODE, from ST's reference manuals, and the parts that share it.
_FAMILIES = {
    0x410: ("stm32f101", "stm32f102", "stm32f103"),
    0x411: ("stm32f205", "stm32f207", "stm32f215", "stm32f217"),
    0x412: ("stm32f101", "stm32f102", "stm32f103"),
    0x413: ("stm32f405", "stm32f407", "stm32f415", "stm32f417"),
    0x414: ("stm32f101", "stm32f103"),
    0x415: ("stm32l475", "stm32l476", "stm32l486"),
    0x417: ("stm32l051", "stm32l052", "stm32l053", "stm32l062", "stm32l063"),
    0x419: ("stm32f427", "stm32f429", "stm32f437", "stm32f439"),
    0x421: ("stm32f446",),
    0x422: ("stm32f302", "stm32f303", "stm32f358"),
    0x423: ("stm32f401",),
    0x431: ("stm32f411",),
    0x433: ("stm32f401",),
    0x435: ("stm32l431", "stm32l432", "stm32l433", "stm32l442", "stm32l443"),
    0x438: ("stm32f303", "stm32f328", "stm32f334"),
    0x440: ("stm32f030", "stm32f051", "stm32f058"),
    0x444: ("stm32f030", "stm32f031", "stm32f038"),
    0x447: ("stm32l071", "stm32l072", "stm32l073", "stm32l081", "stm32l082"),
    0x449: ("stm32f745", "stm32f746", "stm32f750", "stm32f756"),
    0x450: ("stm32h742", "stm32h743", "stm32h750", "stm32h753"),
    0x451: ("stm32f765", "stm32f767", "stm32f769", "stm32f777", "stm32f779"),
    0x460: ("stm32g070", "stm32g071", "stm32g081"),
    0x466: ("stm32g030", "stm32g031", "stm32g041"),
    0x468: ("stm32g431", "stm32g441"),
    0x469: ("stm32g471", "stm32g473", "stm32g474", "stm32g483", "stm32g484"),
}
_DEV_ID = re.compile(r"(?i)(?:Device ID\s*:|chipid:|device id =)\s*0x([0-9a-f]+)")
_SERIAL = re.compile(r"(?im)^\s*serial:\s*([0-9a-f]+)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stm32flash:
    """``stm32flash``: the ROM bootloader on a UART (BOOT0 high at reset).

    Args:
        program: The program to use.
        lines: Its ``-i``: how RTS and DTR drive BOOT0 and reset, as
            ``rts,-dtr,dtr:-rts,-dtr,dtr``; empty where a command does that.
    """

    name: ClassVar[str] = "stm32flash"
    program: str = ""
    lines: str = ""

    def baud_rates(self, wanted_bps: int) -> Sequence[int]:
        """Return the wanted rate, then the standard ones below it."""
        return (wanted_bps, *(b for b in _STANDARD_BAUDS_BPS if b < wanted_bps))

    def query_identity(self, target: FlashTarget) -> Step:
        """Have the bootloader say its chip."""
        return self._step("identify", target, timeout_s=_ASKED_WITHIN_S)

    def parse_identity(self, target: FlashTarget, output: str) -> Identity | None:
        """Read the device id."""
        return stm32_identity(target, output)

    def compare(self, target: FlashTarget, image: FirmwareImage) -> Step | None:
        """Return nothing: the tool reads flash back only after writing it."""
        return None

    def erase(self, target: FlashTarget, image: FirmwareImage, erase: Erase) -> Step:
        """Wipe the whole flash."""
        _refuse_nvs(erase)
        return self._step("erase all", target, "-o", timeout_s=_WRITTEN_WITHIN_S)

    def write(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Write the file and read it back."""
        path = artifact(image, ".bin", ".hex")
        go = ("-g", "0x0") if target.after is After.RUN else ()
        words = ("-w", str(path), "-v", *go)
        return self._step("write", target, *words, timeout_s=_WRITTEN_WITHIN_S)

    def _step(
        self, name: str, target: FlashTarget, *words: str, timeout_s: float
    ) -> Step:
        program = find_program(
            "stm32flash", wanted=self.program, install="apt-get install stm32flash"
        )
        lines = ("-i", self.lines) if self.lines else ()
        rate = ("-b", str(target.baud_bps))
        argv = (*program, *rate, *lines, *words, target.port)
        return Step(name=name, argv=argv, timeout_s=timeout_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Openocd:
    """``openocd`` over a debug probe.

    Args:
        config: Its configuration files, as ``interface/stlink.cfg target/stm32f4x.cfg``
            or ``board/st_nucleo_f4.cfg``.
        probe: The probe's serial number; with two probes on one host it is what
            keeps the other board from being flashed.
        program: The program to use.
    """

    name: ClassVar[str] = "openocd"
    config: str
    probe: str = ""
    program: str = ""

    def baud_rates(self, wanted_bps: int) -> Sequence[int]:
        """Return the wanted rate alone; a probe has none."""
        return (wanted_bps,)

    def query_identity(self, target: FlashTarget) -> Step:
        """Halt the chip, read its device id, let it run on from reset."""
        tcl = ("init", "reset halt", "flash probe 0", "reset run", "shutdown")
        return self._step("identify", *tcl, timeout_s=_ASKED_WITHIN_S)

    def parse_identity(self, target: FlashTarget, output: str) -> Identity | None:
        """Read the device id; the probe stands for the serial."""
        return stm32_identity(target, output, serial=self.probe)

    def compare(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Have the chip compare its flash with the file."""
        verify = f"verify_image {_braced(artifact(image, '.elf'))}"
        tcl = ("init", "reset halt", verify, "reset run", "shutdown")
        return self._step("compare", *tcl, timeout_s=_WRITTEN_WITHIN_S)

    def erase(self, target: FlashTarget, image: FirmwareImage, erase: Erase) -> Step:
        """Wipe the whole first bank."""
        _refuse_nvs(erase)
        tcl = ("init", "reset halt", "flash erase_sector 0 0 last", "shutdown")
        return self._step("erase all", *tcl, timeout_s=_WRITTEN_WITHIN_S)

    def write(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Write the file and verify it."""
        reset = " reset" if target.after is After.RUN else ""
        program = f"program {_braced(artifact(image, '.elf'))} verify{reset} exit"
        return self._step("write", program, timeout_s=_WRITTEN_WITHIN_S)

    def _step(self, name: str, *tcl: str, timeout_s: float) -> Step:
        program = find_program(
            "openocd", wanted=self.program, install="apt-get install openocd"
        )
        files = [word for file in self.config.split() for word in ("-f", file)]
        chosen = (f"adapter serial {self.probe}",) if self.probe else ()
        commands = [word for line in (*chosen, *tcl) for word in ("-c", line)]
        return Step(name=name, argv=(*program, *files, *commands), timeout_s=timeout_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stflash:
    """``st-flash`` over an ST-LINK.

    Args:
        probe: The serial number of the ST-LINK.
        program: The program to use; ``st-info`` is expected beside it.
    """

    name: ClassVar[str] = "st-flash"
    probe: str = ""
    program: str = ""

    def baud_rates(self, wanted_bps: int) -> Sequence[int]:
        """Return the wanted rate alone; a probe has none."""
        return (wanted_bps,)

    def query_identity(self, target: FlashTarget) -> Step:
        """List all probes and the chips behind them: it cannot be asked for one."""
        program = find_program(
            "st-info",
            wanted=self.program and str(Path(self.program).with_name("st-info")),
            install="apt-get install stlink-tools",
        )
        argv = (*program, "--probe")
        return Step(name="identify", argv=argv, timeout_s=_ASKED_WITHIN_S)

    def parse_identity(self, target: FlashTarget, output: str) -> Identity | None:
        """Read the block of our probe; of two unnamed ones neither is ours."""
        blocks = re.split(r"^\s*version:", output, flags=re.IGNORECASE | re.MULTILINE)[
            1:
        ] or [output]
        for block in blocks:
            serial = _SERIAL.search(block)
            found = serial[1].lower() if serial else ""
            if found == self.probe.lower() or (not self.probe and len(blocks) == 1):
                return stm32_identity(target, block, serial=found)
        return None

    def compare(self, target: FlashTarget, image: FirmwareImage) -> Step | None:
        """Return nothing: the tool compares only after writing."""
        return None

    def erase(self, target: FlashTarget, image: FirmwareImage, erase: Erase) -> Step:
        """Wipe the whole flash."""
        _refuse_nvs(erase)
        return self._step("erase all", "erase")

    def write(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Write the file; the tool verifies every page."""
        reset = ("--reset",) if target.after is After.RUN else ()
        path = artifact(image, ".bin")
        return self._step("write", *reset, "write", str(path), f"{FLASH_START:#010x}")

    def _step(self, name: str, *words: str) -> Step:
        program = find_program(
            "st-flash", wanted=self.program, install="apt-get install stlink-tools"
        )
        chosen = ("--serial", self.probe) if self.probe else ()
        argv = (*program, *chosen, *words)
        return Step(name=name, argv=argv, timeout_s=_WRITTEN_WITHIN_S)


def stm32_identity(
    target: FlashTarget, output: str, *, serial: str = ""
) -> Identity | None:
    """Read a device id as the chip that was asked for, if it may be that one."""
    found = _DEV_ID.search(output)
    if found is None:
        return None
    number = int(found[1], 16) & 0xFFF
    parts = _FAMILIES.get(number, ())
    chip = f"{'/'.join(parts) or 'an unknown STM32'} (device id {number:#05x})"
    if target.chip.lower().startswith(parts):
        chip = target.chip
    return Identity(chip=chip, serial=serial.lower(), detail=found[0])


def _refuse_nvs(erase: Erase) -> None:
    if erase is Erase.NVS:
        raise NotSupported("an STM32 has no NVS partition to erase")


def _braced(path: object) -> str:
    """Quote a path for Tcl."""
    text = str(path)
    if "{" in text or "}" in text:
        raise ConfigError(f"openocd cannot be given a path with braces: {text}")
    return f"{{{text}}}"
