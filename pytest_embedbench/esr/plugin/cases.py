"""Which case an item is, and how a check becomes items: by answer and by pins."""

from __future__ import annotations

import difflib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.answers import ModelAnswer, read_answers
from pytest_embedbench.esr.plugin.options import ANSWERS, BOTH, PINS
from pytest_embedbench.esr.plugin.stash import ABOUT, ANSWERED, MARKER
from pytest_embedbench.esr.usual import FOLDER, PERMISSIVE, STRICT
from pytest_embedbench.plugin.options import path_setting, setting
from pytest_embedbench.plugin.stash import session_of
from pytest_embedbench.plugin.workers import input_of
from pytest_embedbench.submissions import Submission

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_embedbench.esr.records import About
    from pytest_embedbench.plugin.workers import WorkerNode

_ANSWER, _PINS = "embedbench_answer", "embedbench_pins"
_TOLD = "embedbench_answers"
_NO_ANSWER = "no answer"
_SOURCE = "source"
_WORDS = ("case", "module", "tags")


@dataclass(frozen=True, slots=True, kw_only=True)
class EsrItem:
    """Which case an item is; ``own_id`` is the same for both items of a case."""

    own_id: str
    case: str
    check: str
    module: str
    tags: tuple[str, ...]
    board: str
    pins: str
    answer: ModelAnswer | None

    @property
    def about(self) -> About:
        """What is on record of it."""
        answer = self.answer
        own = answer.tags if answer is not None else ()
        return {
            "test": self.own_id,
            "case": self.case,
            "check": self.check,
            "board": self.board,
            "module": self.module,
            "tags": [*dict.fromkeys((*self.tags, *own))],
            "model": answer.model if answer is not None else "",
            "answer": answer.submission.name if answer is not None else "",
            "origin": answer.submission.shown if answer is not None else "",
        }


def read(config: pytest.Config) -> None:
    """Read the answers, and write down what came as text.

    Raises:
        pytest.UsageError: there are none, or a line is broken.
    """
    if told := input_of(config).get(_TOLD):
        config.stash[ANSWERED] = [_answer(each) for each in json.loads(told)]
        return
    place = path_setting(config, ANSWERS)
    assert place is not None, "somebody has set it"
    if setting(config, "firmware"):
        raise pytest.UsageError(
            f"{ANSWERS.flag} and --embedbench-firmware both say what is judged: leave "
            "one of them out"
        )
    try:
        found = read_answers(place)
        folder = session_of(config).run_dir / FOLDER / "answers"
        config.stash[ANSWERED] = [_written(each, folder) for each in found]
    except ConfigError as error:
        raise pytest.UsageError(f"{ANSWERS.flag}: {error}") from error
    if getattr(config.option, "dist", "no") == "load":
        # Neighbouring items go to one worker, and both of a case share a search.
        config.option.dist = "worksteal"


def _written(answer: ModelAnswer, folder: Path) -> ModelAnswer:
    from dataclasses import replace  # noqa: PLC0415  # late

    own = answer.submission
    if own.folder or not own.files:
        return answer
    own = replace(own, folder=str(folder / own.label / _SOURCE))
    own.write()
    return replace(answer, submission=own)


def _answer(record: dict[str, Any]) -> ModelAnswer:
    made: dict[str, Any] = {**record, "submission": Submission(**record["submission"])}
    made |= {name: tuple(record[name]) for name in ("tags", "taken")}
    return ModelAnswer(**made)


def tell_worker(node: WorkerNode) -> None:
    """Hand a worker the answers, so that all have the same."""
    if ANSWERED in node.config.stash:
        records = [asdict(each) for each in node.config.stash[ANSWERED]]
        node.workerinput[_TOLD] = json.dumps(records)


def check_marker(item: pytest.Item, marker: pytest.Mark) -> None:
    """Insist on words that the marker takes.

    Raises:
        CollectError: naming test and word.
    """
    tags: Any = marker.kwargs.get("tags", [])
    texts = [value for name, value in marker.kwargs.items() if name != "tags"]
    fine = not marker.args and marker.kwargs.keys() <= {*_WORDS}
    if not (fine and type(tags) in {list, tuple}) or not all(
        isinstance(text, str) and text for text in (*texts, *tags)
    ):
        words = [repr(word) for word in marker.args]
        words += [f"{name}={value!r}" for name, value in marker.kwargs.items()]
        raise pytest.Collector.CollectError(
            f"{item.name}: {MARKER}({', '.join(words)}): it takes case and module as "
            "texts and tags as a list of texts, all by name"
        )


def by_answer(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """Run a check once for each answer to its case, if there are answers at all."""
    if ANSWERED not in metafunc.config.stash:
        return
    case, check = _case_of(metafunc.definition, marker), metafunc.function.__name__
    found = [
        answer
        for answer in metafunc.config.stash[ANSWERED]
        if answer.case == case and answer.check in ("", check)
    ]
    metafunc.fixturenames.append(_ANSWER)
    metafunc.parametrize(
        _ANSWER,
        found or [None],
        ids=[answer.submission.label for answer in found] or [_NO_ANSWER],
    )


def by_pins(metafunc: pytest.Metafunc) -> None:
    """Make the items of a case: strict, permissive, or both."""
    chosen = setting(metafunc.config, PINS)
    metafunc.fixturenames.append(_PINS)
    metafunc.parametrize(_PINS, (STRICT, PERMISSIVE) if chosen == BOTH else (chosen,))


def arrange(config: pytest.Config, items: list[pytest.Item]) -> bool:
    """Say which items are of ESR, and leave out cases that nobody has answered."""
    found: dict[pytest.Item, EsrItem] = {}
    for item in items:
        if (about := _about(item)) is not None:
            found[item] = item.stash[ABOUT] = about
    if ANSWERED in config.stash:
        idle = [item for item, about in found.items() if about.answer is None]
        if idle:
            gone = {*idle}
            items[:] = [item for item in items if item not in gone]
            config.hook.pytest_deselected(items=idle)
    return bool(found)


def _about(item: pytest.Item) -> EsrItem | None:
    marker = item.get_closest_marker(MARKER)
    callspec = getattr(item, "callspec", None)
    if marker is None or callspec is None or _PINS not in callspec.params:
        return None
    pins: str = callspec.params[_PINS]
    module: str = marker.kwargs.get("module", "")
    # By pins is the last of its parameters.
    own_id = item.nodeid.removesuffix("]").removesuffix(pins).removesuffix("-")
    return EsrItem(
        own_id=f"{own_id}]" if not own_id.endswith("[") else own_id[:-1],
        case=_case_of(item, marker),
        check=getattr(item, "originalname", item.name),
        module=module,
        tags=tuple(marker.kwargs.get("tags", ())),
        board=str(callspec.params.get("board_spec", "")),
        pins=pins,
        answer=callspec.params.get(_ANSWER),
    )


def _case_of(item: pytest.Item, marker: pytest.Mark) -> str:
    return str(marker.kwargs.get("case", "")) or item.path.parent.name


def unanswered(
    answers: Iterable[ModelAnswer], judged: set[str], cases: set[str]
) -> list[str]:
    """Return a sentence for each answer that no case of this run was for."""
    told: list[str] = []
    for answer in answers:
        if answer.submission.name in judged:
            continue
        near = difflib.get_close_matches(answer.case, cases - {answer.case}, n=1)
        meant = (
            f"; do you mean {near[0]!r}?" if near and answer.case not in cases else ""
        )
        told.append(f"{answer.where}: case {answer.case!r} was not run{meant}")
    return told
