"""Get a board to answer: reset it, once more if it is silent, then call for help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, BoardLost
from pytest_embedbench.flashing.attempts import RESET_WITHIN_S
from pytest_embedbench.flashing.command import filled
from pytest_embedbench.flashing.programs import find_program
from pytest_embedbench.processes.guarded import GuardedExit, run_guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ANSWERS_WITHIN_S = 2.0
_DOWNLOAD_MODE = b"waiting for download"


def reset_until_heard(
    reset: Callable[[], None],
    listen: Callable[[float], bytes],
    *,
    within_s: float = ANSWERS_WITHIN_S,
) -> bytes:
    """Reset a board and return its first words; give it a second chance.

    Args:
        reset: Presses reset.
        listen: Waits for that many seconds at most and returns as soon as anything
            has come, with what has come.
        within_s: How long one reset is waited on.

    Raises:
        BoardLost: it is silent after two resets, or stays in its ROM's download mode.
    """
    for _ in range(2):
        reset()
        if heard := listen(within_s):
            if _DOWNLOAD_MODE in heard:
                raise BoardLost(
                    "the board stays in its ROM's download mode after reset: check "
                    "IO0 and the DTR and RTS policy, or reset it with 'power_cycle'"
                )
            return heard
    raise BoardLost(
        f"the board is silent: nothing within {within_s:g} s of either of two resets; "
        "it needs a power cycle"
    )


def run_command(
    argv: Sequence[str], words: Mapping[str, str], *, timeout_s: float = RESET_WITHIN_S
) -> str:
    """Run a lab's own command for reset or power; return what it said.

    Args:
        argv: Its words; ``{port}`` and the like stand for what ``words`` has.
        words: The values of the placeholders.
        timeout_s: How long it may take.

    Raises:
        ConfigError: a placeholder stands for nothing.
        BenchFault: it failed, or took too long.
    """
    command = filled(argv, words)
    done = run_guarded(command, timeout_s=timeout_s)
    said = f"{done.stdout}{done.stderr}".strip()
    if done.ending is GuardedExit.TIMED_OUT:
        raise BenchFault(f"{' '.join(command)!r} took longer than {timeout_s:g} s")
    if done.returncode != 0:
        raise BenchFault(f"{' '.join(command)!r} exited {done.returncode}: {said}")
    return said


def uhubctl(location: str, port: int, action: str) -> tuple[str, ...]:
    """Return the command that switches the power of a USB hub's port.

    Args:
        location: Where the hub is, as ``uhubctl`` lists it: ``1-1.4``.
        port: The number of the port on it.
        action: ``off`` or ``on``.

    Raises:
        ToolMissing: ``uhubctl`` is not here.
    """
    program = find_program(
        "uhubctl",
        install="apt-get install uhubctl",
        needed_by=f"switching port {port} of the USB hub at {location}",
    )
    where = ("-l", location, "-p", str(port))
    return (*program, *where, "-a", action)
