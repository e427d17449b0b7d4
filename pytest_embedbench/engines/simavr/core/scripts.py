"""Go through a talk: send, let time pass, and compare what is said."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.avr_in_child import AvrInChild

    ScriptStep = tuple[bytes, tuple[bytes, ...], int, int, int, bool]
    """As ``contracts.ScriptStep`` has it."""


def go_through(board: AvrInChild, steps: list[ScriptStep]) -> tuple[list[int], int]:
    """Return the ways whose answers all have come, and the time at the end."""
    machine = board.machine
    ways: set[int] = set(range(len(steps[0][1])))
    now_us = board.now_us
    for data, answers, first_ms, longest_ms, patience_ms, resets in steps:
        if resets:
            board.obey([("reset",)])
            _said(board, now_us)
        board.obey([("send", 0, data)])
        wanted = {answers[way] for way in ways}
        most_bytes = max(map(len, wanted))
        heard = b""
        wait_ms, next_ms, silent_ms = first_ms, 1, 0
        while True:
            now_us += wait_ms * 1000
            machine.run_until(now_us * machine.cpu_hz // 1_000_000)
            said = _said(board, now_us)
            heard += said
            silent_ms = 0 if said else silent_ms + wait_ms
            if heard in wanted or len(heard) >= most_bytes or silent_ms >= patience_ms:
                break
            wait_ms, next_ms = next_ms, min(2 * next_ms, longest_ms)
        ways = {way for way in ways if answers[way] == heard}
        if not ways or machine.fault is not None:
            break
    if _was_odd(board) or machine.fault is not None:
        ways.clear()
    board.now_us = now_us
    return sorted(ways), now_us


def _said(board: AvrInChild, now_us: int) -> bytes:
    """Return what the first UART has said; what others say is for nobody."""
    cycle = now_us * board.machine.cpu_hz // 1_000_000
    first, *others = [uart.take(cycle) for uart in board.uarts]
    del others
    return b"".join([data for _, data in first])


def _was_odd(board: AvrInChild) -> bool:
    """Say whether the bench would have had to note something, and forget that."""
    machine = board.machine
    is_odd = bool(machine.resets) or machine.ending.has_come()
    machine.resets.clear()
    is_odd |= board.circuit is not None and board.circuit.has_stopped
    for uart in board.uarts:
        is_odd |= bool(uart.overruns or uart.unheard or uart.odd_bps)
        uart.overruns = uart.unheard = uart.odd_bps = 0
    return is_odd
