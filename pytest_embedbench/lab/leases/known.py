"""What the locks say of boards, also of those that are not there at the moment."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_embedbench.errors import BoardUnreachable
from pytest_embedbench.lab.leases import records
from pytest_embedbench.lab.leases.lease import UNSEEN
from pytest_embedbench.lab.leases.lockfile import lock_named, read_record
from pytest_embedbench.lab.ports.discovery import find

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_embedbench.lab.ports.discovery import Attached, PortQuery


def lock_records(folder: Path) -> Iterator[tuple[str, records.LockRecord]]:
    """Yield all locks that there are, by key, with what they say."""
    for path in sorted(folder.glob("*.lock")):
        key = unquote(path.name.removesuffix(".lock"))
        yield key, records.read(read_record(path))


def key_of(
    query: PortQuery, ports: Sequence[Attached], folder: Path, *, takes_absent: bool
) -> str:
    """Return what a board is locked by; "" if it needs no lock.

    Also of a board that is not there because its holder restarts it, because it was
    lost in this run, or because somebody who holds it by hand has unplugged it; with
    ``takes_absent`` of any.

    Raises:
        BoardUnreachable: there is no such board.
    """
    try:
        return find(query, ports).key
    except BoardUnreachable:
        run = records.this_run()
        mine = {k: r for k, r in lock_records(folder) if r.is_of(query)}
        for key, record in mine.items():
            if record.holder or record.lost_in(run) or record.held_by_hand():
                return key
        if not takes_absent:
            raise
    return max(
        mine,
        key=lambda key: lock_named(folder, key).path.stat().st_mtime,
        default=f"{UNSEEN}{query}",
    )


def occupied(record: records.LockRecord | None) -> str:
    """Say why a board cannot be had now, after its name."""
    if record is None:
        return "is held by nobody known"
    if record.holder is not None:
        return f"is held by {record.holder}"
    if (loss := record.lost_in(records.this_run())) is not None:
        return f"is out for this run: {loss.cause}"
    return str(record.held_by_hand() or "is held by nobody known")
