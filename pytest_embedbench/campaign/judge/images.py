"""Pictures as models take them: data URLs, of files and of bytes in a data set."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pytest_embedbench.errors import ConfigError

LARGEST_BYTES = 20_000_000
"""What endpoints commonly take of one picture."""
_HEAD = "data:"
_LONGEST_MAGIC = 12


@dataclass(frozen=True, slots=True)
class QuestionPicture:
    """A picture and where it is: in a file that is read when asked for, or here."""

    where: str
    source: Path | bytes

    def data(self) -> bytes:
        """Return its bytes.

        Raises:
            ConfigError: the file cannot be read, or is none that models take.
        """
        try:
            data = (
                _of_file(self.source) if isinstance(self.source, Path) else self.source
            )
        except OSError as error:
            raise ConfigError(
                f"{self.where}: {self.source!s}: cannot be read: {error.strerror}"
            ) from error
        if len(data) > LARGEST_BYTES:
            raise ConfigError(
                f"{self.where}: has more than {LARGEST_BYTES // 1_000_000} MB: make "
                "the picture smaller"
            )
        media_type(self.where, data)
        return data

    def data_url(self) -> str:
        """Return it as a ``data:`` URL."""
        data = self.data()
        kind = media_type(self.where, data)
        return f"{_HEAD}{kind};base64,{base64.b64encode(data).decode()}"

    def digest(self) -> str:
        """Return the SHA-256 of its bytes, in hex."""
        return hashlib.sha256(self.data()).hexdigest()


def read_picture(where: str, value: object, folder: Path) -> QuestionPicture:
    """Return the picture that a column holds.

    Args:
        where: File, line and column, for errors.
        value: A path from ``folder`` on, a ``data:`` URL, or, as in parquet files, a
            table with ``bytes`` (in JSON as base64) or ``path``.
        folder: Where paths begin.

    Raises:
        ConfigError: it is nothing of these, there is no such file, or it is neither
            PNG nor JPEG, GIF or WebP.
    """
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        value = table.get("bytes") or table.get("path")
        if isinstance(value, str) and table.get("bytes"):
            value = _decoded(where, value)
    if isinstance(value, bytes):
        picture = QuestionPicture(where, value)
    elif isinstance(value, str) and value.startswith(_HEAD):
        picture = QuestionPicture(where, _decoded(where, value.partition(",")[2]))
    elif isinstance(value, str) and value and "://" not in value and "\0" not in value:
        picture = QuestionPicture(where, folder / value)
    else:
        raise ConfigError(
            f"{where}: is no picture: give the path of a file or a data URL"
        )
    _check(picture)
    return picture


def media_type(where: str, data: bytes) -> str:
    """Return the media type by the first bytes; ``ConfigError`` if it is unknown."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    raise ConfigError(f"{where}: is no picture: neither PNG nor JPEG, GIF or WebP")


def _check(picture: QuestionPicture) -> None:
    """Look at the first bytes now, so that a mistake costs no run."""
    if isinstance(picture.source, bytes):
        picture.data()
        return
    try:
        with picture.source.open("rb") as file:
            media_type(f"{picture.where}: {picture.source}", file.read(_LONGEST_MAGIC))
    except OSError as error:
        raise ConfigError(
            f"{picture.where}: {picture.source}: cannot be read: {error.strerror}"
        ) from error


def _of_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST_BYTES + 1)


def _decoded(where: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ConfigError(f"{where}: is no base64: {error}") from error
