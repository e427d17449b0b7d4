"""A board in a test's hands: what it lacks is said in words.

An engine's board has the methods of what it can do, and no others. The one place that
answers for those others is here, whoever made the board.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

from pytest_embedbench.contracts import (
    PROTOCOLS,
    DrivesPulses,
    HasNotes,
    HasPosition,
    capabilities_of,
    parts_of,
)
from pytest_embedbench.errors import BoardLacks
from pytest_embedbench.model import Capability

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.contracts import (
        Board,
        BoardUnderTest,
        DrivesPins,
        Link,
        TargetConsole,
    )
    from pytest_embedbench.model import BoardSpec, Level

_LACKS: Mapping[Capability, str] = {
    Capability.READ_PINS: "no pins that can be read",
    Capability.DRIVE_PINS: "no pins that can be driven",
    Capability.DRIVE_PULSES: "no pins that can be driven at a given microsecond",
    Capability.ANALOG: "no pins that take a voltage",
    Capability.RESET: "no way to press reset (a real board's is named in its datasheet "
    "or its lab file)",
    Capability.POWER_CYCLE: "no way to switch its power (a real board's is named in "
    "its lab file)",
    Capability.POWER_SWITCH: "no way to keep its power off (a real board's is named in "
    "its lab file)",
    Capability.CONSOLE: "no console beside its firmware (a target on one serial line "
    "has given it to its program; over SSH there is room for both)",
    Capability.CIRCUIT: "no circuit around it (fixture circuit boots boards in one)",
}
_ASKED: Mapping[str, Capability] = {
    name: capability
    for capability, protocol in PROTOCOLS.items()
    for name in parts_of(protocol)
}
"""What a test asks a board for, and what the board has to be able to do then."""
_DRIVE_PIN = "drive_pin"
_CONSOLE = "console"


def under_test(board: Board) -> BoardUnderTest:
    """Return a board as a test may have it; one that is so already stays as it is."""
    answering: Any = board if type(board) is _Answering else _Answering(board)
    held: BoardUnderTest = answering
    return held


def plain(board: Board) -> Board:
    """Return the board itself, for who asks it for nothing that it may lack.

    That is each tick's talk with it: what stands between costs as much as the tick.
    """
    answering: Any = board
    return answering.plain() if type(answering) is _Answering else board


def identity(board: Board) -> int:
    """Return what is the same for a board and for all that stand for it."""
    answering: Any = board
    return answering.identity() if type(answering) is _Answering else id(board)


def record_console(
    board: BoardUnderTest, record: Callable[[TargetConsole], TargetConsole]
) -> None:
    """Have a test be given what ``record`` makes of the board's console, made once."""
    answering: Any = board
    answering.record_console(record)


class _Answering:
    """Stands for a board in all it is and has, and answers for what it lacks."""

    __slots__ = ("__dict__", "_board", "_recorded_console")

    _board: Board
    _recorded_console: Callable[[TargetConsole], TargetConsole] | None

    def __init__(self, board: Board) -> None:
        object.__setattr__(self, "_board", board)
        object.__setattr__(self, "_recorded_console", None)
        if hasattr(board, "__dict__"):
            # From Python 3.12 on ``isinstance`` asks neither ``__getattr__`` nor the
            # board for what this one has been given beside its class.
            object.__setattr__(self, "__dict__", board.__dict__)

    if not TYPE_CHECKING:  # no type checker lets a property be the class

        @property
        def __class__(self) -> type:
            """The board's, so that ``isinstance`` sees that."""
            return type(self._board)

    def plain(self) -> Board:
        return self._board

    def identity(self) -> int:
        return id(self._board)

    def record_console(self, record: Callable[[TargetConsole], TargetConsole]) -> None:
        object.__setattr__(self, "_recorded_console", cache(record))

    def __repr__(self) -> str:
        spec = self._board.spec
        return f"<board {spec.name} on {spec.engine}>"

    @property
    def spec(self) -> BoardSpec:
        return self._board.spec

    @property
    def capabilities(self) -> frozenset[Capability]:
        return capabilities_of(self._board)

    @property
    def notes(self) -> Sequence[str]:
        return self._board.notes if isinstance(self._board, HasNotes) else ()

    @property
    def position(self) -> str:
        return self._board.position if isinstance(self._board, HasPosition) else ""

    def link(self, uart: str = "") -> Link:
        return self._board.link(uart)

    def now_us(self) -> int:
        return self._board.now_us()

    def advance(self, duration_ms: int) -> None:
        self._board.advance(duration_ms)

    def close(self) -> None:
        self._board.close()

    def __getattr__(self, name: str) -> object:
        capability = _ASKED.get(name)
        if capability and not isinstance(self._board, PROTOCOLS[capability]):
            raise _lacks(self._board.spec, capability)
        if name == _DRIVE_PIN and not isinstance(self._board, DrivesPulses):
            drives: Any = self._board
            return partial(_drive_now, drives, drives.spec)
        if name == _CONSOLE and self._recorded_console is not None:
            return self._recorded_console(getattr(self._board, name))
        return getattr(self._board, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._board, name, value)


def _drive_now(
    drives: DrivesPins,
    spec: BoardSpec,
    pin: str,
    level: Level,
    at_us: int | None = None,
) -> None:
    if at_us is not None:
        raise _lacks(spec, Capability.DRIVE_PULSES)
    drives.drive_pin(pin, level)


def _lacks(spec: BoardSpec, capability: Capability) -> BoardLacks:
    # Only a test that is about to fail looks at all boards.
    from pytest_embedbench.bench.registry import Registry  # noqa: PLC0415

    able = Registry().boards_with(capability)
    return BoardLacks(
        spec.name, spec.engine, _LACKS[capability], capability.value, able
    )
