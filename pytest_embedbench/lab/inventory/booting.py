"""Take the boards of a test all at once, then start each: as any shared engine does."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_embedbench.lab.inventory.labfile import load_lab
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.lab.leases.lease import BoardRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.lab.inventory.board_options import LabOptions
    from pytest_embedbench.lab.leases.lease import Lease
    from pytest_embedbench.lab.ports.discovery import Attached
    from pytest_embedbench.model import BoardSpec, FirmwareImage


class _Closable(Protocol):
    def close(self) -> None: ...


BoardT = TypeVar("BoardT", bound=_Closable)


def boot_together(
    wanted: Sequence[tuple[BoardSpec, FirmwareImage]],
    *,
    listed: Callable[[], Sequence[Attached]],
    read: Callable[[BoardSpec], LabOptions],
    start: Callable[[BoardSpec, FirmwareImage, Lease], BoardT],
) -> list[BoardT]:
    """Take all boards of a test before any is touched, then start each.

    Args:
        wanted: Boards, or the names of several of which any will do, and their images.
        listed: Which ports are attached.
        read: Reads the options of one, and says what makes no sense in them before
            anybody waits for a board.
        start: Starts one that is ours.

    Raises:
        BoardBusy: they could not all be had in time.
        BoardUnreachable: one is not where it should be.
        BoardGivenUp: one was lost earlier in this run.
        ConfigError: options or lab file are wrong.
    """
    candidates = [candidates_of(spec) for spec, _ in wanted]
    options = [[read(spec) for spec in specs] for specs in candidates]
    requests = [
        BoardRequest(
            name=spec.name,
            boards=tuple(
                (choice.name, its.query())
                for choice, its in zip(specs, those, strict=True)
            ),
        )
        for (spec, _), specs, those in zip(wanted, candidates, options, strict=True)
    ]
    wait_s = max(those[0].wait_s for those in options)
    leases = Leases(listed=listed).acquire(requests, wait_s=wait_s)
    boards: list[BoardT] = []
    with ExitStack() as undo:
        for lease in leases:
            undo.callback(lease.release)
        for specs, lease, (_, image) in zip(candidates, leases, wanted, strict=True):
            (spec,) = (spec for spec in specs if spec.name == lease.board)
            boards.append(start(spec, image, lease))
            undo.callback(boards[-1].close)
        undo.pop_all()
    return boards


def candidates_of(spec: BoardSpec) -> list[BoardSpec]:
    """Return the boards that ``spec`` stands for: itself, or those of a lab file."""
    file = str(spec.options.get("lab", ""))
    if not file:
        return [spec]
    lab = load_lab(Path(file))
    if spec.name in lab.boards:
        return [spec]
    return [board.over(spec) for board in lab.candidates(spec.name)]
