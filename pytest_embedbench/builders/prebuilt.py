"""A firmware that somebody else has built, as an image: copied, never changed."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.digests import file_digest
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.flashing.esp_flash import FlashRegion, table_in
from pytest_embedbench.model import FirmwareImage
from pytest_embedbench.support.image_kinds import ImageKind, image_kind
from pytest_embedbench.support.projects import PREBUILT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.errors import ToolMissing
    from pytest_embedbench.model import FirmwareSource

_BOOTLOADER = 0x1000
"""Where the ROM of an ESP32 looks; those of later chips look at 0."""
_MAGIC, _ERASED = b"\xe9", b"\xff"
_FORMAT = "1"
"""Changes when the same files become another image."""
_BESIDE = ("sdkconfig.json", "config/sdkconfig.json")
"""What ESP-IDF leaves in its build folder that tells how the firmware was made."""


@dataclass(frozen=True, slots=True)
class PrebuiltFiles:
    """The files of an image, by the name that they have in it, and what is known."""

    main: str
    files: Mapping[str, Path]
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrebuiltImage:
    """Takes ELF, HEX, BIN and UF2 files, and what a ``flasher_args.json`` lists.

    A source is the folder of the file, with the file's name as its one part.
    """

    def environments(self, project_dir: Path) -> tuple[str, ...]:
        """Return the one environment that there is."""
        del project_dir
        return (PREBUILT,)

    def fingerprint(self, source: FirmwareSource) -> str:
        """Return a digest of all files of the image."""
        found = _files(source)
        names = {name: file_digest(path) for name, path in found.files.items()}
        known = [_FORMAT, found.main, names, dict(found.metadata)]
        return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        """Copy the files.

        Raises:
            ConfigError: one of them is not there, or cannot be read.
        """
        found = _files(source)
        out_dir.mkdir(parents=True, exist_ok=True)
        artifacts = {
            name: Path(shutil.copy(path, out_dir / name))
            for name, path in found.files.items()
        }
        main = artifacts[found.main]
        if found.metadata["kind"] == ImageKind.ELF.value:
            main.chmod(main.stat().st_mode | 0o100)
        return FirmwareImage(
            environment=PREBUILT,
            elf_path=main,
            sha256=hashlib.sha256(main.read_bytes()).hexdigest(),
            artifacts=artifacts,
            metadata=found.metadata,
        )

    def missing(self) -> ToolMissing | None:
        """Say that nothing is."""
        return None

    def version(self) -> str:
        """Say that nothing was built."""
        return "nothing: the image was built elsewhere"


def _files(source: FirmwareSource) -> PrebuiltFiles:
    (name,) = source.parts
    path = source.project_dir / name
    kind = image_kind(path)
    known = {"kind": kind.value, "prebuilt": name}
    if kind is ImageKind.FLASHER_ARGS:
        return _listed_by_idf(path, known)
    if kind not in (ImageKind.BIN, ImageKind.HEX):
        return PrebuiltFiles(name, {name: path}, known)
    elf = _elf_beside(path, kind)
    beside = {elf.name: elf} if elf else {}
    if kind is ImageKind.HEX:  # it runs as it is; names are in the other
        return PrebuiltFiles(name, {name: path, **beside}, known)
    known |= _places_in_flash(path)
    return PrebuiltFiles(elf.name if elf else name, {name: path, **beside}, known)


def _places_in_flash(path: Path) -> dict[str, str]:
    """Say where a BIN file goes in an ESP's flash: all of it, or an application's.

    Nothing of that concerns other chips.
    """
    data = path.read_bytes()
    try:
        has_table = table_in([FlashRegion(0, data, path.name)]) is not None
    except ConfigError:  # a damaged one: whoever boots it will say so
        has_table = True
    begins_late = data[:1] == _ERASED and data[_BOOTLOADER:][:1] == _MAGIC
    if has_table or begins_late:
        return {"flash_images": f"0x0={path.name}"}
    return {"application_offset": "0x10000"}


def _elf_beside(path: Path, kind: ImageKind) -> Path | None:
    """Return the ELF file of a HEX or BIN file: of its name, of a BIN or the only one.

    Merged images of a flash are called otherwise than the application in them.
    """
    same = path.with_suffix(".elf")
    if same.is_file():
        return same
    if kind is ImageKind.HEX:
        return None
    others = list(path.parent.glob("*.elf"))
    return others[0] if len(others) == 1 else None


def _listed_by_idf(path: Path, known: Mapping[str, str]) -> PrebuiltFiles:
    """Return what ``idf.py flash`` would write, and where."""
    try:
        about: dict[str, Any] = json.loads(path.read_bytes())
        listed: dict[str, str] = about["flash_files"]
        application = Path(about["app"]["file"])
        offset: str = about["app"]["offset"]
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"image {path}: does not list what is to be flashed, as ESP-IDF's "
            f"flasher_args.json does ({type(error).__name__}: {error})"
        ) from error
    files: dict[str, Path] = {}
    for name in listed.values():
        file = path.parent / name
        if not file.is_file():
            raise ConfigError(f"image {path}: lists {name}, which is not there")
        files[file.name] = file
    metadata = {
        **known,
        "application_offset": offset,
        "flash_images": " ".join(f"{at}={Path(n).name}" for at, n in listed.items()),
    }
    if size := about.get("flash_settings", {}).get("flash_size", ""):
        metadata["flash_size"] = str(size)
    for name in _BESIDE:
        if (path.parent / name).is_file():
            files["sdkconfig.json"] = path.parent / name
    elf = path.parent / application.with_suffix(".elf").name
    main = application.name
    if elf.is_file():
        files[elf.name] = elf
        main = elf.name
    return PrebuiltFiles(main, files, metadata)
