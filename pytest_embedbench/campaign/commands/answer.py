"""``embedbench answer``: ask a model questions, and write down what it says."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.commands.endpoint_options import (
    add_endpoint_options,
    endpoint_settings,
)
from pytest_embedbench.campaign.judge.endpoint import ChatEndpoint
from pytest_embedbench.campaign.judge.given_answers import (
    TEXT,
    WITH_IMAGE,
    GivenAnswer,
    read_given_answers,
)
from pytest_embedbench.campaign.judge.prompts import prompt_text
from pytest_embedbench.campaign.judge.scoring import user_message
from pytest_embedbench.campaign.judge.triplets import read_triplets
from pytest_embedbench.errors import ConfigError, RequestRefused

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import BinaryIO

    from pytest_embedbench.campaign.judge.triplets import Triplet
    from pytest_embedbench.support.commands import Subcommands

_INCOMPLETE = 3


def add_answer(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser("answer", help="ask a model the questions of triplets")
    add = parser.add_argument
    add("triplets", type=Path, metavar="TRIPLETS", help="questions: JSONL or parquet")
    add("--out", type=Path, default=Path("answers.jsonl"), metavar="FILE",
        help="answers are added to it; those it has are not asked for "
        "(default: %(default)s)")  # fmt: skip
    add("--no-images", action="store_true", help="leave all pictures out")
    add_endpoint_options(parser)
    parser.set_defaults(run=_answer)


def _answer(arguments: argparse.Namespace) -> int:
    settings = endpoint_settings(arguments)
    triplets = read_triplets(arguments.triplets)
    chosen = TEXT if arguments.no_images else WITH_IMAGE
    out: Path = arguments.out
    known = read_given_answers(out, triplets) if out.exists() else []
    there = {each.key for each in known}
    todo = [
        triplet
        for name, triplet in triplets.items()
        if (settings.model, chosen, name) not in there
    ]
    with ChatEndpoint(settings) as model:
        refused = _ask_all(model, todo, chosen, out, arguments.jobs)
    sys.stdout.write(f"{out}: {len(todo) - refused} answers added\n")
    return _INCOMPLETE if refused else 0


def _ask_all(
    model: ChatEndpoint, todo: Sequence[Triplet], chosen: str, out: Path, jobs: int
) -> int:
    """Write answers as they come, in order; return how many requests were refused."""
    refused = 0
    pool = ThreadPoolExecutor(jobs)

    def one(triplet: Triplet) -> GivenAnswer | str:
        try:
            return ask_question(model, triplet, chosen)
        except RequestRefused as error:
            return f"{triplet.question_id}: {error}"

    try:
        for answer in pool.map(one, todo):
            if isinstance(answer, str):
                refused += 1
                sys.stderr.write(f"embedbench answer: {answer}\n")
            else:
                _append(out, answer)
    finally:
        pool.shutdown(cancel_futures=True)
    return refused


def ask_question(model: ChatEndpoint, triplet: Triplet, chosen: str) -> GivenAnswer:
    """Ask a model one question; what it says when it refuses is its answer.

    Raises:
        EndpointFault: it cannot be asked.
    """
    history = "\n".join(triplet.history)
    text = f"Done so far:\n{history}\n\n{triplet.query}" if history else triplet.query
    message = user_message(text, triplet, pictures=chosen == WITH_IMAGE)
    reply = model.ask([{"role": "system", "content": prompt_text("ask")}, message])
    return GivenAnswer(
        model=model.settings.model,
        question_id=triplet.question_id,
        input=chosen,
        answer=reply.text or reply.refusal,
    )


def _append(out: Path, answer: GivenAnswer) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("ab+") as file:
            if file.tell() and not _ends_a_line(file):
                file.write(b"\n")
            file.write(answer.line().encode())
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written: {error.strerror}") from error


def _ends_a_line(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"
