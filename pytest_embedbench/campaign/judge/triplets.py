"""Questions with pictures and a gold answer, from JSONL or parquet.

Columns are those of EmbedCopilot-Bench's public data set, of which ``question_id``,
``task_query`` and ``answer`` have to be there; ``id``, ``query`` and ``gold`` mean the
same. Other columns are let be.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.campaign.judge.images import QuestionPicture, read_picture
from pytest_embedbench.errors import ConfigError, ToolMissing
from pytest_embedbench.submissions import tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_ID = ("question_id", "id")
_QUERY = ("task_query", "query")
_GOLD = ("answer", "gold")
_PICTURES = ("device_image", "screenshot_image", "image")
_FIELDS = "question_id, task_query, answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Triplet:
    """A question, what it is asked about, and what would be right to say.

    Args:
        question_id: Its name, which answers give.
        query: The question.
        gold: The reference answer.
        pictures: Of the device, of a screen.
        history: What was done before, in order.
        capability: What it asks for, as the data set groups questions; maybe ``""``.
        tags: Any other words.
    """

    question_id: str
    query: str
    gold: str
    pictures: tuple[QuestionPicture, ...] = ()
    history: tuple[str, ...] = ()
    capability: str = ""
    tags: tuple[str, ...] = ()

    def digest(self) -> str:
        """Return the SHA-256 of all that a judge is shown of it, in hex."""
        shown = (self.query, self.gold, self.history, self.picture_digests())
        return hashlib.sha256(json.dumps(shown).encode()).hexdigest()

    def picture_digests(self) -> tuple[str, ...]:
        """Return the SHA-256 of each picture."""
        return tuple(picture.digest() for picture in self.pictures)


def read_triplets(place: Path) -> dict[str, Triplet]:
    """Return the questions of a JSONL or parquet file by their names, in order.

    Raises:
        ConfigError: there is none, a row is broken, or two have one name.
        ToolMissing: it is parquet, and pyarrow is not installed.
    """
    rows = _parquet(place) if place.suffix == ".parquet" else tables(place, _FIELDS)
    found: dict[str, Triplet] = {}
    for where, row in rows:
        triplet = _triplet(where, row, place.parent)
        if triplet.question_id in found:
            raise ConfigError(
                f"{where}: there is another question {triplet.question_id!r}"
            )
        found[triplet.question_id] = triplet
    if not found:
        raise ConfigError(f"{place}: holds no question: a row has {_FIELDS}")
    return found


def _parquet(place: Path) -> Iterator[tuple[str, Any]]:
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise ToolMissing(
            "a parquet file", "pyarrow", "pip install pyarrow, or save it as JSONL"
        ) from error
    try:
        rows: list[Any] = parquet.read_table(place).to_pylist()
    except (OSError, ValueError) as error:
        raise ConfigError(f"{place}: cannot be read as parquet: {error}") from error
    for number, row in enumerate(rows, start=1):
        yield f"{place}: row {number}", row


def _triplet(where: str, row: object, folder: Path) -> Triplet:
    if not isinstance(row, dict):
        raise ConfigError(f"{where}: is no table with {_FIELDS}")
    table = cast("dict[str, object]", row)
    pictures = [
        read_picture(f"{where}: {column}", table[column], folder)
        for column in _PICTURES
        if table.get(column)
    ]
    return Triplet(
        question_id=_text(where, table, _ID),
        query=_text(where, table, _QUERY),
        gold=_text(where, table, _GOLD),
        pictures=tuple(pictures),
        history=_texts(where, table, "history_summaries"),
        capability=", ".join(_texts(where, table, "capability")),
        tags=_texts(where, table, "tags"),
    )


def _text(where: str, table: Mapping[str, object], names: tuple[str, ...]) -> str:
    value = next((table[name] for name in names if table.get(name) is not None), None)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip() or not is_unicode(value):
        given = ", ".join(map(str, table))
        raise ConfigError(
            f"{where}: {names[0]}: is missing, empty or no text; there are {given}"
        )
    return value


def _texts(where: str, table: Mapping[str, object], name: str) -> tuple[str, ...]:
    """Return a list of texts; a text alone is one, and nothing is none."""
    value = table.get(name)
    if value is None or value == "":
        return ()
    each = cast("list[object]", value) if isinstance(value, list) else [value]
    if not all(isinstance(text, str) and is_unicode(text) for text in each):
        raise ConfigError(f"{where}: {name}: is neither a text nor a list of texts")
    return tuple(map(str, each))


def is_unicode(text: str) -> bool:
    """Say whether a text can be sent: JSON may have half a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
