"""Run ``pio run`` on a staged project; let it install only what it may."""

from __future__ import annotations

import fcntl
import hashlib
import re
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_embedbench.processes.guarded import run_guarded
from pytest_embedbench.processes.pio_environment import quiet_environment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_embedbench.processes import Limits
    from pytest_embedbench.processes.guarded import Finished
    from pytest_embedbench.processes.sandbox import Policy

REGISTRY = ("api.registry.platformio.org", 443)
_KILLED = 128
"""What a shell adds to the number of the signal that ended a program."""
_REACHED_WITHIN_S = 2.0
_INSTALLING = re.compile(r"(?:Platform|Tool|Library) Manager: Installing (\S.*)")
_LOCAL = ("file://", "symlink://")
_LOCKS = ("appstate.json.lock", "platforms.lock", "packages.lock")


@dataclass(slots=True)
class InstallWatch:
    """Ends a run at the first package that it wants from elsewhere, and names it."""

    wanted: str | None = field(default=None)

    def __call__(self, line: str) -> bool:
        """Say whether the run ends at this line."""
        match = _INSTALLING.match(line)
        if match and not match[1].startswith(_LOCAL):
            self.wanted = match[1].strip()
        return self.wanted is not None


def pio_run(
    words: tuple[str, ...],
    variables: Mapping[str, str],
    *,
    timeout_s: float,
    watch: InstallWatch | None = None,
    limits: Limits | None = None,
    policy: Policy | None = None,
) -> Finished:
    """Run a ``pio`` command; with ``watch``, end it rather than let it install.

    ``policy`` is that of the sandbox it runs in.
    """
    return run_guarded(
        words,
        env={**quiet_environment(), **variables},
        timeout_s=timeout_s,
        limits=limits,
        policy=policy,
        stop_at=watch or (lambda _line: False),
    )


def was_killed(done: Finished) -> bool:
    """Say whether a signal ended a run that was not ended for its time."""
    return done.returncode < 0 or done.returncode > _KILLED


def reachable(address: tuple[str, int], within_s: float = _REACHED_WITHIN_S) -> bool:
    """Say whether something answers there, name look-up included, in that time.

    Where the host talks through a proxy, it is the proxy that has to answer.
    """
    from urllib.request import getproxies  # noqa: PLC0415  # slow to load

    proxy = urlsplit(getproxies().get("https", ""))
    if proxy.hostname:
        address = (proxy.hostname, proxy.port or 8080)
    answered = threading.Event()
    over = threading.Event()

    def connect() -> None:
        try:
            socket.create_connection(address, timeout=within_s).close()
            answered.set()
        except OSError:
            pass
        finally:
            over.set()

    # A thread, because looking up a name knows no timeout.
    threading.Thread(target=connect, daemon=True).start()
    over.wait(within_s)
    return answered.is_set()


def install_lock(cache_dir: Path, core_dir: Path) -> Path:
    """Return the lock of ours of whoever may install into a core directory."""
    digest = hashlib.sha256(str(core_dir).encode()).hexdigest()[:16]
    return cache_dir / f"install-{digest}.lock"


def held_lock(core_dir: Path) -> Path | None:
    """Return the lock of PlatformIO that some other process holds, if one does."""
    for name in _LOCKS:
        try:
            with (core_dir / name).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return core_dir / name
        except OSError:
            continue
    return None
