"""Flash AVRs with avrdude, through a bootloader or a programmer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pytest_embedbench.errors import NotSupported
from pytest_embedbench.flashing.images import artifact
from pytest_embedbench.flashing.model import Erase, Identity, Step
from pytest_embedbench.flashing.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.flashing.model import FlashTarget
    from pytest_embedbench.model import FirmwareImage

BOOTLOADERS = frozenset({"arduino", "avr109", "butterfly", "urclock", "wiring"})
_ERASED_WITHIN_S = 60.0
_BYTES_PER_PAGE_AND_BACK = 4
"""Bytes on the wire for each byte of a file: written, read back, and framed."""
_SIGNATURE = re.compile(
    r"(?i)device signature = (?:0x)?((?:[0-9a-f]{2} ?){3}) *(?:\(probably ([\w, ]+)\))?"
)
_REFUSED = re.compile(r"[Ee]xpected signature for (\S+) is ([0-9A-F ]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Avrdude:
    """``avrdude``, with one of its programmers.

    A bootloader has one rate only, so a failure is tried again at the same.

    Args:
        programmer: avrdude's ``-c``: ``arduino`` (STK500v1, Uno and Nano), ``wiring``
            (Mega), ``urclock``, ``usbasp``, ...
        program: The program to use.
        config: Its configuration file, where it is not the stock one.
        answer_within_s: How long the bootloader has to answer; avrdude itself never
            gives up on a firmware that goes on talking.
    """

    name: ClassVar[str] = "avrdude"
    programmer: str = "arduino"
    program: str = ""
    config: str = ""
    answer_within_s: float = 20.0

    def baud_rates(self, wanted_bps: int) -> Sequence[int]:
        """Return the wanted rate alone."""
        return (wanted_bps,)

    def query_identity(self, target: FlashTarget) -> Step:
        """Read the signature, and write nothing."""
        argv = self._argv(target, "-n")
        return Step(name="identify", argv=argv, timeout_s=self.answer_within_s)

    def parse_identity(self, target: FlashTarget, output: str) -> Identity | None:
        """Read the signature: avrdude itself says if it is not this chip's."""
        found = _SIGNATURE.search(output)
        if found is None:
            return None
        signature = found[1].replace(" ", "").lower()
        if _REFUSED.search(output) is None:
            return Identity(chip=target.chip, detail=signature)
        chip = found[2] or f"an AVR with signature {signature}"
        return Identity(chip=chip, detail=signature)

    def compare(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Read flash back and compare it with the file."""
        path = artifact(image, ".hex", ".elf")
        argv = self._argv(target, "-U", _memory("v", path.name))
        timeout_s = self._budget_s(target, image)
        return Step(name="compare", argv=argv, timeout_s=timeout_s, cwd=path.parent)

    def erase(self, target: FlashTarget, image: FirmwareImage, erase: Erase) -> Step:
        """Wipe the chip; only a programmer can, no bootloader wipes itself."""
        if erase is Erase.NVS:
            raise NotSupported("an AVR has no NVS partition to erase")
        if self.programmer in BOOTLOADERS:
            raise NotSupported(
                f"avrdude cannot erase the chip through a {self.programmer} "
                "bootloader; use a programmer (usbasp, avrispmkII, ...)"
            )
        argv = self._argv(target, "-e")
        return Step(name="erase all", argv=argv, timeout_s=_ERASED_WITHIN_S)

    def write(self, target: FlashTarget, image: FirmwareImage) -> Step:
        """Write the file and read it back."""
        path = artifact(image, ".hex", ".elf")
        keep = ("-D",) if self.programmer in BOOTLOADERS else ()
        argv = self._argv(target, *keep, "-U", _memory("w", path.name))
        timeout_s = self._budget_s(target, image)
        return Step(name="write", argv=argv, timeout_s=timeout_s, cwd=path.parent)

    def _argv(self, target: FlashTarget, *words: str) -> tuple[str, ...]:
        program = find_program(
            "avrdude", wanted=self.program, install="apt-get install avrdude"
        )
        config = ("-C", self.config) if self.config else ()
        port = ("-P", _port(target.port)) if target.port else ()
        return (
            *program,
            *config,
            *("-p", target.chip),
            *("-c", self.programmer),
            *port,
            *("-b", str(target.baud_bps)),
            *words,
        )

    def _budget_s(self, target: FlashTarget, image: FirmwareImage) -> float:
        size_bytes = artifact(image, ".hex", ".elf").stat().st_size
        wire_bytes = size_bytes * _BYTES_PER_PAGE_AND_BACK
        return self.answer_within_s + wire_bytes * 10 / target.baud_bps


def _port(address: str) -> str:
    """Return a port as avrdude has it; of a network it knows bare sockets only."""
    scheme, is_url, place = address.partition("://")
    if not is_url:
        return address
    if scheme.lower() == "socket":
        return f"net:{place.partition('?')[0]}"
    raise NotSupported(
        f"avrdude cannot open {address}: give it a device, or a port that is served as "
        "socket://, or flash with a command on the machine that has the board"
    )


def _memory(action: str, name: str) -> str:
    """Return avrdude's ``-U``; a bare name, because a colon in a path would end it."""
    return f"flash:{action}:{name}:{'e' if name.endswith('.elf') else 'i'}"
