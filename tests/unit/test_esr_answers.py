"""Answers come from lines; what is wrong with one is told with its number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.answers import ModelAnswer, read_answers

SKETCH = "void setup() {}\nvoid loop() {}\n"
GOOD = {"model": "m", "case": "c", "sketch": SKETCH}


def read(folder: Path, *lines: object) -> list[ModelAnswer]:
    file = folder / "answers.jsonl"
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    file.write_text("\n".join(texts))
    return read_answers(file)


def without(field: str) -> dict[str, str]:
    return {name: value for name, value in GOOD.items() if name != field}


def test_a_line_says_who_answered_what_with_which_code(tmp_path: Path) -> None:
    prose = {**without("sketch"), "model": "n", "answer": f"So:\n```cpp\n{SKETCH}```"}
    one, other = read(
        tmp_path, {**GOOD, "tags": ["a"], "pins": {"led1:A": 13}}, "", prose
    )
    assert (one.model, one.case, one.tags, one.pins) == (
        "m",
        "c",
        ("a",),
        {"led1:A": "13"},
    )
    assert one.submission.files == other.submission.files == {"src/sketch.ino": SKETCH}
    assert (one.submission.label, other.submission.label) == ("m-c", "n-c")
    assert other.where.endswith("answers.jsonl:3")
    assert one.has_code
    assert other.has_code


def test_an_answer_without_code_is_one(tmp_path: Path) -> None:
    (answer,) = read(tmp_path, {**without("sketch"), "answer": "I cannot."})
    assert not answer.has_code


def test_a_diagram_is_a_path_or_a_table(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"parts": []}')
    one, other = read(
        tmp_path,
        {**GOOD, "diagram": "other.json"},
        {**GOOD, "name": "other", "diagram": {"parts": []}},
    )
    assert json.loads(one.diagram) == json.loads(other.diagram) == {"parts": []}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "answers.jsonl:2: is no JSON"),
        ('{"model": "m", "model": "n"}', ":2: is no JSON .'model' is there twice"),
        ([1], ":2: each line is a table of model, case and one of answer"),
        (without("model"), ":2: model: is missing"),
        ({**GOOD, "case": " "}, ":2: case: is missing, or empty"),
        ({**GOOD, "case": 3}, ":2: case: is no text"),
        (
            {**GOOD, "modell": "x"},
            ":2: there is no field 'modell'; do you mean 'model'",
        ),
        (
            without("sketch"),
            ":2: give one of answer, sketch, files, folder; there is none",
        ),
        ({**GOOD, "answer": ""}, "there is answer and sketch"),
        ({**without("sketch"), "files": []}, ":2: files: is no table"),
        (
            {**without("sketch"), "files": {"a.ino": 1}},
            ":2: files: 'a.ino': is no text",
        ),
        ({**without("sketch"), "folder": "gone"}, ":2: folder: .*gone is no folder"),
        ({**GOOD, "diagram": "gone.json"}, ":2: diagram: .*gone.json: No such file"),
        ({**GOOD, "diagram": 3}, ":2: diagram: is neither a path nor a table"),
        ({**GOOD, "pins": {"led1": 13}}, ":2: pins: is no table such as"),
        ({**GOOD, "pins": [1]}, ":2: pins: is no table such as"),
        ({**GOOD, "tags": "hardware"}, ":2: tags: is no list of texts"),
        ({**GOOD, "model": "x", "name": "m-c"}, ":2: m-c is called like .*:1"),
        (GOOD, ":2: m-c is called like .*:1"),
    ],
)
def test_a_broken_line_is_told(tmp_path: Path, line: object, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        read(tmp_path, GOOD, line)


def test_a_file_without_answers_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no answer"):
        read(tmp_path, "")
    with pytest.raises(ConfigError, match="No such file or directory: name a JSONL"):
        read_answers(tmp_path / "gone.jsonl")
