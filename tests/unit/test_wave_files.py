"""Waves as a file for viewers, and as text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from vcd.reader import TokenKind, tokenize

from pytest_embedbench.circuits.vcd import safe_names, vcd_lines, write_vcd
from pytest_embedbench.circuits.wave_text import latest_waves, window_before
from pytest_embedbench.wiring.net_log import FIGHT, BusByte, BusKind, PwmChange
from pytest_embedbench.wiring.net_waves import NetWaves
from tests.support.wave_records import number, record

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.wiring.waves import CircuitRecord

MS = 16_000
"""In ticks."""


def some() -> CircuitRecord:
    """Return a record with a bit of everything."""
    return record(
        [
            *((0, "uno:A4", 1), (0, "uno:A5", 1), (0, "uno:13", 0), (0, "uno:11", 0)),
            *((0, "GND", 0), (1, "uno:2", 0), (2, "uno:2", 1), (3 * MS, "uno:2", 2)),
            (4 * MS, "uno:2", FIGHT),
        ],
        ends_ticks=5 * MS,
        pwm=[PwmChange(MS, number("uno:9"), 32_640, 8_160)],
        bus=[
            BusByte(BusKind.I2C_ACK, 4000, 5440, 0x78, 1),
            BusByte(BusKind.I2C_STOP, 5700, 5700, 0, 0),
            BusByte(BusKind.SPI_0, 6000, 6128, 0xA5, 0xFF),
        ],
    )


def read(text: str) -> tuple[dict[str, list[tuple[int, str]]], list[str]]:
    """Return what a library reads: changes by name in steps, and comments."""
    names: dict[str, str] = {}
    changes: dict[str, list[tuple[int, str]]] = {}
    comments: list[str] = []
    now = 0
    for token in tokenize(io.BytesIO(text.encode())):
        if token.kind is TokenKind.VAR:
            names[token.var.id_code] = token.var.reference
            changes[token.var.reference] = []
        elif token.kind is TokenKind.CHANGE_TIME:
            now = token.time_change
        elif token.kind is TokenKind.CHANGE_SCALAR:
            change = token.scalar_change
            changes[names[change.id_code]].append((now, change.value))
        elif token.kind is TokenKind.COMMENT:
            comments.append(token.comment)
        elif token.kind is TokenKind.TIMESCALE:
            assert str(token.timescale) == "100 ps"
    return changes, comments


def test_a_library_reads_every_net_and_all_its_edges() -> None:
    found = some()
    changes, comments = read("".join(vcd_lines(found)))
    nets = [net for net in found.netlist.nets if len(net.pins) > 1]
    assert [*changes] == safe_names(net.name for net in nets)
    assert {"uno_13", "GND"} <= {*changes}
    waves = NetWaves(found)
    for net in nets:
        seen = [
            (at_ticks * 625, "01zx"[level])
            for at_ticks, level in waves.changes(found.netlist.nets.index(net))
        ]
        if not seen or seen[0][0]:
            seen.insert(0, (0, "z"))
        assert changes[safe_names([net.name])[0]] == seen
    assert changes["uno_2"] == [
        *((0, "z"), (625, "0"), (1250, "1"), (30_000_000, "z"), (40_000_000, "x"))
    ]
    assert comments == []


def test_equal_records_give_equal_bytes_and_end_where_they_end(tmp_path: Path) -> None:
    for name in ("one.vcd", "other.vcd"):
        write_vcd(some(), tmp_path / name)
    text = (tmp_path / "one.vcd").read_text()
    assert text == (tmp_path / "other.vcd").read_text() == "".join(vcd_lines(some()))
    assert text.endswith("#50000000\n")
    assert "$date" not in text


def test_of_too_many_changes_there_are_the_last_and_it_says_so() -> None:
    found = record(ends_ticks=1000 * MS, pwm=[PwmChange(0, number("uno:9"), 160, 16)])
    changes, comments = read("".join(vcd_lines(found, most_changes=1000)))
    (first, _), *_ = changes["uno_9"]
    assert 900 <= len(changes["uno_9"]) <= 1010
    (comment,) = comments
    assert comment == (
        f"nothing before {first / 1e10:.6f} s is here: what follows is the last 1000 "
        "changes or so"
    )


def test_a_record_that_was_cut_begins_where_it_is_whole() -> None:
    cut = record(
        [(10, "uno:2", 1), (900, "uno:2", 0)], ends_ticks=2000, since_ticks=800
    )
    changes, comments = read("".join(vcd_lines(cut)))
    assert changes["uno_2"] == [(500_000, "1"), (562_500, "0")]
    assert comments == [
        "nothing before 0.000050 s is here: so much did nets change after it"
    ]


def test_names_are_safe_and_no_two_alike() -> None:
    assert safe_names(["uno:13", "5V", "b:1.l", "b:1_l", "é $end", ""]) == [
        *("uno_13", "n_5V", "b_1_l", "b_1_l_2", "n____end", "n_")
    ]


def test_rows_show_edges_and_what_is_too_fast_and_what_floats() -> None:
    text = latest_waves(NetWaves(some()), first=[number("uno:2")], lasts_us=5000)
    head, *rows, marks, labels = text.splitlines()
    assert head == "waves, 0.1 ms a column (▒ several edges, ─ nothing holds it)"
    shown = {row.split()[0]: row.split()[1] for row in rows}
    assert [row.split()[0] for row in rows][:2] == ["uno:2", "uno:9"]
    assert shown["uno:2"] == "▒" + 28 * "▔" + "|" + 9 * "─" + "|" + 10 * "x"
    assert shown["uno:9"] == 9 * "─" + "|" + 5 * "▔" + "\\" + 14 * "▁" + "/" + (
        4 * "▔" + "\\" + 14 * "▁"
    )
    assert "▒" in shown["uno:A5"]
    assert "led1:C" not in shown
    assert marks.split() == ["'"] * 6
    assert labels.replace(" ms", "").split() == [*"012345"]
    for row in rows:
        assert len(row) == len("uno:A5 ") + 50


@pytest.mark.parametrize(
    ("now_us", "lasts_us", "window"),
    [
        (1_000_000, 50_000, (950_000, 1_000_000, 1000)),
        (1_000_123, 50_000, (950_123, 1_000_123, 1000)),
        (20_000, 50_000, (0, 20_000, 500)),
        (0, 50_000, (0, 1, 1)),
        (5_000_000, 500_000, (4_500_000, 5_000_000, 10_000)),
        (77, 60, (17, 77, 1)),
    ],
)
def test_columns_are_round(
    now_us: int, lasts_us: int, window: tuple[int, int, int]
) -> None:
    assert window_before(now_us, lasts_us) == window


def test_where_nothing_moved_there_is_nothing_to_show() -> None:
    assert latest_waves(NetWaves(record(ends_ticks=100)), lasts_us=50_000) == ""
