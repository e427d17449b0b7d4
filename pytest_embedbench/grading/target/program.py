"""A driver firmware that runs on a board, serving one controller at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, FirmwareCrash
from pytest_embedbench.grading.host.conversation import Conversation
from pytest_embedbench.grading.host.messages import Kind
from pytest_embedbench.grading.target import known_talks, wire
from pytest_embedbench.grading.target.talk import Talk, await_hello, begins_again

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from pytest_embedbench.contracts import BoardUnderTest
    from pytest_embedbench.grading.target.talk import Doing
    from pytest_embedbench.grading.task import ControllerApi
    from pytest_embedbench.model import FirmwareImage


@dataclass(slots=True)
class TargetProgram:
    """A driver firmware on a board: it takes what the host's driver program takes.

    Args:
        api: What the task's functions take and return.
        image: The driver firmware.
        boot: Boots a board with it, as good as new, and ends the one before.
        booted: What boards live in: closed with this program.
    """

    api: ControllerApi
    image: FirmwareImage
    boot: Callable[[], BoardUnderTest]
    booted: ExitStack
    was_up: bool = field(default=False, init=False)
    """Whether the driver has ever said that it is there."""
    said: Conversation = field(default_factory=Conversation, init=False)
    """What went over the wire since whoever cares has cleared this."""
    lent: BoardUnderTest | None = field(default=None, init=False)
    """A board that others have: the next that is booted ends it."""
    _wire: wire.Wire = field(init=False)
    _board: BoardUnderTest | None = field(default=None, init=False)
    _is_ready: bool = field(default=False, init=False)
    _is_unused: bool = field(default=False, init=False)
    """Whether nothing of the submission has been called since the last start."""
    _talk_count: int = field(default=0, init=False)
    _can_begin_again: bool = field(default=False, init=False)
    _one_by_one_from: int | None = field(default=None, init=False)
    """The talk in which something went wrong before, if this is another try."""
    _inits: list[Doing] = field(default_factory=list["Doing"], init=False)
    """Those that have not been sent: they go with what comes next."""

    def __post_init__(self) -> None:
        self._wire = wire.Wire(self.api)

    def __repr__(self) -> str:
        return f"<TargetProgram: sha256 {self.image.sha256[:12]}>"

    def begin(self) -> None:
        """Take what follows for one way through, from the next ``open`` on."""
        self._one_by_one_from, self._talk_count = None, 0

    def begin_again(self) -> None:
        """Take it for another try at what has just failed, on a board booted for it.

        Where it crashed, it is stepped so that the step is known.
        """
        self._one_by_one_from, self._talk_count = self._talk_count, 0
        self._board, self._is_ready = None, False

    def begin_reset(self) -> None:
        """Take it for one more try, on a board that is reset for it."""
        self.begin()
        self._can_begin_again = self._is_ready = False

    def open(self) -> None:
        """Start the driver over: all that the submission has is as at power-on.

        Raises:
            FirmwareFault: it does not come up.
        """
        self._inits.clear()
        if not (self._is_ready and self._is_unused):
            self._open()
        self.said.append([known_talks.began(by_itself=self._can_begin_again)])

    def _open(self) -> None:
        was_ready, self._is_ready = self._is_ready, False
        self._wire.restart()
        if self._board is None or not (
            was_ready and self._can_begin_again and begins_again(self._board)
        ):
            self._start(self._board)
        self.was_up = self._is_ready = self._is_unused = True

    def _start(self, board: BoardUnderTest | None) -> None:
        """Have a board that was booted or reset."""
        if board is None:
            self.lent = None
            board = self._board = self.boot()
        else:
            board.reset()
            board.link().receive()
        self._can_begin_again = await_hello(board)

    def ask(self, kind: Kind, payload: bytes = b"", *, doing: Doing) -> bytes:
        """Have the board do what the host's driver does for this request.

        ``controller_init`` is called when the next request comes.

        Raises:
            FirmwareFault: the submission crashed, restarted the board, did not come
                back, or wrote where it must not.
            ConfigError: that is more than the board has room for.
        """
        if self._board is None or not self._is_ready:
            raise BenchFault("the controller has ended: it takes no more steps")
        if kind is Kind.INIT:
            self._inits.append(doing)
            return b""
        self._is_unused = False
        self._is_ready = False  # out of step with it from here on, if this is cut off
        answer = self._answer(self._board, kind, payload, doing)
        self._is_ready = True
        return answer

    def _answer(
        self, board: BoardUnderTest, kind: Kind, payload: bytes, doing: Doing
    ) -> bytes:
        inits = [*self._inits]
        self._inits.clear()
        self._talk_count += 1
        slowly = self._talk_count == self._one_by_one_from
        if kind is Kind.STEPS:
            rows = [*self._wire.steps(payload, one_by_one=slowly)]
            told = self._answers_of(Talk(board, inits, rows, doing, one_by_one=slowly))
            return self._wire.stepped(told)
        if kind is Kind.PARSE:
            line = wire.parse(self.api, payload)
            told = self._answers_of(
                Talk(board, inits, [line], doing, one_by_one=slowly)
            )
            return told[0]
        buffer = wire.serialise(payload)
        told = self._answers_of(Talk(board, inits, [buffer], doing, one_by_one=slowly))
        answer, wrote_behind = wire.serialised(told[0])
        if wrote_behind:
            raise FirmwareCrash(f"{doing(1)}: it has written behind its buffer")
        return answer

    def _answers_of(self, talk: Talk) -> list[bytes]:
        told = talk.run()
        self.said[-1] += [known_talks.said(*block) for block in talk.blocks]
        return told

    def lend(self) -> BoardUnderTest:
        """Return a board as good as new for others, until this needs one again."""
        self._board, self._is_ready = None, False
        self.lent = self.boot()
        return self.lent

    def close(self) -> None:
        """Do nothing: it stands ready to be opened again."""

    def stop(self) -> None:
        """Let go of the board; safe to call twice."""
        self._board, self._is_ready, self.lent = None, False, None
        self.booted.close()
