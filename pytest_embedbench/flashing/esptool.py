"""Flash ESP8266 and ESP32 families with Espressif's esptool, versions 4 and 5."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.flashing.images import esp_pieces, nvs_region
from pytest_embedbench.flashing.model import (
    BAUD_BPS,
    After,
    Erase,
    Identity,
    Step,
    normalized_chip,
)
from pytest_embedbench.flashing.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.flashing.model import FlashTarget
    from pytest_embedbench.model import FirmwareImage

STANDARD_BAUDS_BPS = (921_600, 460_800, 230_400, 115_200, 57_600)
"""Down to where a poor cable still works; the ROM finds the rate by itself."""
_FIRST_WITH_HYPHENS = 5
_COMMANDS = ("read-mac", "verify-flash", "erase-region", "erase-flash", "write-flash")
_ANSWER_WITHIN_S = 20.0
_ERASED_WITHIN_S = 180.0
_CHIP = re.compile(
    r"^(?:Connected to|Chip is|Detecting chip type\.\.\.) *(ESP\S+)", re.MULTILINE
)
_DETAIL = re.compile(r"^(?:Chip type:|Chip is) *(ESP.*?) *$", re.MULTILINE)
_MAC = re.compile(r"^(?:BASE )?MAC: *([0-9a-f:]{17})", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Esptool:
    """``esptool``, as a program, found on PATH or as ``python -m esptool``.

    Args:
        program: The program to use.
        before: How the chip gets into its bootloader: ``default-reset`` (DTR and
            RTS), ``usb-reset`` (USB-Serial/JTAG), ``no-reset`` (it is there, or a
            command has put it there).
        restart: How it is reset to run; ``watchdog-reset`` where DTR and RTS cannot.
        connect_attempts: How often one run of esptool tries to reach the bootloader.
        stub: Upload the fast flasher first; without it the ROM does all, slowly.
    """

    name: ClassVar[str] = "esptool"
    program: str = ""
    before: str = "default-reset"
    restart: str = "hard-reset"
    connect_attempts: int = 3
    stub: bool = True

    def baud_rates(self, wanted_bps: int) -> Sequence[int]:
        """Return the wanted rate, then the standard ones below it."""
        return (wanted_bps, *(b for b in STANDARD_BAUDS_BPS if b < wanted_bps))

    def query_identity(self, target: FlashTarget) -> Step:
        """Read chip and MAC of whatever chip there is; the ROM can do that itself."""
        slow = replace(target, chip="auto", baud_bps=min(target.baud_bps, BAUD_BPS))
        argv = self._argv(slow, "--no-stub", "read-mac", after=self._between())
        return Step(name="identify", argv=argv, timeout_s=_ANSWER_WITHIN_S)

    def parse_identity(self, target: FlashTarget, output: str) -> Identity | None:
        """Read what esptool says on connecting, also if it fails later."""
        chip = _CHIP.search(output)
        mac = _MAC.search(output)
        if chip is None or mac is None:
            return None
        detail = _DETAIL.search(output)
        return Identity(
            chip=normalized_chip(chip[1].partition("(")[0]),
            serial=mac[1].lower(),
            detail=detail[1] if detail else chip[1],
        )

    def compare(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Have the chip digest its flash."""
        words = self._words(image)
        after = self._between() if target.after is After.RUN else "no-reset"
        argv = self._argv(target, "verify-flash", *words, after=after)
        timeout_s = _ANSWER_WITHIN_S + _transfer_s(image, target.baud_bps)
        return Step(name="compare", argv=argv, timeout_s=timeout_s)

    def erase(self, target: FlashTarget, image: FirmwareImage, erase: Erase) -> Step:
        """Wipe NVS, where the image's partition table has it, or the whole chip."""
        words: tuple[str, ...] = ("erase-flash",)
        if erase is Erase.NVS:
            offset, size = nvs_region(image)
            words = ("erase-region", f"{offset:#x}", f"{size:#x}")
        argv = self._argv(target, *words, after="no-reset")
        return Step(name=f"erase {erase.value}", argv=argv, timeout_s=_ERASED_WITHIN_S)

    def write(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Write all pieces; esptool compares a digest of each with the chip's own."""
        after = self.restart if target.after is After.RUN else "no-reset"
        words = ("write-flash", "--no-progress", *self._words(image))
        argv = self._argv(target, *words, after=after)
        timeout_s = _ANSWER_WITHIN_S + 3 * _transfer_s(image, target.baud_bps)
        return Step(name="write", argv=argv, timeout_s=timeout_s)

    def _between(self) -> str:
        """Return how to leave the chip when more is to come, or nothing at all.

        Running, as it was, unless it could not be brought back from there.
        """
        return "no-reset" if self.before == "no-reset" else self.restart

    def _argv(self, target: FlashTarget, *words: str, after: str) -> tuple[str, ...]:
        program = find_program(
            "esptool",
            "esptool.py",
            wanted=self.program,
            module="esptool",
            install="pip install esptool",
        )
        if _major(program) < _FIRST_WITH_HYPHENS:
            respelled = {word: word.replace("-", "_") for word in _COMMANDS}
            words = tuple(respelled.get(word, word) for word in words)
            before, after = self.before.replace("-", "_"), after.replace("-", "_")
        else:
            before = self.before
        return (
            *program,
            *("--chip", target.chip),
            *("--port", target.port),
            *("--baud", str(target.baud_bps)),
            *("--before", before),
            *("--after", after),
            *("--connect-attempts", str(self.connect_attempts)),
            *(() if self.stub or "--no-stub" in words else ("--no-stub",)),
            *words,
        )

    def _words(self, image: FirmwareImage) -> list[str]:
        return [
            word
            for offset, path in esp_pieces(image)
            for word in (f"{offset:#x}", str(path))
        ]


def _transfer_s(image: FirmwareImage, baud_bps: int) -> float:
    size_bytes = sum(path.stat().st_size for _, path in esp_pieces(image))
    return size_bytes * 10 / baud_bps


@cache
def _major(program: tuple[str, ...]) -> int:
    """Return the major version of an esptool: its words changed with 5."""
    try:
        done = subprocess.run(
            (*program, "version"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_ANSWER_WITHIN_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise BenchFault(f"esptool does not answer: {error}") from error
    found = re.search(r"^(\d+)\.\d", done.stdout, re.MULTILINE)
    if found is None:
        raise BenchFault(f"no esptool version in what it says: {done.stdout!r}")
    return int(found[1])
