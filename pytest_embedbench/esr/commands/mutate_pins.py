"""``embedbench mutate --pins``: does the search say what is true of wrong pins."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.truth.layout import cases_in, lay_out, with_twins
from pytest_embedbench.esr.truth.running import passed_in, records_in, run_cases
from pytest_embedbench.esr.truth.verdicts import (
    verdict_record,
    verdict_table,
    verdicts_of,
)
from pytest_embedbench.support.sampling import sampled
from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def mutate_pins(arguments: argparse.Namespace) -> int:
    """Make mutants of sketches, decide them by their checks, and try the search.

    Args:
        arguments: ``task`` (folders), ``sample``, ``list``, ``neutral_names``,
            ``board``, ``jobs``, ``limit_s`` and ``out``, as ``embedbench mutate``
            takes them.

    Raises:
        ConfigError: there are no sketches with a manifest.
        BenchFault: their checks could not be run.
    """
    if not arguments.task:
        raise ConfigError(
            "embedbench mutate --pins: of which sketches? Give folders with pins.toml "
            "in them, such as benchmarks/esr_truth"
        )
    every = cases_in(folder.resolve() for folder in arguments.task)
    cases = sampled(every, arguments.sample)
    if arguments.list:
        for case in cases:
            sys.stdout.write(f"{case.name:<48} {case.mutant.what}\n")
        return 0
    out: Path = arguments.out.resolve() / "pins"
    decided, searched = out / "decided", out / "searched"
    lay_out(with_twins(cases, every), decided)
    lay_out(cases, searched, is_neutral=arguments.neutral_names)
    passed = passed_in(_run(arguments, decided, "strict"))
    records = records_in(_run(arguments, searched, "permissive"))
    verdicts = verdicts_of(cases, passed, records)
    record = verdict_record(verdicts)
    text = json.dumps(record, indent=2) + "\n"
    replace_whole(out / "pins.json", text.encode())
    sys.stdout.write(f"{verdict_table(verdicts)}\n{out / 'pins.json'}\n")
    return 1 if record["false_confirmed"] or record["right"] < len(verdicts) else 0


def _run(arguments: argparse.Namespace, root: Path, pins: str) -> Path:
    """Run the cases; the limit is of one, and they take turns on the processors."""
    count = sum(1 for _ in root.iterdir())
    limit_s = arguments.limit_s * count
    board, jobs = arguments.board, arguments.jobs
    return run_cases(root, pins=pins, board=board, jobs=jobs, limit_s=limit_s)
