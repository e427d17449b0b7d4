"""Flash RP2040, RP2350 and other UF2 boards: picotool, or a copy to their drive."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pytest_embedbench.errors import NotSupported
from pytest_embedbench.flashing.images import artifact
from pytest_embedbench.flashing.model import After, Identity, Step
from pytest_embedbench.flashing.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.flashing.model import Erase, FlashTarget
    from pytest_embedbench.model import FirmwareImage

_COPIER = Path(__file__).with_name("uf2_drive.py")
_ASKED_WITHIN_S = 20.0
_WRITTEN_WITHIN_S = 120.0
_TYPE = re.compile(r"(?im)^\s*type:\s*(RP\d+)")
_SERIAL = re.compile(r"(?im)^\s*(?:chipid|flash id):\s*0x([0-9a-f]+)")
_BOARD_ID = re.compile(r"(?m)^Board-ID:\s*(\S+)")
_CHIP_OF_BOARD = {"rpi-rp2": "rp2040"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picotool:
    """``picotool``, over USB; a program built with the SDK's USB is sent to BOOTSEL.

    Args:
        probe: The USB serial number of the board, where there are several.
        program: The program to use.
    """

    name: ClassVar[str] = "picotool"
    probe: str = ""
    program: str = ""

    def baud_rates(self, wanted_bps: int) -> Sequence[int]:
        """Return the wanted rate alone; USB has none."""
        return (wanted_bps,)

    def query_identity(self, target: FlashTarget) -> Step:
        """Read what the ROM says of the chip; the program runs on afterwards."""
        return self._step("identify", "info", "-d", timeout_s=_ASKED_WITHIN_S)

    def parse_identity(self, target: FlashTarget, output: str) -> Identity | None:
        """Read type and id."""
        chip, serial = _TYPE.search(output), _SERIAL.search(output)
        if chip is None:
            return None
        return Identity(
            chip=chip[1].lower(),
            serial=serial[1].lower() if serial else self.probe.lower(),
            detail=chip[0].strip(),
        )

    def compare(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Read flash back and compare it with the file."""
        words = ("verify", str(artifact(image, ".uf2", ".elf")))
        return self._step("compare", *words, timeout_s=_WRITTEN_WITHIN_S)

    def erase(self, target: FlashTarget, image: FirmwareImage, erase: Erase) -> Step:
        """Wipe the whole flash."""
        if erase.value != "all":
            raise NotSupported("an RP2040 has no NVS partition to erase")
        return self._step("erase all", "erase", "-a", timeout_s=_WRITTEN_WITHIN_S)

    def write(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Write the file and verify it."""
        run = ("-x",) if target.after is After.RUN else ()
        words = ("load", "-v", *run, str(artifact(image, ".uf2", ".elf")))
        return self._step("write", *words, timeout_s=_WRITTEN_WITHIN_S)

    def _step(self, name: str, *words: str, timeout_s: float) -> Step:
        program = find_program(
            "picotool",
            wanted=self.program,
            install="see https://github.com/raspberrypi/picotool",
        )
        chosen = ("--ser", self.probe) if self.probe else ()
        argv = (*program, *words, "-f", *chosen)
        return Step(name=name, argv=argv, timeout_s=timeout_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Uf2Copy:
    """A UF2 bootloader that shows up as a drive; a copied file is the firmware.

    Args:
        drive: Where the drive is mounted.
    """

    name: ClassVar[str] = "uf2"
    drive: str

    def baud_rates(self, wanted_bps: int) -> Sequence[int]:
        """Return the wanted rate alone; a drive has none."""
        return (wanted_bps,)

    def query_identity(self, target: FlashTarget) -> Step:
        """Read the drive's ``INFO_UF2.TXT``."""
        return self._step("identify", "identify", timeout_s=_ASKED_WITHIN_S)

    def parse_identity(self, target: FlashTarget, output: str) -> Identity | None:
        """Read the board id."""
        board = _BOARD_ID.search(output)
        if board is None:
            return None
        chip = board[1].lower()
        return Identity(chip=_CHIP_OF_BOARD.get(chip, chip), detail=board[1])

    def compare(self, target: FlashTarget, image: FirmwareImage) -> Step | None:
        """Return nothing: what is in flash cannot be read as it was copied."""
        return None

    def erase(self, target: FlashTarget, image: FirmwareImage, erase: Erase) -> Step:
        """Refuse."""
        raise NotSupported("a UF2 drive cannot be erased; use picotool")

    def write(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Copy the file; the board runs it at once."""
        path = artifact(image, ".uf2")
        return self._step("write", "copy", str(path), timeout_s=_WRITTEN_WITHIN_S)

    def _step(self, name: str, *words: str, timeout_s: float) -> Step:
        argv = (sys.executable, "-I", "-S", str(_COPIER), self.drive, *words)
        return Step(name=name, argv=argv, timeout_s=timeout_s)
