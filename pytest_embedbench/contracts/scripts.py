"""A talk that a board goes through by itself, beside other work of whoever asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from pytest_embedbench.contracts.board import Board

if TYPE_CHECKING:
    from collections.abc import Sequence


class ScriptStep(NamedTuple):
    """What the first UART is sent, and how long an answer is waited for.

    Time passes for ``first_ms``, then for 1, 2, 4 ms and so on, at most ``longest_ms``
    each, until as much has been said as an answer has, or nothing at all for
    ``patience_ms``.

    Attributes:
        data: What is sent.
        answers: What may come back; the same place in all steps of a talk is the same
            way through it.
        first_ms: The first wait.
        longest_ms: The longest of those that follow.
        patience_ms: Of silence, in all waits that have ended.
        resets: Whether reset is pressed before; what was said until then is not heard.
    """

    data: bytes
    answers: tuple[bytes, ...]
    first_ms: int
    longest_ms: int
    patience_ms: int
    resets: bool = False


@runtime_checkable
class RunsScripts(Board, Protocol):
    """A board that goes through talks by itself: what it says comes to nobody else.

    Its firmware meets the same bytes at the same times as if somebody sent them, let
    time pass and looked. Talks that have begun come one after the other. Until all
    have ended nothing else may be asked of the board, but to close it.
    """

    def begin_script(self, steps: Sequence[ScriptStep]) -> None:
        """Begin to go through ``steps``, and return at once.

        It ends at the first step to which none of the ways has the answer.
        """
        ...

    def script_has_ended(self) -> bool:
        """Say whether ``end_script`` need not wait."""
        ...

    def end_script(self) -> frozenset[int]:
        """Return the ways of which all answers of the oldest talk are.

        None are, whatever was said, if the firmware has crashed, or has restarted,
        or a byte to it was lost.

        Raises:
            BoardLost: the engine itself died.
            BenchFault: it does not come back.
        """
        ...
