"""The files that a client has brought: kept in memory, and gone with it."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.support.image_kinds import read_segments

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

DIAGRAM = "diagram.json"
MOST_BYTES = 64 << 20
_ERASED = b"\xff"
_MOST_FLASH_BYTES = 16 << 20


@dataclass(slots=True)
class Uploads:
    """Files by name; a name may look like a path, and is none."""

    _files: dict[str, str | bytes] = field(default_factory=dict[str, "str | bytes"])

    def put(self, name: str, content: str | bytes) -> None:
        """Keep a file, in the place of one that has its name.

        Raises:
            ConfigError: it has no name, or all are too much together.
        """
        if not name:
            raise ConfigError("a file needs a name")
        others = sum(len(it) for key, it in self._files.items() if key != name)
        if others + len(content) > MOST_BYTES:
            most = MOST_BYTES >> 20
            raise ConfigError(f"{name}: there is room for {most} MB of files, all told")
        self._files[name] = content

    def given(self, name: str) -> dict[str, Any]:
        """Return a file as a client gets it: as text if it came as text."""
        content = self._of(name)
        if isinstance(content, str):
            return {"text": content}
        return {"binary": base64.b64encode(content).decode()}

    def diagram(self) -> str:
        """Return the text of the circuit.

        Raises:
            ConfigError: none has come, or it is no text.
        """
        if DIAGRAM not in self._files:
            raise ConfigError(
                f"no {DIAGRAM} has been uploaded: send one before sim:start"
            )
        content = self._files[DIAGRAM]
        try:
            return content if isinstance(content, str) else content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ConfigError(f"{DIAGRAM}: is no text in UTF-8") from error

    def write_firmware(self, sections: Sequence[tuple[int, str]], folder: Path) -> Path:
        """Put a firmware into a folder; return the file that it is to be run from.

        Args:
            sections: Where each of its files goes in flash, in bytes, and its name.
            folder: An empty one.

        Raises:
            UnknownName: a file has not been uploaded.
            ConfigError: they overlap, or leave no room.
            FirmwareFault: one is damaged.
        """
        paths = [self._write(name, folder) for _, name in sections]
        if len(sections) == 1 and not sections[0][0]:
            return paths[0]
        flash = bytearray()
        for (offset, name), path in zip(sections, paths, strict=True):
            for address, code in read_segments(path):
                _lay(flash, offset + address, code, name)
        whole = folder / "flash.bin"
        whole.write_bytes(flash)
        return whole

    def _write(self, name: str, folder: Path) -> Path:
        content = self._of(name)
        path = folder / (PurePosixPath(name.replace("\\", "/")).name or "firmware")
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def _of(self, name: str) -> str | bytes:
        if name not in self._files:
            raise UnknownName("uploaded file", name, self._files)
        return self._files[name]


def _lay(flash: bytearray, begins: int, code: bytes, name: str) -> None:
    ends = begins + len(code)
    if ends > _MOST_FLASH_BYTES:
        raise ConfigError(f"{name}: ends at 0x{ends:x}, behind any flash")
    flash.extend(_ERASED * (ends - len(flash)))
    if flash[begins:ends].strip(_ERASED):
        raise ConfigError(f"{name}: at 0x{begins:x} another file is already")
    flash[begins:ends] = code
