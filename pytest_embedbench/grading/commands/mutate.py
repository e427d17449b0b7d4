"""``embedbench mutate``: how many faults in a reference does its hidden suite find."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.grading.task import Suite, load_task

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pytest_embedbench.grading.mutation.mutant import Mutant
    from pytest_embedbench.grading.mutation.table import MutantOutcome
    from pytest_embedbench.grading.mutation.trial import MutantTrial
    from pytest_embedbench.support.commands import Subcommands

_PROFILES = ("full", "paper")
_LIMIT_S = 120.0


def add_mutate(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "mutate", help="put faults into a task's reference; say which its suite misses"
    )
    parser.add_argument("task", type=Path, nargs="?", help="a folder with a task.toml")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="MUTANT",
        help="only this one (repeatable); default: all",
    )
    parser.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help="only N of them, spread over all and the same each time; default: all",
    )
    parser.add_argument("--profile", choices=_PROFILES, default="full")
    parser.add_argument("--board", default="native", metavar="NAME")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="at a time"
    )
    parser.add_argument(
        "--limit-s",
        type=float,
        default=_LIMIT_S,
        metavar="S",
        help="for one mutant, which is killed by then (default: %(default).0f)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("artifacts", "mutants"),
        metavar="DIR",
        help="where <task>/<profile>.json and .md go (default: %(default)s)",
    )
    parser.add_argument(
        "--list", action="store_true", help="print the mutants, and run nothing"
    )
    parser.add_argument(
        "--overview",
        action="store_true",
        help="print the scores of all tasks that were tried, and run nothing",
    )
    parser.set_defaults(run=_mutate)


def _mutate(arguments: argparse.Namespace) -> int:
    from pytest_embedbench.grading.mutation import generate  # noqa: PLC0415  # an extra
    from pytest_embedbench.grading.mutation.overview import overview  # noqa: PLC0415

    if arguments.overview:
        sys.stdout.write(overview(arguments.out))
        return 0
    if arguments.task is None:
        raise ConfigError("embedbench mutate: which task? give a folder with task.toml")
    root: Path = arguments.task.resolve()
    suite = Suite(root=root, task=load_task(root / "task.toml"))
    reference = generate.reference_of(suite)
    every = generate.mutants_of(reference, generate.declared_by(suite))
    mutants = sampled(chosen(every, arguments.only), arguments.sample)
    if arguments.list:
        for mutant in mutants:
            where = f"{mutant.file}:{mutant.line}"
            sys.stdout.write(f"{mutant.name:<24} {where:<24} {mutant.what}\n")
        return 0
    return _try_all(arguments, suite, mutants)


def _try_all(
    arguments: argparse.Namespace, suite: Suite, mutants: Sequence[Mutant]
) -> int:
    from pytest_embedbench.grading.mutation import equivalence, generate  # noqa: PLC0415
    from pytest_embedbench.grading.mutation.table import MutantOutcome  # noqa: PLC0415
    from pytest_embedbench.grading.mutation.trial import Fate, Trials  # noqa: PLC0415

    declared = equivalence.equivalents_of(suite)
    reference = generate.reference_of(suite)

    def tell(trial: MutantTrial) -> None:
        known = " (equivalent)" if trial.mutant.name in declared else ""
        told = trial.check if trial.fate is Fate.KILLED else trial.mutant.what
        row = f"{trial.fate.value:<9} {trial.mutant.name:<24} {told}{known}"
        sys.stderr.write(row + "\n")

    hidden = Trials(
        hidden=suite.root / "hidden",
        profile=arguments.profile,
        board=arguments.board,
        jobs=arguments.jobs,
        limit_s=arguments.limit_s,
    )
    began_s = _childrens_cpu_s()
    trials = hidden.run(mutants, reference, tell)
    cpu_s = _childrens_cpu_s() - began_s
    looked_at = [
        trial.mutant
        for trial in trials
        if trial.fate is Fate.SURVIVED
        and (arguments.profile == "full" or trial.mutant.name in declared)
    ]
    outcome = MutantOutcome(
        task=suite.task.name,
        profile=arguments.profile,
        board=arguments.board,
        trials=trials,
        declared=declared,
        witnesses={
            mutant.name: equivalence.told_apart(suite, mutant, reference)
            for mutant in looked_at
        },
        cpu_s=cpu_s,
    )
    _write(outcome, arguments.out / suite.task.name)
    missed = outcome.of(Fate.SURVIVED) + outcome.of(Fate.UNCLEAR)
    return 1 if missed or outcome.refuted else 0


def _childrens_cpu_s() -> float:
    """Return what processes that we have started and seen end took of processors."""
    times = os.times()
    return times.children_user + times.children_system


def _write(outcome: MutantOutcome, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{outcome.profile}.md"
    page.write_text(outcome.page(), encoding="utf-8")
    record = json.dumps(outcome.record(), indent=2)
    page.with_suffix(".json").write_text(record + "\n", encoding="utf-8")
    sys.stdout.write(f"{outcome.summary()}\n")
    for name in outcome.refuted:
        sys.stdout.write(f"declared to be equivalent, and a fault: {name}\n")
    sys.stdout.write(f"{page}\n")


def chosen(mutants: Sequence[Mutant], only: Sequence[str]) -> Sequence[Mutant]:
    """Return the mutants of these names; all, if there are no names.

    Raises:
        UnknownName: there is no mutant of that name.
    """
    if not mutants:
        raise ConfigError("the reference leaves no room for faults")
    known = {mutant.name: mutant for mutant in mutants}
    for name in only:
        if name not in known:
            raise UnknownName("mutant", name, known)
    return [known[name] for name in only] if only else mutants


def sampled(mutants: Sequence[Mutant], count: int | None) -> Sequence[Mutant]:
    """Return ``count`` of the mutants, in their order, chosen by their names."""
    if count is None:
        return mutants
    by_chance = sorted(mutants, key=lambda mutant: _digest(mutant.name))
    kept = {mutant.name for mutant in by_chance[:count]}
    return [mutant for mutant in mutants if mutant.name in kept]


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
