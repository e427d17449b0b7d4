"""Stand ready before the first instruction, and be copied for each board.

A copy takes a millisecond, Python's start and libsimavr's thirty.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal

from pytest_embedbench.engines.simavr.core.messages import HEADER, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket

_SOCKET, _STDERR = 0, 2
_PR_SET_PDEATHSIG = 1
_MOST_BYTES = 4096


def stand() -> None:
    """Answer requests for copies and for their burial; return in each copy alone.

    A request without payload brings two open files, the copy's end of a socket and
    its log: ``(pid,)`` is the answer. ``("reap", pid)`` waits for a copy's end and is
    answered with its ``(status,)``. An empty answer comes first: until then files that
    are sent would be lost.
    """
    import socket as sockets  # noqa: PLC0415  # a board that is not copied needs none

    end = sockets.socket(fileno=os.dup(_SOCKET))
    gc.collect()
    gc.freeze()  # or each copy would look through, and so copy, all that there is
    answer = encode(())
    while True:
        end.sendall(HEADER.pack(len(answer)) + answer)
        data, files, _, _ = sockets.recv_fds(end, _MOST_BYTES, 2)
        if not data:
            os._exit(0)
        if files:
            original = os.getpid()
            pid = os.fork()
            if pid == 0:
                _become_copy(end, files, original)
                return
            for file in files:
                os.close(file)
            answer = encode((pid,))
        else:
            _, pid = decode(memoryview(data)[HEADER.size :])
            answer = encode((os.waitpid(pid, 0)[1],))


def _become_copy(end: socket, files: list[int], original: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != original:
        os._exit(0)
    end.close()
    for file, place in zip(files, (_SOCKET, _STDERR), strict=True):
        os.dup2(file, place)
        os.close(file)
