"""Try out many mutants, a few at a time."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_embedbench.mutation.mutant import Mutant
    from pytest_embedbench.mutation.trial import Trial, Trials


def try_all(
    mutants: Sequence[Mutant],
    reference: Mapping[str, bytes],
    trials: Trials,
    *,
    jobs: int,
) -> Iterator[Trial]:
    """Yield a trial of each mutant, in their order."""
    with (
        tempfile.TemporaryDirectory(prefix="embedbench-mutants-") as scratch,
        ThreadPoolExecutor(jobs) as pool,
    ):

        def try_one(mutant: Mutant) -> Trial:
            folder = Path(scratch, mutant.name)
            mutant.write(reference, folder)
            return trials.try_out(mutant, folder)

        try:
            yield from pool.map(try_one, mutants)
        finally:
            pool.shutdown(cancel_futures=True)
