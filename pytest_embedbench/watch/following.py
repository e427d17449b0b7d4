"""What is new in a file that grows, since a place in it.

Nothing waits here and nothing is remembered: whoever asks says how far he has read.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 400_000
"""Of what is new, the last so many are given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileNews:
    """What has come to a file: whole lines, and from where to ask next time.

    ``head`` is the file's first line, if it is read from its beginning and that is left
    out of ``text``, as ``skipped_bytes`` are. ``is_anew`` says that it is shorter than
    before: it is another file, and what was read of it is gone.
    """

    text: str
    offset: int
    head: str = ""
    skipped_bytes: int = 0
    is_anew: bool = False


def news_of(file: Path, offset: int, *, most_bytes: int = MOST_BYTES) -> FileNews:
    """Return what is new in a file since ``offset`` bytes of it.

    A line that is not at its end yet comes with the next news.

    Raises:
        OSError: it cannot be read, or is no plain file; links are none.
    """
    plain = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    about = os.fstat(plain)
    if not stat.S_ISREG(about.st_mode):
        os.close(plain)
        raise OSError(f"{file}: is no plain file")
    with os.fdopen(plain, "rb") as opened:
        is_anew = about.st_size < offset
        begins = 0 if is_anew else offset
        head, skipped = b"", 0
        if about.st_size - begins > most_bytes:
            if begins == 0:
                head = opened.readline(most_bytes)
            opened.seek(about.st_size - most_bytes)
            # What is left of the line that the cut is in goes, too.
            opened.readline(most_bytes)
            skipped = opened.tell() - begins - len(head)
            begins = opened.tell()
        opened.seek(begins)
        data = opened.read(most_bytes)
    whole = data[: data.rfind(b"\n") + 1]
    if not whole and len(data) == most_bytes:
        whole = data  # a line that is longer than that
    return FileNews(
        text=_decoded(whole),
        offset=begins + len(whole),
        head=_decoded(head),
        skipped_bytes=skipped,
        is_anew=is_anew,
    )


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
