"""Take the boards of a test all at once, then start them side by side."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_embedbench.contracts import Board
from pytest_embedbench.errors import (
    BenchFault,
    BoardDisabled,
    BoardUnreachable,
    CapabilityMissing,
)
from pytest_embedbench.lab.inventory.instruments import (
    make_instruments,
    open_instruments,
)
from pytest_embedbench.lab.inventory.labfile import load_lab
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.lab.leases.blamed import BOARD_FAULTS
from pytest_embedbench.lab.leases.lease import BoardRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Sequence

    from pytest_embedbench.lab.inventory.board_options import LabOptions
    from pytest_embedbench.lab.leases.lease import Lease
    from pytest_embedbench.lab.ports.discovery import Attached
    from pytest_embedbench.model import BoardSpec, FirmwareImage

_T = TypeVar("_T")


class LabBoardInUse(Board, Protocol):
    """A board of the lab that runs."""

    @property
    def started_s(self) -> float:
        """The host time that is its time 0."""
        ...

    def count_from(self, started_s: float) -> None:
        """Make that host time its time 0, also for what it has said."""
        ...


class TakesFromLab(Protocol):
    """An engine of boards of the lab."""

    @property
    def listed(self) -> Callable[[], Sequence[Attached]]:
        """Which ports are attached."""
        ...

    def options(self, spec: BoardSpec) -> LabOptions:
        """Return a board's options; say what makes no sense before anybody waits."""
        ...

    def start(
        self, spec: BoardSpec, image: FirmwareImage, lease: Lease
    ) -> LabBoardInUse:
        """Start a board that is ours, or raise with nothing left open."""
        ...


def started(
    engine: TakesFromLab, spec: BoardSpec, start: Callable[[BoardSpec, Lease], _T]
) -> _T:
    """Take one board, and return what ``start`` makes of it; let it go if that fails.

    Raises:
        BoardBusy: it could not be had in time.
        BoardUnreachable: it is not where it should be.
        BoardGivenUp: it was lost earlier in this run.
        BoardDisabled: the lab file lets no test have it.
        ConfigError: options or lab file are wrong.
    """
    ((mine, lease),) = take_together([(engine, spec)])
    try:
        with lease.starting():
            return start(mine, lease)
    except BaseException:
        lease.release()
        raise


@contextmanager
def booted_together(
    wanted: Sequence[tuple[TakesFromLab, BoardSpec, FirmwareImage]],
) -> Generator[list[LabBoardInUse]]:
    """Have boards for the block: all are taken before any is touched.

    They are started side by side, and their clocks begin together: time 0 of all is
    that of the first that ran. Where one of several that would do cannot be started,
    that counts against it, and another one is taken.

    Args:
        wanted: Boards, or the names of several of which any will do, with the engine
            and the image of each.

    Raises:
        BoardBusy: they could not all be had in time.
        BoardUnreachable: one is not where it should be.
        BoardGivenUp: one was lost earlier in this run.
        BoardDisabled: the lab file lets no test have one.
        ConfigError: options or lab file are wrong.
    """
    unfit: set[str] = set()
    trouble: BenchFault | None = None
    while True:
        try:
            taken = take_together([(engine, spec) for engine, spec, _ in wanted], unfit)
        except BOARD_FAULTS as none_left:
            if trouble is None:
                raise
            raise trouble from none_left
        with ExitStack() as undo:
            try:
                boards = _started(undo, wanted, taken)
            except BOARD_FAULTS as fault:
                trouble = fault
                unfit |= {lease.board for _, lease in taken if lease.trouble}
                if not all(_others(spec, unfit) for _, spec, _ in wanted):
                    raise
                continue
            yield boards
            return


def _started(
    undo: ExitStack,
    wanted: Sequence[tuple[TakesFromLab, BoardSpec, FirmwareImage]],
    taken: Sequence[tuple[BoardSpec, Lease]],
) -> list[LabBoardInUse]:
    for _, lease in taken:
        undo.callback(lease.release)
    starts = [
        partial(_start, engine, spec, image, lease)
        for (engine, _, image), (spec, lease) in zip(wanted, taken, strict=True)
    ]
    if len(starts) == 1:
        return [undo.enter_context(closing(starts[0]()))]
    return _started_together(undo, starts)


def _start(
    engine: TakesFromLab, spec: BoardSpec, image: FirmwareImage, lease: Lease
) -> LabBoardInUse:
    with lease.starting():
        return engine.start(spec, image, lease)


def _others(spec: BoardSpec, unfit: Collection[str]) -> list[BoardSpec]:
    """Return the boards that would do and have not failed to start for this test."""
    return [choice for choice in candidates_of(spec) if choice.name not in unfit]


