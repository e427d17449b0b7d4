"""What a test does to a board from outside, and that the transcript shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_embedbench.bench.recorder import Recorder


def press_reset(recorder: Recorder) -> None:
    """Press the board's reset button; what was half said before ends here.

    Raises:
        FirmwareFault: something was wrong before, and nobody was told yet.
        BoardLacks: the board has no reset button.
    """
    _begin(recorder)
    recorder.board.reset()
    _end(recorder, "reset")


def power_off(recorder: Recorder) -> None:
    """Take the board's power away; raises what ``press_reset`` does."""
    _begin(recorder, boots_to_come=0)
    recorder.board.power_off()
    _end(recorder, "power off")


def power_on(recorder: Recorder) -> None:
    """Give the board's power back; raises what ``press_reset`` does."""
    _begin(recorder)
    recorder.board.power_on()
    _end(recorder, "power on")


def power_cycle(recorder: Recorder) -> None:
    """Take the board's power away for a moment; raises what ``press_reset`` does."""
    _begin(recorder)
    recorder.board.power_cycle()
    _end(recorder, "power cycle")


def _begin(recorder: Recorder, *, boots_to_come: int = 1) -> None:
    _end_lines(recorder)
    recorder.restart(boots_to_come)


def _end(recorder: Recorder, what: str) -> None:
    # A real board talks on until it is held in reset.
    _end_lines(recorder)
    for each in recorder.group:
        each.note(what)


def _end_lines(recorder: Recorder) -> None:
    for each in recorder.group:
        each.pull()
        each.take_pending()
