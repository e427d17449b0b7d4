"""A Linux target on a serial line, without either: a login before a real shell.

Two pseudo-terminals, back to back: the far end of the one is the target's terminal,
with its kernel's idea of echo and lines; that of the other is the port on the bench.
"""

from __future__ import annotations

import os
import select
import subprocess
import threading
import tty
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.processes import spawn, stop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

USER, PASSWORD = "pi", "raspberry"
_LOGIN = r"""
trap : INT QUIT
while :; do
    printf '\nRaspbian GNU/Linux 12 raspberrypi ttyS0\n\nraspberrypi login: '
    IFS= read -r user && [ "$user" ] || continue
    stty -echo
    printf 'Password: '
    IFS= read -r password
    stty echo
    printf '\n'
    if [ "$user:$password" = "pi:raspberry" ]; then
        printf 'Last login: Mon Nov 30 01:00:00 UTC 2026 on ttyS0\n'
        (exec $SHELL_OF_PI)
        stty sane
    else
        printf '\nLogin incorrect\n'
    fi
done
"""
# A terminal becomes a process's own when it opens it as the first of its session.
_OWN = 'exec <"$0" >"$0" 2>&1; '


@dataclass(slots=True, eq=False)
class SerialTarget:
    """What runs: the bench's port, and hands on the line between."""

    path: str
    _bench: int
    _target: int
    _alarm: tuple[int, int] = field(default_factory=os.pipe)
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._relay, daemon=True)
        self._thread.start()

    def say(self, data: bytes) -> None:
        """Put bytes on the line, as the target's kernel does."""
        os.write(self._bench, data)

    def close(self) -> None:
        """Take the line away."""
        os.write(self._alarm[1], b"!")
        self._thread.join()
        for descriptor in (*self._alarm, self._bench, self._target):
            os.close(descriptor)

    def _relay(self) -> None:
        ways = {self._bench: self._target, self._target: self._bench}
        while True:
            ready, _, _ = select.select([*ways, self._alarm[0]], [], [])
            if self._alarm[0] in ready:
                return
            for source in ready:
                data = os.read(source, 4096)
                while data:
                    data = data[os.write(ways[source], data) :]


@contextmanager
def serial_target(
    folder: Path, *, script: str = _LOGIN, shell: str = "sh"
) -> Iterator[SerialTarget]:
    """Run a target for the block; ``script`` is what has its terminal.

    ``folder`` is its home; ``shell`` is the login shell's command line.
    """
    bench, port = os.openpty()
    target, terminal = os.openpty()
    tty.setraw(port)
    process = spawn(
        ["sh", "-c", _OWN + script, os.ttyname(terminal)],
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "SHELL_OF_PI": shell, "PS1": "pi$ "},
    )
    line = SerialTarget(os.ttyname(port), bench, target)
    try:
        yield line
    finally:
        stop(process, grace_s=0)
        line.close()
        os.close(port)
        os.close(terminal)
