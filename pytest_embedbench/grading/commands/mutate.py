"""``embedbench mutate``: how many faults in a reference does its hidden suite find."""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.grading.commands.task_folder import suite_in
from pytest_embedbench.support.progress import LongWork
from pytest_embedbench.support.sampling import sampled

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.grading.mutation.mutant import Mutant
    from pytest_embedbench.grading.mutation.table import MutantOutcome
    from pytest_embedbench.grading.mutation.trial import MutantTrial
    from pytest_embedbench.grading.task import Suite
    from pytest_embedbench.support.commands import Subcommands

_PROFILES = ("full", "paper")
_LIMIT_S = 120.0
_BOARD, _PINS_BOARD = "native", "uno"
_MUTATORS = "embedbench.mutators"
"""The group of entry points of what else can be mutated than a task's reference."""


def add_mutate(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "mutate", help="put faults into a task's reference; say which its suite misses"
    )
    parser.add_argument("task", type=Path, nargs="*", help="a folder with a task.toml")
    parser.add_argument(
        "--pins",
        action="store_true",
        help="try what ESR says of sketches with mistakes in their pins: of all that "
        "have a pins.toml in the folders given",
    )
    parser.add_argument(
        "--neutral-names",
        action="store_true",
        help="with --pins: call the constants v1, v2, ..., and leave comments out",
    )
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
    parser.add_argument(
        "--board", metavar="NAME", help=f"default: {_BOARD}; with --pins: {_PINS_BOARD}"
    )
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
        help="where <task>/<profile>[-<board>].json and .md go (default: %(default)s)",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="take over what earlier campaigns have killed, on other boards than "
        "native what failed in the host stage there; only for suites that have lost no "
        "check since",
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
    if arguments.pins:
        arguments.board = arguments.board or _PINS_BOARD
        return _mutator("pins")(arguments)
    arguments.board = arguments.board or _BOARD
    from pytest_embedbench.grading.mutation import generate  # noqa: PLC0415  # an extra
    from pytest_embedbench.grading.mutation.overview import overview  # noqa: PLC0415

    if arguments.overview:
        sys.stdout.write(overview(arguments.out))
        return 0
    if len(arguments.task) != 1:
        raise ConfigError("embedbench mutate: which task? give a folder with task.toml")
    root: Path = arguments.task[0].resolve()
    suite = suite_in(root)
    reference = generate.reference_of(suite)
    every = generate.mutants_of(reference, generate.declared_by(suite))
    mutants = sampled(chosen(every, arguments.only), arguments.sample)
    if arguments.list:
        for mutant in mutants:
            where = f"{mutant.file}:{mutant.line}"
            sys.stdout.write(f"{mutant.name:<24} {where:<24} {mutant.what}\n")
        return 0
    return _try_all(arguments, suite, mutants)


def _mutator(name: str) -> Callable[[argparse.Namespace], int]:
    """Return what another product brings, which knows what it mutates.

    Raises:
        ConfigError: the product is not there.
    """
    for entry in entry_points(group=_MUTATORS, name=name):
        made: Callable[[argparse.Namespace], int] = entry.load()
        return made
    raise ConfigError(
        f"embedbench mutate --{name}: nothing here can; install this package anew"
    )


def _try_all(
    arguments: argparse.Namespace, suite: Suite, mutants: Sequence[Mutant]
) -> int:
    from pytest_embedbench.grading.mutation import equivalence  # noqa: PLC0415
    from pytest_embedbench.grading.mutation.table import MutantOutcome  # noqa: PLC0415
    from pytest_embedbench.grading.mutation.trial import Fate  # noqa: PLC0415

    declared = equivalence.equivalents_of(suite, arguments.board)
    began_s = _childrens_cpu_s()
    trials = _trials(arguments, suite, mutants, declared)
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
        witnesses=_witnesses(suite, looked_at),
        cpu_s=cpu_s,
    )
    _write(outcome, arguments.out / suite.task.name)
    missed = outcome.of(Fate.SURVIVED) + outcome.of(Fate.UNCLEAR)
    return 1 if missed or outcome.refuted else 0


def _witnesses(suite: Suite, mutants: Sequence[Mutant]) -> dict[str, str]:
    """Return how each shows that it breaks the brief; ``""`` of one that never does."""
    from pytest_embedbench.grading.mutation import equivalence, generate  # noqa: PLC0415

    if not mutants:
        return {}
    ways = equivalence.Ways.of(suite, generate.reference_of(suite))
    return {mutant.name: ways.told_apart(mutant) for mutant in mutants}


def _trials(
    arguments: argparse.Namespace,
    suite: Suite,
    mutants: Sequence[Mutant],
    declared: Mapping[str, str],
) -> list[MutantTrial]:
    """Try those of which nothing is known that may be taken over; tell as they end."""
    from pytest_embedbench.grading.mutation import earlier, generate  # noqa: PLC0415
    from pytest_embedbench.grading.mutation.trial import Fate, Trials  # noqa: PLC0415

    profile, board = arguments.profile, arguments.board
    folder: Path = arguments.out / suite.task.name
    log = earlier.TrialLog(folder / f"{_name(profile, board)}.jsonl")
    done: dict[str, MutantTrial] = {}
    if arguments.resume:
        native = earlier.TrialLog(folder / f"{_name(profile, _BOARD)}.jsonl")
        done = earlier.on_every_board(native.done(mutants)) | log.done(mutants)
    else:
        log.begin()

    def tell(trial: MutantTrial) -> None:
        log.note(trial)
        known = " (equivalent)" if trial.mutant.name in declared else ""
        told = trial.check if trial.fate is Fate.KILLED else trial.mutant.what
        row = f"{trial.fate.value:<9} {trial.mutant.name:<24} {told}{known}"
        sys.stderr.write(row + "\n")

    hidden = Trials(
        hidden=suite.root / "hidden",
        profile=profile,
        board=board,
        jobs=arguments.jobs,
        limit_s=arguments.limit_s,
    )
    left = [mutant for mutant in mutants if mutant.name not in done]
    with LongWork("mutants", len(left), host_now_s) as work:

        def count(trial: MutantTrial) -> None:
            tell(trial)
            work.piece_done()

        tried = hidden.run(left, generate.reference_of(suite), count) if left else []
    done |= {trial.mutant.name: trial for trial in tried}
    return [done[mutant.name] for mutant in mutants]


def _childrens_cpu_s() -> float:
    """Return what processes that we have started and seen end took of processors."""
    times = os.times()
    return times.children_user + times.children_system


def _name(profile: str, board: str) -> str:
    return profile if board == _BOARD else f"{profile}-{board}"


def _write(outcome: MutantOutcome, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{_name(outcome.profile, outcome.board)}.md"
    page.write_text(outcome.page(), encoding="utf-8")
    record = json.dumps(outcome.record(), indent=2)
    page.with_suffix(".json").write_text(record + "\n", encoding="utf-8")
    sys.stdout.write(f"{outcome.summary()}\n{outcome.by_operator()}\n")
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
