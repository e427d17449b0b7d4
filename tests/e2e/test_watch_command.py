"""``embedbench watch`` from the shell."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def test_where_no_run_is_yet_that_is_said_and_a_signal_ends_it(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "pytest_embedbench.cli", "watch"]
    watch = subprocess.Popen(
        [*words, f"--artifacts={tmp_path / 'runs'}"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with watch:
        assert watch.stdout is not None
        assert watch.stderr is not None
        assert watch.stdout.readline().startswith("http://127.0.0.1:")
        assert (
            watch.stderr.readline()
            == f"no run in {tmp_path}/runs yet: waiting for one\n"
        )
        watch.send_signal(signal.SIGTERM)
        assert watch.wait(60) == 0
        assert watch.stderr.read() == "ended\n"
