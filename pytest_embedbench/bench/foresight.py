"""What is going to happen in a closed loop, as long as the firmware says nothing new.

A controller answers most ticks as it has answered the one before. While it says nothing
that would change the plant's state, the sensor lines of all ticks to come are known,
and a board that ``RunsAhead`` needs one exchange for many of them. The loop goes on
tick by tick as ever, and only finds the answers there.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import InitVar, dataclass, field, fields, is_dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, cast

from pytest_embedbench.bench.under_test import plain
from pytest_embedbench.contracts import RunsAhead, StateT
from pytest_embedbench.wire.transcript import decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_embedbench.bench.closed_loop import ClosedLoop
    from pytest_embedbench.bench.recorder import Recorder

_FEWEST_TICKS, _MOST_TICKS = 2, 64
"""How far to look: twice as far when all has come true, else half as far."""
_KNOWN_LINES = 8
_KNOWN_STATES = 10_000


@dataclass(slots=True)
class _Known(Generic[StateT]):
    """What is known of a state of the plant's; a plant is pure, so once is enough."""

    state: StateT
    lines: tuple[str, ...]
    data: bytes
    is_fine: bool
    """Whether all invariants hold."""
    unmoved_by: set[bytes] = field(default_factory=set[bytes])
    """Lines of the firmware's that leave it as it is."""
    then: _Known[StateT] | None = None
    """The state after the next step."""


@dataclass(slots=True)
class Foresight(Generic[StateT]):
    """Looks ahead on behalf of a loop, and tells its board."""

    recorder: Recorder
    state: InitVar[StateT]
    """Any of the plant's."""
    _board: RunsAhead | None = field(init=False)
    _heard: dict[bytes, str] = field(default_factory=dict[bytes, str], init=False)
    """What the firmware has said lately, the newest last."""
    _heeded: dict[bytes, bool] = field(default_factory=dict[bytes, bool], init=False)
    """Whether that means anything to the recorder."""
    _watch_count: int = field(default=0, init=False)
    _states: dict[object, _Known[StateT]] = field(init=False)
    _values: Callable[[object], tuple[object, ...]] = field(init=False)
    _most_ticks: int = field(default=_FEWEST_TICKS, init=False)
    _until_ms: int = field(default=0, init=False)
    """The plant time up to which the board was told."""

    def __post_init__(self, state: StateT) -> None:
        board: Any = plain(self.recorder.board)
        is_able = isinstance(board, RunsAhead) and is_dataclass(state)
        self._board = board if is_able else None
        self._states = {}
        if is_able:
            self._values = _values_of(state)

    def look(
        self, loop: ClosedLoop[StateT], ticks: int, tick_ms: int, begins: bytes = b""
    ) -> None:
        """Tell the board about at most so many ticks, before the next one begins.

        ``begins`` is sent in each of them before what the plant says.
        """
        board = self._board
        if board is None or board.is_ahead():
            return
        if self._until_ms == loop.plant_ms:
            self._most_ticks = min(2 * self._most_ticks, _MOST_TICKS)
        else:
            self._most_ticks = max(self._most_ticks // 2, _FEWEST_TICKS)
        self._listen()
        if not self.recorder.is_at_ease():
            return
        frames: list[bytes] = []
        expected: set[bytes] = set()
        with suppress(Exception):  # whatever that is, it is raised when it happens
            known = self._known(loop, loop.state)
            for line in self._heard:
                if not self._heeds(line) and self._leaves(loop, known, line):
                    expected.add(line)
            most = min(ticks, self._most_ticks)
            frames.extend(self._frames(loop, known, most, expected))
        if len(frames) < _FEWEST_TICKS or self._board is None:
            return
        self._until_ms = loop.plant_ms + len(frames) * loop.plant.tick_ms
        lines = [line + b"\n" for line in expected]
        board.foresee([(begins + data, tick_ms) for data in frames], lines)

    def _heeds(self, line: bytes) -> bool:
        """Say whether a line of the firmware's means anything to the recorder."""
        lookout = self.recorder.lookout
        if self._watch_count != len(lookout.watches):
            self._watch_count = len(lookout.watches)
            self._heeded.clear()
        if line not in self._heeded:
            self._heeded[line] = lookout.heeds(line)
        return self._heeded[line]

    def _listen(self) -> None:
        for line in self.recorder.said:
            payload = line.payload
            text = self._heard.pop(payload, None)
            self._heard[payload] = decoded(payload) if text is None else text
        while len(self._heard) > _KNOWN_LINES:
            oldest = next(iter(self._heard))
            del self._heard[oldest]
            self._heeded.pop(oldest, None)

    def _frames(
        self,
        loop: ClosedLoop[StateT],
        known: _Known[StateT],
        ticks: int,
        expected: set[bytes],
    ) -> Iterator[bytes]:
        """Yield what is sent in one tick after the other, as far as that is known."""
        at_ms, tick_ms = loop.plant_ms, loop.plant.tick_ms
        for _ in range(ticks):
            if loop.is_due(at_ms):
                return
            lines = loop.let_through(known.lines, at_ms)
            yield known.data if lines is known.lines else _data(lines)
            at_ms += tick_ms
            known = known.then or self._step(loop, known)
            if not known.is_fine:
                return
            new = expected - known.unmoved_by
            if new and not all(self._leaves(loop, known, line) for line in new):
                return

    def _step(self, loop: ClosedLoop[StateT], known: _Known[StateT]) -> _Known[StateT]:
        state = loop.plant.step(known.state)
        self._insist_pure(state, loop.plant.step(known.state))
        known.then = self._known(loop, state)
        return known.then

    def _insist_pure(self, once: object, again: object) -> None:
        """Look ahead no more for a plant that does not keep its promise."""
        if once != again:
            self._board = None
            raise ValueError(again)

    def _leaves(
        self, loop: ClosedLoop[StateT], known: _Known[StateT], line: bytes
    ) -> bool:
        """Say whether a line of the firmware's leaves a state as it is."""
        if line in known.unmoved_by:
            return True
        if loop.plant.actuate(known.state, self._heard[line]) != known.state:
            return False
        known.unmoved_by.add(line)
        return True

    def _known(self, loop: ClosedLoop[StateT], state: StateT) -> _Known[StateT]:
        values = self._values(state)
        key = values, repr(values)  # for 1 equals True, and 0.0 equals -0.0
        known = self._states.get(key)
        if known is None:
            lines = loop.plant.sense(state)
            self._insist_pure(lines, loop.plant.sense(state))
            is_fine = all(holds(state) for holds in loop.invariants.values())
            known = _Known(state, lines, _data(lines), is_fine)
            if len(self._states) >= _KNOWN_STATES:
                self._states.clear()
            self._states[key] = known
        return known


def _data(lines: Iterable[str]) -> bytes:
    return "".join([f"{line}\n" for line in lines]).encode()


def _values_of(state: object) -> Callable[[object], tuple[object, ...]]:
    """Return a function that takes a state of that kind apart."""
    names = [each.name for each in fields(cast("Any", state))]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda state: tuple([getattr(state, name) for name in names])
