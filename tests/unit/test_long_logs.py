"""Megabytes of log: linear work, bounded memory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.wire.transcript import MEMORY_CAP_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.testing import Firmware, LoopbackUart

    PutOnBench = Callable[[Firmware], Bench]

LINE = b"I (123456) wifi: a line of log as one finds it, 64 bytes in all\n"
LINES_PER_MS = 64


def logging(kilobytes: int) -> Firmware:
    """Return a firmware that logs 4 kB a millisecond, then says END-OF-TEST."""

    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        for _ in range(kilobytes * 1024 // (len(LINE) * LINES_PER_MS)):
            uart.write(LINE * LINES_PER_MS)
            yield 1
        uart.write(b"END-OF-TEST\n")

    return firmware


def via_expect(bench: Bench) -> None:
    bench.expect(r"level=(\d+) .*ALARM=1|END-OF-TEST", within_ms=60_000)


def via_dut(bench: Bench) -> None:
    bench.dut.expect(r"level=(\d+) .*ALARM=1|END-OF-TEST", timeout=60)


@pytest.mark.parametrize("wait", [via_expect, via_dut])
def test_four_times_the_log_is_four_times_the_work(
    wait: Callable[[Bench], None], bench_with: PutOnBench, tmp_path: Path
) -> None:  # U7, V6, V7
    def calls(kilobytes: int) -> int:
        bench = bench_with(logging(kilobytes))
        count = 0

        def profile(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(profile)
        try:
            wait(bench)
        finally:
            sys.setprofile(None)
        bench.close()
        (tmp_path / "transcript.log").unlink()
        return count

    assert calls(1024) < 4.2 * calls(256)


def test_twenty_megabytes_are_matched_in_bounded_memory(
    bench_with: PutOnBench, tmp_path: Path
) -> None:  # U7, U8
    bench = bench_with(logging(20 * 1024))
    via_expect(bench)
    held_bytes = sum(len(line.payload) for _, line in bench.transcript.since(0))
    assert held_bytes < MEMORY_CAP_BYTES
    assert bench.transcript.forgotten_count > 0
    bench.close()
    with (tmp_path / "transcript.log").open() as log:
        assert sum(1 for _ in log) == len(bench.transcript)