def _started_together(
    undo: ExitStack, starts: Sequence[Callable[[], LabBoardInUse]]
) -> list[LabBoardInUse]:
    # Its threads stay until all boards are closed: a child that dies with its parent
    # dies with the thread that has started it.
    threads = undo.enter_context(ThreadPoolExecutor(len(starts)))
    starting = [threads.submit(start) for start in starts]
    for each in starting:
        # Also of those that still start when somebody interrupts us.
        undo.callback(_close_once_started, each)
    wait(starting)
    boards = [each.result() for each in starting]
    began_s = min(board.started_s for board in boards)
    for board in boards:
        board.count_from(began_s)
    return boards


def _close_once_started(starting: Future[LabBoardInUse]) -> None:
    if starting.exception() is None:
        starting.result().close()


def take_together(
    wanted: Sequence[tuple[TakesFromLab, BoardSpec]], unfit: Collection[str] = ()
) -> list[tuple[BoardSpec, Lease]]:
    """Take a board for each, all at once; return which it is, and its lease.

    Those whose names are in ``unfit`` are left alone. Raises what ``booted_together``
    does.
    """
    candidates = [_others(spec, unfit) for _, spec in wanted]
    options = [
        [engine.options(spec) for spec in specs]
        for (engine, _), specs in zip(wanted, candidates, strict=True)
    ]
    requests = [
        BoardRequest(
            name=spec.name,
            boards=tuple(
                (choice.name, its.query())
                for choice, its in zip(specs, those, strict=True)
            ),
        )
        for (_, spec), specs, those in zip(wanted, candidates, options, strict=True)
    ]
    wait_s = max(those[0].wait_s for those in options)
    for specs in candidates:
        for spec in specs:
            make_instruments(spec)  # what is wrong is said before anybody waits
    try:
        leases = Leases(listed=wanted[0][0].listed).acquire(requests, wait_s=wait_s)
    except BoardUnreachable as absent:
        switched = [spec.name for specs in candidates for spec in specs if _off(spec)]
        if len(wanted) > 1 or not switched:
            raise
        ways = " or ".join(f"'embedbench lab power on {name}'" for name in switched)
        raise BoardUnreachable(
            f"{absent}; if a hand has taken its power: {ways} gives it back"
        ) from absent
    for lease, request, those in zip(leases, requests, options, strict=True):
        lease.wanted = request.name
        lease.quarantine_after = those[0].quarantine_after
    taken = [
        (next(spec for spec in specs if spec.name == lease.board), lease)
        for specs, lease in zip(candidates, leases, strict=True)
    ]
    with ExitStack() as undo:
        for spec, lease in taken:
            undo.callback(lease.release)
            instruments = make_instruments(spec)
            opened = open_instruments(instruments, spec.name)
            lease.own_instruments(instruments, opened)
        undo.pop_all()
    return taken


def _off(spec: BoardSpec) -> bool:
    """Say whether a board of a lab file may be without power, and so without port."""
    keys = {"power_off", "power_hub"}
    return "lab" in spec.options and not keys.isdisjoint(spec.options)


def candidates_of(spec: BoardSpec) -> list[BoardSpec]:
    """Return the boards that ``spec`` stands for: itself, or those of a lab file.

    Raises:
        BoardDisabled: the lab file lets no test have any of them.
        CapabilityMissing: none of them has the features that a test asked for.
    """
    file = str(spec.options.get("lab", ""))
    if not file:
        return [spec]
    lab = load_lab(Path(file))
    boards = lab.candidates(spec.name)
    able = [board for board in boards if not board.disabled]
    if not able:
        told = "; ".join(f"{board.name} ({board.disabled})" for board in boards)
        raise BoardDisabled(f"{file}: disabled: {told}")
    specs = (
        [spec] if spec.name in lab.boards else [lab.over(each, spec) for each in able]
    )
    fitting = [each for each in specs if not lacking_features(each)]
    if not fitting:
        lacking = ", ".join(lacking_features(specs[0]))
        raise CapabilityMissing(
            f"{spec.name} lacks {lacking}: in {file} none of it has that among its "
            "features"
        )
    return fitting


def lacking_features(spec: BoardSpec) -> list[str]:
    """Return what a test has asked of a board that it is not wired to."""
    needs, has = (spec.options.get(name, ()) for name in ("needs", "features"))
    assert isinstance(needs, tuple), "it is no key of a lab file"
    return sorted({*needs}.difference(has if isinstance(has, tuple) else ()))
