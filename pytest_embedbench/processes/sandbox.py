"""Bubblewrap: from what a program may see and use up to the words that start it.

Inside there is no network unless it is let in, nothing of the user's home, and no
process but its own: all of them die with the first. The system's programs and
libraries can be read.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ToolMissing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

INSTALL = "apt-get install bubblewrap"
_PROGRAM = "bwrap"
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime",
)  # fmt: skip
_APART = (
    "--unshare-user", "--disable-userns", "--unshare-ipc", "--unshare-pid",
    "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent",
    "--cap-drop", "ALL",
)  # fmt: skip
_DEVICES = (
    *("--proc", "/proc", "--remount-ro", "/proc"),
    *("--dev", "/dev", "--remount-ro", "/dev"),
)
_TMP = "/tmp"  # noqa: S108  # the one inside
AT_HOME = {"HOME": _TMP, "TMPDIR": _TMP}
"""What a command in a sandbox takes for its own folders."""
_TMP_BYTES = 256 * 1024**2
_PROBED_WITHIN_S = 30
_FEW_PROCESSES = 64
_FILE_COUNT = 64
"""Files may be in memory only, so their number is a limit on memory, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a program in a sandbox sees, at the same paths as outside.

    Attributes:
        empty: Folders that are its own, and hold nothing but what comes below.
        readable: Files and folders beside the system's; those that are there.
        writable: Folders that are its to change.
        hidden: Folders that are empty where a readable one holds them.
        copied: Files that it has a copy of, by their path inside: open descriptors.
        folder: Where it starts.
        temporary: Whether it has a temporary folder of its own, which goes with it.
        process_count: How many processes it may have at a time.
        network: Whether it has this machine's network.
    """

    empty: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    copied: tuple[tuple[int, str], ...] = ()
    folder: Path = Path("/")
    temporary: bool = False
    process_count: int | None = None
    network: bool = False


def words_for(policy: Policy) -> tuple[str, ...]:
    """Return the words to put before a command, so that ``policy`` holds for it.

    What comes later lies over what comes earlier.
    """
    words = [_PROGRAM, *_APART]
    if not policy.network:
        words.append("--unshare-net")
    for path in _SYSTEM:
        words += ["--ro-bind-try", path, path]
    words += _DEVICES
    if policy.temporary:
        words += ["--size", str(_TMP_BYTES), "--tmpfs", _TMP]
    for each in policy.empty:
        words += ["--size", str(_TMP_BYTES), "--tmpfs", str(each)]
    shown = list(map(Path, _SYSTEM))
    for each in sorted(policy.readable):
        if not any(each.is_relative_to(place) for place in shown):
            words += ["--ro-bind-try", str(each), str(each)]
            shown.append(each)
    for each in _seen(policy.hidden, shown):
        words += ["--tmpfs", str(each), "--remount-ro", str(each)]
    for each in policy.writable:
        words += ["--bind", str(each), str(each)]
    for descriptor, path in policy.copied:
        words += ["--perms", "0555", "--file", str(descriptor), path]
    words += ["--remount-ro", "/", "--chdir", str(policy.folder), "--"]
    if policy.process_count is not None:
        # Counted from within: outside, all processes of the user's would count.
        count = policy.process_count
        files = f"--nofile={_FILE_COUNT}:{_FILE_COUNT}"
        words += ["/usr/bin/prlimit", f"--nproc={count}:{count}", files, "--"]
    return tuple(words)


def refusal(stderr: str) -> str | None:
    """Return why bubblewrap has not started a command that wrote this; else nothing.

    It says so in one line of its own, and nothing else is ever written then.
    """
    return stderr.strip() if re.fullmatch(r"bwrap: .*\n?", stderr) else None


def with_its_prefix(program: str) -> tuple[Path, ...]:
    """Return what has to be readable for a program that is not the system's.

    That is what it is installed in, the folder of its ``bin``, but never a whole home.
    """
    real = Path(program).resolve()
    prefix = real.parent.parent
    # Of a user without a home it is "~", which is nowhere.
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  # Path.home() would raise
    whole_home = home.resolve().is_relative_to(prefix)
    return (real.parent if whole_home else prefix, Path(program).absolute())


def nobody_else() -> int | None:
    """Return a user id that is nobody's, for a program that root starts.

    The kernel counts no processes of root's, and root may write to ``/proc/sys``.
    ``None`` for all others, who stay who they are.
    """
    return 20_000 + os.getpid() % 40_000 if os.getuid() == 0 else None


def missing() -> ToolMissing | None:
    """Say why no sandbox can be had here, if none can; starts one to find out.

    There may be a program for it, and a kernel or a container that will not let it.
    """
    found = shutil.which(_PROGRAM)
    return _lacking("bubblewrap", INSTALL) if found is None else _tried(found)


@cache
def _tried(bubblewrap: str) -> ToolMissing | None:
    words = words_for(Policy(process_count=_FEW_PROCESSES))
    user = nobody_else()
    try:
        done = subprocess.run(
            [bubblewrap, *words[1:], "/bin/true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PROBED_WITHIN_S,
            check=False,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    except (OSError, subprocess.SubprocessError) as error:
        return _lacking(f"a bubblewrap that works ({error})", _ADVICE)
    if done.returncode == 0:
        return None
    said = done.stderr.strip().splitlines()
    return _lacking(f"a bubblewrap that works ({said[-1] if said else 'it'})", _ADVICE)


def version() -> str:
    """Return bubblewrap's name and version."""
    words = [_PROGRAM, "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout.strip()


_ADVICE = (
    "it takes version 0.8 or newer, and a kernel that lets users make namespaces: "
    "sysctl user.max_user_namespaces above 0, on Ubuntu "
    "kernel.apparmor_restrict_unprivileged_userns=0; in a container it takes "
    "docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
)


def _seen(hidden: Iterable[Path], shown: Iterable[Path]) -> Iterator[Path]:
    """Yield where what is to be hidden would be seen, also by way of links."""
    real = {place: place.resolve() for place in shown}
    for each in hidden:
        resolved = each.resolve()
        for place, path in real.items():
            if resolved.is_dir() and resolved.is_relative_to(path):
                yield place / resolved.relative_to(path)


def _lacking(what: str, install: str) -> ToolMissing:
    return ToolMissing("--embedbench-sandbox", what, install)
