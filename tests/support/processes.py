"""What runs below a process."""

from __future__ import annotations

from pathlib import Path


def family(pid: int) -> dict[int, str]:
    """Return a process and all that it has started: pid and command line."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_bytes()
        except OSError:
            continue
        parent = int(stat.rpartition(b")")[2].split()[1])
        children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for member in found:
        found += children.get(member, [])
    return {member: _command(member) for member in found}


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
