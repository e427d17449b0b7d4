"""``embedbench judge``: have free-form answers judged by a model."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.commands.endpoint_options import (
    add_endpoint_options,
    endpoint_settings,
)
from pytest_embedbench.campaign.judge.agreement import agreement
from pytest_embedbench.campaign.judge.endpoint import ChatEndpoint
from pytest_embedbench.campaign.judge.given_answers import read_given_answers
from pytest_embedbench.campaign.judge.judge_scores import answer_scores
from pytest_embedbench.campaign.judge.judge_table import (
    agreement_table,
    read_esr,
    score_table,
)
from pytest_embedbench.campaign.judge.judging_run import (
    JUDGINGS,
    JudgeIdentity,
    JudgingCache,
    judge_all,
)
from pytest_embedbench.campaign.judge.other_scores import read_scores
from pytest_embedbench.campaign.judge.prompts import VERSION, prompts_digest
from pytest_embedbench.campaign.judge.triplets import read_triplets
from pytest_embedbench.campaign.report.formats import (
    as_csv,
    as_latex,
    as_markdown,
    as_text,
)
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from pytest_embedbench.campaign.judge.endpoint_settings import EndpointSettings
    from pytest_embedbench.campaign.judge.given_answers import AnswerKey
    from pytest_embedbench.campaign.judge.judging_run import JudgedAnswer
    from pytest_embedbench.campaign.report.report_table import ReportTable
    from pytest_embedbench.support.commands import Subcommands

_INCOMPLETE = 3


def add_judge(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "judge", help="have free-form answers judged by a model"
    )
    add = parser.add_argument
    add("triplets", type=Path, metavar="TRIPLETS", help="questions: JSONL or parquet")
    add("answers", type=Path, metavar="ANSWERS.jsonl", help="what models said to them")
    add("--out", type=Path, required=True, metavar="DIR",
        help="where results are, and judgings are kept to go on with")  # fmt: skip
    add("--judgings", type=int, default=JUDGINGS, metavar="N",
        help="how often each answer is judged (default: %(default)s)")  # fmt: skip
    add("--against", type=Path, action="append", default=[], metavar="SCORES.jsonl",
        help="ratings of people, or another judge's judgings.jsonl")  # fmt: skip
    add("--esr", type=Path, metavar="esr.json",
        help="of a run of ESR: E_str, E_per and delta_pin are joined")  # fmt: skip
    add_endpoint_options(parser)
    parser.set_defaults(run=_judge)


def _judge(arguments: argparse.Namespace) -> int:
    if arguments.judgings < 1:
        raise ConfigError(f"--judgings={arguments.judgings}: must be 1 or more")
    settings = endpoint_settings(arguments)
    triplets = read_triplets(arguments.triplets)
    given = read_given_answers(arguments.answers, triplets)
    if not given:
        raise ConfigError(f"{arguments.answers}: holds no answer")
    # What would stop us in the end is read before anything is asked.
    others = [(str(file), read_scores(file)) for file in arguments.against]
    esr = None if arguments.esr is None else read_esr(arguments.esr)
    cache = JudgingCache(arguments.out / "cache")
    with ChatEndpoint(settings) as judge:
        judged = list(
            judge_all(
                judge,
                JudgeIdentity(model=settings.model, settings=settings.settings),
                [(triplets[each.question_id], each) for each in given],
                cache,
                judgings=arguments.judgings,
                jobs=arguments.jobs,
            )
        )
    tables = [score_table(judged, esr), *_agreement(judged, others)]
    _write(arguments.out, settings, judged, tables)
    sys.stdout.write(as_text(tables))
    return _tell_gaps(judged, {each.key for each in given}, triplets)


def _agreement(
    judged: Sequence[JudgedAnswer],
    others: Iterable[tuple[str, dict[AnswerKey, float]]],
) -> list[ReportTable]:
    ours = answer_scores(judged)
    compared = [(name, agreement(ours, scores)) for name, scores in others]
    for name, found in compared:
        if found is None:
            sys.stderr.write(f"embedbench judge: {name}: rates none of these answers\n")
    known = [(name, found) for name, found in compared if found is not None]
    return [agreement_table(known)] if known else []


def _write(
    folder: Path,
    settings: EndpointSettings,
    judged: Sequence[JudgedAnswer],
    tables: Sequence[ReportTable],
) -> None:
    about = {
        "schema": 1,
        "judge": settings.model,
        "endpoint": settings.base_url,
        "settings": dict(settings.settings),
        "prompts": {"version": VERSION, "sha256": prompts_digest()},
        "tables": [asdict(table) for table in tables],
    }
    lines = "".join(json.dumps(each.record()) + "\n" for each in judged)
    files = {
        "judge.json": json.dumps(about, indent=2) + "\n",
        "judgings.jsonl": lines,
        "judge.csv": as_csv(tables[0]),
        "judge.md": as_markdown(tables),
        "judge.tex": as_latex(tables),
    }
    try:
        for name, text in files.items():
            replace_whole(folder / name, text.encode())
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from error


def _tell_gaps(
    judged: Sequence[JudgedAnswer],
    given: set[AnswerKey],
    questions: Iterable[str],
) -> int:
    """Say what has no answer or no score; it is in no mean."""
    gaps: list[str] = []
    names = list(questions)
    for model, input_ in dict.fromkeys((key[0], key[1]) for key in sorted(given)):
        missing = [name for name in names if (model, input_, name) not in given]
        if missing:
            gaps.append(
                f"{model} ({input_}): {len(missing)} of {len(names)} questions have no "
                f"answer, {missing[0]} for one"
            )
    gaps += [
        f"{each.given.model} ({each.given.input}), {each.given.question_id}, judging "
        f"{each.number}: no score: {each.judging.no_score}"
        for each in judged
        if each.judging.no_score
    ]
    for gap in gaps:
        sys.stderr.write(f"embedbench judge: {gap}\n")
    return _INCOMPLETE if gaps else 0
