"""Answers of models to cases: the lines of a JSONL file, with the code taken out."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.answer_code import SKETCH, code_of
from pytest_embedbench.submissions import (
    Submission,
    SubmissionSource,
    encodes,
    listed,
    tables,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_CODE = ("answer", "sketch", "files", "folder")
_TEXTS = ("model", "case", "name", "check", "origin", "answer", "sketch", "folder")
_FIELDS = (*_TEXTS, "files", "diagram", "pins", "tags")
FIELDS = f"model, case and one of {', '.join(_CODE)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """Somebody's answer to a case.

    Args:
        submission: Its name, label, place in the list, and files.
        where: File and line, for errors.
        model: Who answered.
        case: Which case.
        check: Which test of it; any, if empty.
        diagram: The text of another circuit, or ``""``.
        pins: What is expected to be wired: a pin of the board by ``part:pin``.
        tags: Its own, beside those of the case.
        taken: How its code was come by, in words.
    """

    submission: Submission
    where: str
    model: str
    case: str
    check: str = ""
    diagram: str = ""
    pins: Mapping[str, str]
    tags: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()

    @property
    def has_code(self) -> bool:
        """Whether there is anything to be built."""
        return bool(self.submission.files) or not self.taken


def read_answers(place: Path) -> list[ModelAnswer]:
    """Return the answers of a JSONL file, in order.

    Raises:
        ConfigError: there is none, a line is broken, or two have one name; it begins
            with file and line.
    """
    read = [_read(where, table, place) for where, table in tables(place, FIELDS)]
    if not read:
        raise ConfigError(f"{place}: holds no answer: each line is a table of {FIELDS}")
    submissions = listed([source for source, _ in read])
    return [
        ModelAnswer(submission=submission, where=source.where, **about)
        for submission, (source, about) in zip(submissions, read, strict=True)
    ]


def _read(
    where: str, table: object, place: Path
) -> tuple[SubmissionSource, dict[str, Any]]:
    fields = _checked(where, table)
    files, folder, taken = _code(where, fields, place)
    model, case = str(fields["model"]), str(fields["case"])
    name = str(fields.get("name") or f"{model}-{case}")
    origin = str(fields.get("origin") or where)
    about = {
        "model": model,
        "case": case,
        "check": str(fields.get("check", "")),
        "diagram": _diagram(where, fields.get("diagram"), place),
        "pins": _pins(where, fields.get("pins", {})),
        "tags": _tags(where, fields.get("tags", [])),
        "taken": taken,
    }
    return SubmissionSource(where, name, folder, files, origin), about


def _checked(where: str, table: object) -> dict[str, object]:
    """Insist on a table of known fields, with those that have to be there."""
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: each line is a table of {FIELDS}")
    fields = cast("dict[str, object]", table)
    for field in fields:
        if field not in _FIELDS:
            near = difflib.get_close_matches(field, _FIELDS, n=1)
            meant = f"; do you mean {near[0]!r}?" if near else ""
            raise ConfigError(
                f"{where}: there is no field {field!r}{meant} There are "
                f"{', '.join(_FIELDS)}"
            )
    for field in _TEXTS:
        value = fields.get(field, "")
        if not isinstance(value, str) or not encodes(value):
            raise ConfigError(f"{where}: {field}: is no text")
    for field in ("model", "case"):
        if not str(fields.get(field, "")).strip():
            raise ConfigError(f"{where}: {field}: is missing, or empty")
    given = [field for field in _CODE if field in fields]
    if len(given) != 1:
        said = " and ".join(given) or "none of them"
        raise ConfigError(f"{where}: give one of {', '.join(_CODE)}; there is {said}")
    return fields


def _code(
    where: str, fields: Mapping[str, object], place: Path
) -> tuple[dict[str, str], str, tuple[str, ...]]:
    """Return files by path, or a folder of them, and how code was come by."""
    if "answer" in fields:
        code = code_of(str(fields["answer"]))
        return code.files, "", code.taken
    if "sketch" in fields:
        return {SKETCH: str(fields["sketch"])}, "", ()
    if "folder" in fields:
        folder = (place.parent / str(fields["folder"])).resolve()
        if not folder.is_dir():
            raise ConfigError(f"{where}: folder: {folder} is no folder")
        return {}, str(folder), ()
    files = fields["files"]
    if not isinstance(files, dict) or not files:
        raise ConfigError(f"{where}: files: is no table of texts by path")
    return dict(texts(where, cast("dict[str, object]", files))), "", ()


def _diagram(where: str, diagram: object, place: Path) -> str:
    """Return the text of a circuit: it is here, or in a file."""
    if diagram is None:
        return ""
    if isinstance(diagram, dict):
        return json.dumps(diagram, indent=1)
    if not isinstance(diagram, str) or not diagram:
        raise ConfigError(f"{where}: diagram: is neither a path nor a table")
    file = place.parent / diagram
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "is no text"
        raise ConfigError(f"{where}: diagram: {file}: {said}") from error


def _pins(where: str, pins: object) -> dict[str, str]:
    table = cast("dict[object, object]", pins) if isinstance(pins, dict) else None
    if table is None or not all(
        isinstance(part, str) and ":" in part and isinstance(pin, (str, int))
        for part, pin in table.items()
    ):
        raise ConfigError(
            f'{where}: pins: is no table such as {{"servo1:PWM": "10"}}, of a pin of '
            "the board for each pin of a part"
        )
    return {str(part): str(pin) for part, pin in table.items()}


def _tags(where: str, tags: object) -> tuple[str, ...]:
    each = cast("list[object]", tags) if isinstance(tags, list) else [None]
    if not all(isinstance(tag, str) and tag for tag in each):
        raise ConfigError(f"{where}: tags: is no list of texts")
    return tuple(map(str, each))
