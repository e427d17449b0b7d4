"""What installing the plugin costs people who do not use it.

CPU seconds of pytest on 200 trivial tests, with the bench and its products and without
any of them, in interleaved pairs; the median of the differences.

    python benchmarks/bench_startup.py [PAIRS]
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

TEST_COUNT = 200
BUDGET_MS = 15


def main() -> int:
    """Print the table; exit 1 if the plugin costs more than its budget."""
    pair_count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as folder:
        tests = "\n".join(f"def test_{n}(): pass" for n in range(TEST_COUNT))
        (Path(folder) / "test_trivial.py").write_text(tests)
        without = [f"-pno:{entry.name}" for entry in plugins()]
        with_plugin = list[str]()
        for arguments in (without, with_plugin):  # warm the byte code
            cpu_ms(folder, arguments)
        pairs = [
            (cpu_ms(folder, without), cpu_ms(folder, with_plugin))
            for _ in range(pair_count)
        ]
    bare_ms = statistics.median(bare for bare, _ in pairs)
    used_ms = statistics.median(used for _, used in pairs)
    cost_ms = statistics.median(used - bare for bare, used in pairs)
    print(f"without the plugin  {bare_ms:7.0f} ms CPU")
    print(f"with the plugin     {used_ms:7.0f} ms CPU")
    print(f"median difference   {cost_ms:7.1f} ms CPU (budget {BUDGET_MS})")
    return int(cost_ms > BUDGET_MS)


def plugins() -> list[EntryPoint]:
    """Return the plugins of this package: the bench, and each product."""
    every = entry_points(group="pytest11")
    ours = [entry for entry in every if entry.module.startswith("pytest_embedbench.")]
    if len(ours) <= 1:
        raise RuntimeError("installed with entry points of another day")
    return ours


def cpu_ms(folder: str, arguments: list[str]) -> float:
    """Return the user and system time of one pytest run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used_s * 1000


if __name__ == "__main__":
    sys.exit(main())
