"""What of an image a service is given, and under which names."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_embedbench.errors import ConfigError, DoesNotFit
from pytest_embedbench.flashing.images import artifact, esp_pieces
from pytest_embedbench.support.image_kinds import ImageKind

if TYPE_CHECKING:
    from pytest_embedbench.model import BoardSpec, FirmwareImage

_ERASED = b"\xff"
_MOST_BYTES = 16 << 20
"""Of flash, as Wokwi's own client has it."""
_SUFFIXES = {
    "atmega": (".hex", ".elf"),
    "rp2": (".uf2", ".elf"),
    "stm32": (".elf", ".hex", ".bin"),
}
"""The best file first, by how the names of chips begin."""
_KINDS = {
    ".hex": ImageKind.HEX,
    ".elf": ImageKind.ELF,
    ".uf2": ImageKind.UF2,
    ".bin": ImageKind.BIN,
}
_ESP = "esp32"


class Upload(NamedTuple):
    """A file for the service: text as it is, bytes in base64."""

    name: str
    content: str | bytes

    def params(self) -> dict[str, str]:
        """Return the parameters of ``file:upload``."""
        if isinstance(self.content, str):
            return {"name": self.name, "text": self.content}
        coded = base64.b64encode(self.content).decode()
        return {"name": self.name, "binary": coded}


class ServiceFirmware(NamedTuple):
    """Files, and what ``sim:start`` says of them."""

    uploads: list[Upload]
    params: dict[str, Any]


def image_kinds_of(spec: BoardSpec) -> tuple[str, ...]:
    """Return the kinds of prebuilt images that run on a board."""
    if spec.mcu.startswith(_ESP):
        return ImageKind.FLASHER_ARGS.value, ImageKind.BIN.value
    return tuple(_KINDS[suffix].value for suffix in _suffixes(spec))


def firmware_of(spec: BoardSpec, image: FirmwareImage) -> ServiceFirmware:
    """Return what a board of a service is started with.

    Raises:
        ConfigError: the image has no file that such a board takes.
        DoesNotFit: it is more than any flash there.
    """
    if spec.mcu.startswith(_ESP):
        name, data = "firmware.bin", _flash_of(spec, image)
    else:
        file = artifact(image, *_suffixes(spec))
        name, data = f"firmware{file.suffix}", file.read_bytes()
    uploads, params = [Upload(name, data)], {"firmware": name}
    elf = image.symbols_path
    if elf is not None and name != "firmware.elf":
        uploads.append(Upload("firmware.elf", elf.read_bytes()))
    if elf is not None:
        params["elf"] = "firmware.elf"
    if size := image.metadata.get("flash_size", ""):
        params["flashSize"] = size
    return ServiceFirmware(uploads, params)


def _flash_of(spec: BoardSpec, image: FirmwareImage) -> bytes:
    """Return all that belongs into the flash, as one file."""
    pieces = [(at, path.read_bytes(), path.name) for at, path in esp_pieces(image)]
    ends = max(at + len(data) for at, data, _ in pieces)
    if ends > _MOST_BYTES:
        what = f"{spec.name}: the firmware ends at {ends:#x} of its flash"
        raise DoesNotFit(f"{what}, and there are {_MOST_BYTES:#x} bytes at most")
    flash = bytearray(_ERASED * ends)
    for at, data, _ in pieces:
        flash[at : at + len(data)] = data
    return bytes(flash)


def _suffixes(spec: BoardSpec) -> tuple[str, ...]:
    for start, suffixes in _SUFFIXES.items():
        if spec.mcu.startswith(start):
            return suffixes
    known = ", ".join([*_SUFFIXES, _ESP])
    raise ConfigError(f"{spec.name}: mcu {spec.mcu!r}: chips here begin with {known}")
