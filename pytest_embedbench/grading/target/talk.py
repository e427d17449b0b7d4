"""One talk with the driver on a board: requests go out, answers come in, in time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.errors import (
    FirmwareCrash,
    FirmwareFault,
    FirmwareReset,
    FirmwareSpin,
    FirmwareStuck,
)
from pytest_embedbench.grading.target import wire
from pytest_embedbench.grading.target.wire import HELLO, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_embedbench.contracts import Board

    Doing = Callable[[int], str]
    """What was going on, given how many steps of a request were begun."""

ANSWER_WITHIN_MS = 1_000
"""Of simulated time, for one step or any other request."""
UP_WITHIN_MS = 3_000
_BLOCK_BYTES = 200
"""Each board's port keeps 256 bytes that nobody has read yet."""
_FIRST_MS = 1
"""To answer the last of a block, and for the answer: most need no more."""
LONGEST_MS = 64
"""Of the waits that follow each other, twice as long each time."""
_BITS_PER_BYTE = 10
_KINDS = (FirmwareReset, FirmwareSpin, FirmwareStuck)


def await_hello(board: Board) -> bool:
    """Let time pass until the driver is up; return whether it can begin again itself.

    Raises:
        FirmwareSpin: it does not.
        FirmwareFault: the board has something to say of its firmware.
    """
    heard = bytearray()
    for _ in range(UP_WITHIN_MS):
        board.advance(1)
        heard += _received(board)
        at = heard.find(HELLO)
        if 0 <= at < len(heard) - len(HELLO):
            return bytes(heard[at + len(HELLO) :]) == wire.RESTART
    raise FirmwareSpin(
        f"the firmware that steps the controller on {board.spec.name} has not come up "
        f"within {UP_WITHIN_MS} ms"
    )


def begins_again(board: Board) -> bool:
    """Have the driver put all variables back; return whether it has."""
    request = wire.restart()
    board.link().send(request.data)
    for _ in range(ANSWER_WITHIN_MS):
        board.advance(1)
        if heard := _received(board):
            return heard == request.data
    return False


def first_ms(block_bytes: int, baud_bps: int) -> int:
    """Return the first wait for an answer to so many bytes."""
    return -(-block_bytes * _BITS_PER_BYTE * 1000 // baud_bps) + _FIRST_MS


@dataclass(slots=True)
class Talk:
    """Requests of one kind, ``controller_init`` before them if that was asked for.

    Args:
        board: Where the driver is.
        inits: What was going on at each such call.
        requests: What goes out.
        doing: What was going on, in these.
        one_by_one: Whether each is sent when the one before it has been answered: an
            answer that is still on the wire when a board crashes is lost.
    """

    board: Board
    inits: Sequence[Doing]
    requests: Sequence[Request]
    doing: Doing
    one_by_one: bool = False
    blocks: list[tuple[bytes, bytes]] = field(
        default_factory=list[tuple[bytes, bytes]], init=False
    )
    """What has been sent in one go, and what came back."""
    _heard: bytearray = field(default_factory=bytearray, init=False)
    _ends: list[int] = field(default_factory=lambda: [0], init=False)
    """Where each answer ends in what has been heard, behind a 0."""

    def run(self) -> list[bytes]:
        """Return the answers to the requests.

        Raises:
            FirmwareFault: there is none, or another; it says what was going on.
        """
        queue = [*(wire.init() for _ in self.inits), *self.requests, wire.end()]
        try:
            for block in _blocks(queue, 0 if self.one_by_one else _BLOCK_BYTES):
                data = b"".join([request.data for request in block])
                self.board.link().send(data)
                heard_bytes = len(self._heard)
                self._await(block, len(data))
                self.blocks.append((data, bytes(self._heard[heard_bytes:])))
        except FirmwareFault as error:
            kind = next((k for k in _KINDS if isinstance(error, k)), FirmwareCrash)
            raise kind(f"{self._going_on()}: {error}") from None
        answers = [
            bytes(self._heard[start:end])
            for start, end in zip(self._ends, self._ends[1:], strict=False)
        ]
        first = len(self.inits)
        self._check(answers[:first], answers[-1], len(queue))
        return answers[first:-1]

    def _await(self, block: Sequence[Request], block_bytes: int) -> None:
        """Let time pass until these have been answered."""
        step_ms = first_ms(block_bytes, self.board.spec.uarts[0].baud_bps)
        wait_ms = 1
        silent_ms = 0
        for request in block:
            while (end := request.end(self._heard, self._ends[-1])) > len(self._heard):
                if silent_ms >= ANSWER_WITHIN_MS:
                    raise FirmwareSpin(
                        f"it does not come back: no answer within {ANSWER_WITHIN_MS} "
                        f"ms on {self.board.spec.name}"
                    )
                self.board.advance(step_ms)
                received = _received(self.board)
                silent_ms = 0 if received else silent_ms + step_ms
                self._heard += received
                # Short at first, for most come soon; a busy board is left to it.
                step_ms, wait_ms = wait_ms, min(2 * wait_ms, LONGEST_MS)
            self._ends.append(end)

    def _check(self, inits: Sequence[bytes], last: bytes, count: int) -> None:
        """Insist on nothing but answers, and on all of them."""
        is_whole = len(self._heard) == self._ends[-1] and last[0] == count & 0xFF
        if is_whole and all(answer == wire.init().data for answer in inits):
            return
        self.board.advance(1)
        self._heard += _received(self.board)
        name = self.board.spec.name
        restarted = self._heard.find(HELLO)
        if restarted >= 0:
            del self._heard[restarted:]
            self._ends = [end for end in self._ends if end <= restarted]
            raise FirmwareReset(f"{self._going_on()}: {name} has restarted")
        raise FirmwareCrash(
            f"{self._going_on()}: it writes to the UART of {name} itself, or over "
            "memory that is not its own"
        )

    def _going_on(self) -> str:
        """Return what was going on, by what has been answered."""
        answered = len(self._ends) - 1
        own = answered - len(self.inits)
        if own < 0:
            return self.inits[answered](0)
        begun = sum(request.step_count for request in self.requests[:own]) + 1
        return self.doing(min(begun, sum(r.step_count for r in self.requests)))


def _blocks(requests: Sequence[Request], most_bytes: int) -> Iterator[list[Request]]:
    """Yield requests in a row, of so many bytes unless it is a single one."""
    block: list[Request] = []
    size = 0
    for request in requests:
        if block and size + len(request.data) > most_bytes:
            yield block
            block, size = [], 0
        block.append(request)
        size += len(request.data)
    yield block


def _received(board: Board) -> bytes:
    return b"".join([chunk.data for chunk in board.link().receive()])
