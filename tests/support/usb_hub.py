"""A USB hub whose port is switched by ``uhubctl``, with a board behind it: a pty."""

from __future__ import annotations

import os
import select
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.pty_board import Pty

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


@dataclass(slots=True, eq=False)
class UsbHub:
    """A board that boots when it gets power, and whose port goes with that.

    Its port is ``link``. ``folder`` is a new one; a ``uhubctl`` in it talks to us.
    """

    folder: Path
    switched: list[str] = field(default_factory=list[str], init=False)
    """What has been asked of the hub."""
    pty: Pty = field(default_factory=Pty, init=False)
    boots: int = field(default=1, init=False)
    _asked: int = field(init=False)
    _done: int = field(init=False)
    _stop: tuple[int, int] = field(default_factory=os.pipe, init=False)
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        ends: list[int] = []
        for name in ("asked", "done"):
            os.mkfifo(self.folder / name)
            ends.append(os.open(self.folder / name, os.O_RDWR | os.O_NONBLOCK))
        self._asked, self._done = ends
        script = f'cd "{self.folder}"; echo "$*" > asked; read answer < done\n'
        (self.folder / "uhubctl").write_text(f"#!/bin/sh\n{script}")
        (self.folder / "uhubctl").chmod(0o755)
        self.link.symlink_to(self.pty.path)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def link(self) -> Path:
        """The board's port, while it has power."""
        return self.folder / "by-id"

    def on_path(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have this hub's ``uhubctl`` found."""
        monkeypatch.setenv("PATH", f"{self.folder}:{os.environ['PATH']}")

    def close(self) -> None:
        """Take all of it away."""
        os.write(self._stop[1], b"!")
        self._thread.join()
        self.pty.unplug()
        for descriptor in (*self._stop, self._asked, self._done):
            os.close(descriptor)

    def _serve(self) -> None:
        while True:
            ready, _, _ = select.select([self._asked, self._stop[0]], [], [])
            if self._stop[0] in ready:
                return
            words = os.read(self._asked, 4096).decode().split()
            self.switched.append(words[-1])
            if words[-1] == "off":
                self.link.unlink(missing_ok=True)
                self.pty.unplug()
            else:
                self.pty, self.boots = Pty(), self.boots + 1
                self.pty.say(b"boot %d\n" % self.boots)
                self.link.symlink_to(self.pty.path)
            os.write(self._done, b"yes\n")
