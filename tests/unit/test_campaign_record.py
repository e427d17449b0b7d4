"""A record shows when somebody has touched it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.campaign.record import (
    Record,
    Seal,
    check_record,
    read_record,
)
from pytest_embedbench.errors import BenchFault

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def record(tmp_path: Path) -> Record:
    made = Record(tmp_path / "desk" / "record.jsonl")
    made.append("opened", mode="ci_red_green")
    made.append("taken", submission=1)
    made.append("judged", verdict="PASS")
    return made


def test_it_is_read_back_as_it_was_written(record: Record) -> None:
    entries, seal = read_record(record.file)
    assert [(each.number, each.kind) for each in entries] == [
        (1, "opened"),
        (2, "taken"),
        (3, "judged"),
    ]
    assert entries[2].data == {"verdict": "PASS"}
    assert seal == record.seal
    check_record(record.file, record.seal)


def test_a_changed_line_is_named(record: Record) -> None:
    text = record.file.read_text()
    record.file.write_text(text.replace('"submission": 1', '"submission": 2'))
    with pytest.raises(BenchFault, match=r"record\.jsonl:2: does not fit the lines"):
        read_record(record.file)


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_cut_tail_is_seen_by_whoever_knows_the_seal(
    record: Record, kept: int
) -> None:
    lines = record.file.read_text().splitlines(keepends=True)
    record.file.write_text("".join(lines[:kept]))
    read_record(record.file)  # what is left is sound
    with pytest.raises(BenchFault, match=f"has {kept} lines where the desk wrote 3"):
        check_record(record.file, record.seal)


def test_an_exchanged_record_is_seen(record: Record, tmp_path: Path) -> None:
    other = Record(tmp_path / "other.jsonl")
    for _ in range(3):
        other.append("opened")
    other.file.replace(record.file)
    with pytest.raises(BenchFault, match="not the record that the desk wrote"):
        check_record(record.file, record.seal)


def test_nothing_is_added_to_a_record_that_was_touched(record: Record) -> None:
    record.file.write_text("")
    with pytest.raises(BenchFault, match="somebody cut or exchanged"):
        record.append("judged")
    assert record.file.read_text() == ""


@pytest.mark.parametrize("line", ["", "[]", "{}", '{"number": 1}', "\x00", "null"])
def test_rubbish_is_no_record(tmp_path: Path, line: str) -> None:
    file = tmp_path / "record.jsonl"
    file.write_text(f"{line}\n")
    with pytest.raises(BenchFault, match=":1: does not fit"):
        read_record(file)


def test_there_is_one_record_per_desk(record: Record) -> None:
    with pytest.raises(BenchFault, match="is there already"):
        Record(record.file)
    assert record.seal != Seal()
