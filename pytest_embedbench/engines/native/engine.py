"""Boot images as processes: one at a time, or as copies of one that stands ready."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.engines.native import protocol
from pytest_embedbench.engines.native.board import NativeBoard
from pytest_embedbench.engines.native.options import NativeOptions
from pytest_embedbench.engines.native.program import (
    ProgramLimits,
    fork_program,
    speaks_to_the_bench,
    start_program,
)
from pytest_embedbench.errors import ConfigError, FirmwareFault, ToolMissing
from pytest_embedbench.model import Capability
from pytest_embedbench.processes.time_budget import TimeBudget
from pytest_embedbench.support.image_kinds import ImageKind
from pytest_embedbench.support.options import read_options
from pytest_embedbench.support.symbols import elf_machine

if TYPE_CHECKING:
    from pytest_embedbench.engines.native.program import NativeProgram
    from pytest_embedbench.model import BoardSpec, FirmwareImage

_OLDER = {"EM_X86_64": "EM_386", "EM_AARCH64": "EM_ARM"}
"""What machines run besides their own programs."""
_PYTHON = Path("/proc/self/exe")


@dataclass(frozen=True, slots=True)
class Native:
    """Boots programs that were built with ``embedbench_port`` for this machine.

    Options of a board: ``cpu_limit_ms`` and ``wall_limit_ms`` are what the firmware
    may use between two waits before it counts as spinning; ``asleep_limit_ms`` is how
    long it may wait for something of the host's; ``memory_limit_mb`` is what its
    process may have in all, 0 for no limit (sanitizers need that).
    """

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> NativeBoard:
        """Start ``image`` in a process of its own, at time 0."""
        limits = _limits(spec)

        def launch() -> NativeProgram:
            return start_program(image.elf_path, limits, image.isolation)

        return NativeBoard(spec, image.elf_path, launch)

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        """Return what any board can: exact time and a reset button, but no pins."""
        del spec
        return frozenset({Capability.VIRTUAL_TIME, Capability.RESET})

    def check(self, spec: BoardSpec) -> None:
        """Raise ``ConfigError`` for a board that could never be booted."""
        _limits(spec)

    def stand_ready(self, spec: BoardSpec, image: FirmwareImage) -> NativeForkServer:
        """Start ``image`` once; each board is then a copy of it."""
        return NativeForkServer(spec, image)

    def plain_program(self, image: FirmwareImage) -> Path | None:
        """Return a program that was built without ``embedbench_port``."""
        return None if speaks_to_the_bench(image.elf_path) else image.elf_path

    def image_kinds(self, spec: BoardSpec) -> tuple[str, ...]:
        """Return what this machine runs."""
        del spec
        return (ImageKind.ELF.value,)

    def check_image(self, spec: BoardSpec, file: Path) -> None:
        """Raise ``FirmwareFault`` for a program of another machine."""
        del spec
        if not _PYTHON.exists():  # no Linux
            return
        machine, ours = elf_machine(file), elf_machine(_PYTHON)
        if machine not in (ours, _OLDER.get(ours)):
            raise FirmwareFault(
                f"{file}: is a program for {machine}, not for this machine ({ours})"
            )

    def missing(self) -> ToolMissing | None:
        """Say that Windows will not do; all else is the builder's concern."""
        if os.name == "posix":
            return None
        return ToolMissing("native", "a POSIX system", "run it on Linux, macOS or WSL")

    def version(self) -> str:
        """Return the protocol's version and the machine."""
        machine = f"{platform.system()} {platform.machine()}"
        return f"native, port protocol {protocol.VERSION}, {machine}"


class NativeForkServer:
    """Boots the same image again and again, about a millisecond apiece.

    The image is started once and stands ready before its first instruction of
    firmware; each board is a copy of it, as fresh as the first. Close the boards
    before the server.
    """

    def __init__(self, spec: BoardSpec, image: FirmwareImage) -> None:
        self._spec = spec
        self._image = image
        self._limits = _limits(spec)
        self._original = self._start()

    def boot(self) -> NativeBoard:
        """Return a fresh board at time 0."""
        return NativeBoard(self._spec, self._image.elf_path, self._copy)

    def close(self) -> None:
        """End the image that stands ready, and all copies that are left."""
        self._original.close()

    def _start(self) -> NativeProgram:
        image = self._image
        return start_program(image.elf_path, self._limits, image.isolation)

    def _copy(self) -> NativeProgram:
        """Return a copy; of a new original, if the old one is gone or not alone."""
        if not self._original.can_be_copied():
            self._original.close()
            self._original = self._start()
        return fork_program(self._original)


def _limits(spec: BoardSpec) -> ProgramLimits:
    if len(spec.uarts) != 1:
        names = ", ".join(uart.name for uart in spec.uarts)
        message = f"{spec.name}: uarts: native has exactly one UART, not: {names}"
        raise ConfigError(message)
    options = read_options(spec, NativeOptions)
    return ProgramLimits(
        answer=TimeBudget(
            cpu_s=options.cpu_limit_ms / 1000,
            wall_s=options.wall_limit_ms / 1000,
            idle_s=options.asleep_limit_ms / 1000,
        ),
        memory_bytes=options.memory_limit_mb * 2**20 or None,
    )
