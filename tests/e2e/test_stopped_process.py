"""A process that was stopped does nothing, as one that sleeps."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from pytest_embedbench import processes


@pytest.mark.skipif(sys.platform != "linux", reason="/proc says what a process does")
def test_a_process_that_was_stopped_counts_as_asleep() -> None:
    popen = processes.spawn(["/bin/sleep", "60"])
    try:
        os.kill(popen.pid, signal.SIGSTOP)
        os.waitpid(popen.pid, os.WUNTRACED)
        assert processes.is_asleep(popen.pid)
    finally:
        processes.stop(popen, grace_s=0)
