"""What a failure quotes of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_embedbench.bench.recorder import Recorder


def evidence_of(recorder: Recorder) -> str:
    """Return the transcript's tail, the board's notes, and where the rest is."""
    recorder.transcript.flush()
    said = recorder.transcript.tail() or "(nothing was said)"
    pending = recorder.framer.pending
    unfinished = f"\nunfinished line: {pending[-80:]!r}" if pending else ""
    notes = "".join(f"\nnote: {note}" for note in recorder.board.notes)
    if position := recorder.board.position:
        notes += f"\nnow {position}"
    where = f"\ntranscript: {recorder.path}" if recorder.path else ""
    on_it = f" on {recorder.uart.name}" if recorder.uart else ""
    return f"the end of the conversation{on_it}:\n{said}{unfinished}{notes}{where}"
